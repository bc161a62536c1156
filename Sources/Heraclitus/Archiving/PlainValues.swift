#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Foundation's values that states often keep many of, and that hold neither machines nor events.

extension Data: PlainValue {}
extension URL: PlainValue {}

import HeraclitusEssentials

// Foundation's values that states often keep many of, and that hold neither machines nor events.

extension Data: PlainValue {}
extension URL: PlainValue {}

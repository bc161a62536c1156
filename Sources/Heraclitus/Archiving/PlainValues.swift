import HeraclitusEssentials

// Foundation's values that states often keep in large numbers. They hold neither machines nor events.

extension Data: PlainValue {}
extension URL: PlainValue {}

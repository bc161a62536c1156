// The part of Foundation that the library needs: dates, data and decimal numbers. On Apple's platforms that part is no module of its own.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif

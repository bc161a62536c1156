#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ArchiveError {
    /// What the system says is wrong with a file, by the number of the error that it has just reported.
    static func file(_ path: String, _ number: Int32 = errno) -> ArchiveError {
        .inaccessibleFile(path, explanation: String(cString: strerror(number)))
    }
}

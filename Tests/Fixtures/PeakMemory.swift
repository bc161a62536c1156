import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The peak memory of a body, as the system counts the pages of the process.
///
/// Measure in a process without other work.
struct PeakMemory {
    private let before: Int

    /// Begins to count; `nil` where the system does not count.
    init?() {
        guard Self.isCounted, let before = Self.reset() else { return nil }
        self.before = before
    }

    /// The growth of the peak since the beginning, in bytes.
    var growth: Int? { Self.kilobytes("VmHWM:").map { max(0, $0 - before) << 10 } }

    /// Whether the system counts memory, and no sanitizer keeps freed memory.
    static let isCounted: Bool = {
        #if canImport(Glibc)
            guard unsafe access("/proc/self/clear_refs", W_OK) == 0 else { return false }
            return ["__asan_init", "__tsan_init"].allSatisfy { (name: String) in unsafe dlsym(nil, name) == nil }
        #else
            return false
        #endif
    }()

    /// Calls a body.
    /// - Returns: The growth of the peak during the body in bytes; `nil` where the system does not count.
    static func growth(of body: () throws -> Void) rethrows -> Int? {
        let memory = PeakMemory()
        try body()
        return memory?.growth
    }

    /// Returns free memory to the system, and resets the peak to the current size.
    private static func reset() -> Int? {
        #if canImport(Glibc)
            // The Swift module of the C library lacks both. Freeing a large block returns it and all other free memory.
            typealias Trim = @convention(c) (Int) -> Int32
            typealias Option = @convention(c) (Int32, Int32) -> Int32
            let largestKept: (Int32, Int32) = (-3, 64 << 10)
            if let option = unsafe dlsym(nil, "mallopt") {
                _ = unsafe unsafeBitCast(option, to: Option.self)(largestKept.0, largestKept.1)
            }
            if let trim = unsafe dlsym(nil, "malloc_trim") { _ = unsafe unsafeBitCast(trim, to: Trim.self)(0) }
        #endif
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs"),
            (try? file.write(contentsOf: Data("5".utf8))) != nil
        else { return nil }
        return kilobytes("VmRSS:")
    }

    private static func kilobytes(_ key: String) -> Int? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix(key) }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }
}

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A thread that fires machines, or has done so: who it is, and what it keeps from one fire to the next.
///
/// Another one may get the same address when this one has ended.
@usableFromInline
struct FiringThread: Equatable, @unchecked Sendable {
    // Unchecked, because others only compare the address.
    private let kept: UnsafeMutablePointer<Kept>

    private struct Kept: ~Copyable {
        /// A record of a transition that nobody has kept, for the next one.
        var record: Unmanaged<TransitionRecord>?

        /// Whether it tells observers something out of turn.
        var isTelling = false

        /// Something to look at while there is nothing to do.
        let nothing = Atomic<Bool>(false)
    }

    private init(_ kept: UnsafeMutablePointer<Kept>) { self.kept = kept }

    init?(bits: UInt) {
        guard let kept = UnsafeMutablePointer<Kept>(bitPattern: bits) else { return nil }
        self.kept = kept
    }

    /// Never 0 and always even: an address.
    var bits: UInt { UInt(bitPattern: kept) }

    @usableFromInline static var current: FiringThread {
        if let kept = pthread_getspecific(key) { return FiringThread(kept.assumingMemoryBound(to: Kept.self)) }
        let kept = UnsafeMutablePointer<Kept>.allocate(capacity: 1)
        kept.initialize(to: Kept())
        let result = pthread_setspecific(key, kept)
        precondition(result == 0, "There is no memory for a thread-specific value.")
        return FiringThread(kept)
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // Whether the closure's argument is optional depends on the C library.
        let result = pthread_key_create(&key) { FiringThread.forget($0) }
        precondition(result == 0, "The process has no thread-specific value left.")
        return key
    }()

    /// Lets go of what a thread that ends has kept.
    private static func forget(_ kept: UnsafeMutableRawPointer?) {
        guard let kept = kept?.assumingMemoryBound(to: Kept.self) else { return }
        kept.pointee.record?.release()
        kept.deinitialize(count: 1)
        kept.deallocate()
    }
}

extension FiringThread {
    /// Does nothing for about so many cycles of the processor, and leaves the others' memory alone.
    func pause(_ count: Int) {
        for _ in 0..<count { _ = kept.pointee.nothing.load(ordering: .relaxed) }
    }

    /// Calls a body, unless it is called from within one.
    func tellingOnce(_ body: () -> Void) {
        guard !kept.pointee.isTelling else { return }
        kept.pointee.isTelling = true
        defer { kept.pointee.isTelling = false }
        body()
    }

    /// Makes a record for callbacks to get, which ends with ``finish(_:)``.
    func record(_ content: TransitionRecord.Content) -> Unmanaged<TransitionRecord> {
        guard let record = kept.pointee.record else { return .passRetained(TransitionRecord(content)) }
        kept.pointee.record = nil
        record._withUnsafeGuaranteedRef { $0.rewrite(content) }
        return record
    }

    /// Sees who has kept a record, now that everybody has been called and the machine lets go of its objects soon.
    func finish(_ record: Unmanaged<TransitionRecord>, in run: UnsafeMutablePointer<Run>) {
        // Before anything refers to it that would be counted here.
        let isKept = !TransitionRecord.isKnownToNobodyElse(record)
        if isKept { record._withUnsafeGuaranteedRef { $0.keepObjects() } }
        if isKept || kept.pointee.record != nil || record._withUnsafeGuaranteedRef({ $0.isKeeping }) {
            // Not released at once, because what it keeps may be the last of it, and have a deinitializer.
            run.pointee.keepRecordUntilPassed(record)
        } else {
            kept.pointee.record = record
        }
    }
}

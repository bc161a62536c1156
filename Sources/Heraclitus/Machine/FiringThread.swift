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

    private struct Kept {
        /// A record of a transition that nobody has kept, for the next one.
        var record: TransitionRecord?
    }

    private init(_ kept: UnsafeMutablePointer<Kept>) { self.kept = kept }

    init?(bits: UInt) {
        guard let kept = UnsafeMutablePointer<Kept>(bitPattern: bits) else { return nil }
        self.kept = kept
    }

    /// Never 0 and always even: an address.
    @usableFromInline var bits: UInt { UInt(bitPattern: kept) }

    @usableFromInline static var current: FiringThread {
        if let kept = pthread_getspecific(key) { return FiringThread(kept.assumingMemoryBound(to: Kept.self)) }
        let kept = UnsafeMutablePointer<Kept>.allocate(capacity: 1)
        kept.initialize(to: Kept())
        pthread_setspecific(key, kept)
        return FiringThread(kept)
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key) { (kept: UnsafeMutableRawPointer?) in
            guard let kept = kept?.assumingMemoryBound(to: Kept.self) else { return }
            kept.deinitialize(count: 1)
            kept.deallocate()
        }
        precondition(result == 0, "The process has no thread-specific value left.")
        return key
    }()
}

extension FiringThread {
    /// Makes the transition of a step for callbacks to get, which ends with ``finish(_:)``.
    @usableFromInline
    func transition(
        _ step: Step,
        from source: Unmanaged<AnyObject>,
        to destination: Unmanaged<AnyObject>,
        userInfo: UserInfo,
        of machine: Unmanaged<AnyObject>
    ) -> StateTransition {
        transition(
            TransitionRecord.Content(
                event: step.event,
                isUpdate: step.isUpdate,
                userInfo: userInfo,
                source: source,
                sourceState: step.source,
                destination: destination,
                destinationState: step.destination,
                machine: machine
            )
        )
    }

    /// Makes a transition for callbacks to get, which ends with ``finish(_:)``.
    func transition(_ content: TransitionRecord.Content) -> StateTransition {
        guard let record = kept.pointee.record.take() else { return StateTransition(TransitionRecord(content)) }
        record.rewrite(content)
        return StateTransition(record)
    }

    /// Sees who has kept a transition, now that everybody has been called and the machine lets go of its objects soon.
    @usableFromInline
    func finish(_ transition: consuming StateTransition) {
        var record = (consume transition).record
        guard isKnownUniquelyReferenced(&record) else { return record.keepObjects() }
        guard !record.isKeeping else { return }
        record.forgetUserInfo()
        kept.pointee.record = record
    }
}

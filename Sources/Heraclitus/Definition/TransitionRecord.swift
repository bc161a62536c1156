/// What a ``StateTransition`` refers to.
///
/// While the fire is under way the machine and the caller keep the objects alive, and so the record need not: counting references to
/// three objects would cost more than the rest of a transition. If somebody has kept the transition when the fire is done,
/// the record keeps its objects from then on. One that nobody has kept is used again.
@usableFromInline
final class TransitionRecord: @unchecked Sendable {
    // Without references that are counted, so that making and changing one is copying a few words.
    struct Content {
        /// `nil` on activation.
        var event: UnsafePointer<BoundEvent>?
        var isUpdate = false
        var userInfo: Unmanaged<UserInfo.Storage>?
        var source: Unmanaged<AnyObject>?
        var sourceState: UnsafePointer<RegisteredState>?
        var destination: Unmanaged<AnyObject>
        var destinationState: UnsafePointer<RegisteredState>

        /// `nil` where somebody reads later, who is not to keep the machine alive.
        var machine: Unmanaged<AnyObject>?
    }

    // Unchecked, because the firing thread alone writes: the content while nobody else has the record, and `isKeeping`,
    // which otherwise only `deinit` reads. For the same reason no access can overlap another.
    @exclusivity(unchecked) private(set) var content: Content
    @exclusivity(unchecked) private(set) var isKeeping = false

    /// The machine, for who reads later.
    private weak var machineWhileItLives: AnyObject?

    init(_ content: Content) {
        self.content = content
        machineWhileItLives = nil
    }

    /// Makes a record that keeps all that another one has but the machine.
    init(reading record: TransitionRecord) {
        content = record.content
        machineWhileItLives = content.machine?.takeUnretainedValue()
        content.machine = nil
        keepObjects()
    }

    var machine: AnyObject? { content.machine?.takeUnretainedValue() ?? machineWhileItLives }

    deinit {
        guard isKeeping else { return }
        content.userInfo?.release()
        content.source?.release()
        content.destination.release()
        content.machine?.release()
    }

    /// Lets a record that nobody has kept say something else.
    func rewrite(_ content: Content) { self.content = content }

    /// Keeps the objects alive for as long as there is the record.
    @usableFromInline
    func keepObjects() {
        guard !isKeeping else { return }
        isKeeping = true
        _ = content.userInfo?.retain()
        _ = content.source?.retain()
        _ = content.destination.retain()
        _ = content.machine?.retain()
    }

    /// Whether an owned reference is the only one.
    static func isKnownToNobodyElse(_ record: Unmanaged<TransitionRecord>) -> Bool {
        var record = record
        return withUnsafeMutableBytes(of: &record) {
            isKnownUniquelyReferenced(&$0.assumingMemoryBound(to: TransitionRecord.self)[0])
        }
    }

    func withSource<Result>(_ body: (AnyObject) throws -> Result) rethrows -> Result {
        guard let source = content.source else {
            preconditionFailure("Only a transition with a source calls exit hooks.")
        }
        return try source._withUnsafeGuaranteedRef { try body($0) }
    }

    func withDestination<Result>(_ body: (AnyObject) throws -> Result) rethrows -> Result {
        try content.destination._withUnsafeGuaranteedRef { try body($0) }
    }
}

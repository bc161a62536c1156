#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension StateMachine: AutomaticMachine {
    var isOwnedElsewhere: Bool { core.isOwnedByAnotherThread }

    func fire(_ deadline: CompiledDeadline, in state: any WorkflowState, due date: Date) -> Bool {
        do throws(InvalidTransition) {
            try fire(.bound(event: deadline.event, to: state), userInfo: UserInfo(due: date)) { candidate in
                guard let build = deadline.rule.build else { return try core.onlyEmptyState(of: candidate) }
                return OwnedObject(try build(state))
            }
            return true
        } catch {
            // Observers have been told.
            return false
        }
    }
}

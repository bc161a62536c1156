/// The object that a state refers to, whether it is handed around as its class or as `any` protocol; not retained.
///
/// A cast asks the runtime each time, and counting references costs more still. A class reference is its address, and an
/// existential that holds an object begins with it, be it one of classes only or one of anything. That a workflow's
/// ``Workflow/AnyState`` is one of these is checked when the workflow is compiled: of something else its initial state
/// would be no state.
@inlinable
func object<State>(of state: borrowing State) -> Unmanaged<AnyObject> {
    withUnsafePointer(to: state) { UnsafeRawPointer($0).load(as: Unmanaged<AnyObject>.self) }
}

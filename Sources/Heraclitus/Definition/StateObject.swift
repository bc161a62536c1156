/// The object that a state refers to, whether it is handed around as its class or as `any` protocol of states.
///
/// A plain cast asks the runtime each time. A class reference is one word and `any` protocol of classes with one witness
/// table is two, the reference first; an existential that could hold something else than an object has at least four. That
/// a workflow's ``Workflow/AnyState`` is no value type of that size is checked when the workflow is compiled: its initial
/// state would be no state.
@inlinable
func object<State>(of state: State) -> AnyObject {
    guard MemoryLayout<State>.size <= 2 * MemoryLayout<AnyObject>.size else { return state as AnyObject }
    return withUnsafePointer(to: state) { UnsafeRawPointer($0).load(as: AnyObject.self) }
}

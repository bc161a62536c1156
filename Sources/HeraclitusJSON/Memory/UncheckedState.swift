/// An object whose state changes without the runtime's exclusivity check.
///
/// A coder belongs to one thread. Each change appends to an array or sets a value before other code runs. The checks
/// would take 2,700 instructions more than the 19,100 of a small machine's archive.
package class UncheckedState<State> {
    @exclusivity(unchecked) private final var stored: State

    package init(_ state: State) { unsafe stored = state }

    final var state: State {
        _read { yield unsafe stored }
        _modify { yield unsafe &stored }
    }
}

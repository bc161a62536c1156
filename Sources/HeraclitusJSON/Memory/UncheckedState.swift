/// An object whose state changes without the runtime's exclusivity check.
///
/// A coder belongs to one thread. Each change appends to an array or sets a value before other code runs. With the
/// checks, the archive of a small machine would take 2,700 instructions more.
package class UncheckedState<State> {
    @exclusivity(unchecked) private final var stored: State

    package init(_ state: State) { unsafe stored = state }

    final var state: State {
        _read { yield unsafe stored }
        _modify { yield unsafe &stored }
    }
}

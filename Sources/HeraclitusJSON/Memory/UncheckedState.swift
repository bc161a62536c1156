/// An object whose state changes without the runtime's exclusivity check.
///
/// An encoder belongs to one thread, and each change appends to an array or sets a number before other code runs. The
/// checks took 8,000 of the 25,000 instructions of a small machine's archive.
package class UncheckedState<State> {
    @exclusivity(unchecked) private final var stored: State

    package init(_ state: State) { unsafe stored = state }

    final var state: State {
        _read { yield unsafe stored }
        _modify { yield unsafe &stored }
    }
}

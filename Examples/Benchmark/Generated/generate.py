"""Writes the workflows of many states: python3 generate.py, in this folder."""

SIZES = {"Five": 5, "Ten": 10, "Hundred": 100}


def workflow(name, count):
    yield "// Written by generate.py."
    yield ""
    yield "import Heraclitus"
    yield ""
    yield f"protocol {name}State: WorkflowState {{}}"
    for number in range(count):
        yield f"final class {name}State{number}: {name}State, EmptyState {{}}"
    yield ""
    yield f"struct {name}: Workflow {{"
    yield f"    static var initial: any {name}State {{ {name}State0() }}"
    yield ""
    for number in range(count):
        yield f"    let leave{number} = Event("
        yield f"        from: {name}State{number}.self,"
        targets = list(dict.fromkeys((number + step) % count for step in range(-4, 6)))
        for place, target in enumerate(targets):
            label = "to: " if place == 0 else ""
            comma = "," if place < len(targets) - 1 else ""
            yield f"        {label}{name}State{target}.self{comma}"
        yield "    )"
    yield "}"
    yield ""
    yield f"extension StateMachine<{name}> {{"
    yield "    /// Makes five transitions and ends where it began."
    yield "    func goAround() throws(InvalidTransition) {"
    for here, there in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]:
        yield f"        try fire.leave{here}({name}State{there}())"
    yield "    }"
    yield "}"


for name, count in SIZES.items():
    with open(f"{name}.swift", "w") as file:
        file.write("\n".join(workflow(name, count)) + "\n")

/// The type of a table's groups.
///
/// It has no classes, because the states are known by name.
private protocol TableGroup {}

/// Compiles a table into a definition, in linear time and memory.
///
/// In a wrong table it leaves out the places that name unknown states.
struct TableCompiler {
    let table: TransitionTable
    let numbers: [String: Int]

    init(_ table: TransitionTable) {
        self.table = table
        numbers = Dictionary(table.states.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    var parts: DefinitionParts {
        let states = StateClasses(
            named: table.states,
            table.states.map { StateKind(named: $0, table.keys[$0].map(StateKeys.init)) }
        )
        let groups = StateGroups(groups)
        return DefinitionParts(
            facts: WorkflowFacts(
                name: table.workflow,
                version: table.version,
                migrations: table.migrations.map(\.migration),
                initial: numbers[table.initial],
                listed: numbers(of: table.listed),
                declaredFinals: table.declaredFinals,
                context: ObjectIdentifier(DataWorkflow.self)
            ),
            states: states,
            superstates: table.states.map { table.superstates[$0].flatMap { numbers[$0] } },
            groups: groups,
            events: table.events.map(event),
            routes: table.events.map { event in
                let ignored = numbers(of: event.ignored)
                return EventRoutes(rules(of: event), ignored: ignored, ignoredGroups: [], in: states, groups)
            },
            actions: []
        )
    }

    /// The definition of a valid table.
    var definition: Definition {
        let objects = ObjectHandling(
            eventValues: ErasedImmortal(Self.workflow),
            access: Self.access,
            findLayout: { $0 is DataState ? Self.layout.value : nil },
            makeTable: { [table] _, _ in table },
            namedStates: namedStates
        )
        let definition = Definition(parts, objects)
        // Set once here: finding it with the first object of each state would also check groups.
        for state in definition.states { state.layout.publish(Self.layout) }
        return definition
    }

    private static let workflow = Immortal(DataWorkflow())
    private static let access = ObjectAccess(tryingWith: DataState(""))
    private static let layout: Immortal<ExistentialLayout> = {
        let state = DataState("")
        return Immortal(ExistentialLayout(of: state, madeOf: state))
    }()

    private func numbers(of states: [String]) -> [Int] { states.compactMap { numbers[$0] } }

    // MARK: Objects

    private var namedStates: NamedStates {
        let (states, keys) = (table.states, table.keys.mapValues(StateKeys.init))
        return NamedStates { [numbers] object, likely in
            guard let state = object as? DataState else { return nil }
            let isLikely = likely.map { states[$0] == state.name } ?? false
            guard let number = isLikely ? likely : numbers[state.name] else { return nil }
            if keys.isEmpty { return number }
            return keys[state.name]?.mismatch(of: state.data, in: state.name) == nil ? number : nil
        } mismatch: { object in
            (object as? DataState).flatMap { keys[$0.name]?.mismatch(of: $0.data, in: $0.name) }
        }
    }

    // MARK: Events

    private func event(_ event: TransitionTable.Event) -> DeclaredEvent {
        var declaration = EventDeclaration(event.name, from: .states([]), to: [])
        if let seconds = event.dueAfter, event.hasValidDeadline {
            let after = Duration.seconds(seconds)
            let deadline = Deadline(date: { _, entered in entered + after }, isSinceEntry: true, after: after)
            declaration = declaration.adding(trigger: Trigger(sources: .any, kind: .due(deadline)))
        }
        return DeclaredEvent(
            property: nil,
            slot: EventSlot(declaration),
            valueType: DataWorkflow.Event<DataState, DataState>.self
        )
    }

    /// The rules of an event.
    ///
    /// Sources with the same destinations share a rule, which keeps their number small.
    private func rules(of event: TransitionTable.Event) -> [NumberedRule] {
        let general = numbers(of: event.fromAnyState)
        var rules: [NumberedRule] = []
        if !general.isEmpty { rules.append(NumberedRule(sources: .any, destinations: general, isUpdate: false)) }
        let (isGeneral, ignored) = (Set(general), Set(event.ignored))
        var sources: [Int] = []
        var destinations: [Int: [Int]] = [:]
        var updated: [Int] = []
        for pair in event.transitions {
            guard let source = numbers[pair.from], let destination = numbers[pair.to] else { continue }
            if pair.isUpdate {
                updated.append(source)
            } else if !isGeneral.contains(destination) || ignored.contains(pair.from) {
                if destinations[source] == nil { sources.append(source) }
                destinations[source, default: []].append(destination)
            }
        }
        var places: [[Int]: Int] = [:]
        var shared: [(sources: [Int], destinations: [Int])] = []
        for source in sources {
            let list = destinations[source, default: []]
            if let place = places[list] {
                shared[place].sources.append(source)
            } else {
                places[list] = shared.count
                shared.append(([source], list))
            }
        }
        rules += shared.map { .init(sources: .states($0.sources), destinations: $0.destinations, isUpdate: false) }
        if !updated.isEmpty { rules.append(.init(sources: .states(updated), destinations: updated, isUpdate: true)) }
        return rules
    }

    // MARK: Groups

    private var groups: [CompiledGroup] {
        table.groups.map { group in
            let names = Set(group.states)
            return CompiledGroup(
                declaration: GroupDeclaration((any TableGroup).self, group.name) { _ in
                    false
                } holding: {
                    ($0 as? DataState).map { names.contains($0.name) } ?? false
                },
                members: Set(numbers(of: group.states)).sorted()
            )
        }
    }
}

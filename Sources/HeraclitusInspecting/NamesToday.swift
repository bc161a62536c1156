import Heraclitus

extension Definition {
    /// The current names of an occurrence's states, as far as migrations know them.
    func namesToday(of occurrence: Occurrence) -> (source: String, destination: String?) {
        (
            nameToday(ofState: occurrence.source, in: occurrence.version),
            occurrence.destination.map { nameToday(ofState: $0, in: occurrence.version) }
        )
    }

    private func nameToday(ofState state: String, in version: Int) -> String {
        guard version < self.version else { return state }
        return migrations.reduce(state) { state, step in
            guard step.version > version, case .state(state, let name, _) = step.change else { return state }
            return name
        }
    }
}

// Who hears, in the machines above, of what happens in a machine?

extension MachineCore {
    /// Lets the machines above hear of what happens in this one and in those in its state.
    func beginToBeHeard() {
        let place = madeEnvironment.place
        let number = CallbackEntry.newNumber()
        if place.beginToBeHeard(by: number) {
            addCallbacks(
                [
                    .hook(.observers) { [weak place] transition in
                        guard let place, let machine = transition.machine as? any TreeMachine else { return }
                        machine.withCore { $0.tellAbove(transition, from: place, by: number) }
                    },
                    .notice { [weak place] occurrence in
                        guard let place, place.isHeard(by: number), place.isListenedTo else { return }
                        place.holder?.withCore { $0.hear(occurrence, from: place) }
                    },
                ],
                number: number
            )
        }
        letRegionsBeHeard()
    }

    /// Tells the machines above of a transition; if nobody there listens any more, no later one costs anything.
    private func tellAbove(_ transition: StateTransition, from place: TreePlace, by number: Int) {
        if place.isHeard(by: number), place.isListenedTo {
            let occurrence = occurrence(.transitioned(transition))
            place.holder?.withCore { $0.hear(occurrence, from: place) }
            return
        }
        cancelCallbacks(number)
        place.endToBeHeard(by: number)
        // Another thread may have begun to listen in between, and found that the machine was heard already.
        if place.isListenedTo { beginToBeHeard() }
    }

    func letRegionsBeHeard() { for region in place?.regions ?? [] { region.withCore { $0.beginToBeHeard() } } }

    /// Whether anybody here or above hears of what happens in the machines in the state.
    var hearsRegions: Bool {
        listens(to: .regionNotices) || definition.states[now.index].hooks.observesRegions || place?.isHeardAbove == true
    }

    private func hear(_ occurrence: Occurrence, from region: TreePlace, path: String? = nil) {
        // What is told outside of turns comes on a thread that owns nothing here.
        let state = state.read {}.state
        let path = name(of: region, in: state) + (path.map { "." + $0 } ?? "")
        if case .transitioned(let transition) = occurrence.outcome, let observing = state as? any RegionObserving {
            observing.regionDidTransition(transition, path: path)
        }
        if listens(to: .regionNotices) { tellTreeObservers(occurrence.at(path)) }
        if let place { place.holder?.withCore { $0.hear(occurrence, from: place, path: path) } }
    }

    /// Where in its tree the machine is: the root's workflow, and the properties on the way; `nil` for one that belongs to none.
    var path: String? {
        guard let place, let holder = place.holder else { return nil }
        return holder.withCore { holder in
            let (state, _, _) = holder.state.read {}
            return (holder.path ?? holder.definition.workflow) + "." + holder.name(of: place, in: state)
        }
    }

    /// The name of the property that holds a machine; of one that is not held by a property itself, the name of its workflow.
    private func name(of region: TreePlace, in state: AnyObject) -> String {
        guard let found = place?.regions.first(where: { $0.withCore { $0.place === region } }) else { return "" }
        return propertyName(of: found, in: state) ?? found.workflowName
    }
}

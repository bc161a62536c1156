// Who hears, in the machines above, of what happens in a machine?

import Synchronization

/// The closures that tell the machines above of what happens in a machine.
final class TreeHearing: Sendable {
    /// The number of the closures; 0 until they are added.
    let number = Atomic(0)
}

extension MachineCore {
    /// Lets the machines above hear of what happens in this one and in those in its state.
    func beginToBeHeard() {
        let place = madePlace
        if let hearing = place.beginToBeHeard() {
            let number = addCallbacks([
                .hook(.observers) { [weak place] transition in
                    guard let place else { return }
                    transition.treeMachine.withCore { $0.tellAbove(transition, from: place, hearing) }
                },
                .notice { [weak place] occurrence in
                    guard let place, place.isHeard(by: hearing), place.isListenedTo else { return }
                    place.holder?.withCore { $0.hear(occurrence, from: place) }
                },
            ])
            hearing.number.store(number, ordering: .releasing)
        }
        letRegionsBeHeard()
    }

    /// Tells the machines above of a transition; if nobody there listens any more, no later one costs anything.
    private func tellAbove(_ transition: StateTransition, from place: TreePlace, _ hearing: TreeHearing) {
        if place.isHeard(by: hearing), place.isListenedTo {
            let occurrence = occurrence(of: transition)
            place.holder?.withCore { $0.hear(occurrence, from: place) }
            return
        }
        cancelCallbacks(hearing.number.load(ordering: .acquiring))
        place.endToBeHeard(by: hearing)
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
        if let transition = occurrence.transition, let observing = state as? any RegionObserving {
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

// Tells outer machines of occurrences in inner machines.

import Synchronization

/// The closures on an inner machine that tell the outer machines.
final class TreeHearing: Sendable {
    /// The number of the closures; 0 before they are added.
    let number = Atomic(0)
}

extension MachineCore {
    /// Starts telling outer machines of occurrences in this machine and in its state.
    func beginToBeHeard() {
        let place = madePlace
        if let hearing = place.beginToBeHeard() {
            let number = addClosures([
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

    /// Tells outer machines of a transition.
    ///
    /// After the last listener has gone, the closures are removed.
    private func tellAbove(_ transition: StateTransition, from place: TreePlace, _ hearing: TreeHearing) {
        if place.isHeard(by: hearing), place.isListenedTo {
            let occurrence = occurrence(of: transition)
            place.holder?.withCore { $0.hear(occurrence, from: place) }
            return
        }
        cancelClosures(hearing.number.load(ordering: .acquiring))
        place.endToBeHeard(by: hearing)
        // Another thread may have started to listen in between, and found the closures still in place.
        if place.isListenedTo { beginToBeHeard() }
    }

    func letRegionsBeHeard() { for region in regions { region.withCore { $0.beginToBeHeard() } } }

    /// Whether this machine or an outer one observes the machines in the state.
    var hearsRegions: Bool {
        listens(to: .regionNotices) || definition.states[now.index].hooks.observesRegions || place?.isHeardAbove == true
    }

    private func hear(_ occurrence: Occurrence, from region: TreePlace, path: String? = nil) {
        // Occurrences outside turns arrive on a thread that does not own this machine.
        let state = cell.read {}.state
        let path = (name(of: region, in: state) ?? occurrence.workflow) + (path.map { "." + $0 } ?? "")
        if let transition = occurrence.transition, let observing = state as? any RegionObserving {
            observing.regionDidTransition(transition.heard(by: region.holder), path: path)
        }
        if listens(to: .regionNotices) { tellTreeObservers(occurrence.at(path)) }
        if let place { place.holder?.withCore { $0.hear(occurrence, from: place, path: path) } }
    }

    /// The place in the tree: the root's workflow and the property names; `nil` for a machine without a holder.
    var path: String? {
        guard let place, let holder = place.holder else { return nil }
        return holder.withCore { holder in
            let (state, _, _) = holder.cell.read {}
            let name = holder.name(of: place, in: state) ?? definition.workflow
            return (holder.path ?? holder.definition.workflow) + "." + name
        }
    }

    /// The name of the property that holds a machine; the workflow's name if it is not held by a property directly.
    ///
    /// It is `nil` for a machine whose state is about to be entered or was left.
    private func name(of region: TreePlace, in state: AnyObject) -> String? {
        guard let found = place?.regions.first(where: { $0.withCore { $0.place === region } }) else { return nil }
        return propertyName(of: found, in: state) ?? found.workflowName
    }
}

// Lets outer machines observe inner ones.

extension MachineCore {
    /// Lets outer machines observe this machine and the machines in its state.
    func beginToBeObserved() {
        let place = madePlace
        place.changeOuterObserver { number in
            guard number == nil else { return }
            number = addClosures([
                .hook(.observers) { [weak place] transition in
                    guard let place else { return }
                    transition.treeMachine.withCore { $0.tellHolder(transition, from: place) }
                },
                .notice(.notices) { [weak place] occurrence in
                    guard let place, place.isObserved else { return }
                    place.holder?.withCore { $0.observe(occurrence, in: place) }
                },
            ])
        }
        observeRegions()
    }

    /// Tells outer machines of a transition.
    ///
    /// After the last observer has gone, the closures are removed.
    private func tellHolder(_ transition: StateTransition, from place: TreePlace) {
        if place.isObserved {
            let occurrence = occurrence(of: transition)
            place.holder?.withCore { $0.observe(occurrence, in: place) }
            return
        }
        place.changeOuterObserver { number in
            if let removed = number.take() { cancelClosures(removed) }
        }
        // Another thread may have begun to observe in between, and found the closures still in place.
        if place.isObserved { beginToBeObserved() }
    }

    /// Begins to observe the machines in the state, at any depth.
    func observeRegions() { for region in regions { region.withCore { $0.beginToBeObserved() } } }

    /// Whether this machine or an outer one observes the machines in the state.
    var observesRegions: Bool {
        if listens(to: .regionNotices) || definition.states[now.index].hooks.observesRegions { return true }
        guard let place else { return false }
        return place.hasOuterObserver && place.isObserved
    }

    /// Tells the state, the observers and the outer machines of an occurrence in a machine of the state.
    private func observe(_ occurrence: Occurrence, in region: TreePlace, path: String? = nil) {
        // Occurrences outside turns arrive on a thread that does not own this machine.
        let state = cell.read {}.state
        let path = (name(of: region, in: state) ?? occurrence.workflow) + (path.map { "." + $0 } ?? "")
        if let transition = occurrence.transition, let observing = state as? any RegionObserving {
            observing.regionDidTransition(transition.observed(by: region.holder), path: path)
        }
        if listens(to: .regionNotices) { tellObservers(occurrence.at(path), in: .regionNotices) }
        if let place { place.holder?.withCore { $0.observe(occurrence, in: place, path: path) } }
    }

    /// The place in the tree: the root's workflow and the names of the places in states.
    ///
    /// It is `nil` for a machine without a holder.
    var path: String? {
        guard let place, let holder = place.holder else { return nil }
        return holder.withCore { holder in
            let (state, _, _) = holder.cell.read {}
            let name = holder.name(of: place, in: state) ?? definition.workflow
            return (holder.path ?? holder.definition.workflow) + "." + name
        }
    }

    /// The name of a machine's place in the state; the workflow's name if no property or array of the state holds it.
    ///
    /// It is `nil` for a machine whose state is about to be entered or was left.
    private func name(of region: TreePlace, in state: AnyObject) -> String? {
        guard let found = place?.regions.first(where: { $0.withCore { $0.place === region } }) else { return nil }
        return placeName(of: found, in: state) ?? found.workflowName
    }
}

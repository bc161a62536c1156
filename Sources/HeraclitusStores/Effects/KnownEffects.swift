package import Heraclitus

/// The types of effects that a workflow knows, with the migrations for effects of older versions.
package struct KnownEffects: Sendable {
    package let types: [any Effect.Type]

    /// The version of the workflow.
    package let version: Int

    private let migrations: [Migration]

    fileprivate init(_ types: [any Effect.Type], _ definition: Definition) {
        (self.types, version, migrations) = (types, definition.version, definition.migrations)
    }

    /// Migrates an effect from the version that saved it.
    package func migrated(_ effect: RawEffect, from version: Int) throws -> RawEffect {
        guard version < self.version else { return effect }
        var effect = effect
        for step in migrations where step.version > version { try step.apply(to: &effect) }
        return effect
    }

    /// The stored names of the effects that this version knows.
    package var storedNames: [String] {
        var names = types.flatMap { type -> [String] in
            guard let former = formerName(of: type, named: type.name), self.type(named: former) == type else {
                return [type.name]
            }
            return [type.name, former]
        }
        for step in migrations.reversed() {
            guard case .effect(let old, let new, _) = step.change, old != new, names.contains(new) else { continue }
            names.append(old)
        }
        return names
    }

    /// The type of effects with a name, or with a unique default name of earlier versions.
    package func type(named name: String) -> (any Effect.Type)? {
        if let type = types.first(where: { $0.name == name }) { return type }
        let former = types.filter { formerName(of: $0, named: $0.name) == name }
        return former.count == 1 ? former[0] : nil
    }
}

extension Workflow {
    /// The effects that the workflow knows.
    package static var knownEffects: KnownEffects { KnownEffects(effects, TransitionValidator<Self>().definition) }

    /// The effects that the workflow knows in a context.
    static func knownEffects(in context: GivenContext?) -> KnownEffects {
        guard let context, let definition = context.definition else { return knownEffects }
        // Several states may declare effects of one type.
        let types = context.effectTypes.reduce(into: [any Effect.Type]()) { types, type in
            if !types.contains(where: { $0 == type }) { types.append(type) }
        }
        return KnownEffects(types, definition)
    }
}

/// A waiting effect of a store, before its type is decoded.
package struct RawEffect: Sendable {
    package var name: String
    package var data: JSONValue

    package init(name: String, data: JSONValue) { (self.name, self.data) = (name, data) }
}

extension Migration {
    /// Carries out the step.
    /// - Parameter effect: The effect.
    /// - Returns: Whether the effect has what the step is for.
    /// - Throws: The error of the step's closure.
    @discardableResult
    package func apply(to effect: inout RawEffect) throws -> Bool {
        switch change {
        case .effect(let name, let newName, let change):
            guard effect.name == name else { return false }
            effect.name = newName
            try change(&effect.data)
            return true
        case .values(let key, let change): return try effect.data.changeValues(under: key, change)
        case .archives, .state: return false
        case .nothing: return true
        }
    }
}

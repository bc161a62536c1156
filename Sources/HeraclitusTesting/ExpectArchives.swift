import Foundation
public import Heraclitus

/// Throws unless all properties of a state survive an archive: encodes the state, decodes it, and compares both.
///
/// The check finds properties that compile and are lost. A subclass of a `Codable` class loses its own properties if it
/// lacks `encode(to:)`, and the compiler accepts the class:
///
/// ```swift
/// @Test func states() throws {
///     try expectArchives(TimedOutState(after: .seconds(3)))
/// }
/// ```
///
/// The check finds properties by reflection. It compares dates to the nanosecond, as archives keep them, other
/// `Equatable` values with `==`, machines by their states, dictionaries by their keys, and everything else by its own
/// properties. Objects may refer back to each other. `Live` values are skipped. Name other properties that archives
/// leave out on purpose in `except`.
///
/// A closure cannot be compared, so it counts as lost unless it is in `except`. Reflection cannot look into noncopyable
/// values such as a `Mutex`, so losses inside them stay hidden.
/// - Parameters:
///   - state: The state.
///   - except: Names of properties that may be lost.
/// - Throws: ``LostInArchive``, or the error of encoding or decoding.
public func expectArchives(_ state: some WorkflowState, except: Set<String> = []) throws {
    let json = try ArchiveEncoder.data(of: state)
    let type = type(of: state as any WorkflowState)
    try expectEqual(state, type.init(from: ArchiveDecoder(text: json)), except: except)
}

/// Throws unless the properties of a state equal those of the state that was restored from its archive.
func expectEqual(_ state: any WorkflowState, _ restored: any WorkflowState, except: Set<String>) throws(LostInArchive) {
    let comparison = Comparison(except: except)
    let lost = comparison.differences(Mirror(reflecting: state), Mirror(reflecting: restored), "")
    guard lost.isEmpty else { throw LostInArchive(state: type(of: state).name, properties: lost) }
}

/// The error of a state that loses properties in an archive.
public struct LostInArchive: Error, Equatable, CustomStringConvertible {
    /// The name of the state.
    public let state: String

    /// The properties, each with the value before and after.
    public let properties: [String]

    /// The state and all lost properties.
    public var description: String { "\(state) loses in an archive: \(properties.joined(separator: "; "))" }
}

private final class Comparison {
    private let except: Set<String>

    /// The pairs of objects under comparison; a reference back to one of them is skipped.
    private var open: Set<[ObjectIdentifier]> = []

    /// The number of dates that an archive has rounded to a nanosecond.
    private var roundedDates = 0

    init(except: Set<String>) { self.except = except }

    func differences(_ before: Mirror, _ after: Mirror, _ path: String) -> [String] {
        var found: [String] = []
        let (old, new) = (Array(before.children), Array(after.children))
        for (index, child) in old.enumerated() {
            let name = child.label.map(propertyName) ?? "[\(index)]"
            guard !except.contains(name) else { continue }
            let place = path + (name.hasPrefix("[") || path.isEmpty ? "" : ".") + name
            if index >= new.count {
                found.append("\(place) is gone")
            } else if child.label != new[index].label {
                // The label of the child is the case of an enumeration.
                found.append("\(path) was \(name) and is \(new[index].label.map(propertyName) ?? "something else")")
            } else {
                found += differences(child.value, new[index].value, place)
            }
        }
        if new.count > old.count { found.append("\(path.isEmpty ? "it" : path) has \(new.count - old.count) more") }
        if let before = before.superclassMirror, let after = after.superclassMirror {
            found += differences(before, after, path)
        }
        return found
    }

    private func differences(_ before: Any, _ after: Any, _ path: String) -> [String] {
        if before is any UnarchivedValue { return [] }
        if let before = before as? any ExercisedRegion, let after = after as? any ExercisedRegion {
            // Archived bytes differ: a set is written in another order after it was read.
            guard type(of: before) == type(of: after), before.stateName == after.stateName,
                before.revision == after.revision
            else { return ["\(path) is another machine"] }
            return differences(before.currentState, after.currentState, "\(path).state")
        }
        if let before = before as? Date, let after = after as? Date, isRounded(before, to: after) { return [] }
        if let before = before as? any Equatable {
            if isEqual(before, after) { return [] }
            let rounded = roundedDates
            let within = differencesWithin(before, after, path)
            return within.isEmpty && roundedDates > rounded ? [] : change(before, after, path, within)
        }
        return differencesWithin(before, after, path)
    }

    /// The differences of the properties of two values.
    private func differencesWithin(_ before: Any, _ after: Any, _ path: String) -> [String] {
        if let before = before as? [AnyHashable: Any], let after = after as? [AnyHashable: Any] {
            return differences(before, after, path)
        }
        // A subclass that was read as its superclass has the same properties, or fewer.
        guard type(of: before) == type(of: after) else {
            return ["\(path) was a \(type(of: before)) and is a \(type(of: after))"]
        }
        let (old, new) = (Mirror(reflecting: before), Mirror(reflecting: after))
        if isFunction(before, old) { return ["\(path) is a function, which cannot be compared"] }
        if old.children.isEmpty, old.superclassMirror == nil {
            return text(of: before) == text(of: after) ? [] : change(before, after, path)
        }
        if old.children.count != new.children.count { return change(before, after, path) }
        if old.displayStyle == .set { return isSameSet(old, new) ? [] : change(before, after, path) }
        guard type(of: before) is AnyClass else { return differences(old, new, path) }
        let pair = [ObjectIdentifier(before as AnyObject), ObjectIdentifier(after as AnyObject)]
        guard open.insert(pair).inserted else { return [] }
        defer { open.remove(pair) }
        return differences(old, new, path)
    }

    /// Whether the value is a closure.
    ///
    /// A structure may be named after a function, but has a display style.
    private func isFunction(_ value: Any, _ mirror: Mirror) -> Bool {
        mirror.displayStyle == nil && mirror.children.isEmpty && "\(type(of: value))".contains(" -> ")
    }

    /// Whether each element of a set has its equal in another set of the same size.
    private func isSameSet(_ before: Mirror, _ after: Mirror) -> Bool {
        var others = after.children.map(\.value)
        return before.children.allSatisfy { element in
            let index = others.firstIndex { differences(element.value, $0, "").isEmpty }
            if let index { others.remove(at: index) }
            return index != nil
        }
    }

    private func differences(_ before: [AnyHashable: Any], _ after: [AnyHashable: Any], _ path: String) -> [String] {
        // A key may be a date that the archive has rounded.
        var others = Set(after.keys.filter { before[$0] == nil })
        let values = before.map { key, value in
            let same = after[key] == nil ? others.first { differences(key.base, $0.base, "").isEmpty } : key
            if let same { others.remove(same) }
            return (place: "\(path)[\(key)]", old: value, new: same.flatMap { after[$0] })
        }
        let added = others.map { "\(path)[\($0)] was not there" }
        return values.flatMap { place, old, new in
            new.map { differences(old, $0, place) } ?? ["\(place) is gone"]
        }.sorted() + added.sorted()
    }

    /// Whether two dates are the same in an archive, which keeps nanoseconds.
    ///
    /// A computed date has more digits if it is near 2001, where a manual clock begins.
    private func isRounded(_ before: Date, to after: Date) -> Bool {
        let text = ArchivedDate.text(of: before)
        let isRounded = before != after && text != nil && text == ArchivedDate.text(of: after)
        if isRounded { roundedDates += 1 }
        return isRounded
    }

    /// A changed value with both texts; the differences within it if its texts are alike.
    private func change(_ before: Any, _ after: Any, _ path: String, _ within: [String] = []) -> [String] {
        let (old, new) = (text(of: before), text(of: after))
        if old != new { return ["\(path) was \(old) and is \(new)"] }
        return within.isEmpty ? ["\(path) was \(old) and is another value with this text"] : within
    }

    /// The text of a value; for a date, with the decimals that its description lacks.
    private func text(of value: Any) -> String { (value as? Date).flatMap(ArchivedDate.text) ?? "\(value)" }

    private func isEqual<Value: Equatable>(_ before: Value, _ after: Any) -> Bool { before == after as? Value }
}

// Names machines by the properties of the state that holds them.

/// The name of the property with a machine; `nil` for a machine in a list.
func propertyName(of region: any Region, in object: AnyObject) -> String? {
    for mirror in mirrors(of: object) {
        for case (let label?, let value as any Region) in mirror.children where value === region {
            return propertyName(label)
        }
    }
    return nil
}

/// The name of a machine's place in a state: the property, with the index if the machine is in an array.
///
/// It is `nil` for a machine that is in neither.
package func placeName(of region: any Region, in object: AnyObject) -> String? {
    place(of: region, in: object).map { place in place.property + (place.index.map { "[\($0)]" } ?? "") }
}

/// The property with a machine, and the machine's index if the property is an array; `nil` if there is none.
func place(of region: any Region, in object: AnyObject) -> (property: String, index: Int?)? {
    // A machine with a property of its own may also be in an array of all machines.
    if let name = propertyName(of: region, in: object) { return (name, nil) }
    for mirror in mirrors(of: object) {
        for case (let label?, let list as any RegionList) in mirror.children {
            if let index = list.regionIndex(of: region) { return (propertyName(label), index) }
        }
    }
    return nil
}

/// The mirrors with an object's properties; the data of an ``Updatable`` state comes first.
private func mirrors(of object: AnyObject) -> [Mirror] {
    let data = (object as? any Updatable).map { Mirror(reflecting: $0.values) }
    return [data].compactMap(\.self) + sequence(first: Mirror(reflecting: object), next: \.superclassMirror)
}

/// An array of any values, which may be machines.
private protocol RegionList {
    /// The index of a machine; `nil` for another machine, and for an array that begins with another value.
    func regionIndex(of region: any Region) -> Int?
}

extension Array: RegionList {
    fileprivate func regionIndex(of region: any Region) -> Int? {
        // Arrays of other values may be long, so their elements are not compared.
        guard first is any Region else { return nil }
        return firstIndex { ($0 as? any Region) === region }
    }
}

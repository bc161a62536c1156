/// A value between its encoding and its writing.
package enum EncodedValue {
    /// A number in the syntax of JSON.
    case number(String)

    case raw(JSONValue)
    case array([EncodedValue])

    /// Members in the order of their keys.
    case object([Member])

    package struct Member {
        let key: String
        var value: EncodedValue

        package init(key: String, value: EncodedValue) { (self.key, self.value) = (key, value) }
    }

    static var null: EncodedValue { raw(.null) }

    static func integer(_ integer: some FixedWidthInteger) -> EncodedValue {
        Int(exactly: integer).map { .raw(.integer($0)) } ?? .number("\(integer)")
    }
}

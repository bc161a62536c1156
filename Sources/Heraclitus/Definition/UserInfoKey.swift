extension UserInfo {
    /// A key with the type of its value.
    ///
    /// Misspelt keys and values of another type do not compile.
    ///
    /// ```swift
    /// extension UserInfo.Key<Int> { static var attempt: Self { Self("attempt") } }
    ///
    /// try machine.fire.load(state, userInfo: UserInfo((.attempt, 1)))
    /// transition.userInfo[.attempt]     // 1
    /// ```
    ///
    /// It equals the text of its name: `userInfo["attempt"]`.
    public struct Key<Value: Codable & Sendable>: Hashable, Sendable {
        /// The name of the value in archives.
        let name: String

        /// Makes a key.
        /// - Parameter name: The name.
        public init(_ name: String) { self.name = name }
    }

    /// Makes a user info of values with typed keys; an empty one without values.
    ///
    /// The last of several values for a key wins.
    /// - Parameter values: Pairs of a key and a value.
    public init<each V: Codable & Sendable>(_ values: repeat (Key<each V>, each V)) {
        self.init()
        for (key, value) in repeat each values { self[key] = value }
    }

    /// The value for a key; `nil` if it is missing or of another type.
    /// - Parameter key: The key.
    public subscript<V: Codable & Sendable>(key: Key<V>) -> V? {
        get { self[key.name, as: V.self] }
        set { self[key.name] = newValue }
    }
}

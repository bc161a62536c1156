// Limits foreign texts in errors.

extension String {
    /// The maximum length of a name in an error's text, in Unicode scalars.
    private static let nameLimit = 200

    /// The maximum length of another error's text in an error's text.
    private static let explanationLimit = 1_000

    /// The text, with an ellipsis in place of the middle if it is long.
    ///
    /// Errors shorten each name that may come from outside, such as an archive, a file or a journal. Their properties
    /// have the whole names.
    package var shortened: String { shortened(to: Self.nameLimit) }

    /// The text of another error, with an ellipsis in place of the middle if it is long.
    package var shortenedExplanation: String { shortened(to: Self.explanationLimit) }

    // The length counts scalars, because a single character may be of any length.
    private func shortened(to limit: Int) -> String {
        guard utf8.count > limit, !unicodeScalars.dropFirst(limit).isEmpty else { return self }
        let end = limit / 4
        return String(unicodeScalars.prefix(limit - end - 1)) + "…" + String(unicodeScalars.suffix(end))
    }
}

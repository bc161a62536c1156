// How long may an error's text be when a name in it comes from outside?

extension String {
    /// The length of a name in an error's text, at most, in Unicode scalars.
    private static let nameLimit = 200

    /// The length of what another error says, in the text of the error that it has caused.
    private static let explanationLimit = 1_000

    /// The text as it is if it is short, or else its beginning and its end with an ellipsis between them.
    ///
    /// Each name that may come from outside is so in an error's text: of an archive, a file, a line of a journal, or a caller who has read it
    /// somewhere. An error's properties have the whole.
    package var shortened: String { shortened(to: Self.nameLimit) }

    /// The same for what another error says.
    package var shortenedExplanation: String { shortened(to: Self.explanationLimit) }

    // In scalars: a character alone may be as long as any text.
    private func shortened(to limit: Int) -> String {
        guard utf8.count > limit, unicodeScalars.count > limit else { return self }
        let end = limit / 4
        return String(unicodeScalars.prefix(limit - end - 1)) + "…" + String(unicodeScalars.suffix(end))
    }
}

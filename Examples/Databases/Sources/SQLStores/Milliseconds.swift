extension Duration {
    /// The whole milliseconds, as many as databases take for a time-out: a number of 32 bits, some 24 days.
    package var milliseconds: Int32 {
        let most = Duration.milliseconds(Int32.max)
        // Limited first: there are durations of more milliseconds, and of more seconds, than a number of 64 bits holds.
        let (seconds, attoseconds) = max(.zero - most, min(self, most)).components
        return Int32(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}

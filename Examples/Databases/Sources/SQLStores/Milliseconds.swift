extension Duration {
    /// The whole milliseconds, within the 32 bits that databases take for a time-out: about 24 days.
    package var milliseconds: Int32 {
        let most = Duration.milliseconds(Int32.max)
        // Clamps first, because a duration can have more milliseconds, and more seconds, than 64 bits hold.
        let (seconds, attoseconds) = max(.zero - most, min(self, most)).components
        return Int32(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}

/// A measurement, with its limit for comparison.
///
/// A new figure is a value in one of the lists in `Figures`.
struct Figure {
    /// One side of a comparison, which takes one sample of about the given duration.
    typealias Side = (Duration) -> Double

    let name: String
    let unit: String

    /// The largest acceptable ratio of the library to the limit.
    let goal: Double
    let ours: Side
    let limit: Side

    /// The limit, if it is not handwritten code.
    var remark: String?

    static var all: [Figure] {
        firing + asking + living + working + alarms
    }

    /// Samples both sides alternately, so that other load of the computer affects both.
    func measured(_ count: Int, for time: Duration) -> Measurement {
        _ = (ours(time / 4), limit(time / 4))
        let pairs = (0..<count).map { index in
            if index.isMultiple(of: 2) {
                let first = ours(time)
                return (ours: first, limit: limit(time))
            }
            let first = limit(time)
            return (ours: ours(time), limit: first)
        }
        return Measurement(figure: self, ours: Samples(pairs.map(\.ours)), limit: Samples(pairs.map(\.limit)))
    }
}

struct Measurement {
    let figure: Figure
    let ours: Samples
    let limit: Samples

    var ratio: Double { ours.median / limit.median }
}

struct Samples {
    let median: Double
    let minimum: Double
    let maximum: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
    }
}

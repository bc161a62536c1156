/// The report for people.
struct Report {
    let findings: Findings
    let isVerbose: Bool

    func print(to output: inout Output) throws(Refused) {
        for log in findings.logs { try output.line(log) }
        try output.line()
        try printDamages(to: &output)
        try printRejections(to: &output)
        try printSummary(to: &output)
        try printComparison(to: &output)
        try printLastLine(to: &output)
    }

    func printLastLine(to output: inout Output) throws(Refused) {
        let count = findings.states.count
        let agree = findings.database.map { _ in "\(count - findings.differences.count)" } ?? "-"
        try output.line("agree \(agree)/\(count) rejected \(findings.progress.rejections)")
    }

    private func printDamages(to output: inout Output) throws(Refused) {
        for damage in findings.replay.damages {
            if damage.isHole {
                try output.line("\(name(damage.place)) is behind a hole of NUL bytes: lines may be missing there")
            } else {
                try output.line("\(name(damage.place)) is not understood: \(damage.place.text)")
            }
        }
        let (now, before) = (findings.progress, findings.replay.beginning)
        let count = now.notUnderstood - before.notUnderstood + now.holes - before.holes
        try printRest(count, "damaged line", findings.replay.damages.count, to: &output)
    }

    private func printRejections(to output: inout Output) throws(Refused) {
        for rejection in findings.replay.rejections {
            let time = rejection.place.time.map { ", \($0)" } ?? ""
            try output.line("\(name(rejection.place)): \(rejection.sentence)\(time)")
            if isVerbose {
                try output.line("    \(rejection.place.text)")
                try output.line("    \(rejection.error)")
            }
        }
        let count = findings.progress.rejections - findings.replay.beginning.rejections
        try printRest(count, "rejected line", findings.replay.rejections.count, to: &output)
        if findings.isHalf {
            try output.line("line \(findings.progress.position.lines + 1) has no end and was left unread")
        }
    }

    private func printRest(_ count: Int, _ what: String, _ shown: Int, to output: inout Output) throws(Refused) {
        guard count > shown else { return }
        try output.line("and \(Self.count(count - shown, "more " + what)); --limit \(count) names them")
    }

    private func name(_ place: Place) -> String {
        "line \(place.line)" + (findings.logs.count > 1 ? " of \(place.log)" : "")
    }

    private func printSummary(to output: inout Output) throws(Refused) {
        let (now, before) = (findings.progress, findings.replay.beginning)
        if findings.isResumed {
            try output.line(
                "in this run \(now.lines - before.lines) lines, \(now.transitions - before.transitions) transitions, "
                    + "\(now.repeats - before.repeats) repeated, \(now.notUnderstood - before.notUnderstood) not "
                    + "understood, \(now.rejections - before.rejections) rejected"
            )
            try output.line("since the archive began")
        }
        try output.line(
            "\(now.lines) lines, \(findings.states.count) packages, \(now.transitions) transitions, "
                + "\(now.repeats) repeated, \(now.notUnderstood) not understood, \(now.rejections) rejected"
        )
        try output.line()
        try output.line("packages per state")
        for (status, count) in findings.counts {
            try output.line("  \(Self.pad(status.rawValue, 18))\(Self.pad(count, 6))")
        }
        try output.line()
        try printBroken(to: &output)
        try output.line("changed most")
        for state in findings.changedMost {
            try output.line("\(Self.pad(state.facts.changes, 6))  \(state.facts.package)")
        }
        try output.line()
    }

    private func printBroken(to output: inout Output) throws(Refused) {
        for (status, packages) in findings.broken {
            try output.line("\(status.trouble ?? status.rawValue)")
            for state in packages.prefix(findings.limit) {
                let version = state.facts.version.map { " " + $0 } ?? ""
                try output.line("  \(state.facts.package)\(version), since \(state.facts.since)")
            }
            try printRest(packages.count, "package", min(packages.count, findings.limit), to: &output)
            try output.line()
        }
    }

    private func printComparison(to output: inout Output) throws(Refused) {
        for difference in findings.differences.prefix(findings.limit) {
            try output.line("\(difference.package) \(difference.difference)")
        }
        try printRest(
            findings.differences.count,
            "package that disagrees",
            min(findings.differences.count, findings.limit),
            to: &output
        )
        guard let others = findings.countOfOthers, others > 0 else { return }
        try output.line("\(Self.count(others, "package")) of the database \(others == 1 ? "is" : "are") not in the log")
    }

    private static func count(_ number: Int, _ what: String) -> String {
        guard number != 1 else { return "\(number) \(what)" }
        // The first noun takes the plural, and the following words agree with it.
        return "\(number) "
            + what.replacing("package that disagrees", with: "packages that disagree")
            .replacing(/package$/, with: "packages").replacing(/line$/, with: "lines")
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let text = "\(number)"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

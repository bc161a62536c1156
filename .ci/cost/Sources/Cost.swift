import Foundation

/// Carries out one operation as often as it is told, while `count.py` counts the instructions.
@main
struct Cost {
    private static let figures: [(name: String, run: @Sendable (Int) throws -> Void)] = [
        ("transition", transition),
        ("transition-bare", transitionBare),
        ("transition-named", transitionNamed),
        ("transition-data", transitionData),
        ("transition-observed", transitionObserved),
        ("transition-closures", transitionClosures),
        ("transition-built", transitionBuilt),
        ("inner", inner),
        ("rejection", rejection),
        ("ignored", ignored),
        ("nested", nested),
        ("making", making),
        ("reading", reading),
        ("archive", archive),
        ("restore", restore),
        ("foundation-encode", foundationEncode),
        ("foundation-decode", foundationDecode),
    ]

    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 1 {
            for figure in figures { print(figure.name) }
            return
        }
        guard arguments.count == 3, let run = figures.first(where: { $0.name == arguments[1] })?.run,
            let count = Int(arguments[2]), count > 0, count.isMultiple(of: 2)
        else {
            print("usage: cost FIGURE COUNT, with an even count; or cost, which lists the figures")
            exit(EX_USAGE)
        }
        try run(count)
    }
}

// What the optimizer must believe is used.

@inline(never) @_optimize(none)
func keep(_ object: AnyObject) {}

@inline(never) @_optimize(none)
func keep(_ answer: Bool) {}

@inline(never) @_optimize(none)
func keep(_ number: Int) {}

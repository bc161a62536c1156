import Foundation

/// Measures what the library costs against the same written by hand, side by side in one process.
@main
struct Benchmark {
    static func main() {
        let options: Options
        do {
            options = try Options(CommandLine.arguments.dropFirst())
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(EX_USAGE)
        }
        if options.help { return print(Options.usage) }

        parkAThread()
        let figures = Figure.all.filter { figure in options.only.map { figure.name.contains($0) } ?? true }
        let report = Report(asJSON: options.json)
        report.begin(measuring: figures, samples: options.samples)
        for figure in figures { report.add(figure.measured(options.samples, for: options.sampleTime)) }
        report.end()
    }

    /// Starts a thread that does nothing.
    ///
    /// In a process of one thread glibc takes locks and counts references without the processor's lock prefix, which
    /// no program that needs a lock would see.
    private static func parkAThread() {
        Thread.detachNewThread { DispatchSemaphore(value: 0).wait() }
    }
}

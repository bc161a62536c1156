import Foundation

/// Measures the cost of the library beside handwritten code, in one process.
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

    /// Starts an idle thread.
    ///
    /// In a process of one thread, glibc locks and counts references without the processor's lock prefix. Programs that
    /// need locks have several threads.
    private static func parkAThread() {
        Thread.detachNewThread { DispatchSemaphore(value: 0).wait() }
    }
}

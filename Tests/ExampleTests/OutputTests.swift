import Foundation
import Testing

/// Examples with the same output in each run.
@Suite("Outputs of examples") struct OutputTests {
    @Test(
        "An example prints its recorded output",
        arguments: ["approval", "first-program", "inbox", "operations", "subscription", "traffic-light"]
    )
    func output(of program: String) throws {
        let known = packageFolder + "/Tests/ExampleTests/Outputs/\(program).txt"
        let run = try run(program, [])
        #expect(run.status == 0 && run.errors == "")
        #expect(run.output == (try String(contentsOfFile: known, encoding: .utf8)))
    }
}

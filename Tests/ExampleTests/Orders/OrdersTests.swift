import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTesting
import Testing

@testable import OrdersDeskExample

@Suite("orders") struct OrdersTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.file("orders") }

    init() throws { directory = try TemporaryDirectory() }

    private func orders(_ words: String...) throws -> Run { try run("orders", [folder] + words) }

    /// Runs commands from the program's standard input.
    private func orders(input commands: String) throws -> Run {
        try run("orders", [folder], input: directory.write(commands, to: UUID().uuidString))
    }

    /// Starts the program, and feeds commands to its standard input.
    private func start(_ commands: String) throws -> Process {
        let process = Process()
        process.executableURL = executable("orders")
        process.arguments = [folder]
        let input = try directory.write(commands, to: UUID().uuidString)
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: input))
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != ".store" }.sorted() }
    }

    /// The unfinished files of live and killed copies.
    private var drafts: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder + "/.store").filter { $0.hasSuffix(".tmp") }
        }
    }

    @Test("An order goes from cart to doorstep and back, and prints each step")
    func life() throws {
        let steps: [([String], String)] = [
            (["add", "42", "tea", "4.50", "2"], "42 is cart, 1 items"),
            (["add", "42", "cup", "1.00"], "42 is cart, 2 items"),
            (["add", "42", "pot", "20.00"], "42 is cart, 3 items"),
            (["remove", "42", "pot"], "42 is cart, 2 items"),
            (["place", "42", "--to", "1 Main St"], "42 is placed, 10.00 due"),
            (["pay", "42", "--amount", "4.00"], "42 is placed, 4.00 of 10.00"),
            (["pay", "42", "--amount", "6.00"], "42 is placed, 10.00 paid\n42 is paid, 10.00 paid"),
            (["ship", "42", "--tracking", "T1"], "42 is shipped, 10.00 paid"),
            (["deliver", "42"], "42 is delivered, 10.00 paid"),
            (["return", "42", "--reason", "cold tea"], "42 is returned, 10.00 refunded"),
        ]
        for (words, output) in steps {
            let run = try run("orders", [folder] + words)
            #expect(run.status == 0 && run.errors == "", "\(words)")
            #expect(run.output == output + "\n")
        }
        #expect(
            try orders("show", "42").output == """
                42 is returned, revision 9
                  2 × tea at 4.50
                  1 × cup at 1.00
                  total 10.00
                  to 1 Main St
                  10.00 refunded
                  cold tea

                """
        )
        _ = try orders("add", "7", "milk", "1.20")
        #expect(
            try orders("list").output == """
                order  state     items  total  payment         remark
                7      cart      1      1.20
                42     returned  2      10.00  10.00 refunded  cold tea

                """
        )
        #expect(try orders("list", "cart").output.split(separator: "\n").count == 2)
        #expect(try files == ["42.json", "7.json"])
    }

    @Test("A refused command changes nothing, and prints the reason and the allowed events")
    func refused() throws {
        _ = try orders("add", "1", "tea", "4.50")
        let before = try String(contentsOfFile: folder + "/1.json", encoding: .utf8)
        for (words, error) in [
            (["ship", "1", "--tracking", "T"], #"Order cannot fire "ship" in cart: no transition"#),
            (["pay", "1", "--amount", "1.00"], "nothing is due: the order is cart"),
            (["remove", "1", "milk"], "there is no milk in the cart"), (["show", "2"], "there is no order 2"),
            (["deliver", "2"], "there is no order 2"), (["list", "lost"], "there is no state lost"),
        ] {
            let run = try run("orders", [folder] + words)
            #expect(run.status == 1 && run.output == "", "\(words)")
            #expect(run.errors.hasPrefix("heraclitus-orders: ") && run.errors.contains(error), "\(run.errors)")
        }
        _ = try orders("place", "1", "--to", "x")
        for amount in ["0.00", "4.51"] { #expect(try orders("pay", "1", "--amount", amount).status == 1) }
        for words in [
            [], ["fly", "1"], ["pay", "1"], ["pay", "1", "--amount", "1e3"], ["pay", "1", "--amount", "-1.00"],
            ["add", "1"],
            ["add", "1", "tea", "1.00", "0"], ["show", "1", "more"], ["place", "1", "--at", "x"],
        ] where !words.isEmpty {
            #expect(try run("orders", [folder] + words).status == 64, "\(words)")
        }
        #expect(try run("orders", []).status == 64)
        #expect(try orders("show", "1").output.contains("4.50 due"))
        #expect(before.contains(#""state":"cart""#))
    }

    @Test("A refused command of standard input leaves the others running")
    func input() throws {
        let text = "add 1 \"green tea\" 2.00\n\nship 1 --tracking T\nplace 1 --to \"2 Side St\"\nfly\nlist\n"
        let run = try orders(input: text)
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("1 is cart, 1 items\n1 is placed, 2.00 due\norder"))
        #expect(run.errors.contains("heraclitus-orders: line 3: Order cannot fire \"ship\" in cart"))
        #expect(run.errors.contains("heraclitus-orders: line 5: "))
    }

    @Test("Several copies of the program lose no update")
    func together() throws {
        let copies = try (0..<3).map { copy in
            try start((0..<30).map { "add 1 item\(copy).\($0) 1.00\n" }.joined())
        }
        for copy in copies {
            copy.waitUntilExit()
            #expect(copy.terminationStatus == 0)
        }
        let shown = try orders("show", "1").output
        #expect(shown.hasPrefix("1 is cart, revision 90\n"))
        #expect(shown.contains("total 90.00"))
    }

    @Test("A killed copy leaves whole files, and the next one sweeps its unfinished file")
    func killed() throws {
        let commands = (0..<100_000).map { "add \($0 % 3) item\($0 % 7) 1.00\n" }.joined()
        for round in 0..<6 {
            let copy = try start(commands)
            // The first time until there is something of each.
            for _ in 0..<300_000 where round == 0 && !FileManager.default.fileExists(atPath: folder + "/2.json") {
                usleep(1_000)
            }
            usleep(UInt32(20_000 + round * 17_000))
            kill(copy.processIdentifier, SIGKILL)
            copy.waitUntilExit()
            let list = try orders("list")
            #expect(list.status == 0 && list.errors == "")
            #expect(try files.allSatisfy { $0.hasSuffix(".json") } && drafts == [])
        }
        #expect(try files == ["0.json", "1.json", "2.json"])
        #expect(try orders("add", "0", "last", "1.00").status == 0)
    }

    @Test("A full disk is an error, and kept orders stay")
    func full() throws {
        _ = try orders("add", "1", "tea", "4.50")
        let before = try String(contentsOfFile: folder + "/1.json", encoding: .utf8)
        let long = String(repeating: "x", count: 5_000)
        let command = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$1\" add 1 \(long) 1.00"
        let run = try run("/bin/sh", ["-c", command, executable("orders").path, folder])
        #expect(run.status == 1)
        #expect(run.errors.contains("cannot be used"))
        #expect(try String(contentsOfFile: folder + "/1.json", encoding: .utf8) == before)
        #expect(try files == ["1.json"] && drafts == [])
    }

    @Test("An empty order costs nothing, and a large amount keeps all digits")
    func amounts() throws {
        _ = try orders("add", "1", "gift", "0.00")
        _ = try orders("place", "1", "--to", "x")
        #expect(try orders("pay", "1", "--amount", "0.01").status == 1)
        #expect(try orders("pay", "1", "--amount", "0.00").output == "1 is placed, 0.00 paid\n1 is paid, 0.00 paid\n")
        let palaces = (0..<101).map { "add 2 palace\($0) 999999999.90 1000000\n" }.joined()
        #expect(try orders(input: palaces + "place 2 --to x\n").status == 0)
        #expect(try orders("show", "2").output.contains("total 100999999989900000.00\n"))
    }

    @Test("`list` reports a broken order, and lists the others")
    func broken() throws {
        _ = try orders("add", "1", "tea", "4.50")
        _ = try orders("add", "2", "tea", "4.50")
        let file = folder + "/2.json"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacingOccurrences(of: "\"quantity\":1", with: "\"quantity\":true")
            .write(toFile: file, atomically: true, encoding: .utf8)
        let list = try orders("list")
        #expect(list.status == 0)
        #expect(list.output.hasPrefix("order  state  items  total  payment  remark\n1      cart   1      4.50\n"))
        #expect(list.output.contains("\n2 cannot be read: "))
    }

    @Test("The order's states keep their data in archives, with the payment in them")
    func states() throws {
        #expect(Order.diagnostics.isEmpty && Payment.diagnostics.isEmpty)
        let items = [Item(name: "tea", price: 4.5, quantity: 2)]
        let payment = StateMachine(of: 9)
        try payment.take(4)
        let purchase = Purchase(items: items, address: "1 Main St")
        let paid = PaidState(purchase, paid: 9)
        let placed = PlacedState(purchase, payment, payBy: Date(timeIntervalSinceReferenceDate: 5))
        try expectArchives(CartState(items: items))
        try expectArchives(placed)
        try expectArchives(paid)
        try expectArchives(ShippedState(paid, tracking: "T1"))
        try expectArchives(DeliveredState(purchase, paid: 9))
        try expectArchives(ReturnedState(purchase, refunded: 9, reason: "cold"))
        try expectArchives(CancelledState(nil, refunded: 0, reason: "no more"))
        let order = StateMachine<Order>(resumingIn: PlacedState(purchase, payment.copy(), payBy: nil))
        let copy = order.copy()
        try #require(copy.state as? PlacedState).payment.take(5)
        #expect(copy.isIn(PaidState.self) && copy.state.received == 9)
        #expect(order.state.paymentText == "4.00 of 9.00")
    }

    @Test("The last part of a payment pays the order in the same turn")
    func region() throws {
        let items = [Item(name: "tea", price: 4.5, quantity: 2)]
        let order = StateMachine<Order>(resumingIn: CartState(items: items))
        let payment = StateMachine<Payment>(of: 9)
        try order.fire.place(PlacedState(Purchase(items: items, address: "1 Main St"), payment, payBy: nil))
        try payment.take(4)
        #expect(order.isIn(DueState.self) && order.state.paymentText == "4.00 of 9.00" && order.revision == 1)
        let error = #expect(throws: Refusal.self) { try payment.take(6) }
        #expect(error?.description == "only 5.00 is due")
        try payment.take(5)
        #expect(order.isIn(PaidState.self) && order.state.paymentText == "9.00 paid" && order.revision == 2)

        let other = StateMachine<Payment>(of: 9)
        let lost = StateMachine<Order>(resumingIn: CartState(items: items))
        try lost.fire.place(PlacedState(Purchase(items: items, address: "1 Main St"), other, payBy: nil))
        try other.take(4)
        try lost.fire.cancel { $0.cancelled(because: "no more") }
        #expect(lost.state.paymentText == "4.00 refunded")
        let late = #expect(throws: InvalidTransition.self) { try other.take(5) }
        #expect(late?.reason == .notCurrent)
    }

    /// Orders of version 1, and the lines that show them.
    static let golden = [
        ("cart", "cart, revision 1", ""), ("placed", "placed, revision 2", "9.00 due"),
        ("placed-without-deadline", "placed, revision 2", "9.00 due"), ("part", "placed, revision 3", "4.00 of 9.00"),
        ("paid", "paid, revision 4", "9.00 paid"), ("shipped", "shipped, revision 5", "9.00 paid"),
        ("delivered", "delivered, revision 6", "9.00 paid"), ("returned", "returned, revision 6", "9.00 refunded"),
        ("cancelled-cart", "cancelled, revision 2", ""), ("cancelled-placed", "cancelled, revision 3", "9.00 due"),
        ("cancelled-paid", "cancelled, revision 5", "9.00 refunded"),
        ("lapsed", "cancelled, revision 4", "2.50 refunded"),
    ]

    private func keepGolden(_ id: String) throws {
        let file = packageFolder + "/Tests/ExampleTests/Orders/Golden/version-1-\(id).json"
        // The payment as it was stored is in the archive, too.
        let stored = id == "placed-without-deadline" ? "placed" : id
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: file, toPath: folder + "/\(stored).json")
    }

    @Test("An order of version 1 is migrated with its data", arguments: golden)
    func old(_ id: String, _ state: String, _ payment: String) throws {
        try keepGolden(id)
        let stored = id == "placed-without-deadline" ? "placed" : id
        let shown = try orders("show", stored)
        #expect(shown.status == 0 && shown.errors == "")
        #expect(shown.output.hasPrefix("\(stored) is \(state)\n"))
        #expect(payment == "" || shown.output.contains("\n  \(payment)\n"))
        #expect(shown.output.contains("to 1 Main St") == (payment != ""))
    }

    @Test("A migrated order of version 1 goes on")
    func oldGoesOn() throws {
        for id in ["part", "paid", "shipped", "delivered"] { try keepGolden(id) }
        #expect(try orders("pay", "part", "--amount", "5.01").errors.contains("only 5.00 is due"))
        #expect(
            try orders("pay", "part", "--amount", "5.00").output
                == "part is placed, 9.00 paid\npart is paid, 9.00 paid\n"
        )
        #expect(try orders("cancel", "paid").output == "paid is cancelled, 9.00 refunded\n")
        #expect(try orders("deliver", "shipped").output == "shipped is delivered, 9.00 paid\n")
        let returned = try orders("return", "delivered", "--reason", "cold")
        #expect(returned.output == "delivered is returned, 9.00 refunded\n")
        #expect(try String(contentsOfFile: folder + "/paid.json", encoding: .utf8).contains(#""version":2"#))
    }

    @Test("Each path of an order keeps its items across restarts, and the workflow has no findings")
    func everyWay() throws {
        #expect(Order.findings.isEmpty && Payment.findings.isEmpty)
        let samples: [Sample<Order>] = [
            .event(\.change) { cart in cart.with(Item(name: "tea", price: 4.5, quantity: cart.items.count + 1)) },
            .event(\.place) { cart in
                PlacedState(Purchase(items: cart.items, address: "1 Main St"), StateMachine(of: cart.total), payBy: nil)
            },
            .event(\.pay) { placed in PaidState(placed.content, paid: placed.total) },
            .event(\.ship) { paid in ShippedState(paid, tracking: "T1") },
            .event(\.deliver) { shipped in shipped.delivered },
            .event(\.giveBack) { left in try left.returned(because: "cold tea") },
            .state { (left: any OrderState) in left.cancelled(because: "no more") },
        ]
        let report = try exercise(
            Order.self,
            samples: samples,
            invariants: [
                "what was bought stays": { order in
                    order.isIn(CartState.self) || order.isIn(CancelledState.self) || !order.state.items.isEmpty
                }
            ]
        )
        #expect(report.untried == [], "\(report)")
    }

    @Test("An unpaid order lapses, and its buyer gets part payments back")
    func lapsing() throws {
        for id in ["1", "2", "3", "4"] { _ = try orders("add", id, "tea", "4.50") }
        _ = try orders("place", "1", "--to", "x", "--within", "0")
        _ = try orders("place", "2", "--to", "x", "--within", "3600")
        _ = try orders("place", "3", "--to", "x")
        _ = try orders("place", "4", "--to", "x", "--within", "0")
        _ = try orders("pay", "4", "--amount", "1.00")
        #expect(try orders("place", "3", "--to", "x", "--within", "soon").status == 64)
        // In the order of the deadlines.
        let run = try orders("run", "--once")
        #expect(run.status == 0 && run.errors == "")
        #expect(run.output == "1 is cancelled, 4.50 due\n4 is cancelled, 1.00 refunded\n")
        #expect(try orders("run", "--once").output == "")
        #expect(try orders("show", "4").output.hasSuffix("  1.00 refunded\n  not paid in time\n"))
        #expect(try orders("show", "2").output.contains("  to be paid by 2"))
    }

    @Test("Two running copies cancel each due order once, also after one is killed")
    func running() throws {
        let copies = try (0..<2).map { number in
            let process = Process()
            process.executableURL = executable("orders")
            process.arguments = [folder, "run"]
            let output = directory.file("output \(number)")
            try Data().write(to: URL(fileURLWithPath: output))
            process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
            try process.run()
            return process
        }
        defer { for copy in copies { kill(copy.processIdentifier, SIGKILL) } }
        func lapsed() throws -> [Substring] {
            try (0..<2).flatMap {
                try String(contentsOfFile: directory.file("output \($0)"), encoding: .utf8).split(separator: "\n")
            }.sorted()
        }
        func place(_ ids: Range<Int>) throws {
            for id in ids {
                _ = try orders("add", "\(id)", "tea", "4.50")
                _ = try orders("place", "\(id)", "--to", "x", "--within", "1")
            }
        }
        try place(10..<14)
        for _ in 0..<3_000 where try lapsed().count < 4 { usleep(100_000) }
        #expect(try lapsed() == (10..<14).map { "\($0) is cancelled, 4.50 due" })
        kill(copies[0].processIdentifier, SIGKILL)
        try place(14..<16)
        for _ in 0..<3_000 where try lapsed().count < 6 { usleep(100_000) }
        #expect(try lapsed() == (10..<16).map { "\($0) is cancelled, 4.50 due" })
    }

    @Test("An order without a deadline is read")
    func before() throws {
        _ = try orders("add", "1", "tea", "4.50")
        _ = try orders("place", "1", "--to", "x", "--within", "0")
        let file = folder + "/1.json"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing(#/,"payBy":"[^"]*"/#, with: "").replacing(#/"due":"[^"]*",/#, with: "")
            .write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try orders("run", "--once").output == "")
        #expect(try orders("show", "1").output.hasPrefix("1 is placed, revision 2\n"))
    }

    @Test("Amounts have cents, and a line is split into words")
    func parts() throws {
        #expect(Command.words(of: #"  add 1 "green  tea"x "" 2 "#) == ["add", "1", "green  teax", "", "2"])
        #expect(money(0.05) == "0.05" && money(1234.5) == "1234.50")
    }
}

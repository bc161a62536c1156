import ExampleUsage
import Foundation
import Heraclitus
import HeraclitusFoundation

/// Observes all outcomes by a method.
final class Watchman: Sendable {
    func note(_ occurrence: Occurrence) {
        switch occurrence.kind {
        case .performed, .refused:
            print("  watchman: \(occurrence.kind) \(occurrence.action ?? "") in \(occurrence.source)")
        case .rejected: print("  watchman: rejected, \(occurrence.source) → \(occurrence.destination ?? "")")
        case .announced: print("  watchman: \(occurrence.announcement ?? ""), \(occurrence.userInfo)")
        default: print("  watchman: \(occurrence)")
        }
    }
}

@main
struct Main {
    static func main() throws {
        readNoArguments(
            usage: "usage: heraclitus-traffic-light\n\nSwitches a traffic light, and prints what its listeners hear."
        )
        let light = CountingLight()
        let watchman = Watchman()
        light.machine.observe { [weak watchman] in watchman?.note($0) }
        light.machine.postNotifications(prefix: "crossing.")
        let observers = ["transitioned", "rejected", "performed", "refused", "foo"].map { name in
            NotificationCenter.default.addObserver(
                forName: Notification.Name("crossing." + name),
                object: nil,
                queue: nil
            ) { print("  posted:   \($0.name.rawValue)") }
        }

        print("switch on")
        try light.switchOn()
        print("go green")
        try light.goGreen(seconds: 3)
        print("count: \(try light.count())")
        print("go green again")
        do { try light.goGreen(seconds: 5) } catch { print("  \(error)") }
        print("enter a state by name, if an event leads there")
        do throws(InvalidTransition) {
            try light.machine.enter(named: "blue")
        } catch {
            print("  \(error)")
        }
        print("actions of the definition, by key path and by name")
        print("  allowed: \(light.machine.allowedActions)")
        print("  \(try light.machine.perform(\.remaining, userInfo: ["elapsed": 1])) seconds remain")
        do { try light.machine.perform(named: "warn") } catch { print("  \(error)") }
        print("go red")
        try light.goRed()
        try light.machine.perform(named: "warn", userInfo: ["of": "a tram"])
        print("count a red light")
        do { _ = try light.count() } catch { print("  \(error)") }
        print("announce")
        light.machine.announce("foo", userInfo: ["reason": "a parade"])
        print("an action of the caller's own")
        let seconds = try light.machine.perform(action: "measure", in: RedState.self) { _ in 0 }
        print("  green for \(seconds) seconds")

        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }
}

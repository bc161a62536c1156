import Foundation
import SessionSocketExample
import Synchronization

/// Sends sayings to every client in turn, unless a command makes it misbehave.
final class Server: Sendable {
    private let path: String

    /// The time between two sayings, in seconds.
    private let pause: TimeInterval

    private struct Contents {
        /// `nil` while it refuses.
        var listener: Socket?
        var isStalled = false
        var clients: [Socket] = []
    }

    private let contents: Mutex<Contents>

    init(at path: String, pause: TimeInterval) throws {
        self.path = path
        self.pause = pause
        contents = Mutex(Contents(listener: try Socket(listeningAt: path)))
    }

    /// Serves all clients again.
    func serve() throws {
        try contents.withLock { contents in
            if contents.listener == nil { contents.listener = try Socket(listeningAt: path) }
            contents.isStalled = false
        }
    }

    /// Stalls: sends nothing, and keeps all connections open.
    func stall() { contents.withLock { $0.isStalled = true } }

    /// Closes all connections.
    func drop() {
        let clients = contents.withLock { $0.clients }
        for client in clients { client.shutDown() }
    }

    /// Refuses new connections.
    func refuse() { contents.withLock { $0.listener = nil } }

    /// Accepts clients forever, with a thread for each.
    func run() {
        while true {
            do {
                while let client = try contents.withLock({ try $0.listener?.accept() }) {
                    contents.withLock { $0.clients.append(client) }
                    Thread.detachNewThread { self.talk(to: client) }
                }
            } catch {
                complain(error)
            }
            Thread.sleep(forTimeInterval: min(pause, 0.1))
        }
    }

    private func talk(to client: Socket) {
        defer { contents.withLock { $0.clients.removeAll { $0 === client } } }
        do {
            // "after 17"
            guard let words = try client.readLine()?.split(separator: " "), words.count == 2, words[0] == "after",
                let last = Int(words[1]), (0..<Int.max >> 1).contains(last)
            else { return client.shutDown() }
            try waitForService(client)
            try client.send("welcome")
            for number in (last + 1)... {
                Thread.sleep(forTimeInterval: pause)
                try waitForService(client)
                try client.send("\(number) \(Self.sayings[(number - 1) % Self.sayings.count])")
            }
        } catch {
            // The client has gone.
            client.shutDown()
        }
    }

    private struct HungUp: Error {}

    private func waitForService(_ client: Socket) throws {
        while contents.withLock({ $0.isStalled }) {
            // Otherwise its thread would live as long as the server is stalled.
            if client.isHungUp { throw HungUp() }
            Thread.sleep(forTimeInterval: min(pause, 0.1))
        }
    }

    private static let sayings = [
        "You cannot step twice into the same rivers; for fresh waters are ever flowing in upon you.",
        "Nature loves to hide.",
        "The way up and the way down is one and the same.",
        "The sun is new every day.",
        "It rests by changing.",
        "Those who seek for gold dig up much earth and find a little.",
        "Eyes and ears are bad witnesses to men if they have souls that understand not their language.",
        "The bow is called life, but its work is death.",
        "If you do not expect the unexpected, you will not find it.",
        "Man's character is his fate.",
    ]
}

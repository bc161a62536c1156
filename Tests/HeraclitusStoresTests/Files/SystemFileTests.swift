import Foundation
import Heraclitus
import Testing

@testable import Fixtures
@testable import HeraclitusStores

@Suite("Files of the system") struct SystemFileTests {
    /// A folder that is removed with this value.
    private struct Place: ~Copyable {
        let path: String

        init() throws {
            path = NSTemporaryDirectory() + UUID().uuidString
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        func file(_ name: String) -> String { "\(path)/\(name)" }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func make(_ path: String, _ text: String) throws {
        try SystemFile(path, for: .making).append(Data(text.utf8))
    }

    @Test("Written bytes are read in parts, and again from the beginning")
    func content() throws {
        let place = try Place()
        let path = place.file("a")
        let text = String(repeating: "0123456789", count: 100_000)
        do {
            let file = try SystemFile(path, for: .making)
            try file.append(Data(text.utf8))
            try file.append(Data())
            try file.sync()
        }
        #expect(throws: SystemError.self) { try Self.make(path, "") }
        let file = try SystemFile(path, for: .reading)
        var read = Data()
        while case let part = try file.next(70_001), !part.isEmpty { read.append(part) }
        #expect(read == Data(text.utf8))
        let end = try file.next(1)
        try file.seek(to: 0)
        let beginning = try file.next(3)
        let nothing = try file.next(0)
        let isRegular = file.isRegular
        #expect(end.isEmpty && beginning == Data("012".utf8) && nothing.isEmpty && isRegular)
    }

    @Test("A file takes another one's place and mode, and leaves its old path")
    func place() throws {
        let place = try Place()
        try Self.make(place.file("old"), "old")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: place.file("old"))
        let old = try SystemFile(place.file("old"), for: .reading)
        let new = try SystemFile(place.file("new"), for: .making)
        try new.append(Data("new".utf8))
        new.takeMode(of: place.file("old"))
        new.takeMode(of: place.file("none"))
        let before = [old.isAt(place.file("old")), new.isAt(place.file("new")), new.isAt(place.file("old"))]
        #expect(before == [true, true, false])
        try SystemFile.move(place.file("new"), to: place.file("old"))
        let after = [new.isAt(place.file("old")), old.isAt(place.file("old")), new.isAt(place.file("new"))]
        #expect(after == [true, false, false])
        let path = place.file("old")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
        try SystemFile.remove(path)
        #expect { try SystemFile.remove(path) } throws: { error in
            (error as? SystemError)?.isMissing == true && (error as? SystemError)?.explanation.isEmpty == false
        }
    }

    @Test("A lock belongs to one descriptor, and is free after its descriptor is closed")
    func locks() throws {
        let place = try Place()
        let path = place.file("lock")
        let waiter: DispatchSemaphore
        do {
            let first = try SystemFile(path, for: .locking)
            try first.lock()
            let isFree = try SystemFile(path, for: .locking).lockIfFree()
            #expect(!isFree)
            waiter = onThread { try? SystemFile(path, for: .locking).lock() }
            #expect(!waiter.comes(within: 0.05))
        }
        #expect(waiter.comes())
        let isFree = try SystemFile(path, for: .locking).lockIfFree()
        #expect(isFree)
    }

    @Test("Names are listed between two texts, which may be beginnings of names")
    func namesBetween() throws {
        let place = try Place()
        let path = place.path
        for name in ["a", "ab", "b1", "b2x", "c", "é"] { try SystemFile.makeLink("\(path)/\(name)", to: "nowhere") }
        func names(_ least: String, _ most: String) throws -> [String] {
            try SystemFile.names(in: path, from: least, upTo: most).sorted()
        }
        #expect(try names("", "").count == 6)
        #expect(try names("", "b") == ["a", "ab", "b1", "b2x"])
        #expect(try names("ab", "b1") == ["ab", "b1"])
        #expect(try names("b2", "~") == ["b2x", "c"])
        for limit in 0...7 {
            let first = try SystemFile.names(in: path, from: "ab", upTo: "~", limit: limit)
            #expect(first == Array(["ab", "b1", "b2x", "c"].prefix(limit)))
        }
        #expect(throws: SystemError.self) { try SystemFile.names(in: "\(path)/none", from: "", upTo: "") }
        #expect { try SystemFile.makeLink("\(path)/a", to: "nowhere") } throws: { error in
            (error as? SystemError)?.isThereAlready == true
        }
    }

    @Test("A folder is removed only if it is empty")
    func folders() throws {
        let place = try Place()
        let folder = place.file("folder")
        try SystemFile.makeFolder(folder)
        #expect { try SystemFile.makeFolder(folder) } throws: { ($0 as? SystemError)?.isThereAlready == true }
        try Self.make(folder + "/a", "")
        #expect(throws: SystemError.self) { try SystemFile.removeFolder(folder) }
        try SystemFile.remove(folder + "/a")
        try SystemFile.removeFolder(folder)
        #expect { try SystemFile.removeFolder(folder) } throws: { ($0 as? SystemError)?.isMissing == true }
    }

    @Test("A pipe with a reader differs from one without, and its reader gets the bytes")
    func pipes() throws {
        let place = try Place()
        let path = place.file("pipe")
        try SystemFile.makePipe(path)
        #expect { _ = try SystemFile(path, for: .writingPipe) } throws: { ($0 as? SystemError)?.isUnread == true }
        let reading = try SystemFile(path, for: .readingPipe)
        let writing = try SystemFile(path, for: .writingPipe)
        let waiter = DispatchSemaphore(value: 0)
        let content = reading.content()
        content.setEventHandler { waiter.signal() }
        content.activate()
        #expect(!waiter.comes(within: 0.05))
        try writing.append(Data("ab".utf8))
        #expect(waiter.comes())
        #expect(try reading.next(10) == Data("ab".utf8))
        content.cancel()
        _ = consume reading
    }

    @Test("A listing has regular files, without links and pipes")
    func names() throws {
        let place = try Place()
        let path = place.path
        for name in ["a", ".b", "ü"] { try Self.make("\(path)/\(name)", "") }
        try FileManager.default.createDirectory(atPath: "\(path)/folder", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "\(path)/a")
        #expect(unsafe mkfifo("\(path)/pipe", 0o600) == 0)
        #expect(try Set(SystemFile.names(in: path)) == ["a", ".b", "ü"])
        #expect(throws: SystemError.self) { try SystemFile.names(in: "\(path)/none") }
        #expect(throws: SystemError.self) { _ = try SystemFile("\(path)/link", for: .readingInFolder) }
        let isRegular = try SystemFile("\(path)/pipe", for: .readingInFolder).isRegular
        #expect(!isRegular)
        #expect(throws: SystemError.self) { _ = try SystemFile("\(path)/a", for: .folder) }
        try SystemFile(path, for: .folder).sync()
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import JSONText
import RegionCore
import RegistryJSON
import Testing

private let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

/// A registry of so many beacons, `white` between its parts.
private func registry(_ beacons: Int, white: String = "\n") -> String {
    let entries = (0..<beacons).map { "{\"uuid\":\"\(uuid)\",\"major\":1,\"minor\":\($0)}" }
    return "{\"venueId\":\"h\",\(white)\"beacons\":[\(entries.joined(separator: ",\(white)"))]}"
}

/// A folder of its own, gone at the end of the test.
private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "registry-\(UUID().uuidString)")
    var path: String { url.appending(path: "registry.json").path }

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    /// Written in place, as an editor or a shell does.
    func write(_ text: some StringProtocol) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

    /// Written beside it and renamed over it.
    func replace(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path), options: .atomic) }
}

extension RegistryFile.Outcome {
    /// How many beacons were loaded; nil for any other outcome.
    fileprivate var loaded: Int? {
        if case .loaded(let venue, _) = self { venue.beacons.count } else { nil }
    }

    fileprivate var refusal: RegistryRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }
}

struct RegistryFileTests {
    /// G-01
    @Test func `a file that is emptied and written again never empties the registry`() throws {
        let folder = try Folder()
        try folder.write(registry(3))
        var file = RegistryFile(path: folder.path)
        #expect(file.poll().loaded == 3)
        try folder.write("")
        #expect(file.poll() == .unchanged, "its writer may be half way")
        #expect(file.poll().refusal?.summary.contains("the file is empty") == true)
        #expect(file.poll() == .unchanged, "told once")
        #expect(file.refusal != nil)
        try folder.write(registry(4))
        #expect(file.poll().loaded == 4)
        #expect(file.refusal == nil)
        try folder.write(registry(0))
        #expect(file.poll().loaded == 0, "an empty list in good JSON is meant")
    }

    /// G-02
    @Test func `each atomic save is loaded once`() throws {
        let folder = try Folder()
        try folder.write(registry(1))
        var file = RegistryFile(path: folder.path)
        #expect(file.poll().loaded == 1)
        for count in 2...4 {
            try folder.replace(registry(count))
            #expect(file.poll().loaded == count)
            #expect(file.poll() == .unchanged)
            #expect(file.poll() == .unchanged)
        }
    }

    /// G-02
    @Test func `a link that is turned to another folder is followed`() throws {
        let (old, new, front) = (try Folder(), try Folder(), try Folder())
        try old.write(registry(1))
        try new.write(registry(2))
        let files = FileManager.default
        try files.createSymbolicLink(atPath: front.path, withDestinationPath: old.path)
        var file = RegistryFile(path: front.path)
        #expect(file.poll().loaded == 1)
        #expect(file.poll() == .unchanged)
        try files.removeItem(atPath: front.path)
        try files.createSymbolicLink(atPath: front.path, withDestinationPath: new.path)
        #expect(file.poll().loaded == 2)
    }

    /// G-02: an editor that keeps the old file as a backup; rsync, which sets the old time and may keep the size.
    @Test func `a save is seen by its inode, whatever its time and size`() throws {
        let folder = try Folder()
        try folder.write(registry(1))
        var file = RegistryFile(path: folder.path)
        #expect(file.poll().loaded == 1)
        #expect(file.poll() == .unchanged)
        let time = try FileManager.default.attributesOfItem(atPath: folder.path)[.modificationDate]
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "~")
        let changed = registry(1).replacing("\"minor\":0", with: "\"minor\":9")
        try folder.write(changed)
        try FileManager.default.setAttributes([.modificationDate: try #require(time)], ofItemAtPath: folder.path)
        #expect(file.poll().loaded == 1)
    }

    /// G-03
    @Test func `a file that grows piece by piece is loaded when it is whole, without a word before`() throws {
        let folder = try Folder()
        try folder.write(registry(1))
        var file = RegistryFile(path: folder.path)
        #expect(file.poll().loaded == 1)
        let text = registry(500)
        for piece in 1..<20 {
            try folder.write(text.prefix(text.count * piece / 20))
            #expect(file.poll() == .unchanged)
        }
        try folder.write(text)
        #expect(file.poll().loaded == 500)
        #expect(file.poll() == .unchanged)
    }

    /// G-04
    @Test func `a wrong file is refused once, and putting it right says so`() throws {
        let folder = try Folder()
        try folder.write(registry(2))
        var file = RegistryFile(path: folder.path)
        #expect(file.poll().loaded == 2)
        let wrong = registry(2).replacing("\"minor\":1", with: "\"minor\":0")
        try folder.write(wrong)
        #expect(file.poll().refusal?.faults.first?.other != nil)
        #expect(file.poll() == .unchanged)
        try folder.replace(wrong)
        #expect(file.poll() == .unchanged, "the same content again")
        try folder.write(wrong + "\n")
        #expect(file.poll().refusal != nil, "other content")
        try folder.write(registry(2))
        #expect(file.poll() == .sameContent)
        #expect(file.refusal == nil)
        #expect(file.poll() == .unchanged)
    }

    /// G-06
    @Test func `equal bytes are no change, and other white space none to speak of`() throws {
        let folder = try Folder()
        try folder.write(registry(2))
        var file = RegistryFile(path: folder.path)
        #expect(file.poll().loaded == 2)
        for _ in 0..<5 {
            try folder.write(registry(2))
            #expect(file.poll() == .unchanged)
        }
        try folder.write(registry(2, white: "\r\n  "))
        #expect(file.poll() == .sameContent)
        #expect(file.poll() == .unchanged)
        for count in 3..<53 { try folder.replace(registry(count)) }
        #expect(file.poll().loaded == 52)
        #expect(file.poll() == .unchanged)
    }

    @Test func `a second write within one tick of the clock is found at the next poll`() throws {
        let folder = try Folder()
        try folder.write(registry(1))
        var file = RegistryFile(path: folder.path)
        #expect(file.poll().loaded == 1)
        // Whether or not the two writes differ in their time, the file is read again.
        try folder.write(registry(1).replacing("\"minor\":0", with: "\"minor\":1"))
        #expect(file.poll().loaded == 1)
        #expect(file.poll() == .unchanged)
    }

    @Test func `a file that is missing is refused once by name, and loaded when it comes`() throws {
        let folder = try Folder()
        var file = RegistryFile(path: folder.path)
        #expect(file.poll().refusal?.summary == "\(folder.path): there is no such file")
        #expect(file.poll() == .unchanged)
        try folder.write("{\"venueId\"")
        #expect(file.poll().refusal?.isCutOff == true, "nothing is in force that could wait")
        try folder.write(registry(1))
        #expect(file.poll().loaded == 1)
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(file.poll().refusal != nil)
        try folder.write(registry(1))
        #expect(file.poll() == .sameContent)
    }

    @Test func `what is no file is refused without waiting for it`() throws {
        let folder = try Folder()
        var directory = RegistryFile(path: folder.url.path)
        #expect(directory.poll().refusal?.summary.hasSuffix("it is no regular file") == true)
        #expect(unsafe mkfifo(folder.path, 0o600) == 0)
        var pipe = RegistryFile(path: folder.path)
        #expect(pipe.poll().refusal?.summary.hasSuffix("it is no regular file") == true)
    }

    @Test func `a file beyond the limit is refused unread`() throws {
        let folder = try Folder()
        try folder.write("")
        #expect(unsafe truncate(folder.path, JSONReader.mostBytes + 1) == 0)
        var file = RegistryFile(path: folder.path)
        #expect(file.poll().refusal?.summary.hasSuffix("it is longer than \(JSONReader.mostBytes) bytes") == true)
    }
}

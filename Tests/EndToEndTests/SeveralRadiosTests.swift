// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Glibc
import JSONText
import TestKit
import Testing

/// One gateway on two controllers, each a receiver.
@Suite(.ownThreads) struct SeveralRadiosTests {
    private let folder: Folder
    private let north: FakeController
    private let south: FakeController
    private static let uuid = Array<UInt8>(1...16)
    private static let uuidText = "01020304-0506-0708-090A-0B0C0D0E0F10"

    init() throws {
        folder = try Folder()
        north = FakeController(path: folder.file("north"))
        south = FakeController(path: folder.file("south"))
        try folder.write(
            "registry.json",
            """
            { "venueId": "hall-a", "settings": { "exit": 2 },
              "receivers": [ { "id": "gate-north" }, { "id": "gate-south" } ],
              "regions": [
                { "identifier": "in-the-north", "uuid": "\(Self.uuidText)", "receivers": ["gate-north"] },
                { "identifier": "in-the-south", "uuid": "\(Self.uuidText)", "receivers": ["gate-south"] } ],
              "beacons": [ { "uuid": "\(Self.uuidText)", "major": 7, "minors": "1-999" } ] }
            """)
    }

    private var sources: [String] {
        ["north", "south"].map { "hci:unix:\(folder.file($0))?receiver=gate-\($0)" }
    }

    private func gateway() throws -> RunningGateway {
        try RunningGateway(
            sources[0], store: folder.file("run.db"),
            [sources[1], "--json", "--registry", folder.file("registry.json")]
        )
    }

    private func badge(_ minor: UInt16, rssi: Int8) -> FakeController.Advertiser {
        FakeController.Advertiser(
            frame: Frame.iBeacon(Self.uuid, major: 7, minor: minor, address: UInt8(minor), rssi: rssi),
            every: .milliseconds(100))
    }

    /// Asks the page until it says so.
    @discardableResult
    private func wait(_ gateway: RunningGateway, until fits: (JSONNode) -> Bool) throws -> JSONNode {
        let end = ContinuousClock.now + .seconds(15)
        while true {
            let field = try gateway.field()
            if fits(field) { return field }
            try #require(ContinuousClock.now < end, "\(String(describing: field["radios"]))")
            usleep(50_000)
        }
    }

    private func states(_ field: JSONNode) -> [String] {
        (field["radios"]?.arrayValue ?? []).map {
            "\($0["receiver"]?.stringValue ?? "?") \($0["state"]?.stringValue ?? "?")"
        }
    }

    @Test func `a beacon that is carried from one to the other is nearest there, and moves`() throws {
        let gateway = try gateway()
        north.set("a", badge(1, rssi: -50))
        let enter = try #require(try gateway.events(1) { $0.type == "enter" }.first)
        #expect(enter.regions == ["in-the-north"])
        south.set("a", badge(1, rssi: -85))
        try wait(gateway) { $0["beacons"]?.arrayValue?.first?["nearest"]?.stringValue == "gate-north" }
        north.set("a", badge(1, rssi: -85))
        south.set("a", badge(1, rssi: -50))
        let moves = try gateway.events(3) { $0.type != "enter" || $0.reason == "moved" }
        #expect(Set(moves.map(\.type)) == ["nearest", "exit", "enter"])
        #expect(moves.first { $0.type == "exit" }?.regions == ["in-the-north"])
        #expect(moves.first { $0.type == "exit" }?.reason == "moved")
        #expect(moves.first { $0.type == "enter" }?.regions == ["in-the-south"])
        _ = try gateway.stop()
        #expect(!north.isScanning && !south.isScanning)
        north.end()
        south.end()
    }

    @Test func `one that is unplugged loses nobody, the other goes on, and each step names whose it was`() throws {
        let gateway = try gateway()
        north.set("a", badge(1, rssi: -60))
        south.set("b", badge(2, rssi: -60))
        _ = try gateway.events(2) { $0.type == "enter" }
        south.unplug(true)
        let lost = try wait(gateway) { states($0) == ["gate-north scanning", "gate-south lost"] }
        #expect(lost["trouble"]?.arrayValue?.first?["message"]?.stringValue?.hasPrefix("gate-south: ") == true)
        #expect(lost["radio"]?["state"]?.stringValue == "scanning")
        // Longer than `exit`: it is held, while who leaves the living one does leave.
        north.set("c", badge(3, rssi: -60))
        #expect(try gateway.events(1) { $0.type == "enter" }.map(\.minor) == [3])
        north.set("c", nil)
        #expect(try gateway.events(1) { $0.type == "exit" }.map(\.minor) == [3])
        south.unplug(false)
        try wait(gateway) { states($0) == ["gate-north scanning", "gate-south scanning"] }
        usleep(2_500_000)
        #expect(try gateway.stop().filter { $0.type == "exit" }.map(\.minor) == [3])
        let said = gateway.process.text(.errors)
        #expect(said.contains("Radio: gate-south: The adapter is gone"), "\(said)")
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder.file("faults"))
        #expect(kept.count == 1 && kept[0].hasSuffix("-gate-south-lost.btsnoop"), "\(kept)")
        north.end()
        south.end()
    }

    @Test func `both took a nap: what waited is taken in the order in which it was heard, and nobody leaves`() throws {
        let gateway = try gateway()
        north.set("a", badge(1, rssi: -60))
        south.set("b", badge(2, rssi: -60))
        _ = try gateway.events(2) { $0.type == "enter" }
        try wait(gateway) { $0["beacons"]?.arrayValue?.count == 2 }
        gateway.process.signal(SIGSTOP)
        usleep(3_500_000)
        gateway.process.signal(SIGCONT)
        usleep(300_000)
        #expect(try gateway.stop().allSatisfy { $0.type != "exit" })
        north.end()
        south.end()
    }

    @Test func `each has a ring of its own`() throws {
        let gateway = try gateway()
        north.set("a", badge(1, rssi: -60))
        _ = try gateway.events(1) { $0.type == "enter" }
        func frames(_ query: String) throws -> String? {
            try HTTPReply.to("/v1/ring\(query)", method: "HEAD", port: gateway.port).fields["x-ring-frames"]
        }
        let (first, second) = (try frames("?receiver=gate-north"), try frames("?receiver=gate-south"))
        #expect(Int(first ?? "").map { $0 > 3 } == true)
        // What its controller answered when it began.
        #expect(Int(second ?? "").map { $0 < 10 } == true)
        #expect(try HTTPReply.to("/v1/ring?receiver=west", port: gateway.port).status == 404)
        _ = try gateway.stop()
        north.end()
        south.end()
    }

    @Test(arguments: [
        (["hci:7", "simulated:hall"], "different kinds"), (["hci:7", "hci:7"], "one receiver"),
        (["hci:7", "hci:8", "--record", "x"], "--record writes what one receiver hears"),
        (["hci:7?receiver=gate-north", "hci:8"], "does not say which receiver it is"),
    ])
    func `sources that do not go together are a usage error`(words: [String], part: String) throws {
        let outcome = try Regiond.run(
            ["run"] + words + ["--db", folder.file("none.db"), "--registry", folder.file("registry.json")])
        #expect(outcome.code == 2)
        #expect(outcome.errors.contains(part), "\(outcome.errors)")
        north.end()
        south.end()
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Glibc
import JSONText
import TestKit
import Testing

/// The gateway on a controller that a test plays, over a socket that carries what the kernel's would.
@Suite(.ownThreads) struct RadioTests {
    private let folder: Folder
    private let controller: FakeController
    private static let uuid = Array<UInt8>(1...16)

    init() throws {
        folder = try Folder()
        controller = FakeController(path: folder.file("hci"))
        try folder.write(
            "registry.json",
            """
            { "venueId": "hall-a", "settings": { "exit": 2 },
              "beacons": [ { "uuid": "01020304-0506-0708-090A-0B0C0D0E0F10", "major": 7, "minors": "1-999" } ] }
            """)
    }

    private func gateway(_ more: [String] = []) throws -> RunningGateway {
        try RunningGateway(
            "hci:unix:\(folder.file("hci"))", store: folder.file("run.db"),
            ["--json", "--registry", folder.file("registry.json")] + more)
    }

    private func badge(_ minor: UInt16, every: Duration = .milliseconds(100)) -> FakeController.Advertiser {
        FakeController.Advertiser(
            frame: Frame.iBeacon(Self.uuid, major: 7, minor: minor, address: UInt8(truncatingIfNeeded: minor)),
            every: every)
    }

    /// Asks the page until it says so.
    private func wait(
        _ gateway: RunningGateway, within limit: Duration = .seconds(15), until fits: (JSONNode) -> Bool
    ) throws -> JSONNode {
        let end = ContinuousClock.now + limit
        while true {
            let field = try gateway.field()
            if fits(field) { return field }
            try #require(ContinuousClock.now < end, "\(String(describing: field["radio"]))")
            usleep(50_000)
        }
    }

    private func state(_ field: JSONNode) -> String { field["radio"]?["state"]?.stringValue ?? "" }

    @Test func `who is heard enters, who is not heard any more leaves, and the page knows the radio`() throws {
        let gateway = try gateway()
        controller.set("a", badge(1))
        let enter = try #require(try gateway.events(1).first)
        #expect(enter.type == "enter")
        let field = try wait(gateway) { state($0) == "scanning" }
        #expect(field["source"]?.stringValue == "radio")
        #expect(field["radio"]?["lost"]?.integerValue == 0)
        controller.silence()
        let exit = try #require(try gateway.events(1).first)
        #expect(exit.type == "exit")
        #expect(exit.reason == "silence")
        _ = try gateway.stop()
        // It leaves the controller as it was found.
        #expect(!controller.isScanning)
        controller.end()
    }

    @Test func `unplugged and plugged in again: nobody leaves, and every step is said`() throws {
        let gateway = try gateway(["--set", "exit=5"])
        controller.set("a", badge(1))
        _ = try gateway.events(1)
        controller.unplug(true)
        let lost = try wait(gateway) { state($0) == "lost" }
        #expect(lost["listening"]?.boolValue == false)
        #expect(lost["trouble"]?.arrayValue?.first?["kind"]?.stringValue == "radio")
        usleep(5_500_000)  // Longer than `exit`: a deaf radio is no empty hall.
        controller.unplug(false)
        _ = try wait(gateway) { state($0) == "scanning" && $0["listening"]?.boolValue == true }
        #expect(try gateway.stop().map(\.type) == ["enter"])
        let said = gateway.process.text(.errors)
        #expect(said.components(separatedBy: "Radio: The adapter is gone").count == 2, "\(said)")
        controller.end()
    }

    @Test func `another program's scan is noticed, put back, and makes nobody leave`() throws {
        let gateway = try gateway()
        controller.set("a", badge(1))
        _ = try gateway.events(1)
        controller.endScan()
        _ = try wait(gateway) { state($0) == "paused" }
        _ = try wait(gateway) { state($0) == "scanning" }
        #expect(controller.isScanning)
        #expect(try gateway.stop().map(\.type) == ["enter"])
        controller.end()
    }

    @Test func `a controller that never answers is never said to scan, and the gateway stays up`() throws {
        controller.stall(true)
        let gateway = try gateway()
        let field = try wait(gateway) { state($0) == "lost" }
        #expect(field["radio"]?["message"]?.stringValue?.contains("was not answered") == true)
        controller.stall(false)
        _ = try wait(gateway) { state($0) == "scanning" }
        _ = try gateway.stop()
        controller.end()
    }

    @Test func `without an adapter it stays up, says so once, and ends in time`() throws {
        controller.end()
        let gateway = try RunningGateway(
            "hci:unix:\(folder.file("nothing"))", store: folder.file("run.db"),
            ["--json", "--registry", folder.file("registry.json")])
        _ = try wait(gateway) { state($0) == "noAdapter" }
        usleep(1_500_000)
        #expect(try gateway.stop().isEmpty)
        #expect(gateway.process.text(.errors).components(separatedBy: "Radio: ").count == 2)
    }

    @Test func `it restores who was inside, and a kill is no exit`() throws {
        var gateway = try gateway()
        controller.set("a", badge(1))
        _ = try gateway.events(1)
        gateway.process.crash()
        gateway = try self.gateway()
        _ = try wait(gateway) {
            state($0) == "scanning" && $0["regions"]?.arrayValue?.first?["verified"]?.integerValue == 1
        }
        #expect(try gateway.stop().isEmpty)
        #expect(gateway.process.text(.errors).contains("Restored: 1 inside"))
        controller.end()
    }

    @Test func `a burst that waited for a stalled gateway opens nothing`() throws {
        try folder.write(
            "registry.json",
            """
            { "venueId": "hall-a", "settings": { "exit": 30, "enterWindow": 1 },
              "beacons": [ { "uuid": "01020304-0506-0708-090A-0B0C0D0E0F10", "major": 7, "minors": "1-999" } ] }
            """)
        let gateway = try gateway()
        _ = try wait(gateway) { state($0) == "scanning" }
        gateway.process.signal(SIGSTOP)
        controller.set("a", badge(1, every: .milliseconds(50)))
        usleep(600_000)
        controller.silence()
        usleep(2_000_000)
        gateway.process.signal(SIGCONT)
        let field = try wait(gateway) { $0["reports"]?.integerValue ?? 0 > 5 }
        let row = try #require(field["beacons"]?.arrayValue?.first)
        #expect(row["state"]?.stringValue == "outside")
        #expect(row["lastHeardSeconds"]?.doubleValue ?? 0 > 1.5)
        #expect(try gateway.stop().isEmpty)
        controller.end()
    }

    @Test func `unplugged while the gateway stood still: nobody leaves`() throws {
        let gateway = try gateway()
        controller.set("a", badge(1))
        _ = try gateway.events(1)
        gateway.process.signal(SIGSTOP)
        controller.unplug(true)
        usleep(2_500_000)  // Longer than `exit`.
        gateway.process.signal(SIGCONT)
        _ = try wait(gateway) { state($0) == "lost" }
        controller.unplug(false)
        _ = try wait(gateway) { state($0) == "scanning" && $0["listening"]?.boolValue == true }
        #expect(try gateway.stop().map(\.type) == ["enter"])
        controller.end()
    }
}

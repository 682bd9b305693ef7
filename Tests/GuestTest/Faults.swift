// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestKit

/// A fault in a hall where ten badges are inside: the scan comes back, nobody enters or leaves because of it, and the
/// notes tell of it.
private struct Fault: Sendable {
    let name: String
    var phase: Scenario.Phase = .beside
    var starts: Double
    var extended = false
    /// Seconds from its end to the scan.
    let limit: Double
    let notes: [[String]]
    /// Makes it happen and gives the moment when it was over, on the controller's clock.
    let happen: @Sendable (Stage, Controller, Box) throws -> Double

    private static let badges = 10

    var scenario: Scenario { Scenario(name: name, phase: phase, starts: starts) { try run($0) } }

    private func run(_ stage: Stage) throws {
        let controller = try stage.controller(extended: extended)
        let box = try stage.box(controller)
        try box.startScanning(controller)
        controller.tell("crowd \(Self.badges) 50 -65 4")
        guard eventually(within: 10, { box.count("enter") == Self.badges }) else {
            throw Obstacle("\(box.count("enter")) enters of \(Self.badges)")
        }
        pause(1)
        let over = try happen(stage, controller, box)
        stage.awaitRecovery(of: box, controller, after: over, within: limit)
        // Who was lost by it would be an exit now.
        pause(Contract.exitSeconds + 2)
        let news = box.events.dropFirst(Self.badges).filter { $0.type != "wake" }
        stage.expect(news.isEmpty, "\(news.count) events: \(news.prefix(3).map(\.content))")
        stage.expectNotes(notes, in: box)
        try box.stop()
    }
}

extension Scenario {
    static let faults: [Scenario] = [
        Fault(name: "a silent controller", starts: 2, limit: 45, notes: ExpectedNotes.silent) { _, controller, _ in
            let began = try controller.mark()
            controller.tell("mute")
            return began
        },
        Fault(
            name: "nothing but empty reports", starts: 3, extended: true, limit: 45, notes: ExpectedNotes.silent
        ) { _, controller, _ in
            let began = try controller.mark()
            controller.tell("empty 20")
            return began
        },
        Fault(
            name: "unplugged, and back under another number", starts: 18, limit: 10, notes: ExpectedNotes.unplugged,
            happen: unplug),
        Fault(name: "down and up again", starts: 20, limit: 10, notes: ExpectedNotes.down, happen: downAndUp),
        Fault(name: "blocked and unblocked", starts: 22, limit: 10, notes: ExpectedNotes.blocked, happen: block),
        Fault(
            name: "a hardware error", starts: 24, limit: 15, notes: ExpectedNotes.hardwareError
        ) { _, controller, _ in
            let began = try controller.mark()
            controller.tell("event 100142")
            // Until the kernel has reset it.
            _ = eventually(within: 5, every: 0.05) { controller.scanBegan == nil }
            return began
        },
        Fault(
            name: "somebody else connects", starts: 26, limit: 10, notes: ExpectedNotes.taken, happen: foreignConnect),
        Fault(
            name: "a controller that does not answer", starts: 28, limit: 15, notes: ExpectedNotes.unanswered,
            happen: stall),
        Fault(
            name: "killed while scanning", phase: .quiet, starts: 4, limit: 3, notes: [["scanning:"]], happen: kill),
        Fault(
            name: "killed on an extended controller", phase: .quiet, starts: 5, extended: true, limit: 3,
            notes: [["scanning:"]],
            happen: kill),
        Fault(
            name: "legacy commands on a strict extended controller", starts: 30, extended: true, limit: 10,
            notes: ExpectedNotes.refused, happen: legacyCommands),
        Fault(
            name: "bluetoothd looks around", phase: .last, starts: 0, extended: true, limit: 10,
            notes: ExpectedNotes.taken, happen: foreignDiscovery),
    ].map(\.scenario)

    private static func downAndUp(_ stage: Stage, _ controller: Controller, _ box: Box) throws -> Double {
        try Tool.run(["/usr/bin/hciconfig", controller.device, "down"])
        stage.expect(
            box.awaitState(.poweredOff, within: 5), "poweredOff is not shown: \(box.status()?.stateText ?? "")")
        pause(3)
        try controller.power()
        return try controller.mark()
    }

    private static func unplug(_ stage: Stage, _ controller: Controller, _ box: Box) throws -> Double {
        let old = controller.index
        controller.tell("vanish 8000")
        stage.expect(
            box.awaitState(.noAdapter, .lost, within: 4), "its loss is not shown: \(box.status()?.stateText ?? "")")
        // Others take the lowest free numbers, until one of them has the old one.
        var others: [Controller] = []
        while !FileManager.default.fileExists(atPath: "/sys/class/bluetooth/hci\(old)"), others.count < 5 {
            others.append(try stage.controller(powered: false))
        }
        _ = eventually(within: 12) { controller.index != old }
        stage.expect(controller.index != old, "it came back as hci\(old) again")
        try controller.power()
        let powered = try controller.mark()
        _ = eventually(within: 10) { controller.scanBegan != nil }
        return withExtendedLifetime(others) { powered }
    }

    private static func block(_ stage: Stage, _ controller: Controller, _ box: Box) throws -> Double {
        try setBlock(controller, to: "1")
        stage.expect(box.awaitState(.blocked, within: 5), "blocked is not shown: \(box.status()?.stateText ?? "")")
        pause(3)
        try setBlock(controller, to: "0")
        try controller.power()
        return try controller.mark()
    }

    private static func setBlock(_ controller: Controller, to value: String) throws {
        let place = "/sys/class/bluetooth/\(controller.device)"
        let switches = try FileManager.default.contentsOfDirectory(atPath: place).filter { $0.hasPrefix("rfkill") }
        guard let name = switches.first else { throw Obstacle("\(controller.device) has no switch") }
        try value.write(toFile: "\(place)/\(name)/soft", atomically: false, encoding: .utf8)
    }

    /// The kernel then scans for that peer alone, and leaves scanning off.
    private static func foreignConnect(_ stage: Stage, _ controller: Controller, _ box: Box) throws -> Double {
        let client = try ChildProcess(
            "/usr/bin/gatttool",
            ["-i", controller.device, "-b", "C0:00:00:00:FF:01", "-t", "random", "--primary"])
        let isTaken = eventually(within: 5, every: 0.05) { controller.scanBegan == nil }
        stage.expect(isTaken, "the kernel does not scan for the peer: \(client.text(.errors))")
        pause(3)
        client.crash()
        return try controller.mark()
    }

    /// Somebody switches scanning off, and from then on the controller answers nobody.
    private static func stall(_ stage: Stage, _ controller: Controller, _ box: Box) throws -> Double {
        controller.tell("stall 1")
        try Tool.run(["/usr/bin/hcitool", "-i", controller.device, "cmd", "08", "000c", "00", "00"])
        pause(8)
        controller.tell("resume")
        return try controller.mark()
    }

    private static func kill(_ stage: Stage, _ controller: Controller, _ box: Box) throws -> Double {
        box.crash()
        pause(2)
        let began = try controller.mark()
        stage.expect(controller.scanBegan != nil, "the scan ended with the process")
        try box.start()
        // The scan of the killed process goes on until this one ends it.
        _ = eventually(within: 5, every: 0.05) { controller.scanBegan.map { $0 > began } ?? false }
        stage.expect(controller.scanBegan.map { $0 > began } ?? false, "the scan is still the old one")
        return began
    }

    /// While the gateway is away somebody resets the controller and uses it in the other manner.
    private static func legacyCommands(_ stage: Stage, _ controller: Controller, _ box: Box) throws -> Double {
        box.crash()
        for words in [
            ["03", "0003"], ["08", "000b", "00", "10", "00", "10", "00", "00", "00"], ["08", "000c", "01", "00"],
        ] {
            try Tool.run(["/usr/bin/hcitool", "-i", controller.device, "cmd"] + words)
        }
        let began = try controller.mark()
        try box.start()
        _ = eventually(within: 10, every: 0.05) { controller.scanBegan.map { $0 > began } ?? false }
        return began
    }

    /// Alone, because it takes all adapters in hand.
    private static func foreignDiscovery(_ stage: Stage, _ controller: Controller, _ box: Box) throws -> Double {
        let bus = try ChildProcess("/usr/bin/dbus-daemon", ["--system", "--nofork", "--nopidfile"])
        _ = eventually(within: 5) { FileManager.default.fileExists(atPath: "/run/dbus/system_bus_socket") }
        let daemon = try ChildProcess("/usr/libexec/bluetooth/bluetoothd", ["-n"])
        let talk = """
            sleep 2; echo select \(controller.address); echo power on; sleep 1; echo scan le; sleep 4; \
            echo scan off; sleep 1; echo quit
            """
        let tool = try ChildProcess("/bin/sh", ["-c", "(\(talk)) | /usr/bin/bluetoothctl"])
        let isTaken = eventually(within: 8, every: 0.05) { controller.scanBegan == nil }
        stage.expect(isTaken, "it does not look around: \(tool.text().suffix(200)) \(daemon.text(.errors).suffix(200))")
        if tool.wait(within: .seconds(15)) == nil { tool.crash() }
        let over = try controller.mark()
        daemon.crash()
        bus.crash()
        return over
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import TestKit

extension Scenario {
    /// What was recorded beside the gateway, and what it remembers itself.
    /// The first of its phase: btmon writes what comes from all adapters until it has chosen one.
    static let recordings = [
        Scenario(name: "recordings replay to the events that were live", phase: .quiet, body: record)
    ]

    /// Two clocks stamp one report: the socket's and the recorder's.
    private static let mostApart = 0.005

    private static func record(_ stage: Stage) throws {
        let controller = try stage.controller(extended: true)
        let capture = stage.folder.file("beside.btsnoop")
        let ring = stage.folder.file("ring.btsnoop")
        let recorder = try ChildProcess("/usr/bin/btmon", ["-w", capture, "-i", controller.device])
        pause(2)
        let box = try stage.box(controller)
        try box.startScanning(controller)
        controller.tell(
            "beacon stays \(Contract.uuid) 1 1 -59 200 -65 4", "beacon comes \(Contract.uuid) 1 2 -59 150 -70 4")
        stage.expect(eventually(within: 5) { box.count("enter") == 2 }, "no two enters")
        controller.tell("stop comes")
        stage.expect(eventually(within: Contract.exitSeconds + 4) { box.count("exit") == 1 }, "no exit")
        controller.tell("beacon late \(Contract.uuid) 1 3 -59 100 -60 4")
        stage.expect(eventually(within: 5) { box.count("enter") == 3 }, "no third enter")
        pause(1)
        let live = box.events
        try box.saveRing(to: ring)
        try box.stop()
        recorder.signal(SIGTERM)
        if recorder.wait(within: .seconds(3)) == nil { recorder.crash() }
        for (name, path) in [("btmon's", capture), ("the ring", ring)] {
            _ = unsafe chmod(path, 0o644)
            let answer = try box.command(Contract.replay(path, registry: box.registry))
            let events = answer.output.split(separator: "\n").compactMap { Event($0) }
            stage.expect(
                events.map(\.content) == live.map(\.content),
                "\(name) gives \(events.map(\.content)), live \(live.map(\.content)) \(answer.errors.suffix(200))")
            let apart = zip(events, live).map { abs($0.at - $1.at) }.max() ?? 0
            stage.figure("\(name): \(events.count) events, \(tenths(apart * 1_000)) ms apart")
            stage.expect(apart <= mostApart, "\(name): \(apart) s apart")
        }
    }
}

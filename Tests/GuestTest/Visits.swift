// SPDX-License-Identifier: GPL-2.0-or-later

extension Scenario {
    /// Who comes and who goes.
    static let visits = [
        Scenario(name: "who comes is an enter, who goes is an exit", starts: 14) { try visit($0, extended: false) },
        Scenario(name: "the same on an extended controller", starts: 15) { try visit($0, extended: true) },
        Scenario(name: "the last of two who leaves a quiet hall is an exit", starts: 16, body: lastOfTwo),
        Scenario(name: "a controller that falls silent in a full hall is no exit", starts: 1, body: silentHall),
    ]

    /// An enter follows within this: three hits at 10 Hz, and the way to the output.
    private static let enterSeconds = 5.0
    /// An exit follows the silence within this, on top of the setting.
    private static let exitLateness = 4.0

    private static func visit(_ stage: Stage, extended: Bool) throws {
        let controller = try stage.controller(extended: extended)
        let box = try stage.box(controller)
        try box.startScanning(controller)
        controller.tell("beacon a \(Contract.uuid) 1 1 -59 100 -65 4")
        stage.expect(eventually(within: enterSeconds) { box.count("enter") == 1 }, "no enter")
        controller.tell("stop a")
        pause(Contract.exitSeconds - 1)
        stage.expect(box.count("exit") == 0, "an exit before its time")
        stage.expect(eventually(within: 1 + exitLateness) { box.count("exit") == 1 }, "no exit")
        stage.expect(box.events.map(\.minor) == [1, 1], "the wrong beacon: \(box.events.map(\.content))")
        stage.expect(box.events.last?.reason == "silence", "another reason: \(box.events.map(\.content))")
        try box.stop()
    }

    private static func lastOfTwo(_ stage: Stage) throws {
        let controller = try stage.controller()
        let box = try stage.box(controller)
        try box.startScanning(controller)
        controller.tell(
            "beacon a \(Contract.uuid) 1 1 -59 200 -65 4", "beacon b \(Contract.uuid) 1 2 -59 200 -65 4")
        stage.expect(eventually(within: enterSeconds) { box.count("enter") == 2 }, "no two enters")
        for (number, name) in ["a", "b"].enumerated() {
            controller.tell("stop \(name)")
            stage.expect(
                eventually(within: Contract.exitSeconds + exitLateness) { box.count("exit") == number + 1 },
                "no exit of \(name)")
        }
        try box.stop()
    }

    /// Longer than `exit`, shorter than what the watchdog needs up to a reset.
    private static func silentHall(_ stage: Stage) throws {
        let controller = try stage.controller(extended: true)
        let box = try stage.box(controller)
        try box.startScanning(controller)
        controller.tell("crowd 50 250 -65 4")
        stage.expect(eventually(within: 10) { box.count("enter") == 50 }, "no 50 enters: \(box.count("enter"))")
        pause(2)
        let muted = try controller.mark()
        controller.tell("mute reset")
        stage.awaitRecovery(of: box, controller, after: muted, within: 75)
        pause(Contract.exitSeconds + 2)
        stage.expect(box.count("exit") == 0, "\(box.count("exit")) exits")
        stage.expect(box.count("enter") == 50, "\(box.count("enter")) enters")
        stage.expect(box.status()?.verified == 50, "not all are verified: \(box.status()?.verified ?? -1)")
        stage.expectNotes(ExpectedNotes.silentUntilReset, in: box)
        try box.stop()
    }
}

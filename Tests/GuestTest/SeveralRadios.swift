// SPDX-License-Identifier: GPL-2.0-or-later

extension Scenario {
    /// Two adapters at once are two receivers.
    static let severalRadios = [
        Scenario(name: "carried from one of two receivers to the other, it moves", starts: 7, body: move),
        Scenario(name: "one of two receivers unplugged loses nobody", starts: 9, body: unplugOne),
    ]

    /// From being louder elsewhere to the move: the median of a window of ten seconds has to follow.
    private static let moveSeconds = 20.0

    private static func pair(_ stage: Stage) throws -> (north: Controller, south: Controller, box: Box) {
        let north = try stage.controller()
        let south = try stage.controller(extended: true)
        let box = try stage.box(north: north, south: south)
        try box.startScanning(north)
        guard eventually(within: 10, every: 0.1, { south.scanBegan != nil }) else { throw Obstacle("no second scan") }
        return (north, south, box)
    }

    private static func move(_ stage: Stage) throws {
        let (north, south, box) = try pair(stage)
        for (controller, rssi) in [(north, -50), (south, -80)] {
            controller.tell("beacon a \(Contract.uuid) 1 1 -59 200 \(rssi) 2")
        }
        let isIn = eventually(within: 10) {
            box.events.contains { $0.type == "enter" && $0.regions == ["in-the-north"] }
        }
        stage.expect(isIn, "no enter in the north: \(box.events.map(\.content))")
        pause(3)
        let before = box.events.count
        north.tell("rssi a -80")
        south.tell("rssi a -50")
        let hasMoved = eventually(within: moveSeconds) { box.events.dropFirst(before).count >= 3 }
        pause(Contract.exitSeconds)
        let news = box.events.dropFirst(before)
        stage.expect(hasMoved, "it does not move: \(box.events.map(\.content))")
        stage.expect(
            news.filter { $0.type == "exit" }.map(\.content) == ["exit moved 1 [\"in-the-north\"]"]
                && news.filter { $0.type == "enter" }.map(\.content) == ["enter moved 1 [\"in-the-south\"]"],
            "not one exit and one enter by moving: \(news.map(\.content))")
        stage.expect(news.count { $0.type == "nearest" } == 1, "not one change of nearest: \(news.map(\.content))")
        try box.stop()
    }

    private static func unplugOne(_ stage: Stage) throws {
        let (north, south, box) = try pair(stage)
        north.tell("beacon a \(Contract.uuid) 1 1 -59 200 -60 2")
        south.tell("beacon b \(Contract.uuid) 1 2 -59 200 -60 2")
        stage.expect(eventually(within: 10) { box.count("enter") == 2 }, "no two enters")
        south.tell("vanish 10000")
        let isSeen = eventually(within: 5) {
            let states = box.radioStates
            return states["north"] == "scanning" && ["lost", "noAdapter"].contains(states["south"])
        }
        stage.expect(isSeen, "its loss is not shown: \(box.radioStates)")
        // The living one goes on: who comes enters, who goes leaves.
        north.tell("beacon c \(Contract.uuid) 1 3 -59 200 -60 2")
        stage.expect(eventually(within: 5) { box.count("enter") == 3 }, "nobody enters at the living one")
        north.tell("stop c")
        let hasLeft = eventually(within: Contract.exitSeconds + 5) { box.count("exit") == 1 }
        stage.expect(hasLeft, "nobody leaves the living one")
        stage.expect(eventually(within: 12) { !isGone(south) }, "it does not come back")
        try south.power()
        let powered = try south.mark()
        stage.awaitRecovery(of: box, south, after: powered, within: 10)
        stage.expect(
            box.radioStates == ["north": "scanning", "south": "scanning"], "not both scan: \(box.radioStates)")
        pause(Contract.exitSeconds + 2)
        let exits = box.events.filter { $0.type == "exit" }
        stage.expect(exits.map(\.minor) == [3], "others left: \(exits.map(\.content))")
        stage.expectNotes(ExpectedNotes.unpluggedSouth, in: box)
        try box.stop()
    }

    /// Whether the last that a controller said of itself is that it is unplugged.
    private static func isGone(_ controller: Controller) -> Bool {
        controller.said.last { $0.hasSuffix(" gone") || $0.contains(" hci") }?.hasSuffix(" gone") ?? true
    }
}

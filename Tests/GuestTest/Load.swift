// SPDX-License-Identifier: GPL-2.0-or-later

import TestKit

extension Scenario {
    /// A full hall for a minute, and air that is half foreign.
    static let load = [
        Scenario(name: "2,000 reports a second for a minute", body: minuteOfLoad),
        Scenario(name: "with half the air foreign, half is delivered", starts: 66, body: foreignHalf),
    ]

    private static let rate = 2_000.0
    private static let seconds = 60.0
    /// The controller itself must have kept up, or nothing was shown.
    private static let sustained = 0.98
    private static let mostSleepsPerSecond = 120.0
    /// What is aimed at, and printed …
    private static let aimOfACore = 0.05
    /// … and what must hold: an emulated processor may need most of that only to take the frames from the kernel.
    private static let mostOfTheFloor = 3.0

    private static func minuteOfLoad(_ stage: Stage) throws {
        let controller = try stage.controller()
        let box = try stage.box(controller)
        try box.startScanning(controller)
        controller.tell("crowd 100 \(rate) -65 6")
        pause(1)
        let began = box.usage()
        let start = ContinuousClock.now
        let reader = try ChildProcess(stage.programs.reader, ["\(controller.index)", "\(Int(seconds))"])
        _ = reader.wait(within: .seconds(seconds + 5))
        let ended = box.usage()
        let took = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1_000
        controller.tell("stop crowd")
        let sent = try controller.sent()
        _ = eventually(within: 3) { box.status()?.reports == sent }
        guard let status = box.status() else { throw Obstacle("the page says nothing about the radio") }
        let sleeps = Double(ended.sleeps - began.sleeps) / took
        let processor = (ended.processor - began.processor) / took
        stage.figure("\(sent) sent, \(status.reports) counted, \(status.lost) lost")
        let floor = reader.text().split(separator: " ").dropFirst(2).first.flatMap { Double($0) }.map { $0 / seconds }
        guard let floor else { throw Obstacle("the reader: \(reader.text(.errors))") }
        stage.figure(
            "\(tenths(sleeps)) wake-ups a second, \(tenths(processor * 100)) % of a core, of which the kernel's frames "
                + "alone cost \(tenths(floor * 100)) (aim \(tenths(aimOfACore * 100)))")
        stage.expect(Double(sent) >= rate * seconds * sustained, "the controller sent only \(sent)")
        stage.expect(status.reports == sent, "not every report was counted")
        stage.expect(status.lost == 0, "\(status.lost) were lost")
        stage.expect(sleeps <= mostSleepsPerSecond, "more than \(mostSleepsPerSecond) wake-ups a second")
        let most = max(aimOfACore, mostOfTheFloor * floor)
        stage.expect(processor <= most, "more than \(tenths(most * 100)) % of a core")
        try box.stop()
    }

    /// The page is not looked at meanwhile: while somebody looks, everything is delivered.
    private static func foreignHalf(_ stage: Stage) throws {
        let controller = try stage.controller(extended: true)
        let box = try stage.box(controller)
        try box.startScanning(controller)
        controller.tell("crowd 50 \(rate / 2) -65 6", "foreign 50 \(rate / 2) -70")
        pause(15)
        controller.tell("stop foreign", "stop crowd")
        let sent = try controller.sent()
        pause(1)
        guard let status = box.status() else { throw Obstacle("the page says nothing about the radio") }
        let share = Double(status.delivered) / Double(sent)
        stage.figure("\(status.delivered) of \(sent) delivered, \(status.lost) lost")
        // A little more than half: some seconds of each minute are for counting everybody.
        stage.expect((0.49...0.65).contains(share), "\(tenths(share * 100)) % is not about half")
        try box.stop()
    }
}

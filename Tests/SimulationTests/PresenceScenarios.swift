// SPDX-License-Identifier: GPL-2.0-or-later

import EngineProperties
import RegionCore
import Testing
import Time

/// Entering, leaving and telling, as the field cases tell them. Times are seconds; each expectation is worked out by
/// hand from the rules.
struct PresenceScenarios {
    @Test func `gaps below the exit time give nothing, one above gives an exit and an enter (E-01)`() {
        var stage = Stage([.exit: 30])
        stage.hear(from: 0, to: 60)
        stage.hear(from: 72, to: 132)  // 12 s without a packet
        stage.hear(from: 161, to: 221)  // 29 s
        stage.hear(from: 252, to: 320)  // 31 s
        stage.hear(from: 333, to: 600)  // 13 s
        #expect(
            stage.lines == [
                "enter hits at 0.0 seen 2.0 room:told", "exit silence at 221.0 seen 251.0 room:told",
                "enter hits at 252.0 seen 254.0 room:told",
            ])
    }

    @Test func `within the cooldown neither the exit nor the return is told (E-01)`() {
        var stage = Stage([.exit: 30])
        stage.hear(from: 0, to: 10)
        stage.hear(from: 41, to: 200)
        #expect(
            stage.lines == [
                "enter hits at 0.0 seen 2.0 room:told", "exit silence at 10.0 seen 40.0 room:waiting",
                "enter hits at 41.0 seen 43.0 room:cooldown", "wake silence at 10.0 seen 62.0 room:cooldown",
            ])
    }

    @Test func `enter, exit at 10 s, back at 50 s: told once, and ever after true`() {
        var stage = Stage([.exit: 5])
        stage.hear(from: 0, to: 5, every: 0.5)
        stage.hear(from: 50, to: 300, every: 0.5)
        stage.tick(at: 300.1)
        #expect(
            stage.lines == [
                "enter hits at 0.0 seen 1.0 room:told", "exit silence at 5.0 seen 10.0 room:waiting",
                "enter hits at 50.0 seen 51.0 room:cooldown", "wake silence at 5.0 seen 61.0 room:cooldown",
            ])
    }

    @Test func `an exit whose cooldown ends without a return is told then, with its own time`() {
        var stage = Stage([.exit: 5])
        stage.hear(from: 0, to: 5, every: 0.5)
        stage.tick(at: 200)
        #expect(
            stage.lines == [
                "enter hits at 0.0 seen 1.0 room:told", "exit silence at 5.0 seen 10.0 room:waiting",
                "wake silence at 5.0 seen 61.0 room:told",
            ])
        #expect(stage.events.last?.of == stage.events[1].ordinal)
    }

    @Test(arguments: [37.0, 37.5, 80, 10_000])
    func `an exit is decided at its deadline, whenever somebody looks (E-03)`(looked: Double) {
        var stage = Stage([.exit: 30])
        stage.hear(from: 0, to: 7)
        stage.tick(at: looked)
        stage.tick(at: looked + 0.001)
        let exits = stage.lines.filter { $0.hasPrefix("exit") }
        #expect(exits == ["exit silence at 7.0 seen 37.0 room:waiting"])
    }

    @Test(arguments: [0.1, 4.9])
    func `with saver duty an exit needs 60 s and two whole windows without the beacon (E-03)`(lastHeard: Double) {
        var stage = Stage([.enterHits: 1, .cooldown: 0])
        for cycle in 0..<4 {
            stage.window(open: true, at: Double(cycle) * 30)
            if cycle == 0 { stage.hear(at: lastHeard) }
            stage.window(open: false, at: Double(cycle) * 30 + 5)
        }
        stage.tick(at: 120)
        #expect(
            stage.lines == [
                "enter hits at \(lastHeard) seen \(lastHeard) room:told",
                "exit silence at \(lastHeard) seen 65.0 room:told",
            ])
    }

    @Test func `with saver duty one empty window is no exit, for an hour (E-02)`() {
        var stage = Stage([.exit: 75, .enterHits: 1])
        for second in 0..<3_600 {
            if second % 30 == 0 { stage.window(open: true, at: Double(second)) }
            // Every 7 s, so that some windows hear nothing.
            if second % 7 == 0, second % 30 < 5 { stage.hear(at: Double(second) + 0.5) }
            if second % 30 == 5 { stage.window(open: false, at: Double(second)) }
        }
        #expect(stage.lines == ["enter hits at 0.5 seen 0.5 room:told"])
    }

    @Test func `who sends the same at the same level once a second stays (R-06)`() {
        var stage = Stage([.exit: 30])
        for second in 0...600 {
            stage.hear(at: Double(second), rssi: -65)
            #expect(stage.row(at: Double(second))?.lastHeard.seconds == Double(second))
        }
        #expect(stage.lines == ["enter hits at 0.0 seen 2.0 room:told"])
    }

    @Test func `a pause of the scanner is no gap of the beacon's (R-13)`() {
        var stage = Stage([.exit: 30, .cooldown: 0])
        stage.hear(from: 0, to: 10)
        stage.listening(false, at: 10.5)
        stage.listening(true, at: 50)
        stage.hear(from: 50.5, to: 55.5)
        stage.tick(at: 60)
        #expect(stage.decisions.minutes.map(\.largestGap) == [.seconds(1)])
        stage.listening(false, at: 60)
        stage.listening(true, at: 100)
        stage.tick(at: 131)
        #expect(stage.lines.last == "exit gap at 55.5 seen 130.0 room:told")
    }

    @Test(arguments: [nil, 7] as [UInt16?], [nil, 258] as [UInt16?])
    func `a limit holds for entering and for leaving at each level of region (E-18)`(major: UInt16?, minor: UInt16?) {
        guard major != nil || minor == nil else { return }
        var limit = SettingOverrides()
        limit[.enterRSSI] = -70
        let region = RegionDefinition(
            identifier: "room", scope: RegionScope(uuid: Stage.uuid, major: major, minor: minor), settings: limit)
        var stage = Stage([.cooldown: 0, .filterSamples: 1], regions: [region])
        stage.hear(from: 0, to: 30, rssi: -75)
        #expect(stage.events.isEmpty)
        #expect(stage.row(at: 30)?.missing == "−75 dBm is below enterRSSI −70")
        stage.hear(from: 31, to: 40, rssi: -65)
        // exitRSSI is −74: −75 adds 1 dB·s each second.
        stage.hear(from: 41, to: 100, rssi: -75)
        #expect(stage.events.map(\.kind) == [.enter, .exit])
        #expect(stage.events.last?.reason == .weak)
    }

    @Test func `a sighting before the deadline that is read after it prevents the exit (E-17)`() {
        var stage = Stage([.exit: 30, .enterHits: 1])
        stage.hear(at: 0)
        #expect(stage.nextDeadline() == 10)  // The ten seconds after the told enter.
        stage.hear(at: 29.95)  // The socket is drained first, at 30.020 by the clock.
        stage.tick(at: 30.02)
        #expect(stage.lines == ["enter hits at 0.0 seen 0.0 room:told"])
        stage.hear(at: 59.95)  // At the deadline itself: heard in time.
        stage.tick(at: 60)
        #expect(stage.events.count == 1)
        stage.tick(at: 90)
        #expect(stage.lines.last == "exit silence at 59.95 seen 89.95 room:told")
    }

    @Test(arguments: [false, true])
    func `stray packets after leaving are no visit (E-10)`(isLimited: Bool) {
        var settings: [Setting: Double] = [.exit: 30, .cooldown: 0]
        if isLimited { settings[.enterRSSI] = -80 }
        var stage = Stage(settings)
        stage.hear(from: 0, to: 20)
        let strays = [85.0, 125, 165]
        for stray in strays { stage.hear(at: stray, rssi: -92) }
        stage.tick(at: 200)
        let visit = ["enter hits at 0.0 seen 2.0 room:told", "exit silence at 20.0 seen 50.0 room:told"]
        #expect(stage.lines == visit)
        let misses = isLimited ? [] : strays
        #expect(stage.decisions.nearMisses.map(\.at.seconds) == misses)
        stage.hear(from: 200, to: 202, rssi: -92)
        #expect(stage.lines == visit + (isLimited ? [] : ["enter hits at 200.0 seen 202.0 room:told"]))
    }

    @Test func `a limit below the exit limit for long is an exit, a dip is not`() {
        var stage = Stage([.enterRSSI: -80, .cooldown: 0, .filterSamples: 1])
        stage.hear(from: 0, to: 20)
        stage.hear(at: 21, rssi: -95)  // One weak packet adds 8 dB·s, the next strong one pays it back.
        stage.hear(from: 22, to: 40)
        #expect(stage.lines == ["enter hits at 0.0 seen 2.0 room:told"])
        // exitRSSI is -84: each packet at -90 adds 6 dB·s from 41 s on; 24 dB·s at 44 s exceed 20.
        stage.hear(from: 41, to: 60, rssi: -90)
        #expect(stage.lines.dropFirst() == ["exit weak at 41.0 seen 44.0 room:told"])
    }

    @Test func `only the wide region tells its first and its last, the badge each time`() {
        let badge = RegionDefinition(identifier: "badge", scope: RegionScope(uuid: Stage.uuid, major: 7, minor: 258))
        var stage = Stage([.enterHits: 1, .exit: 5, .cooldown: 0], regions: [Stage.room, badge])
        stage.hear(Stage.b, at: 0)
        stage.hear(Stage.a, at: 2)
        stage.hear(Stage.b, at: 4)
        stage.tick(at: 20)
        #expect(
            stage.lines == [
                "enter hits at 0.0 seen 0.0 room:told", "enter hits at 2.0 seen 2.0 badge:told room:-",
                "exit silence at 2.0 seen 7.0 badge:told room:-", "exit silence at 4.0 seen 9.0 room:told",
            ])
    }

    @Test func `what is heard in the ten seconds after a told enter is added to it`() {
        var stage = Stage([.exit: 60])
        stage.hear(from: 0, to: 2)  // Enter at 2.
        stage.hear(from: 3, to: 5, rssi: -64)
        stage.tick(at: 100)
        #expect(stage.decisions.rangings.map(\.count) == [3])
        #expect(stage.decisions.rangings.first?.of == stage.events.first?.ordinal)
        #expect(stage.decisions.rangings.first?.strongestRSSI == -64)
    }
}

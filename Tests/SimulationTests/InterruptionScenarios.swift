// SPDX-License-Identifier: GPL-2.0-or-later

import EngineProperties
import RegionCore
import Testing
import Time

/// Restarts, reloads, deafness and clock steps, as the field cases tell them.
struct InterruptionScenarios {
    static let entered = "enter hits at 0.0 seen 2.0 room:told"

    @Test func `a visitor who stays over a restart of two minutes is in one visit (E-04 a)`() {
        var stage = Stage()
        stage.hear(from: 0, to: 100)
        stage.restart(stop: 100, start: 220)
        stage.hear(from: 221, to: 400)
        #expect(stage.lines == [Self.entered])
        #expect(stage.field(at: 400).regions.map(\.verified) == [1])
    }

    @Test func `a visitor who left meanwhile leaves one exit time after the start (E-04 b)`() {
        var stage = Stage()
        stage.hear(from: 0, to: 100)
        stage.restart(stop: 100, start: 220)
        #expect(stage.field(at: 220).regions.map(\.occupancy) == [1])
        #expect(stage.field(at: 220).regions.map(\.verified) == [0])
        stage.tick(at: 400)
        #expect(stage.lines == [Self.entered, "exit gap at 100.0 seen 280.0 room:told"])
        #expect(stage.events.last?.uncertain == true)
    }

    @Test func `after three days a visit has ended, and who is heard enters anew (E-05)`() {
        var stage = Stage()
        stage.hear(from: 0, to: 100)
        let morning = 100 + 3 * 86_400.0
        stage.restart(stop: 100, start: morning)
        stage.hear(from: morning + 1, to: morning + 30)
        #expect(
            stage.lines == [
                Self.entered, "exit expired at 100.0 seen \(morning) room:told",
                "enter hits at \(morning + 1) seen \(morning + 3) room:told",
            ])
        #expect(stage.events[1].uncertain)
    }

    @Test func `while the clock cannot tell nothing is decided, then it is (E-05)`() {
        var stage = Stage()
        stage.hear(Stage.a, from: 0, to: 100)
        stage.hear(Stage.b, from: 0, to: 100)
        let morning = 100 + 3 * 86_400.0
        stage.restart(stop: 100, start: morning, isKnown: false)
        stage.hear(Stage.a, from: morning + 1, to: morning + 200)
        #expect(stage.events.count == 2)
        stage.awayKnown(3 * 86_400, at: morning + 200.5)
        let ends = stage.events.dropFirst(2)
        #expect(ends.map(\.kind) == [.exit, .exit])
        #expect(ends.allSatisfy { $0.reason == .expired && $0.uncertain })
        #expect(ends.first { $0.beacon.identity == Stage.b }?.at.seconds == 100)
        stage.hear(Stage.a, from: morning + 201, to: morning + 203)
        #expect(stage.events.last?.kind == .enter)
        #expect(stage.events.last?.at.seconds == morning + 201)
    }

    @Test func `if the clock never tells, ten minutes of listening decide (E-05)`() {
        var stage = Stage()
        stage.hear(Stage.a, from: 0, to: 100)
        stage.hear(Stage.b, from: 0, to: 100)
        stage.restart(stop: 100, start: 200, isKnown: false)
        stage.hear(Stage.a, from: 201, to: 850)
        let ends = stage.events.dropFirst(2)
        #expect(ends.map(\.beacon.identity) == [Stage.b])
        #expect(ends.first?.reason == .gap)
        #expect(ends.first?.uncertain == true)
        #expect(ends.first?.detectedAt.seconds == 800)
        stage.tick(at: 1_000)
        #expect(stage.events.last?.beacon.identity == Stage.a)
        #expect(stage.events.last?.reason == .silence)
        #expect(stage.events.last?.uncertain == true)
    }

    /// What an edit of the registry does to a visit to region `r1` (and to `wide`, which stays).
    struct Edit: Sendable {
        var name: String
        var regions: [RegionDefinition]
        var badges = [Stage.a, Stage.b]
        var expected: [String]
    }

    private static let r1 = RegionDefinition(identifier: "r1", scope: RegionScope(uuid: Stage.uuid, major: 7))
    private static let wide = RegionDefinition(identifier: "wide", scope: RegionScope(uuid: Stage.uuid))
    private static let r2 = RegionDefinition(identifier: "r2", scope: r1.scope)
    private static let elsewhere = RegionDefinition(
        identifier: "r1", scope: RegionScope(uuid: BeaconUUID(high: 1, low: 2), major: 7))

    static let edits = [
        Edit(name: "a, renamed", regions: [r2, wide], expected: ["exit removed r1", "enter added r2"]),
        Edit(name: "b, another UUID", regions: [elsewhere, wide], expected: ["exit redefined r1"]),
        Edit(name: "c, deleted", regions: [wide], expected: ["exit removed r1"]),
        Edit(
            name: "d, badge deleted", regions: [r1, wide], badges: [Stage.b], expected: ["exit removed r1,wide"]),
    ]

    @Test(arguments: edits, [false, true])
    func `an edited region or badge ends its visits and nothing else (E-06)`(edit: Edit, isRestart: Bool) {
        var stage = Stage([.cooldown: 0], regions: [Self.r1, Self.wide])
        stage.hear(from: 0, to: 50)
        if isRestart { stage.restart(stop: 50, start: 50.5) }
        stage.reload(Stage.registry([.cooldown: 0], regions: edit.regions, badges: edit.badges), at: 51)
        let changes = stage.events.dropFirst()
        #expect(
            changes.map { "\($0.kind) \($0.reason) \($0.regions.map(\.region).joined(separator: ","))" }
                == edit.expected)
        #expect(changes.allSatisfy { $0.detectedAt.seconds == 51 && $0.at.seconds <= 51 })
        #expect(changes.allSatisfy { $0.regions.allSatisfy { $0.wake == .told } })
        // Nothing of the old definition is left, in the state or in what follows.
        stage.tick(at: 300)
        var checker = PropertyChecker()
        checker.take(stage.events)
        checker.finish(at: .boot + .seconds(300))
        #expect(checker.violations.isEmpty)
        #expect(checker.inside.values.allSatisfy { $0.isEmpty })
        #expect(stage.field(at: 300).regions.allSatisfy { $0.occupancy == 0 })
    }

    @Test func `a deaf radio is not an empty hall`() {
        var stage = Stage([.cooldown: 0])
        stage.hear(from: 0, to: 100)
        stage.listening(false, at: 100.5)
        stage.tick(at: 50_000)
        #expect(stage.lines == [Self.entered])
        #expect(!stage.field(at: 50_000).listening)
        stage.listening(true, at: 50_000)
        stage.hear(at: 50_059)
        stage.tick(at: 50_060)
        #expect(stage.lines == [Self.entered])
        stage.tick(at: 60_000)
        #expect(stage.lines.last == "exit silence at 50059.0 seen 50119.0 room:told")
    }

    @Test func `who left while the radio was deaf leaves one exit time after it hears again`() {
        var stage = Stage([.cooldown: 0])
        stage.hear(from: 0, to: 100)
        stage.listening(false, at: 101)
        stage.listening(true, at: 1_000)
        stage.tick(at: 2_000)
        #expect(stage.lines == [Self.entered, "exit gap at 100.0 seen 1060.0 room:told"])
        #expect(stage.events.last?.uncertain == true)
    }

    @Test func `a radio that comes and goes cannot hold a beacon for ever`() {
        var stage = Stage([.cooldown: 0])
        stage.hear(from: 0, to: 100)
        // Deaf for 11 of each 20 s: the exit time starts anew at 121 and is used up 9 s at a time.
        for cycle in 0..<20 {
            stage.listening(false, at: 110 + Double(cycle) * 20)
            stage.listening(true, at: 121 + Double(cycle) * 20)
        }
        stage.tick(at: 1_000)
        // 121–130, 141–150, … 221–230 are 54 s; the sixtieth second ends at 247.
        #expect(stage.events.last?.kind == .exit)
        #expect(stage.events.last?.detectedAt.seconds == 247)
    }

    @Test func `a step of the wall clock moves labels only (T-03)`() {
        var stage = Stage([.exit: 30])
        stage.hear(from: 0, to: 180)
        stage.tick(at: 400)
        #expect(stage.lines == [Self.entered, "exit silence at 180.0 seen 210.0 room:told"])
        // The clock was stepped at 60 s: the label before goes by the old anchor, the one after by the new one.
        let before = ClockAnchor(instant: .boot, wallTime: .epoch, synchronised: true)
        let after = ClockAnchor(
            instant: .boot + .seconds(60), wallTime: .epoch + .seconds(60 + 3_600), synchronised: true)
        let labels = stage.events.map { event in
            (event.at < after.instant ? before : after).wallTime(at: event.at).microseconds / 1_000_000
        }
        #expect(labels == [0, 3_780])
    }
}

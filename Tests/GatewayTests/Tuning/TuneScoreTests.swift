// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

@testable import Gateway

/// Each figure on a case small enough to be counted by hand.
struct TuneScoreTests {
    private typealias S = TuneSamples
    private let roomA = TruthLine.Place.region("a")
    private let roomB = TruthLine.Place.region("b")

    @Test func `seconds are counted at whole seconds, right, too many and too few`() {
        let truth = S.truth((roomA, 10, 20), (.nowhere, 20, 30))
        let figures = S.figures(truth, [S.event(.enter, ["a"], at: 12.5), S.event(.exit, ["a"], at: 24.2)])
        // 13…19 right; 20…24 too many; 10, 11, 12 too few.
        #expect(figures.rightlyInside == 7)
        #expect(figures.wronglyInside == 5)
        #expect(figures.wronglyOutside == 3)
        #expect(figures.f1 == 14.0 / 22.0)
        #expect(figures.precision == 7.0 / 12.0)
        #expect(figures.recall == 7.0 / 10.0)
    }

    @Test func `a beacon that is in one region is not in the others truth speaks of`() {
        let truth = S.truth((roomA, 0, 10), (roomB, 10, 20))
        let figures = S.figures(
            truth, [S.event(.enter, ["a", "hall"], at: 0), S.event(.exit, ["a"], at: 14, endsVisit: false)])
        #expect(figures.rightlyInside == 10)
        #expect(figures.wronglyInside == 4)
        #expect(figures.wronglyOutside == 10)
    }

    @Test func `seconds that truth does not cover, and beacons it does not mention, are not judged`() {
        let other = BeaconIdentity(uuid: S.badge.uuid, major: 7, minor: 1)
        let figures = S.figures(
            S.truth((roomA, 10, 20)),
            [
                S.event(.enter, ["a"], at: 10), S.event(.exit, ["a"], at: 90),
                S.event(.enter, ["a"], at: 0, beacon: other),
            ])
        #expect(figures.rightlyInside == 10)
        #expect(figures.wronglyInside == 0)
        #expect(figures.f1 == 1)
        #expect(figures.extra == 0)
    }

    @Test func `a stay without a state is missed`() {
        let figures = S.figures(
            S.truth((roomA, 10, 20), (roomA, 50, 60)),
            [S.event(.enter, ["a"], at: 12), S.event(.exit, ["a"], at: 22)])
        #expect(figures.stays == 2)
        #expect(figures.missed == 1)
        #expect(figures.extra == 0)
        #expect(figures.merged == 0)
    }

    @Test func `a second enter in one stay is extra, and so is one without a stay`() {
        let figures = S.figures(
            S.truth((roomA, 10, 100)),
            [
                S.event(.enter, ["a"], at: 12), S.event(.exit, ["a"], at: 40), S.event(.enter, ["a"], at: 50),
                S.event(.exit, ["a"], at: 110), S.event(.enter, ["a"], at: 200), S.event(.exit, ["a"], at: 230),
            ])
        #expect(figures.extra == 2)
        #expect(figures.missed == 0)
    }

    @Test func `an enter that comes before its stay belongs to it all the same`() {
        let figures = S.figures(S.truth((roomA, 10, 20)), [S.event(.enter, ["a"], at: 8)])
        #expect(figures.extra == 0)
        #expect(figures.missed == 0)
        #expect(figures.enterDelays == [.seconds(-2)])
    }

    @Test func `two stays under one state are one merged visit, whose latencies are no latencies`() {
        let figures = S.figures(
            S.truth((roomA, 10, 20), (roomA, 40, 60)),
            [S.event(.enter, ["a"], at: 13), S.event(.exit, ["a"], at: 75)])
        #expect(figures.merged == 1)
        #expect(figures.missed == 0)
        #expect(figures.extra == 0)
        #expect(figures.enterDelays == [.seconds(3)])
        #expect(figures.exitDelays == [.seconds(15)])
    }

    @Test func `latencies are those of first enters and last exits`() {
        let figures = S.figures(
            S.truth((roomA, 10, 20), (roomA, 100, 150)),
            [
                S.event(.enter, ["a"], at: 11), S.event(.exit, ["a"], at: 50), S.event(.enter, ["a"], at: 104),
                S.event(.exit, ["a"], at: 120), S.event(.enter, ["a"], at: 125), S.event(.exit, ["a"], at: 170),
            ])
        #expect(figures.enterDelays == [.seconds(1), .seconds(4)])
        #expect(figures.exitDelays == [.seconds(20), .seconds(30)])
        #expect(TuneFigures.quantile(0.5, of: figures.exitDelays) == .seconds(30))
        #expect(TuneFigures.quantile(0.95, of: []) == nil)
    }

    @Test func `an exit that the recording does not reach has no latency`() {
        let figures = S.figures(S.truth((roomA, 10, 20)), [S.event(.enter, ["a"], at: 11)], until: 30)
        #expect(figures.exitDelays == [])
        #expect(figures.rightlyInside == 9)
    }

    @Test func `exits while it is inside are false, an hour inside being the measure`() {
        let figures = S.figures(
            S.truth((roomA, 0, 1_800)),
            [
                S.event(.enter, ["a"], at: 1), S.event(.exit, ["a"], at: 600), S.event(.enter, ["a"], at: 610),
                S.event(.exit, ["a"], at: 1_800),
            ], until: 2_000)
        #expect(figures.falseExits == 1)
        #expect(figures.falseExitsPerHour == 2)
    }

    @Test func `the nearest is right where it is what truth says, from its decision on`() {
        let truth = S.truth((.nearest("north"), 0, 10), (.nearest("south"), 10, 20), (.nowhere, 20, 30))
        let figures = S.figures(
            truth,
            [
                S.event(.enter, ["hall"], at: 2, nearest: "north"), S.event(.nearest, at: 13, nearest: "south"),
                S.event(.exit, ["hall"], at: 26),
            ])
        // 2…9 north, 13…19 south, 26…29 nothing; no answer yet counts as wrong.
        #expect(figures.nearestKnown == 30)
        #expect(figures.nearestRight == 8 + 7 + 4)
        #expect(figures.nearestChanges == 1)
        #expect(figures.moveDelays == [.seconds(2), .seconds(3)])
        #expect(figures.falseExits == 0)
        #expect(figures.f1 == nil)
    }

    @Test func `changes of the nearest are those from one whole second to the next`() {
        let events = [
            S.event(.enter, ["hall"], at: 1.2, nearest: "south"), S.event(.nearest, at: 1.8, nearest: "north"),
            S.event(.nearest, at: 5.1, nearest: "south"), S.event(.nearest, at: 5.9, nearest: "north"),
            S.event(.nearest, at: 8, nearest: "south"), S.event(.nearest, at: 9, nearest: "east"),
            S.event(.exit, ["hall"], at: 20), S.event(.enter, ["hall"], at: 20, nearest: "north"),
            S.event(.exit, ["hall"], at: 30), S.event(.enter, ["hall"], at: 40, nearest: "south"),
        ]
        // To south and to east, and to north by leaving and coming back at one instant; never seen: south at the start
        // and at 5. A gap of ten seconds is none.
        #expect(S.figures(S.truth((.nearest("north"), 0, 100)), events).nearestChanges == 3)
        // What came before truth began, or after its end, is not judged.
        #expect(S.figures(S.truth((.nearest("north"), 8.5, 20)), events).nearestChanges == 1)
    }

    @Test func `a move ends one region and begins the other, and is no change of the nearest by itself`() {
        let truth = S.truth((roomA, 0, 10), (roomB, 10, 20))
        let figures = S.figures(
            truth,
            [
                S.event(.enter, ["a"], at: 0), S.event(.exit, ["a"], at: 12, endsVisit: false),
                S.event(.enter, ["b"], at: 12),
            ])
        #expect(figures.rightlyInside == 10 + 8)
        #expect(figures.wronglyInside == 2)
        #expect(figures.nearestChanges == 0)
        #expect(figures.nearestAccuracy == nil)
    }

    @Test func `what is told later of an exit is not judged`() {
        let figures = S.figures(S.truth((roomA, 0, 10)), [S.event(.wake, ["a"], at: 5)])
        #expect(figures.missed == 1)
        #expect(figures.falseExits == 0)
    }

    // MARK: Order

    private func result(_ change: (inout TuneFigures) -> Void) -> TuneFigures {
        var figures = TuneFigures(hasRegions: true, hasNearest: false)
        figures.rightlyInside = 1_000
        figures.enterDelays = [.seconds(2)]
        figures.exitDelays = [.seconds(30)]
        change(&figures)
        return figures
    }

    @Test func `best is the larger F1, then fewer extra enters, then less latency`() {
        let plain = result { _ in }
        #expect(plain.isBetter(than: result { $0.wronglyInside = 100 }))
        #expect(result { $0.extra = 5 }.isBetter(than: result { $0.wronglyInside = 100 }))
        #expect(plain.isBetter(than: result { $0.extra = 1 }))
        #expect(result { $0.exitDelays = [.seconds(60)] }.isBetter(than: result { $0.extra = 1 }))
        #expect(plain.isBetter(than: result { $0.exitDelays = [.seconds(60)] }))
        #expect(plain.isBetter(than: result { $0.exitDelays = [] }), "an exit that never came is no fast one")
        #expect(!plain.isBetter(than: plain))
    }

    @Test func `a difference of F1 beyond three decimals decides nothing`() {
        let slightlyWorse = result { ($0.rightlyInside, $0.wronglyInside) = (999_999, 1) }
        #expect(slightlyWorse.isBetter(than: result { $0.extra = 1 }))
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import RegionCore
import Testing
import Time

@testable import StoreSQLite

@Suite struct RoundTripTests {
    private let folder = Folder()

    private let texts = [
        nil, "", "序厅主展项", "a'; DROP TABLE event; --", "zero\0byte", String(repeating: "x", count: 5_000),
    ]

    /// Any event the types allow, so that each column meets each of its values.
    private func anyEvent(_ ordinal: UInt64, _ random: inout some RandomNumberGenerator) -> RegionEvent {
        func instant() -> Instant {
            Instant(nanoseconds: .random(in: -9_000_000_000_000...9_000_000_000_000, using: &random))
        }
        func level() -> Double? { Bool.random(using: &random) ? nil : .random(in: -127...(-1), using: &random) }
        let beacon = BeaconDescription(
            identity: badge(.random(in: 1...9, using: &random)), name: text(&random),
            exhibit: text(&random), kind: pick(Mobility.allCases, &random), group: text(&random),
            registered: .random(using: &random))
        let regions = (0..<Int.random(in: 0...4, using: &random)).map { index in
            RegionChange(
                region: "region-\(index)", occupancy: .random(in: 0...99, using: &random),
                edge: .random(using: &random),
                wake: Bool.random(using: &random) ? nil : RegionChange.Wake.allCases.randomElement(using: &random),
                cooldown: Bool.random(using: &random)
                    ? nil : .init(isWholeRegion: .random(using: &random), until: instant()))
        }
        return RegionEvent(
            ordinal: ordinal, kind: pick(RegionEvent.Kind.allCases, &random),
            reason: pick(RegionEvent.Reason.allCases, &random), at: instant(), detectedAt: instant(),
            beacon: beacon, regions: regions.shuffled(using: &random), visit: .random(in: 1...50, using: &random),
            enteredAt: instant(), endsVisit: .random(using: &random), uncertain: .random(using: &random),
            evidence: Evidence(
                hits: .random(in: 0...20, using: &random), rssi: level(), filteredRSSI: level(),
                tier: Bool.random(using: &random) ? nil : ProximityTier.allCases.randomElement(using: &random),
                distance: Bool.random(using: &random) ? nil : DistanceBand.allCases.randomElement(using: &random),
                receiver: text(&random) ?? "gate",
                listened: .nanoseconds(Int64.random(in: 0...9_000_000_000_000, using: &random))),
            of: Bool.random(using: &random) ? nil : .random(in: 1...max(1, ordinal), using: &random),
            nearest: text(&random), change: Bool.random(using: &random) ? nil : anyChange(&random),
            place: Bool.random(using: &random) ? nil : anyPlace(&random))
    }

    private func text(_ random: inout some RandomNumberGenerator) -> String? {
        texts.randomElement(using: &random).flatMap { $0 }
    }

    private func anyChange(_ random: inout some RandomNumberGenerator) -> NearestChange {
        func score() -> Double? { Bool.random(using: &random) ? nil : .random(in: -90...20, using: &random) }
        let (from, to) = (text(&random) ?? "gate", text(&random) ?? "gate")
        return NearestChange(from: from, to: to, fromScore: score(), toScore: score())
    }

    private func anyPlace(_ random: inout some RandomNumberGenerator) -> Place {
        func metres() -> Double? { [nil, 0, -3, 12.375].randomElement(using: &random) ?? nil }
        return Place(exhibit: text(&random), floor: text(&random), x: metres(), y: metres())
    }

    @Test func `events read back are equal to those that were told`() throws {
        var random = Seeded(state: 7)
        let store = try openStore(folder)
        let second = try store.settingsVersion(registry: "{\"a\":1}", configuration: "x", at: morning.wallTime)
        var told: [CommittedEvent] = []
        var ordinal: UInt64 = 0
        for index in 0..<100 {
            let anchor =
                index % 2 == 0
                ? morning
                : ClockAnchor(
                    instant: .boot, wallTime: .epoch + .nanoseconds(index * 999), synchronised: false)
            let events = (0..<5).map { _ in
                ordinal += UInt64.random(in: 1...3, using: &random)  // A hole in ordinals is a lost event.
                return anyEvent(ordinal, &random)
            }
            let batch = batch(events, upTo: 20, settings: index % 3 == 0 ? second : 1, anchor: anchor)
            let committed = try store.append(batch)
            #expect(committed.map(\.event) == events)
            #expect(committed.allSatisfy { $0.at == anchor.wallTime(at: $0.event.at) && $0.settings == batch.settings })
            told += committed
        }
        #expect(told.map(\.seq) == Array(1...500))
        #expect(told.allSatisfy { $0.id == "box-\(store.facts.store)-\($0.seq)" && $0.source == .radio })
        let bySeq = Dictionary(uniqueKeysWithValues: told.map { ($0.event.ordinal, $0.seq) })
        for event in told {
            #expect(event.of == event.event.of.flatMap { of in bySeq[of].flatMap { $0 < event.seq ? $0 : nil } })
        }
        let reader = try EventReader(path: folder.store)
        #expect(try reader.events(after: 0, limit: 1_000) == told)
        #expect(try reader.events(after: 250, limit: 7) == Array(told[250..<257]))
        #expect(try reader.newestSeq() == 500)
    }

    @Test func `numbers and identifiers go on after the store was closed`() throws {
        var script = Script()
        let first = try openStore(folder).append(batch([script.event(.enter, badge(1), at: 20, visit: 1)], upTo: 23))
        let again = try EventStore(
            path: folder.store, gateway: "renamed", source: .radio, now: later(.seconds(60)).wallTime)
        try again.beginRun(bootId: "boot-1", anchor: later(.seconds(60)), why: "test")
        let second = try again.append(batch([script.event(.exit, badge(1), at: 30, visit: 1)], upTo: 90))
        #expect(second.first?.seq == 2)
        #expect(again.facts.gateway == "box")
        #expect(again.facts.store.count == 6)
        #expect(second.first?.id == first.first.map { $0.id.dropLast() + "2" })
    }

    @Test func `names stay as they were when an event was decided`() throws {
        var script = Script()
        let store = try openStore(folder)
        var renamed = script.event(.exit, badge(1), at: 30, visit: 1)
        renamed.beacon.name = "Another"
        _ = try store.append(batch([script.event(.enter, badge(1), at: 20, visit: 1)], upTo: 23))
        renamed.ordinal = script.ordinal
        _ = try store.append(batch([renamed], upTo: 90))
        let names = try EventReader(path: folder.store).events(after: 0, limit: 9).map(\.event.beacon.name)
        #expect(names == ["Badge", "Another"])
        #expect(try number("SELECT count(*) FROM beacon", in: folder) == 1)
    }

    @Test func `the same settings have one version, changed ones another`() throws {
        let store = try openStore(folder)
        #expect(try store.settingsVersion(registry: "{}", configuration: "", at: morning.wallTime) == 1)
        #expect(try store.settingsVersion(registry: "{}", configuration: "a", at: morning.wallTime) == 2)
        #expect(try store.settingsVersion(registry: "{}", configuration: "a", at: morning.wallTime) == 2)
        #expect(try store.settingsVersion(registry: "{}", configuration: "", at: morning.wallTime) == 3)
    }

    @Test func `visits have their ends, and the last wake of each beacon is the newest told one`() throws {
        var script = Script()
        let store = try openStore(folder)
        var muted = script.event(.exit, badge(2), at: 60, visit: 2, enteredAt: 21)
        muted.regions[0].wake = .muted
        muted.uncertain = true
        script.ordinal = 1
        let events = [
            script.event(.enter, badge(1), at: 20, visit: 1), script.event(.enter, badge(2), at: 21, visit: 2),
            script.event(.exit, badge(1), at: 50, visit: 1, enteredAt: 20),
        ]
        muted.ordinal = script.ordinal
        let told = try store.append(batch(events + [muted], upTo: 90))
        #expect(try EventReader(path: folder.store).lastWakes() == [told[2], told[1]])
        #expect(try number("SELECT (left_us - entered_us) / 1000000 FROM visit WHERE visit = 1", in: folder) == 30)
        #expect(
            try number("SELECT uncertain FROM visit WHERE visit = 2 AND exit_seq = 4 AND enter_seq = 2", in: folder)
                == 1)
        #expect(try number("SELECT count(*) FROM presence", in: folder) == 0)
    }

    @Test func `what stands beside the events is stored with its times`() throws {
        var script = Script()
        let store = try openStore(folder)
        var batch = batch([script.event(.enter, badge(1), at: 20, visit: 1)], upTo: 100)
        let at = Instant.boot + .seconds(100)
        batch.decisions.nearMisses = [
            NearMiss(beacon: badge(2), at: at, hits: 1, strongestRSSI: nil),
            NearMiss(beacon: badge(2), at: at, hits: 2, strongestRSSI: -80.5),
            NearMiss(beacon: badge(2), at: at, hits: 1, strongestRSSI: -90),
        ]
        batch.decisions.rangings = [
            Ranging(of: 1, count: 7, strongestRSSI: -60, distance: .under1),
            Ranging(of: 99, count: 7, strongestRSSI: nil, distance: nil),
        ]
        batch.decisions.minutes = [
            BeaconMinute(
                beacon: badge(1), start: .boot, count: 60, p10: -90, p50: -80, p90: nil, largestGap: .seconds(2))
        ]
        batch.decisions.shadows = [
            ShadowChange(
                beacon: badge(1), at: at, change: NearestChange(from: "a", to: "b", fromScore: nil, toScore: -9.5))
        ]
        batch.notes = [Note(kind: .radio, text: "deaf", at: at)]
        batch.listening = [
            ListeningSpan(receiver: "gate", from: .boot, until: .boot + .seconds(50)),
            ListeningSpan(receiver: "gate", from: .boot, until: at),
        ]
        _ = try store.append(batch)
        let label = morning.wallTime(at: at).microseconds
        #expect(
            try number(
                "SELECT count FROM near_miss WHERE most_hits = 2 AND strongest_rssi = -80.5 AND minute_us % 6e7 = 0",
                in: folder) == 3)
        #expect(try number("SELECT count FROM ranging WHERE seq = 1 AND distance = '< 1 m'", in: folder) == 7)
        #expect(try number("SELECT count(*) FROM ranging", in: folder) == 1)
        #expect(
            try number("SELECT largest_gap_ns FROM beacon_minute WHERE p90 IS NULL AND p10 = -90.0", in: folder)
                == 2_000_000_000)
        #expect(
            try number(
                """
                SELECT at_us FROM shadow_change JOIN station ON station.id = change_to JOIN beacon ON beacon.id = beacon
                WHERE identifier = 'b' AND from_score IS NULL AND to_score = -9.5 AND minor = 1 AND run = 1
                """, in: folder) == label)
        #expect(try number("SELECT at_us FROM note WHERE kind = 'radio' AND text = 'deaf'", in: folder) == label)
        #expect(try number("SELECT until_us FROM listening_span", in: folder) == label)
    }

    @Test func `the minutes of the last day on record are read, the newest first`() throws {
        let store = try openStore(folder)
        var told: [BeaconMinute] = []
        for minute in [0, 1, 1_440, 1_441, 2_000] {
            for number in UInt16(1)...2 {
                told.append(
                    BeaconMinute(
                        beacon: badge(number), start: .boot + .seconds(60 * minute), count: minute + 1, p10: -90,
                        p50: nil,
                        p90: -60, largestGap: .seconds(minute)))
            }
        }
        var batch = batch([], upTo: 200_000)
        batch.decisions.minutes = told
        _ = try store.append(batch)
        let inspection = try StoreInspection(path: folder.store)
        var read: [BeaconMinute] = []
        try inspection.minutes(last: .seconds(2_000 * 60)) { read.append($0) }
        #expect(read == told.dropFirst(2).reversed(), "the span ends before its first moment")
        read = []
        try inspection.minutes(last: .seconds(600 * 60)) { read.append($0) }
        #expect(read == told.dropFirst(4).reversed())
    }

    @Test func `a store without minutes has none`() throws {
        _ = try openStore(folder)
        try StoreInspection(path: folder.store).minutes(last: .seconds(60)) { Issue.record("\($0)") }
    }

    @Test func `a reader follows while the writer writes, and the log is brought home`() throws {
        var script = Script()
        let store = try openStore(folder)
        let reader = try EventReader(path: folder.store)
        for visit in UInt64(1)...1_500 {
            let event = script.event(.enter, badge(UInt16(visit)), at: 20, visit: visit)
            let told = try store.append(batch([event], upTo: 20 + Double(visit)))
            if visit % 100 == 0 { #expect(try reader.events(after: Int64(visit) - 1, limit: 10) == told) }
            try store.checkpointIfNeeded(idle: false)
            #expect(store.walBytes < 5 << 20)
        }
        try store.checkpointIfNeeded(idle: true)
        #expect(try reader.newestSeq() == 1_500)
        try store.endRun(how: EventStore.cleanEnd, at: later(.seconds(2_000)))
        #expect(try number("SELECT count(*) FROM run WHERE how = 'clean'", in: folder) == 1)
    }

    @Test func `a new file has the form that cannot be chosen later`() throws {
        _ = try openStore(folder)
        #expect(try number("PRAGMA auto_vacuum", in: folder) == 2)
        #expect(try number("SELECT journal_mode = 'wal' FROM pragma_journal_mode", in: folder) == 1)
        #expect(try number("PRAGMA application_id", in: folder) == Schema.applicationID)
    }

    @Test func `where a source began is kept`() throws {
        let store = try openStore(folder)
        #expect(try store.sourceStart() == nil)
        try store.setSourceStart(morning.wallTime)
        #expect(try store.sourceStart() == morning.wallTime)
    }
}

/// The same numbers in every run (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

private func pick<Element>(_ all: [Element], _ random: inout some RandomNumberGenerator) -> Element {
    all[Int.random(in: all.indices, using: &random)]
}

// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

/// A hall with one badge (major 7, minor 258), its settings open to each test.
struct Bench {
    static let uuid = AdvertisingTests.beacon.uuid
    static let badge = AdvertisingTests.beacon
    static let other = BeaconIdentity(uuid: uuid, major: 7, minor: 259)

    var engine: RegionEngine
    var decisions = Decisions()

    static func venue(
        _ settings: [Setting: Double] = [:], minors: [UInt16] = [258, 259], kind: Mobility = .carried,
        regions: [RegionDefinition]? = nil
    ) -> Venue {
        var overrides = SettingOverrides()
        for (setting, value) in settings { overrides[setting] = value }
        return Venue(
            venueId: "hall",
            beacons: minors.map { BeaconEntry(uuid: uuid, major: 7, minors: $0...$0, kind: kind) },
            regions: regions, settings: overrides)
    }

    init(_ venue: Venue = Bench.venue(), receiver: Mobility = .fixed) {
        engine = RegionEngine(
            registry: Registry(venue: venue, seed: 7), receiver: ReceiverEntry(id: "box", kind: receiver),
            at: .boot)
    }

    mutating func hear(_ beacon: BeaconIdentity = badge, at seconds: Double, rssi: Int8 = -65) {
        engine.observe(
            Sighting(beacon: beacon, measuredPower: -59, rssi: rssi, advertiser: nil),
            at: .boot + .seconds(decimal: seconds), into: &decisions)
    }

    /// Once a second, both ends included.
    mutating func hear(
        _ beacon: BeaconIdentity = badge, from start: Int, through end: Int, rssi: Int8 = -65
    ) {
        for second in start...end { hear(beacon, at: Double(second), rssi: rssi) }
    }

    mutating func tick(at seconds: Double) {
        engine.tick(at: .boot + .seconds(decimal: seconds), into: &decisions)
    }

    /// `enter hits 0/2`: kind, reason, at and detectedAt in seconds.
    var story: [String] {
        decisions.events.map {
            "\($0.kind) \($0.reason) \(seconds($0.at))/\(seconds($0.detectedAt))"
        }
    }

    /// The wake of one region in each event that names it.
    func wakes(of region: String) -> [String] {
        decisions.events.compactMap { event in
            event.regions.first { $0.region == region }.map { "\(event.kind) \($0.wake.map(\.rawValue) ?? "-")" }
        }
    }

    private func seconds(_ instant: Instant) -> String {
        let value = Double(instant.nanoseconds) / 1e9
        return value == value.rounded() ? "\(Int(value))" : "\(value)"
    }
}

struct EngineTests {
    @Test func `three hits enter at the first and silence leaves at the last`() {
        var bench = Bench()
        bench.hear(from: 0, through: 20)
        bench.tick(at: 80)
        #expect(bench.story == ["enter hits 0/2"])
        bench.tick(at: 80.000_001)
        #expect(bench.story == ["enter hits 0/2", "exit silence 20/80"])
        #expect(bench.decisions.events[1].dwell == .seconds(20))
        #expect(bench.decisions.events[1].endsVisit)
        #expect(
            bench.decisions.events[0].regions.map(\.region) == ["hall.7.258", "hall.7", "hall"])
        #expect(bench.decisions.events[0].regions.allSatisfy { $0.occupancy == 1 && $0.edge && $0.wake == .told })
    }

    @Test func `two hits are a near miss once the window has passed them`() {
        var bench = Bench()
        bench.hear(at: 0, rssi: -70)
        bench.hear(at: 4, rssi: -60)
        bench.tick(at: 10)
        #expect(bench.decisions.nearMisses.isEmpty)
        bench.tick(at: 30)
        #expect(bench.decisions.events.isEmpty)
        #expect(
            bench.decisions.nearMisses == [
                NearMiss(beacon: Bench.badge, at: .boot + .seconds(4), hits: 2, strongestRSSI: -60)
            ])
    }

    @Test func `a sighting below the enter limit starts the count again`() {
        var bench = Bench(Bench.venue([.enterRSSI: -70, .filterSamples: 1]))
        for (second, rssi) in [(0.0, Int8(-65)), (1, -65), (2, -75), (3, -65), (4, -65)] {
            bench.hear(at: second, rssi: rssi)
        }
        #expect(bench.decisions.events.isEmpty)
        #expect(bench.decisions.nearMisses.map(\.hits) == [2])
        bench.hear(at: 5)
        #expect(bench.story == ["enter hits 3/5"])
    }

    @Test func `a sighting without RSSI is a hit where no limit is set, and nothing where one is`() {
        var open = Bench()
        var gated = Bench(Bench.venue([.enterRSSI: -80]))
        open.hear(from: 0, through: 30, rssi: 127)
        gated.hear(from: 0, through: 30, rssi: 127)
        #expect(open.story == ["enter hits 0/2"])
        #expect(gated.story.isEmpty)
        #expect(gated.engine.field(at: .boot + .seconds(30)).beacons[0].missing == "no RSSI from the adapter")
    }

    @Test func `a slow fade is noticed by its deficit and dated to its beginning`() {
        var bench = Bench(Bench.venue([.enterRSSI: -70]))
        bench.hear(from: 0, through: 10)
        // 8 dB below −74 counts 8 dB·s a second: 20 are passed with the third sample.
        bench.hear(from: 11, through: 13, rssi: -90)
        #expect(bench.story == ["enter hits 0/2", "exit weak 11/13"])
    }

    @Test func `one weak packet is nothing and a strong one pays it back`() {
        var bench = Bench(Bench.venue([.enterRSSI: -70]))
        bench.hear(from: 0, through: 10)
        for second in stride(from: 11, to: 100, by: 2) {
            bench.hear(at: Double(second), rssi: -90)
            bench.hear(at: Double(second + 1), rssi: -50)
        }
        #expect(bench.story == ["enter hits 0/2"])
    }

    @Test func `a fixed beacon at a fixed receiver is healthy or missing and never an event`() {
        var bench = Bench(Bench.venue(kind: .fixed))
        bench.hear(from: 0, through: 60)
        bench.tick(at: 2_000)
        #expect(bench.decisions.events.isEmpty)
        #expect(bench.engine.field(at: .boot + .seconds(900)).beacons[0].state == .missing)
        #expect(bench.engine.field(at: .boot + .seconds(960)).neverHeard.count == 1)
    }

    @Test func `a carried receiver visits fixed beacons`() {
        var bench = Bench(Bench.venue(kind: .fixed), receiver: .carried)
        bench.hear(from: 0, through: 5)
        #expect(bench.story == ["enter hits 0/2"])
        #expect(bench.decisions.events[0].regions[0].occupancy == 1)
    }

    @Test func `occupancy counts and only the first in and last out are edges`() {
        var bench = Bench()
        bench.hear(from: 0, through: 3)
        bench.hear(Bench.other, from: 3, through: 20)
        bench.tick(at: 100)
        let hall = bench.decisions.events.map { $0.regions.last }
        #expect(hall.map { $0?.occupancy } == [1, 2, 1, 0])
        #expect(hall.map { $0?.edge } == [true, false, false, true])
        #expect(bench.wakes(of: "hall") == ["enter told", "enter -", "exit -", "exit told"])
    }

    // MARK: Cooldown

    @Test func `who goes and comes back within the cooldown is told once`() {
        var bench = Bench(Bench.venue([.exit: 8]))
        bench.hear(from: 0, through: 2)
        bench.tick(at: 11)
        bench.hear(from: 50, through: 100)
        #expect(
            bench.story == [
                "enter hits 0/2", "exit silence 2/10", "enter hits 50/52", "wake silence 2/62",
                "wake silence 2/62", "wake silence 2/62",
            ])
        #expect(bench.wakes(of: "hall.7.258") == ["enter told", "exit waiting", "enter cooldown", "wake cooldown"])
        #expect(bench.decisions.events[3].of == bench.decisions.events[1].ordinal)
    }

    @Test func `who stays away is told at the end of the cooldown with the exit's own time`() {
        var bench = Bench(Bench.venue([.exit: 8], minors: [258], regions: Bench.badgeRegion()))
        bench.hear(from: 0, through: 2)
        bench.tick(at: 62)
        #expect(bench.story == ["enter hits 0/2", "exit silence 2/10"])
        bench.tick(at: 63)
        #expect(bench.story.last == "wake silence 2/62")
        #expect(bench.wakes(of: "badge") == ["enter told", "exit waiting", "wake told"])
    }

    @Test func `muted enters start a cooldown and muted exits never wait`() {
        var bench = Bench(
            Bench.venue([.exit: 8], minors: [258], regions: Bench.badgeRegion(entry: false, exit: false)))
        bench.hear(from: 0, through: 2)
        bench.tick(at: 30)
        bench.hear(from: 30, through: 32)
        bench.tick(at: 100)
        #expect(
            bench.wakes(of: "badge") == ["enter muted", "exit muted", "enter cooldown", "exit muted"])
    }

    static let wholeUUID = RegionScope(uuid: Bench.uuid)

    // MARK: Observation

    @Test func `the ten seconds after a told enter are counted`() {
        var bench = Bench()
        bench.hear(from: 0, through: 2)
        bench.hear(at: 5, rssi: -50)
        bench.hear(at: 12)
        bench.hear(at: 12.5)
        bench.tick(at: 13)
        #expect(bench.decisions.rangings.map(\.count) == [2])
        #expect(bench.decisions.rangings.map(\.strongestRSSI) == [-50])
        #expect(bench.decisions.rangings.map(\.of) == [1])
    }

    // MARK: Signals

    @Test func `alternating levels are one steady tier`() {
        var bench = Bench()
        for second in 0..<120 { bench.hear(at: Double(second), rssi: second % 2 == 0 ? -50 : -90) }
        let row = bench.engine.field(at: .boot + .seconds(119)).beacons[0]
        #expect(row.tier == .mid)
        #expect(row.filteredRSSI == -70)
        #expect(row.rssi == -90)
    }

    @Test func `a packet without RSSI changes no filtered value`() {
        var bench = Bench()
        bench.hear(from: 0, through: 8, rssi: -75)
        bench.hear(at: 9, rssi: 127)
        #expect(bench.engine.field(at: .boot + .seconds(9)).beacons[0].filteredRSSI == -75)
        #expect(bench.engine.field(at: .boot + .seconds(9)).beacons[0].lastHeard == .boot + .seconds(9))
    }

    @Test func `a filter of twenty seconds set by a reload crosses half way after about ten`() {
        var bench = Bench()
        bench.hear(from: 0, through: 30, rssi: -50)
        bench.engine.replaceRegistry(
            Registry(venue: Bench.venue([.filterSeconds: 20, .filterSamples: 20])), at: .boot + .seconds(30),
            into: &bench.decisions)
        bench.hear(from: 31, through: 50, rssi: -50)
        var crossed: Int?
        for second in 51...70 where crossed == nil {
            bench.hear(at: Double(second), rssi: -80)
            let filtered = bench.engine.field(at: .boot + .seconds(second)).beacons[0].filteredRSSI ?? 0
            if filtered < -65 { crossed = second }
        }
        #expect((59...62).contains(crossed ?? 0))
        #expect(bench.story == ["enter hits 0/2"])
    }

    @Test func `a minute gives its count, quantiles and largest gap`() {
        var bench = Bench()
        bench.hear(from: 0, through: 30, rssi: -70)
        bench.hear(at: 59, rssi: -90)
        bench.tick(at: 60)
        let row = bench.decisions.minutes.first
        #expect(row?.count == 32)
        #expect(row?.largestGap == .seconds(29))
        #expect(abs((row?.p50 ?? 0) - -70) <= 2)
        #expect(row?.start == .boot)
    }
}

extension Bench {
    static func badgeRegion(entry: Bool = true, exit: Bool = true) -> [RegionDefinition] {
        [
            RegionDefinition(
                identifier: "badge", scope: RegionScope(uuid: uuid, major: 7, minor: 258), notifyOnEntry: entry,
                notifyOnExit: exit)
        ]
    }
}

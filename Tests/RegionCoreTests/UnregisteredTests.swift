// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

/// Regions with `unregistered`: they take identities that the registry does not list.
struct UnregisteredTests {
    static let stranger = BeaconIdentity(uuid: Bench.uuid, major: 9, minor: 1)
    /// No region has its UUID.
    static let foreign = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 9, minor: 1)

    /// `all` takes everybody of the UUID, `nine` everybody of major 9, `closed` and `listed` only who is listed.
    static func venue(
        _ settings: [Setting: Double] = [:], open: Set<String> = ["all"], minors: [UInt16] = [258, 259],
        wake: WakeRule? = nil, nine: [Setting: Double] = [:], beacons: [BeaconEntry] = []
    ) -> Venue {
        var own = SettingOverrides()
        for (setting, value) in nine { own[setting] = value }
        func region(_ name: String, _ scope: RegionScope, _ own: SettingOverrides) -> RegionDefinition {
            RegionDefinition(
                identifier: name, scope: scope, unregistered: open.contains(name), wake: wake, settings: own)
        }
        let none = SettingOverrides()
        let regions = [
            region("all", RegionScope(uuid: Bench.uuid), none),
            region("closed", RegionScope(uuid: Bench.uuid), none),
            region("nine", RegionScope(uuid: Bench.uuid, major: 9), own),
            region("listed", RegionScope(uuid: Bench.uuid, major: 9), none),
        ]
        var venue = Bench.venue(settings, minors: minors, regions: regions)
        venue.beacons += beacons
        return venue
    }

    static let listed = BeaconEntry(uuid: Bench.uuid, major: 9, minors: 1...1, name: "Badge 1")

    /// The n-th of many.
    static func stranger(_ number: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: Bench.uuid, major: UInt16(1_000 + number / 1_000), minor: UInt16(number % 1_000))
    }

    // MARK: Who is taken, and how

    @Test func `an identity that is not listed enters the region that takes it, and leaves by silence`() {
        var bench = Bench(Self.venue())
        bench.hear(Self.stranger, from: 0, through: 10)
        bench.tick(at: 100)
        #expect(bench.story == ["enter hits 0/2", "exit silence 10/70"])
        #expect(bench.decisions.events.map { $0.regions.map(\.region) } == [["all"], ["all"]])
        #expect(bench.decisions.events[0].beacon == BeaconDescription(identity: Self.stranger, registered: false))
        #expect(bench.decisions.events[0].regions[0].occupancy == 1)
    }

    @Test func `it is in exactly the regions that have the flag and its scope`() {
        var bench = Bench(Self.venue(open: ["all", "nine"]))
        bench.hear(Self.stranger, from: 0, through: 2)
        bench.hear(Self.stranger(1), from: 3, through: 5)
        #expect(bench.decisions.events.map { $0.regions.map(\.region) } == [["nine", "all"], ["all"]])
    }

    @Test func `a region without the flag and a UUID of no region take nobody`() {
        var bench = Bench(Self.venue(open: ["nine"]))
        bench.hear(Self.stranger(1), from: 0, through: 10)
        bench.hear(Self.foreign, from: 0, through: 10)
        #expect(bench.decisions.events.isEmpty)
        let field = bench.engine.field(at: .boot + .seconds(10))
        #expect(field.beacons.map(\.state) == [.unregistered, .unregistered])
    }

    @Test func `the settings are those of the regions that take it`() {
        var bench = Bench(Self.venue([.enterHits: 2], open: ["all", "nine"], nine: [.enterHits: 5]))
        bench.hear(Self.stranger(1), from: 0, through: 1)
        #expect(bench.story == ["enter hits 0/1"])
        bench.hear(Self.stranger, from: 2, through: 5)
        #expect(bench.story.count == 1)
        bench.hear(Self.stranger, at: 6)
        #expect(bench.story.last == "enter hits 2/6")
        var closed = Bench(Self.venue([.enterHits: 2], open: ["all"], nine: [.enterHits: 5]))
        closed.hear(Self.stranger, from: 0, through: 1)
        #expect(closed.story == ["enter hits 0/1"])
    }

    @Test func `the field shows it like a registered one, and counts it as none`() {
        var bench = Bench(Self.venue())
        bench.hear(from: 0, through: 1)
        bench.hear(Self.foreign, from: 0, through: 5, rssi: -40)
        bench.hear(Self.stranger, from: 0, through: 5)
        bench.hear(Self.stranger(1), from: 5, through: 6, rssi: -50)
        let field = bench.engine.field(at: .boot + .seconds(6))
        #expect(field.registered == 2)
        #expect(field.registeredHeard == 1)
        #expect(bench.engine.heardBeacons == 1)
        #expect(
            field.beacons.map(\.beacon.identity) == [Bench.badge, Self.stranger, Self.foreign, Self.stranger(1)])
        #expect(field.beacons.map(\.beacon.registered) == [true, false, false, false])
        #expect(field.beacons[1].state == .inside(since: .boot, verified: true))
        #expect(field.beacons[1].tier == .mid)
        #expect(field.beacons[3].state == .entering(hits: 2, of: 3))
        #expect(field.beacons[3].missing == "2 of 3 hits in 10 s")
    }

    @Test func `where there is no registry everybody counts as registered`() {
        var engine = RegionEngine(registry: Registry(openTo: "heard"), receiver: ReceiverEntry(id: "box"), at: .boot)
        var decisions = Decisions()
        for second in 0...3 {
            engine.observe(
                Sighting(beacon: Self.stranger, measuredPower: -59, rssi: -60, advertiser: nil),
                at: .boot + .seconds(second), into: &decisions)
        }
        #expect(decisions.events.map(\.beacon.registered) == [true])
        #expect(engine.field(at: .boot + .seconds(3)).registered == 1)
    }

    // MARK: Bounds

    @Test func `ten thousand are kept, and the longest unheard goes first`() {
        var bench = Bench(Self.venue())
        for number in 0..<10_000 { bench.hear(Self.stranger(number), at: Double(number) / 10_000) }
        bench.hear(Self.stranger(0), at: 1)
        bench.hear(Self.stranger(10_000), at: 1)
        let field = bench.engine.field(at: .boot + .seconds(1))
        #expect(field.beacons.count == 10_000)
        #expect(field.forgotten == 1)
        #expect(field.refused == 0)
        let shown = Set(field.beacons.map(\.beacon.identity))
        #expect(shown.contains(Self.stranger(0)) && shown.contains(Self.stranger(10_000)))
        #expect(!shown.contains(Self.stranger(1)))
    }

    @Test func `who takes another's place begins with nothing of it`() throws {
        var bench = Bench(Self.venue([.enterHits: 4]))
        bench.hear(Self.stranger(0), from: 0, through: 1, rssi: -30)
        bench.hear(Self.stranger(0), at: 1.5, rssi: -30)
        for number in 1...10_000 { bench.hear(Self.stranger(number), at: 2) }
        let row = try #require(
            bench.engine.field(at: .boot + .seconds(2)).beacons.first {
                $0.beacon.identity == Self.stranger(10_000)
            })
        #expect(row.sightings == 1)
        #expect(row.rssi == -65)
        #expect(row.filteredRSSI == -65)
        #expect(row.state == .entering(hits: 1, of: 4))
        #expect(!row.severalAdvertisers)
        bench.hear(Self.stranger(10_000), at: 3)
        #expect(bench.decisions.events.isEmpty)
        bench.hear(Self.stranger(0), at: 4)
        bench.tick(at: 200)
        #expect(bench.decisions.events.isEmpty)
        #expect(bench.decisions.nearMisses.last { $0.beacon == Self.stranger(0) }?.hits == 1)
    }

    @Test func `who is inside never gives way`() {
        var bench = Bench(Self.venue())
        bench.hear(Self.stranger, from: 0, through: 2)
        for number in 0..<20_000 { bench.hear(Self.stranger(number), at: 3) }
        bench.hear(Self.stranger, at: 60)
        bench.tick(at: 121)
        #expect(bench.story == ["enter hits 0/2", "exit silence 60/120"])
        #expect(bench.decisions.events.allSatisfy { $0.beacon.identity == Self.stranger })
    }

    @Test func `who left is the last to give way`() {
        var bench = Bench(Self.venue([.exit: 10]))
        bench.hear(Self.stranger, from: 0, through: 2)
        for number in 0..<9_999 { bench.hear(Self.stranger(number), at: 3) }
        bench.tick(at: 20)
        #expect(bench.story == ["enter hits 0/2", "exit silence 2/12"])
        for number in 10_000..<19_999 { bench.hear(Self.stranger(number), at: 20) }
        func isShown() -> Bool {
            bench.engine.field(at: .boot + .seconds(20)).beacons.contains { $0.beacon.identity == Self.stranger }
        }
        #expect(isShown())
        bench.hear(Self.stranger(20_000), at: 20)
        #expect(!isShown())
    }

    @Test func `when all are inside a further one is refused, counted and only shown`() {
        var bench = Bench(Self.venue([.enterHits: 1, .exit: 30], wake: WakeRule.none))
        for number in 0..<10_000 { bench.hear(Self.stranger(number), at: 0) }
        #expect(bench.decisions.events.count == 10_000)
        bench.hear(Self.stranger(10_000), at: 1)
        bench.hear(Self.stranger(10_000), at: 2)
        let field = bench.engine.field(at: .boot + .seconds(2))
        #expect(bench.decisions.events.count == 10_000)
        #expect(field.refused == 2)
        #expect(field.forgotten == 0)
        #expect(field.beacons.last?.beacon.identity == Self.stranger(10_000))
        #expect(field.beacons.last?.state == .unregistered)
        #expect(field.regions.first?.occupancy == 10_000)
        bench.tick(at: 31)
        bench.hear(Self.stranger(10_000), at: 31)
        #expect(bench.decisions.events.last?.beacon.identity == Self.stranger(10_000))
        let later = bench.engine.field(at: .boot + .seconds(31)).beacons.filter {
            $0.beacon.identity == Self.stranger(10_000)
        }
        #expect(later.map(\.state) == [.inside(since: .boot + .seconds(31), verified: true)])
    }

    @Test func `a cooldown of one that gives way is decided then`() {
        var bench = Bench(Self.venue([.exit: 10, .cooldown: 600], wake: .each))
        bench.hear(Self.stranger, from: 0, through: 2)
        bench.tick(at: 20)
        #expect(bench.wakes(of: "all") == ["enter told", "exit waiting"])
        for number in 0..<10_000 { bench.hear(Self.stranger(number), at: 21) }
        #expect(bench.wakes(of: "all") == ["enter told", "exit waiting", "wake told"])
        bench.hear(Self.stranger(9_999), from: 22, through: 23)
        #expect(bench.wakes(of: "all").last == "enter told")
    }

    // MARK: Restart

    @Test func `a restart goes on with the visit of one that is not listed`() {
        var bench = Bench(Self.venue())
        bench.hear(Self.stranger, from: 0, through: 10)
        bench.restart(at: 20, away: 120, venue: Self.venue())
        #expect(bench.engine.regionStates().first?.occupancy == 1)
        bench.hear(Self.stranger, from: 145, through: 200)
        bench.tick(at: 300)
        #expect(bench.story == ["enter hits 0/2", "exit silence 200/260"])
        #expect(bench.decisions.events.map(\.visit) == [1, 1])
        #expect(bench.decisions.events[1].beacon.registered == false)
    }

    @Test func `its waiting exit survives a restart`() {
        var bench = Bench(Self.venue([.exit: 10, .cooldown: 100], wake: .each))
        bench.hear(Self.stranger, from: 0, through: 2)
        bench.tick(at: 20)
        bench.restart(at: 20, away: 10, venue: Self.venue([.exit: 10, .cooldown: 100], wake: .each))
        bench.tick(at: 103)
        #expect(bench.story == ["enter hits 0/2", "exit silence 2/12", "wake silence 2/102"])
        #expect(bench.wakes(of: "all").last == "wake told")
    }

    // MARK: Reload

    @Test func `a reload that still takes it touches nothing`() {
        var bench = Bench(Self.venue())
        bench.hear(Self.stranger, from: 0, through: 10)
        bench.hear(Self.stranger(1), from: 9, through: 10)
        bench.reload(Self.venue(minors: [258]), at: 11)
        #expect(bench.story == ["enter hits 0/2"])
        bench.hear(Self.stranger(1), at: 11)
        bench.tick(at: 70.5)
        #expect(bench.story == ["enter hits 0/2", "enter hits 9/11", "exit silence 10/70"])
    }

    @Test func `the visit goes on when the registry lists it`() {
        var bench = Bench(Self.venue())
        bench.hear(Self.stranger, from: 0, through: 10)
        bench.reload(Self.venue(beacons: [Self.listed]), at: 11)
        #expect(bench.story == ["enter hits 0/2", "enter redefined 11/11"])
        #expect(bench.decisions.events[1].regions.map(\.region) == ["nine", "listed", "closed"])
        #expect(bench.decisions.events[1].beacon.registered)
        #expect(bench.decisions.events[1].beacon.name == "Badge 1")
        bench.tick(at: 100)
        #expect(bench.decisions.events[2].reason == .silence)
        #expect(bench.decisions.events[2].regions.map(\.region) == ["nine", "listed", "all", "closed"])
        #expect(bench.decisions.events.allSatisfy { $0.visit == 1 })
        let field = bench.engine.field(at: .boot + .seconds(100))
        #expect(field.beacons.map(\.beacon.registered) == [true])
    }

    @Test func `a region that lost the flag is left, and the visit goes on elsewhere`() {
        var bench = Bench(Self.venue(open: ["all", "nine"]))
        bench.hear(Self.stranger, from: 0, through: 10)
        bench.hear(from: 10, through: 12)
        bench.reload(Self.venue(open: ["nine"]), at: 13)
        #expect(bench.story == ["enter hits 0/2", "enter hits 10/12", "exit redefined 13/13"])
        #expect(bench.decisions.events[2].regions.map(\.region) == ["all"])
        #expect(bench.decisions.events[2].regions.map(\.occupancy) == [1])
        #expect(!bench.decisions.events[2].endsVisit)
        #expect(bench.engine.regionStates().map(\.occupancy) == [1, 1, 1, 0])
    }

    @Test func `its visit ends as removed when no region takes it any more`() {
        var bench = Bench(Self.venue())
        bench.hear(Self.stranger, from: 0, through: 10)
        bench.reload(Self.venue(open: []), at: 11)
        #expect(bench.story == ["enter hits 0/2", "exit removed 11/11"])
        #expect(bench.decisions.events[1].endsVisit)
        bench.hear(Self.stranger, from: 12, through: 20)
        #expect(bench.story.count == 2)
    }

    @Test func `a region that gains the flag is joined by who is inside`() {
        var bench = Bench(Self.venue(open: ["all"]))
        bench.hear(Self.stranger, from: 0, through: 10)
        bench.reload(Self.venue(open: ["all", "nine"]), at: 11)
        #expect(bench.story == ["enter hits 0/2", "enter redefined 11/11"])
        #expect(bench.decisions.events[1].regions.map(\.region) == ["nine"])
    }

    @Test func `one that is struck off the list leaves, and comes back as one that is not listed`() {
        var bench = Bench(Self.venue(beacons: [Self.listed]))
        bench.hear(Self.stranger, from: 0, through: 10)
        bench.reload(Self.venue(), at: 11)
        #expect(bench.story == ["enter hits 0/2", "exit removed 11/11"])
        // Stamped before the reload: no part of a visit after it.
        bench.hear(Self.stranger, at: 10.5)
        bench.hear(Self.stranger, from: 12, through: 14)
        #expect(bench.story.last == "enter hits 12/14")
        #expect(bench.decisions.events.map(\.beacon.registered) == [true, true, false])
    }

    @Test func `the order in which they give way survives a reload`() {
        var bench = Bench(Self.venue())
        for number in 0..<10_000 { bench.hear(Self.stranger(number), at: 0) }
        bench.hear(Self.stranger(0), at: 1)
        bench.reload(Self.venue(minors: [258]), at: 2)
        bench.hear(Self.stranger(10_000), at: 3)
        let shown = Set(bench.engine.field(at: .boot + .seconds(3)).beacons.map(\.beacon.identity))
        #expect(shown.count == 10_000)
        #expect(shown.contains(Self.stranger(0)) && !shown.contains(Self.stranger(1)))
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

struct SettingHintsTests {
    /// One minute of a beacon: how many sightings, and the longest gap in seconds.
    private typealias Minute = (count: Int, gap: Double)

    private func hints(
        _ minutes: [Minute], _ settings: [Setting: Double] = [:], kind: Mobility = .carried,
        receiver: Mobility = .fixed
    ) -> [String] {
        var venue = Bench.venue(settings, kind: kind)
        venue.receivers = [ReceiverEntry(id: "box", kind: receiver)]
        var hints = SettingHints(registry: Registry(venue: venue))
        for (index, minute) in minutes.enumerated() { hints.add(row(Bench.badge, index, minute)) }
        return hints.lines.map { String($0.drop { $0 != ":" }.dropFirst(2)) }
    }

    private func row(_ beacon: BeaconIdentity, _ index: Int, _ minute: Minute) -> BeaconMinute {
        BeaconMinute(
            beacon: beacon, start: .boot + .seconds(60 * index), count: minute.count, p10: nil, p50: nil, p90: nil,
            largestGap: .seconds(decimal: minute.gap))
    }

    private func times(_ number: Int, _ minute: Minute) -> [Minute] { Array(repeating: minute, count: number) }

    @Test func `a third of the exit time must outlast the gaps`() {
        #expect(hints(times(12, (200, 24))) == ["heard every 24 s at worst: set exit 75"])
        #expect(hints(times(12, (200, 19.9))).isEmpty)
        #expect(hints(times(12, (200, 20))).isEmpty)
        #expect(hints(times(12, (200, 20.1))) == ["heard every 20 s at worst: set exit 65"])
        #expect(hints(times(12, (200, 24)), [.exit: 75]).isEmpty, "the hint was taken")
        #expect(hints(times(12, (200, 24.02))) == ["heard every 24 s at worst: set exit 75"], "the advertiser's jitter")
    }

    @Test func `the longest gap that was no absence counts`() {
        #expect(
            hints(times(10, (200, 21)) + [(200, 45), (200, 61), (200, 3_600)])
                == ["heard every 45 s at worst: set exit 135"])
        #expect(hints(times(10, (200, 1)) + [(200, 61)]).isEmpty)
    }

    @Test func `once is no habit, and too few minutes say nothing`() {
        #expect(hints(times(10, (200, 1)) + times(2, (200, 40))).isEmpty)
        #expect(hints(times(10, (200, 1)) + times(3, (200, 40))).count == 1)
        #expect(hints(times(32, (200, 1)) + times(3, (200, 40))).isEmpty, "one minute in twelve")
        #expect(hints(times(9, (200, 24))).isEmpty)
        #expect(hints([]).isEmpty)
    }

    @Test func `one that is away every few minutes is at the edge of reach`() {
        #expect(hints(times(9, (200, 24)) + times(3, (200, 90))).count == 1)
        #expect(hints(times(9, (200, 24)) + times(4, (200, 90))).isEmpty)
    }

    @Test func `a slow tag is told three intervals to enter and six to leave`() {
        #expect(hints(times(12, (6, 10))) == ["heard every 10 s: set enterWindow 30"])
        #expect(hints(times(12, (4, 15))) == ["heard every 15 s: set enterWindow 45 and exit 90"])
        #expect(hints(times(12, (4, 15)), [.enterWindow: 45, .exit: 90]).isEmpty)
        #expect(hints(times(12, (4, 15)), [.enterWindow: 45]).isEmpty, "exit 60 outlasts three of its gaps")
        #expect(hints(times(12, (3, 20)), [.enterWindow: 10, .exit: 200]) == ["heard every 20 s: set enterWindow 60"])
        #expect(hints(times(12, (4, 45))) == ["heard every 15 s: set enterWindow 45 and exit 135"])
        #expect(hints(times(12, (6, 10)), [.enterHits: 1]).isEmpty)
        #expect(hints(times(12, (6, 10)), [.enterHits: 5]) == ["heard every 10 s: set enterWindow 50 and exit 100"])
    }

    @Test func `a quick beacon far away has a good minute now and then`() {
        #expect(hints(times(20, (8, 12))).count == 1)
        #expect(hints(times(20, (8, 12)) + [(19, 12)]).isEmpty)
    }

    @Test func `no value is told that the setting does not take`() {
        #expect(
            hints(times(12, (1, 300)), [.exit: 300]) == ["heard every 60 s: set enterWindow 180 and exit 900"])
        let minutes = times(12, (1, 60))
        #expect(hints(minutes, [.enterHits: 20, .enterWindow: 600, .exit: 3_600]).isEmpty)
    }

    @Test func `only what makes visits is told, in the order of the registry`() {
        #expect(hints(times(12, (200, 24)), kind: .fixed).isEmpty)
        #expect(hints(times(12, (200, 24)), kind: .fixed, receiver: .carried).count == 1)
        var hints = SettingHints(registry: Registry(venue: Bench.venue(minors: [259, 258])))
        let stranger = BeaconIdentity(uuid: Bench.uuid, major: 1, minor: 1)
        for index in 0..<12 {
            for beacon in [Bench.badge, Bench.other, stranger] { hints.add(row(beacon, index, (200, 24))) }
        }
        #expect(
            hints.lines == [Bench.other, Bench.badge].map { "\($0): heard every 24 s at worst: set exit 75" })
    }

    @Test func `a hint names the beacon as people do`() {
        var venue = Bench.venue()
        venue.beacons[0].name = "Badge 17"
        venue.beacons[1].exhibit = "trolley"
        var hints = SettingHints(registry: Registry(venue: venue))
        for index in 0..<12 {
            for beacon in [Bench.badge, Bench.other] { hints.add(row(beacon, index, (200, 24))) }
        }
        #expect(hints.lines.map { $0.prefix { $0 != "(" } } == ["Badge 17 ", "trolley "])
    }
}

/// The same hints on the field page, from what the engine itself hears.
struct FieldHintTests {
    /// Heard once a second for 36 s of each minute.
    private func hearMinutes(_ minutes: Range<Int>, _ bench: inout Bench) {
        for minute in minutes { bench.hear(from: 60 * minute, through: 60 * minute + 36) }
    }

    private func hint(_ bench: Bench, at seconds: Int) -> String? {
        bench.engine.field(at: .boot + .seconds(seconds)).beacons.first?.hint
    }

    @Test func `a beacon that falls silent in each minute has a hint after ten of them`() {
        var bench = Bench()
        hearMinutes(0..<10, &bench)
        #expect(hint(bench, at: 600) == nil)
        hearMinutes(10..<14, &bench)
        #expect(hint(bench, at: 840) == "heard every 24 s at worst: set exit 75")
    }

    @Test func `the hint goes when the setting is changed, and when the beacon is heard better for an hour`() {
        var bench = Bench()
        hearMinutes(0..<14, &bench)
        bench.engine.replaceRegistry(
            Registry(venue: Bench.venue([.exit: 75]), seed: 7), at: .boot + .seconds(840), into: &bench.decisions)
        #expect(hint(bench, at: 840) == nil)
        bench = Bench()
        hearMinutes(0..<14, &bench)
        bench.hear(from: 840, through: 840 + 3_600)
        #expect(hint(bench, at: 4_440) == nil)
    }

    @Test func `gaps of a duty cycle, of a deaf receiver and of a fixed beacon are no reason`() {
        var duty = Bench()
        for minute in 0..<14 {
            duty.engine.window(open: true, at: .boot + .seconds(60 * minute), into: &duty.decisions)
            hearMinutes(minute..<minute + 1, &duty)
            duty.engine.window(open: false, at: .boot + .seconds(60 * minute + 37), into: &duty.decisions)
        }
        #expect(hint(duty, at: 840) == nil)
        var deaf = Bench()
        for minute in 0..<14 {
            deaf.engine.listening(true, at: .boot + .seconds(60 * minute), into: &deaf.decisions)
            hearMinutes(minute..<minute + 1, &deaf)
            deaf.engine.listening(false, at: .boot + .seconds(60 * minute + 37), into: &deaf.decisions)
        }
        #expect(hint(deaf, at: 840) == nil)
        var fixed = Bench(Bench.venue(kind: .fixed))
        hearMinutes(0..<14, &fixed)
        #expect(hint(fixed, at: 840) == nil)
    }
}

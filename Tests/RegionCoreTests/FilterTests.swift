// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

/// The engine carries sum and ends of a filter's samples along; this works them out anew each time.
private struct PlainFilter {
    private var samples: [(level: Int, milliseconds: Int)] = []

    mutating func add(_ level: Int8, at milliseconds: Int) { samples.append((Int(level), milliseconds)) }

    func mean(of most: Int, within reach: Int, at now: Int) -> Double {
        let levels = samples.suffix(most).filter { now - $0.milliseconds <= reach }.map(\.level)
        guard levels.count >= 3, let lowest = levels.min(), let highest = levels.max() else {
            return Double(levels.reduce(0, +)) / Double(levels.count)
        }
        return Double(levels.reduce(-lowest - highest, +)) / Double(levels.count - 2)
    }
}

@Suite struct FilterTests {
    @Test(arguments: [(10, 10.0), (1, 10), (3, 2), (100, 600), (25, 7.5)], 0..<4 as Range<UInt64>)
    func `the filtered RSSI is the trimmed mean of the last samples`(
        filter: (samples: Int, seconds: Double), seed: UInt64
    ) {
        var settings = SettingOverrides()
        settings[.filterSamples] = Double(filter.samples)
        settings[.filterSeconds] = filter.seconds
        let beacon = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)
        let entry = BeaconEntry(uuid: beacon.uuid, major: beacon.major, minors: beacon.minor...beacon.minor)
        let registry = Registry(venue: Venue(venueId: "hall", beacons: [entry], settings: settings))
        var engine = RegionEngine(registry: registry, receiver: ReceiverEntry(id: "gate"), at: .boot)
        var decisions = Decisions()
        var plain = PlainFilter()
        var random = SplitMix(seed: seed)
        var now = 0
        for _ in 0..<2_000 {
            // Mostly tens of milliseconds apart, at times seconds, seldom beyond every filter.
            now += [40, 40, 40, 900, 4_000, 90_000][Int(random.next() % 6)] * Int(random.next() % 16)
            let level = Int8(-100 + Int(random.next() % 60))
            let sighting = Sighting(beacon: beacon, measuredPower: nil, rssi: level, advertiser: nil)
            engine.observe(sighting, at: Instant.boot + .milliseconds(now), into: &decisions)
            plain.add(level, at: now)
            let filtered = engine.field(at: Instant.boot + .milliseconds(now)).beacons.first?.filteredRSSI
            #expect(filtered == plain.mean(of: filter.samples, within: Int(filter.seconds * 1_000), at: now))
        }
    }
}

/// Numbers from a seed, the same everywhere.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

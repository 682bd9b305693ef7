// SPDX-License-Identifier: GPL-2.0-or-later

import CMallocCount
import RegionCore
import Time

/// What a beacon costs for as long as the gateway runs, with what the allocator adds.
enum Memory {
    private static let beacons = 10_000

    static func measure(into report: inout Report) {
        badges(into: &report)
        singles(into: &report)
        several(into: &report)
    }

    /// What a beacon inside costs that twelve receivers hear.
    private static func several(into report: inout Report) {
        let heard = 1_000
        var empty = ManyEars(beacons: heard, turn: 0, pace: 250_000)
        let before = malloc_live_bytes()
        // Forty rounds are two minutes: all have entered, and their cooldowns are over.
        empty.hear(heard * ManyEars.receivers * 40)
        empty.releaseDecisions()
        let after = malloc_live_bytes()
        precondition(empty.enters >= heard, "every beacon is inside")
        withExtendedLifetime(empty) {}
        report.add(
            Figure(
                name: "beacon at twelve receivers, heard", value: (Double(after) - Double(before)) / Double(heard),
                unit: "bytes", limit: 2_560, note: "state of nearest on"))
    }

    /// A box of badges: nothing but numbers.
    private static func badges(into report: inout Report) {
        let first = Population.identity(0)
        let entry = BeaconEntry(uuid: first.uuid, major: 0, minors: 0...UInt16(beacons - 1), isRange: true)
        let identities = (0..<beacons).map { BeaconIdentity(uuid: first.uuid, major: 0, minor: UInt16($0)) }
        measure("badge of a range", Venue(venueId: "hall", beacons: [entry]), identities, heard: 384, into: &report)
    }

    /// Beacons listed one by one, each with a region of its own. What the file says of them is apart.
    private static func singles(into report: inout Report) {
        let identities = (0..<beacons).map(Population.identity)
        let venue = Population.venue(identities, regions: .three)
        // 384 is what it ought to be; 32 bytes of this are the registry's region.
        measure("beacon with a region of its own", venue, identities, heard: 416, into: &report)
    }

    private static func measure(
        _ name: String, _ venue: Venue, _ identities: [BeaconIdentity], heard limit: Double,
        into report: inout Report
    ) {
        let sightings = Population.sightings(identities)
        // What the file says of regions, or what follows from it: names, scopes, rules.
        let empty = malloc_live_bytes()
        let definitions = venue.effectiveRegions
        let named = malloc_live_bytes() - empty
        let start = malloc_live_bytes()
        var lane = HotLane(Registry(venue: venue), pace: 0)
        let registered = malloc_live_bytes()
        // All enter at once, and their cooldowns are over.
        for second in stride(from: 0, to: 300, by: 3) {
            for sighting in sightings[..<beacons] {
                lane.hear(sighting, at: Instant.boot + .seconds(second))
            }
        }
        lane.releaseDecisions()
        let heard = malloc_live_bytes()
        precondition(lane.enters == beacons, "every beacon is inside")
        withExtendedLifetime((lane, sightings, definitions, identities, venue)) {}
        func add(_ state: String, _ bytes: UInt64, limit: Double) {
            report.add(
                Figure(
                    name: "\(name), \(state)", value: (Double(bytes) - Double(start + named)) / Double(beacons),
                    unit: "bytes", limit: limit, note: "names apart"))
        }
        add("unheard", registered, limit: 96)
        add("heard", heard, limit: limit)
    }
}

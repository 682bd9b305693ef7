// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// An engine with twelve receivers, a room to each, and beacons that all of them hear and that move now and then.
struct ManyEars {
    static let receivers = 12
    private static let entries = (0..<receivers).map { ReceiverEntry(id: "r\($0)") }
    /// Nanoseconds between two sightings.
    private let pace: Int64
    private let sightings: [[Sighting]]
    private var engine: RegionEngine
    private var decisions = Decisions()
    private var now = Instant.boot
    private var next = 0
    private(set) var moves = 0
    private(set) var enters = 0

    /// - Parameters:
    ///   - beacons: how many are heard by all.
    ///   - turn: rounds of all beacons at all receivers after which each beacon is loudest elsewhere; 0: it stays.
    init(beacons: Int, turn: Int, pace: Int64) {
        self.pace = pace
        let identities = (0..<beacons).map(Population.identity)
        engine = RegionEngine(
            registry: Registry(venue: Self.venue(identities)), receiver: Self.entries[0], at: .boot)
        for entry in Self.entries { _ = engine.receiver(own: entry) }
        // A row of levels for each place that a beacon moves to; there another is louder by 15 dB.
        let places = turn > 0 ? Self.receivers : 1
        self.turn = max(turn, 1)
        sightings = (0..<places).map { place in
            identities.enumerated().flatMap { number, identity in
                (0..<Self.receivers).map { receiver in
                    let distance = (receiver + number + 5 * place) % Self.receivers
                    return Sighting(
                        beacon: identity, measuredPower: -59, rssi: Int8(-60 - 3 * distance),
                        advertiser: DeviceAddress(bits: 0xC000_0000_0000 | UInt64(number)))
                }
            }
        }
    }

    private let turn: Int

    private static func venue(_ identities: [BeaconIdentity]) -> Venue {
        var venue = Population.venue(identities, regions: .one)
        venue.receivers = entries
        venue.regions =
            (venue.regions ?? [])
            + entries.map { entry in
                RegionDefinition(
                    identifier: "room-\(entry.id)", scope: RegionScope(uuid: identities[0].uuid), receivers: [entry.id])
            }
        return venue
    }

    /// That many sightings more.
    mutating func hear(_ count: Int) {
        let round = sightings[0].count
        for _ in 0..<count {
            now.nanoseconds += pace
            let place = next / round / turn % sightings.count
            engine.observe(
                sightings[place][next % round], by: next % Self.receivers, at: now, into: &decisions)
            next += 1
            guard !decisions.isEmpty else { continue }
            for event in decisions.events {
                if event.kind == .nearest { moves += 1 } else if event.kind == .enter { enters += 1 }
            }
            decisions.removeAll()
        }
    }

    /// Gives back the room that decisions took: in the gateway it belongs to the mailbox.
    mutating func releaseDecisions() { decisions = Decisions() }
}

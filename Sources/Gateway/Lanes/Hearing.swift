// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Stops 2 to 4 of an advertisement's way in one place: parse, count, look up, decide. `run` and `replay` share it.
struct Hearing {
    var engine: RegionEngine
    private(set) var tally = AirTally()

    init(engine: RegionEngine) { self.engine = engine }

    /// Takes one input of a source; allocates nothing unless something is decided.
    mutating func take(
        _ input: SourceInput, frame: borrowing FrameBuffer, at instant: Instant, into decisions: inout Decisions
    ) {
        switch input {
        case .frame:
            let reports = AdvertisingParser.parse(frame) { reading in
                tally.add(reading)
                if case .sighting(let sighting) = reading { engine.observe(sighting, at: instant, into: &decisions) }
            }
            tally.add(reports: reports)
        case .sighting(let sighting):
            tally.add(sighting)
            engine.observe(sighting, at: instant, into: &decisions)
        case .listening(let on): engine.listening(on, at: instant, into: &decisions)
        case .window(let open): engine.window(open: open, at: instant, into: &decisions)
        case .tick: engine.tick(at: instant, into: &decisions)
        }
    }
}

/// What came out of the air: counts and check sums that any other decoder of the same bytes must reach.
struct AirTally {
    /// Whole reports.
    private(set) var reports: UInt64 = 0
    /// Sightings of iBeacons.
    private(set) var count: UInt64 = 0
    private(set) var sumMajor: UInt64 = 0
    private(set) var sumMinor: UInt64 = 0
    private(set) var sumPower: Int64 = 0
    private(set) var sumRSSI: Int64 = 0
    private(set) var xorHigh: UInt64 = 0
    private(set) var xorLow: UInt64 = 0
    /// Refused reports by reason.
    private(set) var discards = DiscardCounts()

    mutating func add(reports count: Int) { reports += UInt64(count) }

    mutating func add(_ reading: Reading) {
        switch reading {
        case .sighting(let sighting): count(sighting)
        case .discard(let reason): discards[reason] += 1
        }
    }

    mutating func add(_ sighting: Sighting) {
        reports += 1
        count(sighting)
    }

    private mutating func count(_ sighting: Sighting) {
        count += 1
        sumMajor += UInt64(sighting.beacon.major)
        sumMinor += UInt64(sighting.beacon.minor)
        sumPower += Int64(sighting.measuredPower ?? 0)
        sumRSSI += Int64(sighting.rssi)
        xorHigh ^= sighting.beacon.uuid.high
        xorLow ^= sighting.beacon.uuid.low
    }

    /// The XOR of all UUIDs as 32 hex digits.
    var xorUUID: String {
        [xorHigh, xorLow].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

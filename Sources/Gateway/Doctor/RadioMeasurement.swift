// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// What an adapter gave in some seconds of listening: counted as it comes, summed up at the end.
struct RadioMeasurement {
    private(set) var reports: Int64 = 0
    private(set) var withRSSI: Int64 = 0
    /// Sightings of iBeacons.
    private(set) var sightings: Int64 = 0
    private(set) var longestGap = Duration.zero
    private var perAdvertiser: [UInt64: Int64] = [:]
    private var beacons: Set<BeaconIdentity> = []
    /// How many reports had each RSSI, from -128 up.
    private var histogram = [Int64](repeating: 0, count: 256)
    private var lastAt: Instant

    /// Addresses and beacons that are told apart; a hall has some thousand. Further ones are counted as reports alone.
    private static let most = 65_536

    /// Listening began.
    init(from start: Instant) { lastAt = start }

    /// A frame came.
    mutating func take(_ frame: borrowing FrameBuffer, at instant: Instant) {
        AdvertisingParser.heads(of: frame) { head in add(head.advertiser, head.rssi, at: instant) }
        _ = AdvertisingParser.parse(frame) { reading in
            if case .sighting(let sighting) = reading { add(sighting.beacon) }
        }
    }

    /// A sighting came decoded.
    mutating func take(_ sighting: Sighting, at instant: Instant) {
        add(sighting.advertiser ?? DeviceAddress(bits: 0), sighting.rssi, at: instant)
        add(sighting.beacon)
    }

    /// Listening ended.
    mutating func end(at instant: Instant) { longestGap = max(longestGap, instant - lastAt) }

    private mutating func add(_ advertiser: DeviceAddress, _ rssi: Int8, at instant: Instant) {
        reports += 1
        longestGap = max(longestGap, instant - lastAt)
        lastAt = max(lastAt, instant)
        if perAdvertiser.count < Self.most || perAdvertiser[advertiser.bits] != nil {
            perAdvertiser[advertiser.bits, default: 0] += 1
        }
        guard rssi != Sighting.noRSSI else { return }
        withRSSI += 1
        histogram[Int(rssi) + 128] += 1
    }

    private mutating func add(_ beacon: BeaconIdentity) {
        sightings += 1
        if beacons.count < Self.most { beacons.insert(beacon) }
    }

    /// Different addresses.
    var advertisers: Int { perAdvertiser.count }
    /// Different iBeacons.
    var beaconCount: Int { beacons.count }
    /// Reports of the advertiser in the middle; nil: nothing was heard.
    var medianReports: Int64? {
        let counts = perAdvertiser.values.sorted()
        return counts.isEmpty ? nil : counts[counts.count / 2]
    }

    /// The RSSI that this share of the reports does not exceed; nil: none had one.
    func rssi(percentile share: Double) -> Int? {
        guard withRSSI > 0 else { return nil }
        let wanted = max(1, Int64((Double(withRSSI) * share).rounded(.up)))
        var count: Int64 = 0
        for (place, reports) in histogram.enumerated() {
            count += reports
            if count >= wanted { return place - 128 }
        }
        return nil
    }
}

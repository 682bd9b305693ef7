// SPDX-License-Identifier: GPL-2.0-or-later

/// Identities that the registry does not list and no region takes: shown on the field page, never decided on.
///
/// Anyone's radio can send any number of them, so the list is bounded and the longest unheard goes first.
struct UnregisteredBeacons: Sendable {
    /// More than a phone can show, less than half a megabyte.
    static let limit = 2_000

    /// One identity.
    struct Row: Sendable, Identified {
        var identity: BeaconIdentity
        var lastHeard: Int64
        var sightings: UInt64
        var advertiser: DeviceAddress?
        var measuredPower: Int8?
        /// dB that the receiver of the last sighting adds.
        var offset = 0.0
        var signal = Signal(of: 0, from: Signal.Origin(receiver: 0, advertiser: nil))
    }

    /// The rows, in no order.
    private(set) var rows: [Row] = []
    /// The samples of each row.
    private var samples: Samples
    /// How many had to be forgotten because the list was full.
    private(set) var forgotten: UInt64 = 0
    private var index: BeaconIndex
    private var recency = RecencyList()

    init(policy: RegionPolicy, seed: UInt64) {
        samples = Samples(kept: Int(policy.filter.samples))
        index = BeaconIndex(capacity: Self.limit, seed: seed)
    }

    /// Notes a sighting; the offset is dB that its receiver adds.
    mutating func observe(
        _ sighting: Sighting, offset: Double, at instant: Int64, policy: borrowing RegionPolicy
    ) {
        let number = index.find(sighting.beacon, in: rows) ?? add(sighting.beacon)
        rows[number].lastHeard = instant
        rows[number].sightings += 1
        rows[number].advertiser = sighting.advertiser
        rows[number].measuredPower = sighting.measuredPower
        rows[number].offset = offset
        recency.touch(number)
        if Signal.sampleRange.contains(sighting.rssi) {
            rows[number].signal.add(
                sighting.rssi, offset: offset, at: instant, filter: policy.filter, ring: number, of: &samples)
        }
    }

    /// Forgets an identity that a new registry lists.
    mutating func forgetAll(where isRegistered: (BeaconIdentity) -> Bool, policy: RegionPolicy, seed: UInt64) {
        guard rows.contains(where: { isRegistered($0.identity) }) else { return }
        let kept = rows.filter { !isRegistered($0.identity) }.sorted { $0.lastHeard < $1.lastHeard }
        var others = UnregisteredBeacons(policy: policy, seed: seed)
        for row in kept {
            let number = others.add(row.identity)
            others.rows[number].lastHeard = row.lastHeard
            others.rows[number].sightings = row.sightings
            others.rows[number].advertiser = row.advertiser
            others.rows[number].measuredPower = row.measuredPower
        }
        others.forgotten = forgotten
        self = others
    }

    private mutating func add(_ identity: BeaconIdentity) -> Int {
        let number: Int
        let row = Row(identity: identity, lastHeard: 0, sightings: 0)
        if rows.count < Self.limit {
            number = rows.count
            rows.append(row)
            samples.append()
        } else {
            number = recency.oldest ?? 0
            index.remove(number, in: rows)
            rows[number] = row
            forgotten += 1
        }
        index.insert(number, identity: identity)
        recency.touch(number)
        return number
    }
}

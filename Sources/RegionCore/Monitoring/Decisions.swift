// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// What the engine decided since the caller last emptied it. Rows beside the events are for the ledger only.
public struct Decisions: Equatable, Sendable {
    /// Enters, exits and wakes, in order of decision.
    public var events: [RegionEvent] = []
    /// Runs of hits that ended short of an enter.
    public var nearMisses: [NearMiss] = []
    /// What was counted in the ten seconds after told enters.
    public var rangings: [Ranging] = []
    /// One row for each beacon heard in a minute that ended.
    public var minutes: [BeaconMinute] = []

    /// What the second rule of the nearest receiver would have changed.
    public var shadows: [ShadowChange] = []
    /// Receivers that fell behind the others, or are back.
    public var receivers: [ReceiverChange] = []

    /// Nothing decided.
    public init() {}

    /// Whether there is nothing in it.
    public var isEmpty: Bool {
        events.isEmpty && nearMisses.isEmpty && rangings.isEmpty && minutes.isEmpty && shadows.isEmpty
            && receivers.isEmpty
    }

    /// Empties it and keeps its storage.
    public mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        nearMisses.removeAll(keepingCapacity: true)
        rangings.removeAll(keepingCapacity: true)
        minutes.removeAll(keepingCapacity: true)
        shadows.removeAll(keepingCapacity: true)
        receivers.removeAll(keepingCapacity: true)
    }
}

/// What the shadow rule decided for a beacon inside: recorded, never told.
public struct ShadowChange: Equatable, Sendable {
    /// Who.
    public var beacon: BeaconIdentity
    /// When.
    public var at: Instant
    /// What took over from what.
    public var change: NearestChange

    /// A change of these parts.
    public init(beacon: BeaconIdentity, at: Instant, change: NearestChange) {
        self.beacon = beacon
        self.at = at
        self.change = change
    }
}

/// A receiver of whose listening nothing is known any more while others are heard, or one that is back.
public struct ReceiverChange: Equatable, Sendable {
    /// Its identifier.
    public var receiver: String
    /// Whether it is back.
    public var isBack: Bool
    /// Its last message before.
    public var since: Instant
    /// When that was noticed.
    public var at: Instant

    /// A change of these parts.
    public init(receiver: String, isBack: Bool, since: Instant, at: Instant) {
        self.receiver = receiver
        self.isBack = isBack
        self.since = since
        self.at = at
    }
}

/// A run of hits that ended short of `enterHits`: why nothing happened.
public struct NearMiss: Equatable, Sendable {
    /// Who was heard.
    public var beacon: BeaconIdentity
    /// The last hit of the run.
    public var at: Instant
    /// Hits in the run.
    public var hits: Int
    /// Its strongest RSSI in dBm; nil: none was available.
    public var strongestRSSI: Double?

    /// A near miss of these parts.
    public init(beacon: BeaconIdentity, at: Instant, hits: Int, strongestRSSI: Double?) {
        self.beacon = beacon
        self.at = at
        self.hits = hits
        self.strongestRSSI = strongestRSSI
    }
}

/// How a told enter was ranged in the ten seconds of listening after it (rule 8).
public struct Ranging: Equatable, Sendable {
    /// The ordinal of the enter.
    public var of: UInt64
    /// Sightings counted; 0: woken, but not ranged.
    public var count: Int
    /// The strongest RSSI among them, dBm.
    public var strongestRSSI: Double?
    /// The band of the last filtered RSSI.
    public var distance: DistanceBand?

    /// A ranging of these parts.
    public init(of: UInt64, count: Int, strongestRSSI: Double?, distance: DistanceBand?) {
        self.of = of
        self.count = count
        self.strongestRSSI = strongestRSSI
        self.distance = distance
    }
}

/// One minute of one beacon.
public struct BeaconMinute: Equatable, Sendable {
    /// Who was heard.
    public var beacon: BeaconIdentity
    /// The start of the minute, a whole number of minutes of the boot clock.
    public var start: Instant
    /// Sightings.
    public var count: Int
    /// RSSI quantiles in dBm, good to 2 dB; nil: no RSSI was available in the minute.
    public var p10, p50, p90: Double?
    /// The longest pause between two sightings that ended in it.
    public var largestGap: Duration

    /// A minute of these parts.
    public init(
        beacon: BeaconIdentity, start: Instant, count: Int, p10: Double?, p50: Double?, p90: Double?,
        largestGap: Duration
    ) {
        self.beacon = beacon
        self.start = start
        self.count = count
        self.p10 = p10
        self.p50 = p50
        self.p90 = p90
        self.largestGap = largestGap
    }
}

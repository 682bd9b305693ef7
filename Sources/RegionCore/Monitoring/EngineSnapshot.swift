// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// What a restart needs of an engine: who is inside, and which cooldowns run.
public struct EngineSnapshot: Equatable, Sendable {
    /// Beacons inside.
    public var presences: [Presence] = []
    /// Cooldowns that had not ended.
    public var cooldowns: [Cooldown] = []
    /// The loudest that each receiver hears, where limits are told from it.
    public var loudest: [ReceiverLevel] = []
    /// The ordinal of the next event.
    public var nextOrdinal: UInt64 = 1
    /// The number of the next visit.
    public var nextVisit: UInt64 = 1
    /// The last instant that is known to be covered by what is here.
    public var takenAt: Instant = .boot
    /// Whether it was taken at a clean stop: last-heard times are then exact.
    public var isClean = true

    /// Nobody inside, nothing running.
    public init() {}

    /// One beacon inside.
    public struct Presence: Equatable, Sendable {
        /// Who.
        public var beacon: BeaconIdentity
        /// The number of its visit.
        public var visit: UInt64
        /// When the visit began.
        public var enteredAt: Instant
        /// The last sighting.
        public var lastHeard: Instant
        /// The `at` of its last event: no later event may lie before it.
        public var lastEventAt: Instant
        /// From when silence counts: the last sighting, or the last fresh start of the exit time; losses are
        /// taken out, so that `takenAt` less this is how long it was silent while the receiver could hear.
        public var silenceFrom: Instant
        /// Whether the exit time already started anew for a restart since the last sighting.
        public var restartSpent: Bool
        /// Whether it already started anew for a loss since the last sighting.
        public var lossSpent: Bool
        /// What was nearest, and its last score in dB; nil where nothing was.
        public var nearest: Nearest?

        /// A presence of these parts.
        public init(
            beacon: BeaconIdentity, visit: UInt64, enteredAt: Instant, lastHeard: Instant, lastEventAt: Instant,
            silenceFrom: Instant, restartSpent: Bool = false, lossSpent: Bool = false,
            nearest: Nearest? = nil
        ) {
            self.beacon = beacon
            self.visit = visit
            self.enteredAt = enteredAt
            self.lastHeard = lastHeard
            self.lastEventAt = lastEventAt
            self.silenceFrom = silenceFrom
            self.restartSpent = restartSpent
            self.lossSpent = lossSpent
            self.nearest = nearest
        }
    }

    /// What was nearest to a beacon.
    public struct Nearest: Equatable, Sendable {
        /// The receiver; its station where the store has it from an event alone.
        public var receiver: String
        /// Its last score, dB.
        public var score: Double

        /// A receiver with its last score.
        public init(receiver: String, score: Double) {
            self.receiver = receiver
            self.score = score
        }
    }

    /// One cooldown.
    public struct Cooldown: Equatable, Sendable {
        /// The region's identifier.
        public var region: String
        /// The beacon in it; nil: the region as a whole.
        public var beacon: BeaconIdentity?
        /// When it ends.
        public var until: Instant
        /// Its waiting exits, in ledger order.
        public var waiting: [WaitingExit]

        /// A cooldown of these parts.
        public init(region: String, beacon: BeaconIdentity?, until: Instant, waiting: [WaitingExit] = []) {
            self.region = region
            self.beacon = beacon
            self.until = until
            self.waiting = waiting
        }
    }

    /// An exit that waits for the end of its cooldown.
    public struct WaitingExit: Equatable, Sendable {
        /// The ordinal of the exit.
        public var ordinal: UInt64
        /// The beacon that left.
        public var beacon: BeaconDescription
        /// The rule that decided it.
        public var reason: RegionEvent.Reason
        /// The exit's own `at`.
        public var at: Instant
        /// The visit that ended.
        public var visit: UInt64
        /// When that visit began.
        public var enteredAt: Instant
        /// Whether `at` may be off.
        public var uncertain: Bool

        /// A waiting exit of these parts.
        public init(
            ordinal: UInt64, beacon: BeaconDescription, reason: RegionEvent.Reason, at: Instant, visit: UInt64,
            enteredAt: Instant, uncertain: Bool
        ) {
            self.ordinal = ordinal
            self.beacon = beacon
            self.reason = reason
            self.at = at
            self.visit = visit
            self.enteredAt = enteredAt
            self.uncertain = uncertain
        }
    }
}

/// The loudest that a receiver hears carried beacons.
public struct ReceiverLevel: Equatable, Sendable {
    /// Its identifier.
    public var receiver: String
    /// dBm.
    public var level: Double

    /// A receiver's level.
    public init(receiver: String, level: Double) {
        self.receiver = receiver
        self.level = level
    }
}

/// How long the box was away before a start.
public enum Away: Equatable, Sendable {
    /// That long.
    case known(Duration)
    /// The clock cannot tell yet.
    case unknown
}

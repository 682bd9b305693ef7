// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// Something the engine decided: not yet stored, told to nobody.
public struct RegionEvent: Equatable, Sendable {
    /// What kind of event.
    public enum Kind: String, CaseIterable, Sendable {
        /// A beacon joined regions.
        case enter
        /// A beacon left regions.
        case exit
        /// A waiting exit was told or withheld at the end of its cooldown.
        case wake
        /// Another receiver became nearest to a beacon inside, or another beacon to a carried receiver.
        case nearest
    }

    /// What it was decided by.
    public enum Reason: String, CaseIterable, Sendable {
        /// Enough hits within the window.
        case hits
        /// Not heard for `exit`.
        case silence
        /// Too weak for too long.
        case weak
        /// Another receiver became nearest.
        case moved
        /// Unverified, and not heard for `exit` since listening began again.
        case gap
        /// The box was away longer than 15 minutes.
        case expired
        /// A region came with a reload.
        case added
        /// A beacon or region went with a reload.
        case removed
        /// A region's scope, its receivers or whether it takes unregistered ones changed with a reload, or a beacon's
        /// kind, or whether it is listed.
        case redefined
    }

    /// The engine's running number, unique over a store's life. A lost event leaves a hole here, never in `seq`.
    public var ordinal: UInt64
    /// Enter, exit, wake or nearest.
    public var kind: Kind
    /// The rule that decided; for a wake that of its exit.
    public var reason: Reason
    /// When it happened: the first hit of an enter, the last sighting of an exit.
    public var at: Instant
    /// When it was decided.
    public var detectedAt: Instant
    /// The beacon, as the registry described it then.
    public var beacon: BeaconDescription
    /// The regions joined or left, widest last.
    public var regions: [RegionChange]
    /// The number of the beacon's visit.
    public var visit: UInt64
    /// When that visit began.
    public var enteredAt: Instant
    /// For an exit: whether the beacon is inside nowhere any more. A reload can take away some regions of a beacon
    /// that stays in others; its visit goes on then.
    public var endsVisit: Bool
    /// Whether `at` may be off: after a crash, a gap or an absence.
    public var uncertain: Bool
    /// What it was decided on.
    public var evidence: Evidence
    /// For a wake: the ordinal of the exit that waited.
    public var of: UInt64?
    /// The station (a receiver or a group of them) that is nearest to the beacon after it.
    public var nearest: String?
    /// For a nearest event: what took over from what.
    public var change: NearestChange?
    /// Where that is: of a beacon that hangs for good, else of the receiver it is nearest to.
    public var place: Place?

    /// An event of these parts.
    public init(
        ordinal: UInt64, kind: Kind, reason: Reason, at: Instant, detectedAt: Instant, beacon: BeaconDescription,
        regions: [RegionChange], visit: UInt64, enteredAt: Instant, endsVisit: Bool, uncertain: Bool,
        evidence: Evidence, of: UInt64? = nil, nearest: String? = nil, change: NearestChange? = nil,
        place: Place? = nil
    ) {
        self.ordinal = ordinal
        self.kind = kind
        self.reason = reason
        self.at = at
        self.detectedAt = detectedAt
        self.beacon = beacon
        self.regions = regions
        self.visit = visit
        self.enteredAt = enteredAt
        self.endsVisit = endsVisit
        self.uncertain = uncertain
        self.evidence = evidence
        self.of = of
        self.nearest = nearest
        self.change = change
        self.place = place
    }

    /// How long the visit lasted, for an exit and the wake of one.
    public var dwell: Duration? { kind == .exit || kind == .wake ? at - enteredAt : nil }
}

/// One nearest that took over from another: a station, or for a carried receiver a fixed beacon.
public struct NearestChange: Equatable, Sendable {
    /// What was nearest.
    public var from: String
    /// What is.
    public var to: String
    /// Steady RSSI less power of what was, dB; nil: it was not heard any more.
    public var fromScore: Double?
    /// The same of what is.
    public var toScore: Double?

    /// A change of these parts.
    public init(from: String, to: String, fromScore: Double?, toScore: Double?) {
        self.from = from
        self.to = to
        self.fromScore = fromScore
        self.toScore = toScore
    }
}

/// A place of the registry.
public struct Place: Hashable, Sendable {
    /// The exhibit there.
    public var exhibit: String?
    /// The floor, as the file has it.
    public var floor: String?
    /// Metres from the plan's origin.
    public var x: Double?
    /// Metres from the plan's origin, upwards.
    public var y: Double?

    /// A place of these parts.
    public init(exhibit: String? = nil, floor: String? = nil, x: Double? = nil, y: Double? = nil) {
        self.exhibit = exhibit
        self.floor = floor
        self.x = x
        self.y = y
    }
}

/// A beacon as the registry describes it: what an event keeps of it, whatever the registry says later.
public struct BeaconDescription: Hashable, Sendable {
    /// Who it is.
    public var identity: BeaconIdentity
    /// For people.
    public var name: String?
    /// The exhibit it stands for.
    public var exhibit: String?
    /// Carried or fixed.
    public var kind: Mobility
    /// The person or thing that carries it.
    public var group: String?
    /// Whether the registry lists it.
    public var registered: Bool

    /// A description of these parts.
    public init(
        identity: BeaconIdentity, name: String? = nil, exhibit: String? = nil, kind: Mobility = .carried,
        group: String? = nil, registered: Bool = true
    ) {
        self.identity = identity
        self.name = name
        self.exhibit = exhibit
        self.kind = kind
        self.group = group
        self.registered = registered
    }
}

/// What an event did to one region.
public struct RegionChange: Equatable, Sendable {
    /// The region's identifier.
    public var region: String
    /// How many are inside after it.
    public var occupancy: Int
    /// Whether it was the first in or the last out.
    public var edge: Bool
    /// Told, withheld and why; nil where the region does not wake for this.
    public var wake: Wake?
    /// For an enter that started a cooldown: whose it is and when it ends.
    public var cooldown: CooldownStart?

    /// A change of these parts.
    public init(region: String, occupancy: Int, edge: Bool, wake: Wake? = nil, cooldown: CooldownStart? = nil) {
        self.region = region
        self.occupancy = occupancy
        self.edge = edge
        self.wake = wake
        self.cooldown = cooldown
    }

    /// What became of telling it.
    public enum Wake: String, CaseIterable, Sendable {
        /// Subscribers are told.
        case told
        /// Withheld: it came and went, or went and came back, within the cooldown.
        case cooldown
        /// The registry says not to notify.
        case muted
        /// An exit within the cooldown of its enter; a `wake` event will say.
        case waiting
    }

    /// The start of a cooldown.
    public struct CooldownStart: Equatable, Sendable {
        /// Whether the subject is the region as a whole (`wake: first`) or this beacon in it.
        public var isWholeRegion: Bool
        /// When it ends.
        public var until: Instant

        /// A cooldown of this subject until then.
        public init(isWholeRegion: Bool, until: Instant) {
            self.isWholeRegion = isWholeRegion
            self.until = until
        }
    }
}

/// What a decision rests on.
public struct Evidence: Equatable, Sendable {
    /// Hits counted towards an enter; 0 for an exit.
    public var hits: Int
    /// The last RSSI in dBm, offset included; nil: none was available.
    public var rssi: Double?
    /// Trimmed mean of the last samples, dBm.
    public var filteredRSSI: Double?
    /// The tier of the filtered RSSI.
    public var tier: ProximityTier?
    /// The distance band, for display.
    public var distance: DistanceBand?
    /// The receiver that heard it.
    public var receiver: String
    /// How much of the time between `at` and `detectedAt` the receiver could hear.
    public var listened: Duration

    /// Evidence of these parts.
    public init(
        hits: Int, rssi: Double?, filteredRSSI: Double?, tier: ProximityTier?, distance: DistanceBand?,
        receiver: String, listened: Duration
    ) {
        self.hits = hits
        self.rssi = rssi
        self.filteredRSSI = filteredRSSI
        self.tier = tier
        self.distance = distance
        self.receiver = receiver
        self.listened = listened
    }
}

/// Where a store's events come from: a simulated hall never writes into the real ledger.
public enum SourceKind: String, CaseIterable, Sendable {
    case radio, capture, simulated
}

/// An event that is on disk. Only the store makes one, and publishers accept nothing else.
public struct CommittedEvent: Equatable, Sendable {
    /// The ledger's number, from 1, without holes.
    public let seq: Int64
    /// `<gateway>-<store>-<seq>`: unique for ever.
    public let id: String
    /// What was decided.
    public let event: RegionEvent
    /// The label of `event.at`.
    public let at: WallTime
    /// The label of `event.detectedAt`.
    public let detectedAt: WallTime
    /// Whether the wall clock was synchronised when it was labelled.
    public let clockSynchronised: Bool
    /// Where it was heard.
    public let source: SourceKind
    /// The settings version (registry and configuration) it was decided under.
    public let settings: Int64
    /// For a wake: the seq of the exit that waited; nil where that exit was lost.
    public let of: Int64?

    /// For the store alone (a tidy test holds that).
    public init(
        seq: Int64, id: String, event: RegionEvent, at: WallTime, detectedAt: WallTime, clockSynchronised: Bool,
        source: SourceKind, settings: Int64, of: Int64?
    ) {
        self.seq = seq
        self.id = id
        self.event = event
        self.at = at
        self.detectedAt = detectedAt
        self.clockSynchronised = clockSynchronised
        self.source = source
        self.settings = settings
        self.of = of
    }
}

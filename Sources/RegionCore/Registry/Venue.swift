// SPDX-License-Identifier: GPL-2.0-or-later

/// A venue as its registry file describes it: read, each field in range, nothing derived yet.
///
/// `VenueRules` says what must hold between the fields; `Registry` is the form the engine works with.
public struct Venue: Equatable, Sendable {
    /// The venue's identifier, first part of derived region identifiers.
    public var venueId: String
    /// What the file lists, in its order. A range of badges is one entry.
    public var beacons: [BeaconEntry]
    /// Regions the file defines, in its order; nil where it has no `regions` key, and then they are derived.
    public var regions: [RegionDefinition]?
    /// Receivers, in the file's order.
    public var receivers: [ReceiverEntry]
    /// Settings for the whole venue.
    public var settings: SettingOverrides
    /// A second rule of the nearest receiver, tried out beside the one in force; nil: none.
    public var shadow: NearestRule?

    /// A venue of these parts.
    public init(
        venueId: String, beacons: [BeaconEntry], regions: [RegionDefinition]? = nil,
        receivers: [ReceiverEntry] = [], settings: SettingOverrides = SettingOverrides(), shadow: NearestRule? = nil
    ) {
        self.venueId = venueId
        self.beacons = beacons
        self.regions = regions
        self.receivers = receivers
        self.settings = settings
        self.shadow = shadow
    }

    /// Whether it lists no beacons, and no region takes others: nothing will ever be decided.
    public var takesNobody: Bool { beacons.isEmpty && !(regions ?? []).contains(where: \.unregistered) }
}

/// The numbers of the rule that decides which receiver is nearest.
public struct NearestRule: Hashable, Sendable {
    /// dB by which another must lead before its lead counts at all.
    public var margin: Double
    /// dB·s of lead beyond the margin that make it nearest.
    public var leadEvidence: Double

    /// A rule of these numbers.
    public init(margin: Double, leadEvidence: Double) {
        self.margin = margin
        self.leadEvidence = leadEvidence
    }
}

/// Whether a thing hangs for good or goes about.
public enum Mobility: String, CaseIterable, Sendable {
    /// A badge, a tag, a guide's trolley.
    case carried
    /// A beacon at an exhibit, a box on the wall.
    case fixed
}

/// One `beacons` entry: one beacon, or a box of badges that differ in the minor number.
public struct BeaconEntry: Equatable, Sendable {
    /// The proximity UUID.
    public var uuid: BeaconUUID
    /// The major number.
    public var major: UInt16
    /// The minor number, or the range of a box of badges.
    public var minors: ClosedRange<UInt16>
    /// Whether the entry was written with `minors`: such badges get no region of their own.
    public var isRange: Bool
    /// For people; may be empty.
    public var name: String?
    /// `id`: the exhibit it stands for; names its derived region.
    public var exhibit: String?
    /// Goes about by default.
    public var kind: Mobility
    /// The person or thing that carries it.
    public var group: String?
    /// The floor, a number or a text in the file.
    public var floor: String?
    /// Metres from the plan's origin.
    public var x: Double?
    /// Metres from the plan's origin, upwards.
    public var y: Double?
    /// `txPower`: RSSI at 1 m measured on site, dBm; wins over the byte the beacon sends.
    public var calibratedPower: Int8?
    /// Whether it hangs where the receiver always hears it: when it falls silent the receiver is suspected. One fixed
    /// beacon.
    public var canary: Bool

    /// An entry for one beacon, or for a range of badges.
    public init(
        uuid: BeaconUUID, major: UInt16, minors: ClosedRange<UInt16>, isRange: Bool = false, name: String? = nil,
        exhibit: String? = nil, kind: Mobility = .carried, group: String? = nil, floor: String? = nil,
        x: Double? = nil, y: Double? = nil, calibratedPower: Int8? = nil, canary: Bool = false
    ) {
        self.uuid = uuid
        self.major = major
        self.minors = minors
        self.isRange = isRange
        self.name = name
        self.exhibit = exhibit
        self.kind = kind
        self.group = group
        self.floor = floor
        self.x = x
        self.y = y
        self.calibratedPower = calibratedPower
        self.canary = canary
    }
}

/// Which subjects of a region wake subscribers.
public enum WakeRule: String, CaseIterable, Sendable {
    /// The first beacon in and the last one out, as CoreLocation tells it.
    case first
    /// Every beacon.
    case each
    /// Nobody.
    case none
}

/// What a region holds: all beacons of a UUID, of a UUID and major, or one identity.
public struct RegionScope: Hashable, Sendable {
    /// The proximity UUID.
    public var uuid: BeaconUUID
    /// The major number; nil: any.
    public var major: UInt16?
    /// The minor number; nil: any.
    public var minor: UInt16?

    /// A scope of these fields; a minor needs a major.
    public init(uuid: BeaconUUID, major: UInt16? = nil, minor: UInt16? = nil) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// Whether an identity lies in it.
    public func contains(_ identity: BeaconIdentity) -> Bool {
        uuid == identity.uuid && (major ?? identity.major) == identity.major
            && (minor ?? identity.minor) == identity.minor
    }
}

/// A set of beacons under an identifier, as the file defines it or as it is derived.
public struct RegionDefinition: Equatable, Sendable {
    /// Unique in the registry, 1 to 64 bytes.
    public var identifier: String
    /// For people.
    public var name: String?
    /// Which beacons belong to it.
    public var scope: RegionScope
    /// The receivers one of which must be the beacon's nearest; nil: any. One of a group stands for the whole group.
    public var receivers: [String]?
    /// Whether it also takes identities in its scope that the registry does not list.
    public var unregistered: Bool
    /// `first` for wider regions, `each` for a single beacon, unless the file says otherwise.
    public var wake: WakeRule
    /// False: its enters are recorded and `muted`.
    public var notifyOnEntry: Bool
    /// False: its exits are recorded and `muted`.
    public var notifyOnExit: Bool
    /// A client that connects is sent its state.
    public var notifyEntryStateOnDisplay: Bool
    /// How many people it is meant for.
    public var capacity: Int?
    /// Settings for its beacons.
    public var settings: SettingOverrides

    /// A region of these parts; `wake` nil takes the default of its scope.
    public init(
        identifier: String, name: String? = nil, scope: RegionScope, receivers: [String]? = nil,
        unregistered: Bool = false, wake: WakeRule? = nil, notifyOnEntry: Bool = true, notifyOnExit: Bool = true,
        notifyEntryStateOnDisplay: Bool = false, capacity: Int? = nil, settings: SettingOverrides = SettingOverrides()
    ) {
        self.identifier = identifier
        self.name = name
        self.scope = scope
        self.receivers = receivers
        self.unregistered = unregistered
        self.wake = wake ?? (scope.minor == nil ? .first : .each)
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
        self.capacity = capacity
        self.settings = settings
    }
}

/// One receiver: a box on the wall, or one that is carried past fixed beacons.
public struct ReceiverEntry: Equatable, Sendable {
    /// Unique among receivers, 1 to 64 bytes.
    public var id: String
    /// For people.
    public var name: String?
    /// Hangs on the wall by default.
    public var kind: Mobility
    /// The floor, a number or a text in the file.
    public var floor: String?
    /// Metres from the plan's origin.
    public var x: Double?
    /// Metres from the plan's origin, upwards.
    public var y: Double?
    /// dB added to each RSSI it hears, so that receivers can be compared.
    public var rssiOffset: Double
    /// The station it is a part of: receivers of a group hear for one place, and the strongest of them speaks.
    public var group: String?

    /// A receiver of these parts.
    public init(
        id: String, name: String? = nil, kind: Mobility = .fixed, floor: String? = nil, x: Double? = nil,
        y: Double? = nil, rssiOffset: Double = 0, group: String? = nil
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.floor = floor
        self.x = x
        self.y = y
        self.rssiOffset = rssiOffset
        self.group = group
    }

    /// Whether the file says where it hangs.
    var isPlaced: Bool { floor != nil || x != nil || y != nil }

    /// What it hears for: its group, or itself.
    public var station: String { group ?? id }
}

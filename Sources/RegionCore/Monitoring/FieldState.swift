// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// What the engine knows at one moment, for the field page: everything heard, and what each beacon lacks to enter.
public struct FieldState: Equatable, Sendable {
    /// When it was taken.
    public var asOf: Instant
    /// The receiver's identifier.
    public var receiver: String
    /// Whether the receiver can hear.
    public var listening: Bool
    /// Registered beacons heard since the start, in registry order, then unregistered ones: those inside a region that
    /// takes them first, then the loudest.
    public var beacons: [BeaconRow] = []
    /// How many identities the registry lists.
    public var registered = 0
    /// How many of them were heard since the start.
    public var registeredHeard = 0
    /// Names (or identities) of fixed beacons never heard, the first twenty.
    public var neverHeard: [String] = []
    /// Region states, in registry order.
    public var regions: [RegionState] = []
    /// Receivers, in the registry's order, then those it does not list.
    public var receivers: [ReceiverRow] = []
    /// Unregistered identities that had to be forgotten because a list was full: a flood when it grows fast.
    public var forgotten: UInt64 = 0
    /// Sightings of unregistered identities that no region could take because all those it had taken are inside.
    public var refused: UInt64 = 0
    /// What holds for the venue where no region sets its own.
    public var settings = SettingOverrides()
    /// Advertising reports since the start.
    public var reports: UInt64 = 0
    /// Those of them that came without an RSSI.
    public var withoutRSSI: UInt64 = 0
    /// Reports refused since the start, by reason.
    public var discards = DiscardCounts()
    /// How the radios stand, in the order of the sources; empty where there are none.
    public var radios: [ReceiverRadio] = []

    /// An empty field.
    public init(asOf: Instant, receiver: String, listening: Bool) {
        self.asOf = asOf
        self.receiver = receiver
        self.listening = listening
    }

    /// A receiver's live radio.
    public struct ReceiverRadio: Equatable, Sendable {
        /// The receiver's identifier.
        public var receiver: String
        /// The source as it was named.
        public var sourceText: String
        /// How it stands.
        public var status: RadioStatus

        /// A radio of these parts.
        public init(receiver: String, sourceText: String, status: RadioStatus) {
            self.receiver = receiver
            self.sourceText = sourceText
            self.status = status
        }
    }

    /// One beacon.
    public struct BeaconRow: Equatable, Sendable {
        /// Who, and how the registry describes it.
        public var beacon: BeaconDescription
        /// The device address of the last sighting.
        public var advertiser: DeviceAddress?
        /// The last RSSI, dBm; nil: no RSSI from the adapter.
        public var rssi: Double?
        /// Trimmed mean of the last samples, dBm.
        public var filteredRSSI: Double?
        /// The tier of the filtered RSSI.
        public var tier: ProximityTier?
        /// The distance band.
        public var distance: DistanceBand?
        /// The power byte it sends, dBm at 1 m.
        public var measuredPower: Int8?
        /// Whether that byte is outside −100…−20 dBm, and so not used.
        public var implausiblePower: Bool
        /// The last sighting.
        public var lastHeard: Instant
        /// Sightings since the start.
        public var sightings: UInt64
        /// Where it stands.
        public var state: State
        /// What is missing to enter, in words; nil where nothing is or it cannot enter.
        public var missing: String?
        /// The station (a receiver or a group of them) that is nearest to it.
        public var nearest: String?
        /// Whether two addresses take turns under this identity: several devices, most likely.
        public var severalAdvertisers = false
        /// Which settings would suit it better, in words: `heard every 24 s at worst: set exit 75`; nil: none.
        public var hint: String?

        /// A row of these parts.
        public init(
            beacon: BeaconDescription, advertiser: DeviceAddress?, rssi: Double?, filteredRSSI: Double?,
            tier: ProximityTier?, distance: DistanceBand?, measuredPower: Int8?, implausiblePower: Bool,
            lastHeard: Instant, sightings: UInt64, state: State, missing: String?
        ) {
            self.beacon = beacon
            self.advertiser = advertiser
            self.rssi = rssi
            self.filteredRSSI = filteredRSSI
            self.tier = tier
            self.distance = distance
            self.measuredPower = measuredPower
            self.implausiblePower = implausiblePower
            self.lastHeard = lastHeard
            self.sightings = sightings
            self.state = state
            self.missing = missing
        }
    }

    /// Where a beacon stands.
    public enum State: Equatable, Sendable {
        /// Not in the registry, and no region takes it: shown, never decided on.
        case unregistered
        /// Fixed, heard within fifteen minutes.
        case healthy
        /// Fixed, not heard for fifteen minutes.
        case missing
        /// Carried, not inside.
        case outside
        /// Some hits, not yet enough.
        case entering(hits: Int, of: Int)
        /// Inside since then; verified when heard since listening last began.
        case inside(since: Instant, verified: Bool)
    }

    /// One receiver.
    public struct ReceiverRow: Equatable, Sendable {
        /// Its identifier.
        public var id: String
        /// For people.
        public var name: String?
        /// Fixed or carried.
        public var kind: Mobility
        /// Whether the registry lists it.
        public var registered: Bool
        /// Whether it can hear, as far as anybody can tell.
        public var listening: Bool
        /// Up to when it is known to have listened; nil: nothing is known of it yet.
        public var heardUntil: Instant?
        /// Sightings of beacons since the start.
        public var sightings: UInt64
        /// For a carried one: the fixed beacon it is nearest to, by name or identity.
        public var nearest: String?

        /// A row of these parts.
        public init(
            id: String, name: String?, kind: Mobility, registered: Bool, listening: Bool, heardUntil: Instant?,
            sightings: UInt64, nearest: String? = nil
        ) {
            self.id = id
            self.name = name
            self.kind = kind
            self.registered = registered
            self.listening = listening
            self.heardUntil = heardUntil
            self.sightings = sightings
            self.nearest = nearest
        }
    }
}

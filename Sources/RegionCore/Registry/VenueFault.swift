// SPDX-License-Identifier: GPL-2.0-or-later

/// A key of the registry file that a rule can point at, by its JSON name.
public enum VenueField: String, Sendable {
    case venueId, beacons, receivers, uuid, major, minor, minors, id, identifier, kind, canary, enterRSSI, exitRSSI,
        relativeRSSI, belowLoudest, group, unregistered
}

/// A place in a `Venue`: the field of the venue itself, or of one entry counted from 0 in its array.
public enum VenuePlace: Hashable, Sendable {
    case venue(VenueField)
    case beacon(Int, VenueField)
    case region(Int, VenueField)
    case receiver(Int, VenueField)
    /// One of the receivers that a region names: the region, and which of them.
    case receiverOfRegion(Int, Int)
}

/// What does not hold between the fields of a `Venue`.
public struct VenueFault: Equatable, Sendable {
    /// What to change.
    public let place: VenuePlace
    /// What it is at odds with, where that is a place of its own.
    public let other: VenuePlace?
    /// What is wrong.
    public let problem: Problem

    /// A fault of these parts.
    public init(place: VenuePlace, other: VenuePlace?, problem: Problem) {
        self.place = place
        self.other = other
        self.problem = problem
    }

    /// The rules, each with what was found.
    public enum Problem: Equatable, Sendable {
        /// Two entries hold this identity; ranges may have more in common.
        case sameIdentity(BeaconIdentity)
        /// Two regions, or a region or the venue and a beacon's `id`, or two `id`s, have this name.
        case sameIdentifier(String)
        /// A beacon's `id` is the name that a derived region has.
        case derivedIdentifierTaken(String)
        /// Two receivers have this id.
        case sameReceiver(String)
        /// Not 1 to 64 bytes.
        case identifierLength(Int)
        /// It holds a control character or a slash.
        case identifierCharacter
        /// More identities than `VenueRules.mostIdentities`, ranges counted out.
        case tooManyIdentities(Int)
        /// More receivers than `VenueRules.mostReceivers`.
        case tooManyReceivers(Int)
        /// A region with a minor and no major.
        case minorWithoutMajor
        /// A canary with a range of minors.
        case canaryRange
        /// A canary that is carried.
        case canaryCarried
        /// Leaving would need a stronger signal than entering.
        case exitAboveEnter
        /// Limits cannot be told from the power and from the loudest level at once.
        case twoReferences
        /// A limit from 0 dBm up that is not relative: nothing is ever that strong.
        case limitNeverReached(Double)
        /// A region whose list of receivers is empty: nothing could ever be in it.
        case noReceivers
        /// A region names a receiver, or a group of receivers, that is not listed.
        case unknownReceiver(String)
        /// A group of receivers has the name of a receiver outside it.
        case groupIsReceiver(String)
        /// A region with a minor that is to take unregistered beacons too: it is one identity.
        case unregisteredBeacon
    }

    /// What is wrong and what to do, for people; without the places.
    public var message: String {
        switch problem {
        case .sameIdentity(let identity): "the beacon \(identity) is listed twice"
        case .sameIdentifier(let name): "the identifier \"\(name)\" is given twice"
        case .derivedIdentifierTaken(let name): "\"\(name)\" is the name of a region derived from the beacons"
        case .sameReceiver(let id): "the receiver \"\(id)\" is listed twice"
        case .identifierLength(let bytes):
            bytes == 0
                ? "an identifier must not be empty"
                : "an identifier has at most \(VenueRules.mostIdentifierBytes) bytes in UTF-8; this one has \(bytes)"
        case .identifierCharacter: "an identifier has no control characters and no \"/\""
        case .tooManyIdentities(let count):
            "\(count) beacons, ranges counted out; at most \(VenueRules.mostIdentities) are kept"
        case .tooManyReceivers(let count): "\(count) receivers; at most \(VenueRules.mostReceivers) are kept"
        case .minorWithoutMajor: "a region with a minor needs the major too"
        case .canaryRange: "a canary is one beacon: give it \"minor\", not \"minors\""
        case .canaryCarried: "a canary hangs for good: it cannot be carried"
        case .limitNeverReached(let limit):
            "\(plain(limit)) dBm is never reached: a limit lies below 0, or \"relativeRSSI\" is true beside it"
        case .noReceivers: "a region with no receiver has no beacon either: leave \"receivers\" out for any receiver"
        case .unknownReceiver(let id): "\"\(id)\" is no receiver that the registry lists, and no group of receivers"
        case .groupIsReceiver(let name): "the group \"\(name)\" has the name of a receiver that is not in it"
        case .unregisteredBeacon: "a region of one beacon has nothing unregistered to take: leave the minor out"
        case .twoReferences: "relativeRSSI and belowLoudest cannot both be true: limits are told from one thing"
        case .exitAboveEnter: "exitRSSI is above enterRSSI: it must lie below, and the gap is the hysteresis"
        }
    }
}

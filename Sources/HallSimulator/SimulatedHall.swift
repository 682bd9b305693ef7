// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// A hall from a seed: exhibits that hang, visitors who come and go, strangers' advertisers, and what is true of them.
///
/// Everything in it is a function of the seed and the instant, so it can be entered anywhere and is the same each time.
/// The door is the edge of hearing: whoever is outside is not heard. `HallSource` gives what a receiver hears.
public struct SimulatedHall: Sendable {
    /// What everything is drawn from.
    public let seed: UInt64
    /// What the hall is like.
    public let plan: HallPlan
    /// Its registry: exhibits, badges and the receiver.
    public let venue: Venue
    /// Identities at the exhibits, in registry order.
    public let exhibits: [BeaconIdentity]
    /// Identities of the badges: the visitor's number is the index.
    public let visitors: [BeaconIdentity]
    /// All that advertises: exhibits, then visitors, then strangers.
    let senders: [Sender]
    let exhibitPlaces: [Place]
    let draws: SplitMix64

    /// The venue's UUID: the example that the trade passes around.
    public static let uuid = BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)
    /// Major number of the exhibits.
    public static let exhibitMajor: UInt16 = 1001
    /// Major number of the badges.
    public static let badgeMajor: UInt16 = 1002

    /// The hall of a seed, built to a plan.
    public init(seed: UInt64, plan: HallPlan = .hall) {
        precondition(max(plan.visitors, plan.exhibits) <= 60_000, "minor numbers end at 65,535")
        let draws = SplitMix64(seed: seed)
        let layout = draws.stream(0)
        self.seed = seed
        self.plan = plan
        self.draws = draws
        exhibitPlaces = (0..<plan.exhibits).map { number in
            Place(
                x: (0.1 + 0.9 * layout.unit(at: Int64(2 * number))) * plan.width,
                y: layout.unit(at: Int64(2 * number + 1)) * plan.depth)
        }
        exhibits = Self.identities(plan.exhibits, major: Self.exhibitMajor)
        visitors = Self.identities(plan.visitors, major: Self.badgeMajor)
        venue = Self.venue(plan, exhibits: exhibits, places: exhibitPlaces, visitors: visitors)
        senders = Self.senders(plan, exhibits: exhibits, places: exhibitPlaces, visitors: visitors, draws: draws)
    }

    /// The receiver in the hall, as the registry lists it.
    public var receiver: ReceiverEntry { venue.receivers[0] }

    /// When a visitor is truly in the hall: the parts of its visits from one moment to another, in order.
    public func truth(visitor: Int, from: Instant, to: Instant) -> [Range<Instant>] {
        var spans: [Range<Instant>] = []
        var moment = from.nanoseconds
        while moment < to.nanoseconds {
            let inside = visit(of: visitor, notEndedAt: moment).inside
            guard inside.lowerBound < to.nanoseconds else { break }
            let begin = max(inside.lowerBound, from.nanoseconds)
            let end = min(inside.upperBound, to.nanoseconds)
            spans.append(Instant(nanoseconds: begin)..<Instant(nanoseconds: end))
            moment = inside.upperBound
        }
        return spans
    }

    /// When a beacon is truly in the hall: always for an exhibit, never for one that the hall does not know.
    public func truth(of beacon: BeaconIdentity, from: Instant, to: Instant) -> [Range<Instant>] {
        guard beacon.uuid == Self.uuid, beacon.minor > 0 else { return [] }
        let number = Int(beacon.minor) - 1
        switch beacon.major {
        case Self.badgeMajor where number < visitors.count: return truth(visitor: number, from: from, to: to)
        case Self.exhibitMajor where number < exhibits.count: return [from..<to]
        default: return []
        }
    }

    /// Calls `body` with each sighting that a receiver in the hall would decode, in order, for a span of time.
    public func visit(for span: Duration, from start: Instant = .boot, _ body: (Sighting, Instant) -> Void) {
        var source = HallSource(hall: self, from: start, until: start + span)
        var frame = FrameBuffer()
        while let (_, now) = source.next(into: &frame) {
            _ = AdvertisingParser.parse(frame) { if case .sighting(let sighting) = $0 { body(sighting, now) } }
        }
    }

    private static func identities(_ count: Int, major: UInt16) -> [BeaconIdentity] {
        (0..<count).map { BeaconIdentity(uuid: uuid, major: major, minor: UInt16($0 + 1)) }
    }
}

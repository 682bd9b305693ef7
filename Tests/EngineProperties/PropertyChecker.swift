// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Holds a run of events to properties 1–3 and 9 of the engine's rules. It knows nothing but the events themselves, so
/// it serves for an engine, for a store and for a process alike: feed it in ledger order, then call `finish`.
public struct PropertyChecker {
    /// One stay of one beacon in one region.
    public struct Visit: Equatable {
        /// The region's identifier.
        public let region: String
        /// Who.
        public let beacon: BeaconIdentity
        /// The first hit.
        public let enteredAt: Instant
        /// When the enter was decided.
        public let enterDetectedAt: Instant
        /// The last sighting; nil: it goes on.
        public fileprivate(set) var exitedAt: Instant?
        /// When the exit was decided.
        public fileprivate(set) var exitDetectedAt: Instant?
        /// What the exit was decided by.
        public fileprivate(set) var reason: RegionEvent.Reason?
        /// Whether the exit says that `exitedAt` may be off.
        public fileprivate(set) var isUncertain = false
    }

    /// What was broken, one sentence each. Empty is what every test wants.
    public private(set) var violations: [String] = []
    /// Beacons inside each region now.
    public private(set) var inside: [String: Set<BeaconIdentity>] = [:]
    /// Every visit of a beacon to a region, in order of entering.
    public private(set) var visits: [Visit] = []

    private struct Place: Hashable {
        var region: String
        var beacon: BeaconIdentity
    }

    /// The latest visit of each beacon to each region.
    private var latest: [Place: Int] = [:]
    private var last: [BeaconIdentity: (at: Instant, detectedAt: Instant)] = [:]
    /// The station that each beacon inside is nearest to.
    public private(set) var nearest: [BeaconIdentity: String] = [:]
    /// Beacons that occupancy does not count: exhibits that a carried receiver visits where others hang.
    private var uncounted: Set<BeaconIdentity> = []
    private let counted: Mobility
    private var lastOrdinal: UInt64 = 0
    private var telling: TellingChecker

    /// A checker for regions that wake for their first beacon, but `each` for every one of theirs.
    ///
    /// `allowsLateWakes`: a cooldown may be decided after its end, as at the restore that follows an absence.
    /// `reloads`: when another registry took effect; a cooldown may end there early. `counted`: what occupancy counts.
    public init(
        each: Set<String> = [], allowsLateWakes: Bool = false, reloads: Set<Instant> = [], counted: Mobility = .carried
    ) {
        self.counted = counted
        telling = TellingChecker(each: each, allowsLateWakes: allowsLateWakes, reloads: reloads)
    }

    /// Says that another registry took effect, before the events of that.
    public mutating func noteReload(at moment: Instant) { telling.reloads.insert(moment) }

    /// Takes the next event.
    public mutating func take(_ event: RegionEvent) {
        telling.settle(upTo: event.detectedAt, inside: inside, uncounted: uncounted, into: &violations)
        if event.beacon.kind == counted {
            uncounted.remove(event.beacon.identity)
        } else if event.kind != .wake {
            uncounted.insert(event.beacon.identity)
        }
        checkOrder(event)
        for change in event.regions {
            switch event.kind {
            case .enter: enter(change, event)
            case .exit: exit(change, event)
            case .wake: checkCount(change, event)
            case .nearest: fail(event, "a nearest changes no region, and it names \(change.region)")
            }
            telling.take(change, of: event, into: &violations)
        }
        if event.kind == .wake, event.regions.isEmpty { fail(event, "it names no region") }
    }

    /// Takes a row of events.
    public mutating func take(_ events: some Sequence<RegionEvent>) { for event in events { take(event) } }

    /// Says that time has come to `end`: every cooldown that ended before it must have been decided.
    public mutating func finish(at end: Instant) {
        telling.settle(upTo: end, inside: inside, uncounted: uncounted, into: &violations)
        telling.finish(at: end, into: &violations)
    }

    private mutating func fail(_ event: RegionEvent, _ what: String) {
        violations.append("\(event.summary): \(what)")
    }

    /// Properties 1 and 3 for the beacon as a whole.
    private mutating func checkOrder(_ event: RegionEvent) {
        if event.at > event.detectedAt { fail(event, "at is later than detectedAt") }
        if event.ordinal <= lastOrdinal { fail(event, "its ordinal does not follow \(lastOrdinal)") }
        lastOrdinal = event.ordinal
        if event.kind == .wake { return }
        if let last = last[event.beacon.identity] {
            if event.detectedAt < last.detectedAt {
                fail(event, "decided before \(last.detectedAt.seconds), when an earlier event of the beacon was")
            }
            if event.at < last.at {
                fail(event, "at lies before \(last.at.seconds), that of the beacon's event before")
            }
        }
        if event.enteredAt > event.at { fail(event, "its visit began at \(event.enteredAt.seconds)") }
        checkNearest(event)
        last[event.beacon.identity] = (event.at, event.detectedAt)
    }

    /// A change goes on from the one before it, and an event that only says a beacon moved names where.
    private mutating func checkNearest(_ event: RegionEvent) {
        let beacon = event.beacon.identity
        if let change = event.change {
            if event.kind != .nearest { fail(event, "it changes what is nearest") }
            if change.from == change.to { fail(event, "it changes from \(change.from) to itself") }
            if event.beacon.kind == .carried {
                if change.to != event.nearest { fail(event, "it says \(change.to) and \(event.nearest ?? "nothing")") }
                if let before = nearest[beacon], before != change.from { fail(event, "\(before) was nearest") }
            }
        } else if event.kind == .nearest {
            fail(event, "it does not say what changed")
        }
        if event.regions.isEmpty, event.kind != .nearest, event.reason == .moved { fail(event, "it names no region") }
        nearest[beacon] = event.endsVisit ? nil : event.nearest
    }

    private mutating func enter(_ change: RegionChange, _ event: RegionEvent) {
        let place = Place(region: change.region, beacon: event.beacon.identity)
        if !inside[change.region, default: []].insert(place.beacon).inserted {
            fail(event, "it was in \(change.region) already")
        }
        checkCount(change, event)
        if let exitedAt = latest[place].flatMap({ visits[$0].exitedAt }), exitedAt > event.at {
            fail(event, "it overlaps the visit to \(change.region) that ended at \(exitedAt.seconds)")
        }
        latest[place] = visits.count
        visits.append(
            Visit(
                region: change.region, beacon: place.beacon, enteredAt: event.at, enterDetectedAt: event.detectedAt))
    }

    private mutating func exit(_ change: RegionChange, _ event: RegionEvent) {
        let place = Place(region: change.region, beacon: event.beacon.identity)
        if inside[change.region]?.remove(place.beacon) == nil { fail(event, "it was not in \(change.region)") }
        checkCount(change, event)
        guard let visit = latest[place] else { return }
        visits[visit].exitedAt = event.at
        visits[visit].exitDetectedAt = event.detectedAt
        visits[visit].reason = event.reason
        visits[visit].isUncertain = event.uncertain
    }

    /// Property 2.
    private mutating func checkCount(_ change: RegionChange, _ event: RegionEvent) {
        let count = inside[change.region]?.subtracting(uncounted).count ?? 0
        if change.occupancy != count {
            fail(event, "occupancy of \(change.region) is \(count), not \(change.occupancy)")
        }
        let isCounted = !uncounted.contains(event.beacon.identity)
        let isEdge: Bool
        switch event.kind {
        case .enter: isEdge = isCounted && count == 1
        case .exit: isEdge = isCounted && count == 0
        case .wake, .nearest: return  // It tells of an edge that has been, or of none.
        }
        if change.edge != isEdge { fail(event, "edge of \(change.region) is \(change.edge) at \(count)") }
    }
}

extension RegionEvent {
    /// One line for messages.
    public var summary: String {
        "\(kind) \(reason) #\(ordinal) of \(beacon.identity.major)/\(beacon.identity.minor) at \(at.seconds), "
            + "seen \(detectedAt.seconds)"
    }
}

extension Instant {
    /// Seconds since the boot, for messages and scenarios.
    public var seconds: Double { (self - .boot).inSeconds }
}

// SPDX-License-Identifier: GPL-2.0-or-later

/// What must hold between the fields of a `Venue` before an engine may work with it.
public enum VenueRules {
    /// An index of so many identities takes some 100 MB; no venue is known to have a tenth of them.
    public static let mostIdentities = 1_000_000
    /// Each beacon can have a signal at each receiver: this bounds the memory of one beacon.
    public static let mostReceivers = 32
    /// Identifiers become path components, topic levels and store keys. Derived ones may be longer.
    public static let mostIdentifierBytes = 64

    /// Everything that does not hold, in no promised order; empty for a venue that can be used.
    ///
    /// Takes time n log n in the entries of the file, however many identities their ranges hold.
    public static func faults(in venue: Venue) -> [VenueFault] {
        spellingFaults(in: venue) + identityFaults(in: venue) + identifierFaults(in: venue)
            + canaryFaults(in: venue) + regionFaults(in: venue) + settingFaults(in: venue)
            + receiverFaults(in: venue)
    }

    /// Each identifier by itself.
    private static func spellingFaults(in venue: Venue) -> [VenueFault] {
        var faults: [VenueFault] = []
        func check(_ identifier: String?, at place: VenuePlace) {
            guard let identifier, let problem = problem(of: identifier) else { return }
            faults.append(VenueFault(place: place, other: nil, problem: problem))
        }
        check(venue.venueId, at: .venue(.venueId))
        for (index, beacon) in venue.beacons.enumerated() { check(beacon.exhibit, at: .beacon(index, .id)) }
        for (index, region) in (venue.regions ?? []).enumerated() {
            check(region.identifier, at: .region(index, .identifier))
        }
        for (index, receiver) in venue.receivers.enumerated() {
            check(receiver.id, at: .receiver(index, .id))
            check(receiver.group, at: .receiver(index, .group))
        }
        return faults
    }

    static func problem(of identifier: String) -> VenueFault.Problem? {
        let bytes = identifier.utf8.count
        guard (1...mostIdentifierBytes).contains(bytes) else { return .identifierLength(bytes) }
        let isClean = identifier.unicodeScalars.allSatisfy { $0 != "/" && $0.properties.generalCategory != .control }
        return isClean ? nil : .identifierCharacter
    }

    /// Sorted by identity, an entry overlaps an earlier one exactly if it begins before the furthest end so far.
    private static func identityFaults(in venue: Venue) -> [VenueFault] {
        let count = venue.beacons.reduce(0) { $0 + $1.minors.count }
        var faults: [VenueFault] = []
        if count > mostIdentities {
            faults.append(VenueFault(place: .venue(.beacons), other: nil, problem: .tooManyIdentities(count)))
        }
        let spans = venue.beacons.enumerated().map { Span($1, at: $0) }.sorted {
            ($0.first, $0.beacon) < ($1.first, $1.beacon)
        }
        var furthest: Span?
        for span in spans {
            guard let previous = furthest, previous.last >= span.first else {
                furthest = span
                continue
            }
            let (earlier, later) = previous.beacon < span.beacon ? (previous, span) : (span, previous)
            faults.append(
                VenueFault(place: later.place, other: earlier.place, problem: .sameIdentity(span.first)))
            if previous.last < span.last { furthest = span }
        }
        return faults
    }

    /// Regions and beacons' `id`s share one set of names, so that a name means one thing in every question.
    /// Misspelt ones are told already, and stay out.
    private static func identifierFaults(in venue: Venue) -> [VenueFault] {
        var names = [Name(text: venue.venueId, place: .venue(.venueId), kind: .venue)]
        for (index, region) in (venue.regions ?? []).enumerated() {
            names.append(Name(text: region.identifier, place: .region(index, .identifier), kind: .region))
        }
        let areDerived = venue.regions == nil && problem(of: venue.venueId) == nil
        for region in areDerived ? venue.derivedRegions : [] {
            let (text, scope) = (region.definition.identifier, region.definition.scope)
            guard scope.minor == nil || venue.beacons[region.beacon].exhibit == nil else { continue }
            names.append(Name(text: text, place: .beacon(region.beacon, scope.lastField), kind: .derived))
        }
        for (index, beacon) in venue.beacons.enumerated() {
            guard let exhibit = beacon.exhibit else { continue }
            names.append(Name(text: exhibit, place: .beacon(index, .id), kind: .exhibit))
        }
        return conflicts(between: names.filter { $0.kind == .derived || problem(of: $0.text) == nil })
    }

    /// Where a name stands several times, each later one is at odds with the first it may not share it with.
    private static func conflicts(between names: [Name]) -> [VenueFault] {
        var faults: [VenueFault] = []
        var run: [Name] = []
        for index in names.indices.sorted(by: { (names[$0].text, $0) < (names[$1].text, $1) }) {
            let name = names[index]
            if run.first?.text != name.text { run.removeAll(keepingCapacity: true) }
            if let other = run.first(where: { !$0.kind.shares(with: name.kind) }) {
                let problem: VenueFault.Problem =
                    other.kind == .derived ? .derivedIdentifierTaken(name.text) : .sameIdentifier(name.text)
                faults.append(VenueFault(place: name.place, other: other.place, problem: problem))
            } else if !run.contains(where: { $0.kind == name.kind }) {
                run.append(name)  // One of each kind says all, and bounds the run.
            }
        }
        return faults
    }

    /// A canary is one beacon that the receiver always hears.
    private static func canaryFaults(in venue: Venue) -> [VenueFault] {
        var faults: [VenueFault] = []
        for (index, beacon) in venue.beacons.enumerated() where beacon.canary {
            let place = VenuePlace.beacon(index, .canary)
            if beacon.isRange {
                faults.append(VenueFault(place: place, other: .beacon(index, .minors), problem: .canaryRange))
            }
            if beacon.kind == .carried {
                faults.append(VenueFault(place: place, other: .beacon(index, .kind), problem: .canaryCarried))
            }
        }
        return faults
    }
}

/// An identifier and whose it is.
private struct Name {
    let text: String
    let place: VenuePlace
    let kind: Kind

    enum Kind {
        case venue, region, derived, exhibit

        /// The venue's own name is also the name of its widest region, as derived names have it. Derived names differ
        /// by construction; where two are equal the beacons are, and that is told already.
        func shares(with later: Kind) -> Bool {
            switch (self, later) {
            case (.venue, .region), (.venue, .derived), (.derived, .derived): true
            case (.venue, _), (.region, _), (.derived, _), (.exhibit, _): false
            }
        }
    }
}

/// The identities of one entry, from the first to the last.
private struct Span {
    let beacon: Int
    let first: BeaconIdentity
    let last: BeaconIdentity
    let place: VenuePlace

    init(_ entry: BeaconEntry, at beacon: Int) {
        self.beacon = beacon
        first = BeaconIdentity(uuid: entry.uuid, major: entry.major, minor: entry.minors.lowerBound)
        last = BeaconIdentity(uuid: entry.uuid, major: entry.major, minor: entry.minors.upperBound)
        place = .beacon(beacon, entry.isRange ? .minors : .minor)
    }
}

extension RegionScope {
    /// The last field a derived name is made of.
    fileprivate var lastField: VenueField { minor != nil ? .minor : major != nil ? .major : .uuid }
}

// SPDX-License-Identifier: GPL-2.0-or-later

extension Venue {
    /// The regions in force: the file's, or where it has none the derived ones, widest first and each kind in file
    /// order: one for a UUID, one for a UUID and major, one for a beacon (none for the badges of a range).
    public var effectiveRegions: [RegionDefinition] {
        regions ?? derivedRegions.map(\.definition)
    }

    /// The regions that follow from the beacons, whether or not the file has its own.
    var derivedRegions: [DerivedRegion] {
        var byUUID: [DerivedRegion] = []
        var byMajor: [DerivedRegion] = []
        var byBeacon: [DerivedRegion] = []
        var seen: Set<RegionScope> = []
        let names = DerivedNames(venue: self)
        for (index, beacon) in beacons.enumerated() {
            let uuid = RegionScope(uuid: beacon.uuid)
            if seen.insert(uuid).inserted { byUUID.append(DerivedRegion(uuid, from: index, named: names)) }
            let major = RegionScope(uuid: beacon.uuid, major: beacon.major)
            if seen.insert(major).inserted { byMajor.append(DerivedRegion(major, from: index, named: names)) }
            guard !beacon.isRange else { continue }
            let minor = RegionScope(uuid: beacon.uuid, major: beacon.major, minor: beacon.minors.lowerBound)
            var region = DerivedRegion(minor, from: index, named: names)
            region.definition.identifier = beacon.exhibit ?? region.definition.identifier
            region.definition.name = beacon.name
            byBeacon.append(region)
        }
        return byUUID + byMajor + byBeacon
    }
}

/// A region that follows from a beacon.
struct DerivedRegion {
    var definition: RegionDefinition
    /// The first `beacons` entry it follows from.
    let beacon: Int

    fileprivate init(_ scope: RegionScope, from beacon: Int, named names: DerivedNames) {
        definition = RegionDefinition(identifier: names[scope], scope: scope)
        self.beacon = beacon
    }
}

/// `hall-a`, `hall-a.1001`, `hall-a.1001.2003` where the file has one UUID; with several, `hall-a.<uuid>`… throughout.
private struct DerivedNames {
    /// The first part for each UUID: writing a UUID out for each beacon would be most of the work.
    private var prefixes: [BeaconUUID: String] = [:]

    init(venue: Venue) {
        for uuid in Set(venue.beacons.map(\.uuid)) { prefixes[uuid] = "\(venue.venueId).\(uuid)" }
        if prefixes.count == 1 { prefixes = prefixes.mapValues { _ in venue.venueId } }
    }

    subscript(scope: RegionScope) -> String {
        let numbers = [scope.major, scope.minor].compactMap { $0.map { ".\($0)" } }
        return (prefixes[scope.uuid] ?? "") + numbers.joined()
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

/// A registry in the form the engine works with: each identity by number, its regions and its policy worked out.
///
/// A sighting costs one look-up: the up to three levels of regions are joined here, when the registry is loaded.
public struct Registry: Sendable {
    /// The venue it was made from.
    public internal(set) var venue: Venue
    /// The regions, as defined or derived.
    public internal(set) var regions: [RegionDefinition]
    /// One row for each identity, in the file's order; ranges of badges unfolded.
    var beacons: [RegisteredBeacon]
    var index: BeaconIndex
    var regionSets: RegionSets
    /// Beacons whose silence casts suspicion on the receiver: a handful.
    private let canaries: [BeaconIdentity]
    /// How many identities it lists; the rest of the rows were heard. `Int.max`: every one heard counts as listed.
    var listed: Int
    /// Sets of regions that take identities which are not listed, by the scope of their narrowest.
    let openSets: [RegionScope: OpenSet]
    /// Each distinct policy once.
    let policies: [RegionPolicy]
    /// Whether any limit is told from what a receiver hears loudest.
    let usesLoudest: Bool
    /// What holds for the venue where no region sets its own.
    public let settings: SettingOverrides
    /// Where every identity heard is taken: the regions that exist already, by scope; nil: there is a registry.
    var heardScopes: [RegionScope: Int32]?

    /// Works out a venue that keeps `VenueRules`.
    ///
    /// - Parameters:
    ///   - venue: what the file says.
    ///   - seed: for the hash of the index; random in a running gateway.
    ///   - defaults: settings that hold where the venue sets none, from the configuration.
    public init(venue: Venue, seed: UInt64 = 0, defaults: SettingOverrides = SettingOverrides()) {
        self.venue = venue
        let settings = defaults.overridden(by: venue.settings)
        self.settings = settings.inForce
        canaries = venue.beacons.filter(\.canary).map {
            BeaconIdentity(uuid: $0.uuid, major: $0.major, minor: $0.minors.lowerBound)
        }
        regions = venue.effectiveRegions
        var builder = Builder(regions: regions, settings: settings)
        beacons = builder.rows(of: venue.beacons)
        listed = beacons.count
        openSets = builder.openSets()
        regionSets = builder.regionSets
        regionSets.trim()
        policies = builder.policies
        usesLoudest = policies.contains { $0.reference == .loudest }
        var index = BeaconIndex(capacity: beacons.count, seed: seed)
        for number in beacons.indices { index.insert(number, identity: beacons[number].identity) }
        self.index = index
    }

    /// How many identities it lists.
    public var count: Int { min(beacons.count, listed) }

    /// The numbers of all that are known: those listed, then those admitted.
    var numbers: Range<Int> { beacons.indices }

    /// Whether it lists an identity.
    public func contains(_ identity: BeaconIdentity) -> Bool { number(of: identity).map { $0 < listed } ?? false }

    /// Whether an identity is a canary.
    @inline(__always)
    func isCanary(_ identity: BeaconIdentity) -> Bool { canaries.contains(identity) }

    /// The number of an identity that is listed or was admitted, or nil.
    @inline(__always)
    func number(of identity: BeaconIdentity) -> Int? { index.find(identity, in: beacons) }

    /// The identity of a number.
    func identity(at number: Int) -> BeaconIdentity { beacons[number].identity }

    /// The entry an identity stands in; of one that is not listed, its bare numbers.
    func entry(of number: Int) -> BeaconEntry {
        let row = beacons[number]
        guard row.entry == RegisteredBeacon.noEntry else { return venue.beacons[Int(row.entry)] }
        return BeaconEntry(
            uuid: row.identity.uuid, major: row.identity.major, minors: row.identity.minor...row.identity.minor)
    }

    /// Whether an identity is carried or hangs for good.
    func kind(of number: Int) -> Mobility { beacons[number].kind }

    /// The policy number of an identity.
    func policyNumber(of number: Int) -> Int { Int(beacons[number].policy) }

    /// The regions an identity belongs to, narrowest first.
    func regions(of number: Int) -> [Int32] { regionSets[Int(beacons[number].regionSet)] }

    /// The cooldown of a region, nanoseconds.
    func cooldown(of region: Int32) -> Int64 {
        let seconds = regions[Int(region)].settings[.cooldown] ?? settings[.cooldown]
        return RegionPolicy.nanoseconds(seconds ?? Setting.cooldown.row.defaultValue ?? 0)
    }

    /// What an event keeps of a beacon.
    func description(of number: Int) -> BeaconDescription {
        let entry = entry(of: number)
        return BeaconDescription(
            identity: identity(at: number), name: entry.name, exhibit: entry.exhibit, kind: entry.kind,
            group: entry.group, registered: !isUnregistered(number))
    }

    /// The shortest exit time in force: a duty cycle must fit into it twice.
    public var shortestExit: Duration { .nanoseconds(policies.map(\.exit).min() ?? 0) }

    /// One identity: 40 bytes.
    struct RegisteredBeacon: Identified {
        let identity: BeaconIdentity
        let entry: UInt32
        let regionSet: UInt32
        let policy: UInt32
        let kind: Mobility

        /// Stands for an entry where there is none.
        static let noEntry = UInt32.max
    }

    /// Regions that an identity belongs to though it is not listed.
    struct OpenSet {
        let regionSet: UInt32
        let policy: UInt32
    }

    /// Joins regions and policies to identities; equal sets and policies are kept once.
    private struct Builder {
        let regions: [RegionDefinition]
        let settings: SettingOverrides
        var regionSets = RegionSets()
        var policies: [RegionPolicy] = []
        private var regionsByScope: [RegionScope: [Int32]] = [:]
        private var setNumbers: [[Int32]: UInt32] = [:]
        private var policyNumbers: [RegionPolicy: UInt32] = [:]
        private var policyOfSet: [UInt32] = []

        init(regions: [RegionDefinition], settings: SettingOverrides) {
            self.regions = regions
            self.settings = settings
            for (number, region) in regions.enumerated() {
                regionsByScope[region.scope, default: []].append(Int32(number))
            }
        }

        mutating func rows(of entries: [BeaconEntry]) -> [RegisteredBeacon] {
            var rows: [RegisteredBeacon] = []
            rows.reserveCapacity(entries.reduce(0) { $0 + $1.minors.count })
            for (number, entry) in entries.enumerated() {
                for minor in entry.minors {
                    let identity = BeaconIdentity(uuid: entry.uuid, major: entry.major, minor: minor)
                    let set = setNumber(of: identity)
                    rows.append(
                        RegisteredBeacon(
                            identity: identity, entry: UInt32(number), regionSet: set, policy: policyOfSet[Int(set)],
                            kind: entry.kind))
                }
            }
            return rows
        }

        /// Those of the regions with `unregistered`: nothing else is taken from a region than what it says of itself.
        mutating func openSets() -> [RegionScope: OpenSet] {
            let open = regionsByScope.mapValues { $0.filter { regions[Int($0)].unregistered } }
            var sets: [RegionScope: OpenSet] = [:]
            for region in regions where region.unregistered && sets[region.scope] == nil {
                let wide = region.scope.major == nil ? [] : open[RegionScope(uuid: region.scope.uuid)] ?? []
                let number = setNumber(of: (open[region.scope] ?? []) + wide)
                sets[region.scope] = OpenSet(regionSet: number, policy: policyOfSet[Int(number)])
            }
            return sets
        }

        /// At most three look-ups: the identity, its UUID and major, its UUID.
        private mutating func setNumber(of identity: BeaconIdentity) -> UInt32 {
            let exact = RegionScope(uuid: identity.uuid, major: identity.major, minor: identity.minor)
            let major = RegionScope(uuid: identity.uuid, major: identity.major)
            let set =
                (regionsByScope[exact] ?? []) + (regionsByScope[major] ?? [])
                + (regionsByScope[RegionScope(uuid: identity.uuid)] ?? [])
            return setNumber(of: set)
        }

        private mutating func setNumber(of set: [Int32]) -> UInt32 {
            if let number = setNumbers[set] { return number }
            let number = UInt32(regionSets.count)
            setNumbers[set] = number
            regionSets.append(set)
            policyOfSet.append(policyNumber(of: set))
            return number
        }

        /// Each setting from the most specific region that sets it, else from the venue.
        private mutating func policyNumber(of set: [Int32]) -> UInt32 {
            let merged = set.reversed().reduce(settings) { $0.overridden(by: regions[Int($1)].settings) }
            let policy = RegionPolicy(merged)
            if let number = policyNumbers[policy] { return number }
            let number = UInt32(policies.count)
            policyNumbers[policy] = number
            policies.append(policy)
            return number
        }
    }
}

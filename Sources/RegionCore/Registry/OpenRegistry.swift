// SPDX-License-Identifier: GPL-2.0-or-later

// A registry for when there is none: every identity is registered when it is first heard.
extension Registry {
    /// As many as a registry file may list.
    static let mostAdmitted = 1_000_000

    /// How many identities it can come to list.
    var mostBeacons: Int { admitted == nil ? count : Self.mostAdmitted }

    /// A registry that takes every identity heard. Each has three regions, `venueId.UUID`, `venueId.UUID.major` and
    /// `venueId.UUID.major.minor`: their names do not depend on what else is heard.
    public init(openTo venueId: String, seed: UInt64 = 0, settings: SettingOverrides = SettingOverrides()) {
        // One entry that stands for all makes the one policy; it is taken out again.
        let uuid = BeaconUUID(high: 0, low: 0)
        let entry = BeaconEntry(uuid: uuid, major: 0, minors: 0...0)
        self.init(venue: Venue(venueId: venueId, beacons: [entry], settings: settings), seed: seed)
        venue.beacons = []
        regions = []
        beacons = []
        regionSets = RegionSets()
        index = BeaconIndex(capacity: 64, seed: seed)
        admitted = [:]
    }

    /// Registers an identity that is heard for the first time. Gives its number; nil: only what is listed counts, or
    /// there are too many.
    mutating func admit(_ identity: BeaconIdentity) -> Int? {
        guard admitted != nil, beacons.count < Self.mostAdmitted else { return nil }
        let number = beacons.count
        if number == index.capacity { index.grow(beacons) }
        let scopes = [
            RegionScope(uuid: identity.uuid, major: identity.major, minor: identity.minor),
            RegionScope(uuid: identity.uuid, major: identity.major), RegionScope(uuid: identity.uuid),
        ]
        regionSets.append(scopes.map { region(of: $0) })
        venue.beacons.append(
            BeaconEntry(uuid: identity.uuid, major: identity.major, minors: identity.minor...identity.minor))
        beacons.append(
            RegisteredBeacon(
                identity: identity, entry: UInt32(number), regionSet: UInt32(number), policy: 0, kind: .carried))
        index.insert(number, identity: identity)
        return number
    }

    /// The region of a scope, made when it is the first of its kind.
    private mutating func region(of scope: RegionScope) -> Int32 {
        if let known = admitted?[scope] { return known }
        let number = Int32(regions.count)
        let parts = [scope.major, scope.minor].compactMap { $0.map { ".\($0)" } }.joined()
        regions.append(RegionDefinition(identifier: "\(venue.venueId).\(scope.uuid)\(parts)", scope: scope))
        admitted?[scope] = number
        return number
    }
}

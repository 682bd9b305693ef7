// SPDX-License-Identifier: GPL-2.0-or-later

// Identities that are taken though no file lists them: every one where there is no registry, else those in the scope of
// a region with `unregistered`.
extension Registry {
    /// How many it takes where there is no registry: as many as a registry file may list.
    static let mostHeard = 1_000_000
    /// How many the regions with `unregistered` take in all: anyone's radio can send any number of them.
    static let mostUnregistered = 10_000

    /// How many identities it can come to know.
    var mostBeacons: Int {
        if heardScopes != nil { return Self.mostHeard }
        return openSets.isEmpty ? listed : listed + Self.mostUnregistered
    }

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
        listed = .max
        regionSets = RegionSets()
        index = BeaconIndex(capacity: 64, seed: seed)
        heardScopes = [:]
    }

    /// Whether an identity counts in any region: it is listed, or would be admitted if there is room.
    public func takes(_ identity: BeaconIdentity) -> Bool {
        contains(identity) || heardScopes != nil || openSet(of: identity) != nil
    }

    /// Whether a number is that of an identity which is not listed.
    @inline(__always)
    func isUnregistered(_ number: Int) -> Bool { number >= listed }

    /// Admits an identity that is heard for the first time. Gives its number; nil: it counts nowhere, or there are too
    /// many.
    mutating func admit(_ identity: BeaconIdentity) -> Int? {
        guard beacons.count < mostBeacons, let set = heardSet(of: identity) ?? openSet(of: identity) else { return nil }
        let number = beacons.count
        if number == index.capacity { index.grow(beacons) }
        beacons.append(RegisteredBeacon(identity, in: set))
        index.insert(number, identity: identity)
        return number
    }

    /// Admits an identity in the place of another that was not listed either.
    mutating func admit(_ identity: BeaconIdentity, insteadOf number: Int) {
        guard let set = openSet(of: identity) else { preconditionFailure("it belongs to no region") }
        index.remove(number, in: beacons)
        beacons[number] = RegisteredBeacon(identity, in: set)
        index.insert(number, identity: identity)
    }

    /// The regions with `unregistered` that an identity belongs to.
    func openSet(of identity: BeaconIdentity) -> OpenSet? {
        if openSets.isEmpty { return nil }
        return openSets[RegionScope(uuid: identity.uuid, major: identity.major)]
            ?? openSets[RegionScope(uuid: identity.uuid)]
    }

    /// A set of its own where there is no registry.
    private mutating func heardSet(of identity: BeaconIdentity) -> OpenSet? {
        guard heardScopes != nil else { return nil }
        let scopes = [
            RegionScope(uuid: identity.uuid, major: identity.major, minor: identity.minor),
            RegionScope(uuid: identity.uuid, major: identity.major), RegionScope(uuid: identity.uuid),
        ]
        regionSets.append(scopes.map { region(of: $0) })
        return OpenSet(regionSet: UInt32(regionSets.count - 1), policy: 0)
    }

    /// The region of a scope, made when it is the first of its kind.
    private mutating func region(of scope: RegionScope) -> Int32 {
        if let known = heardScopes?[scope] { return known }
        let number = Int32(regions.count)
        let parts = [scope.major, scope.minor].compactMap { $0.map { ".\($0)" } }.joined()
        regions.append(RegionDefinition(identifier: "\(venue.venueId).\(scope.uuid)\(parts)", scope: scope))
        heardScopes?[scope] = number
        return number
    }
}

extension Registry.RegisteredBeacon {
    /// One that no entry describes.
    fileprivate init(_ identity: BeaconIdentity, in set: Registry.OpenSet) {
        self.init(
            identity: identity, entry: Self.noEntry, regionSet: set.regionSet, policy: set.policy, kind: .carried)
    }
}

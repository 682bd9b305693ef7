// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// The numbers that stand in rows for beacons, regions, receivers, stations and places. Entries are never changed, so an old event keeps
/// the names of its time. What was met is kept in memory.
///
/// New entries belong to the transaction that is open: after a rollback `forget` must be called.
final class Dictionaries {
    /// A description's own number, and that of the beacon it is about.
    struct DescriptionKey {
        var description: Int64
        var beacon: Int64
    }

    private let regions: NameTable
    private let receivers: NameTable
    private let stations: NameTable
    private var beacons: [BeaconIdentity: Int64] = [:]
    private var descriptions: [BeaconDescription: DescriptionKey] = [:]
    private var places: [Place: Int64] = [:]
    private let findBeacon, insertBeacon, findDescription, insertDescription, findPlace, insertPlace: Statement

    init(_ database: Database) throws(StoreError) {
        regions = try NameTable("region", in: database)
        receivers = try NameTable("receiver", in: database)
        stations = try NameTable("station", in: database)
        let doing = "store a beacon"
        findBeacon = try database.prepare(
            "SELECT id FROM beacon WHERE uuid = ? AND major = ? AND minor = ?", doing: doing)
        insertBeacon = try database.prepare(
            "INSERT INTO beacon (uuid, major, minor) VALUES (?, ?, ?) RETURNING id", doing: doing)
        findDescription = try database.prepare(
            """
            SELECT id FROM description WHERE beacon = ? AND name IS ? AND exhibit IS ? AND kind = ?
                AND beacon_group IS ? AND registered = ?
            """, doing: doing)
        insertDescription = try database.prepare(
            """
            INSERT INTO description (beacon, name, exhibit, kind, beacon_group, registered)
            VALUES (?, ?, ?, ?, ?, ?) RETURNING id
            """, doing: doing)
        findPlace = try database.prepare(
            "SELECT id FROM place WHERE exhibit IS ? AND floor IS ? AND x IS ? AND y IS ?", doing: "store a place")
        insertPlace = try database.prepare(
            "INSERT INTO place (exhibit, floor, x, y) VALUES (?, ?, ?, ?) RETURNING id", doing: "store a place")
    }

    func region(_ identifier: String) throws(StoreError) -> Int64 { try regions.number(of: identifier) }

    func receiver(_ identifier: String) throws(StoreError) -> Int64 { try receivers.number(of: identifier) }

    /// What is or was nearest; nil for nothing.
    func station(_ identifier: String?) throws(StoreError) -> Int64? {
        guard let identifier else { return nil }
        return try stations.number(of: identifier)
    }

    func beacon(_ identity: BeaconIdentity) throws(StoreError) -> Int64 {
        if let known = beacons[identity] { return known }
        let number = try Self.number(find: findBeacon, insert: insertBeacon) { statement in
            statement.add(identity.uuid.description).add(Int64(identity.major)).add(Int64(identity.minor))
        }
        if beacons.count >= StoreLimit.cachedEntries { beacons.removeAll() }
        beacons[identity] = number
        return number
    }

    func description(_ value: BeaconDescription) throws(StoreError) -> DescriptionKey {
        if let known = descriptions[value] { return known }
        let beacon = try beacon(value.identity)
        let number = try Self.number(find: findDescription, insert: insertDescription) { statement in
            statement.add(beacon).add(value.name).add(value.exhibit).add(value.kind.rawValue)
                .add(value.group).add(value.registered)
        }
        if descriptions.count >= StoreLimit.cachedEntries { descriptions.removeAll() }
        let key = DescriptionKey(description: number, beacon: beacon)
        descriptions[value] = key
        return key
    }

    /// A place; nil for nothing.
    func place(_ value: Place?) throws(StoreError) -> Int64? {
        guard let value else { return nil }
        if let known = places[value] { return known }
        let number = try Self.number(find: findPlace, insert: insertPlace) { statement in
            statement.add(value.exhibit).add(value.floor).add(value.x).add(value.y)
        }
        if places.count >= StoreLimit.cachedEntries { places.removeAll() }
        places[value] = number
        return number
    }

    /// Forgets what is in memory; the tables are read again.
    func forget() {
        regions.forget()
        receivers.forget()
        stations.forget()
        beacons.removeAll()
        descriptions.removeAll()
        places.removeAll()
    }

    /// The number of a row with these values, found or made.
    fileprivate static func number(
        find: Statement, insert: Statement, values: (Statement) -> Void
    ) throws(StoreError) -> Int64 {
        values(find)
        if let found = try find.first({ $0.integer() }) { return found }
        values(insert)
        return try insert.first { $0.integer() } ?? 0  // RETURNING gives its row after the change is made.
    }
}

/// One dictionary of identifiers.
private final class NameTable {
    private var numbers: [String: Int64] = [:]
    private let find, insert: Statement

    init(_ table: String, in database: Database) throws(StoreError) {
        find = try database.prepare("SELECT id FROM \(table) WHERE identifier = ?", doing: "store a \(table)")
        insert = try database.prepare(
            "INSERT INTO \(table) (identifier) VALUES (?) RETURNING id", doing: "store a \(table)")
    }

    func number(of identifier: String) throws(StoreError) -> Int64 {
        if let known = numbers[identifier] { return known }
        let number = try Dictionaries.number(find: find, insert: insert) { $0.add(identifier) }
        if numbers.count >= StoreLimit.cachedEntries { numbers.removeAll() }
        numbers[identifier] = number
        return number
    }

    func forget() { numbers.removeAll() }
}

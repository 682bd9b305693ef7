// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Reads events back exactly as they were committed, with the names of their time.
final class EventRows {
    private let facts: StoreFacts
    private let after, one, regions: Statement

    private static let columns = """
        SELECT seq, ordinal, event.kind, reason, at_us, at_ns, detected_us, detected_ns, clock_synchronised,
            visit, entered_ns, ends_visit, uncertain, of_ordinal, of_seq,
            hits, rssi, filtered_rssi, tier, distance, receiver.identifier, listened_ns, settings,
            uuid, major, minor, name, description.exhibit, description.kind, beacon_group, registered,
            near.identifier, came.identifier, went.identifier, from_score, to_score,
            place.id, place.exhibit, floor, x, y
        FROM event JOIN description ON description.id = event.description
            JOIN beacon ON beacon.id = description.beacon JOIN receiver ON receiver.id = event.receiver
            LEFT JOIN station AS near ON near.id = event.nearest
            LEFT JOIN station AS came ON came.id = event.change_from
            LEFT JOIN station AS went ON went.id = event.change_to
            LEFT JOIN place ON place.id = event.place
        """

    init(_ database: Database, facts: StoreFacts) throws(StoreError) {
        self.facts = facts
        after = try database.prepare(
            Self.columns + " WHERE seq > ? ORDER BY seq LIMIT ?", doing: "read events of \(database.path)")
        one = try database.prepare(Self.columns + " WHERE seq = ?", doing: "read an event of \(database.path)")
        regions = try database.prepare(
            """
            SELECT identifier, occupancy, edge, wake, cooldown_whole_region, cooldown_until_ns
            FROM event_region JOIN region ON region.id = event_region.region WHERE seq = ? ORDER BY position
            """, doing: "read the regions of an event")
    }

    /// Events with higher numbers, in order.
    func events(after seq: Int64, limit: Int) throws(StoreError) -> [CommittedEvent] {
        try after.add(seq).add(Int64(limit)).all { row throws(StoreError) in try read(row) }
    }

    /// The event with this number, nil where it is no longer kept.
    func event(_ seq: Int64) throws(StoreError) -> CommittedEvent? {
        try one.add(seq).first { row throws(StoreError) in try read(row) }
    }

    private func read(_ row: Statement) throws(StoreError) -> CommittedEvent {
        let seq = row.integer()
        let ordinal = UInt64(bitPattern: row.integer())
        let kind: RegionEvent.Kind = try row.word()
        let reason: RegionEvent.Reason = try row.word()
        let (at, atInstant) = (WallTime(microseconds: row.integer()), Instant(nanoseconds: row.integer()))
        let (detected, detectedInstant) = (WallTime(microseconds: row.integer()), Instant(nanoseconds: row.integer()))
        let isSynchronised = row.flag()
        let visit = UInt64(bitPattern: row.integer())
        let entered = Instant(nanoseconds: row.integer())
        let (endsVisit, uncertain) = (row.flag(), row.flag())
        let ofOrdinal = row.optionalInteger().map { UInt64(bitPattern: $0) }
        let of = row.optionalInteger()
        let evidence = try readEvidence(row)
        let settings = row.integer()
        let event = RegionEvent(
            ordinal: ordinal, kind: kind, reason: reason, at: atInstant, detectedAt: detectedInstant,
            beacon: try readBeacon(row), regions: try regions(of: seq), visit: visit, enteredAt: entered,
            endsVisit: endsVisit, uncertain: uncertain, evidence: evidence, of: ofOrdinal,
            nearest: row.optionalText(), change: readChange(row), place: readPlace(row))
        return CommittedEvent(
            seq: seq, id: facts.id(of: seq), event: event, at: at, detectedAt: detected,
            clockSynchronised: isSynchronised, source: facts.source, settings: settings, of: of)
    }

    private func readEvidence(_ row: Statement) throws(StoreError) -> Evidence {
        Evidence(
            hits: Int(row.integer()), rssi: row.optionalReal(), filteredRSSI: row.optionalReal(),
            tier: try row.optionalWord(), distance: try row.optionalWord(), receiver: try row.text(),
            listened: .nanoseconds(row.integer()))
    }

    private func readBeacon(_ row: Statement) throws(StoreError) -> BeaconDescription {
        BeaconDescription(
            identity: try row.identity(), name: row.optionalText(), exhibit: row.optionalText(),
            kind: try row.word(), group: row.optionalText(), registered: row.flag())
    }

    private func readChange(_ row: Statement) -> NearestChange? {
        let (from, to) = (row.optionalText(), row.optionalText())
        let (fromScore, toScore) = (row.optionalReal(), row.optionalReal())
        guard let from, let to else { return nil }
        return NearestChange(from: from, to: to, fromScore: fromScore, toScore: toScore)
    }

    private func readPlace(_ row: Statement) -> Place? {
        let isKnown = row.optionalInteger() != nil
        let place = Place(
            exhibit: row.optionalText(), floor: row.optionalText(), x: row.optionalReal(), y: row.optionalReal())
        return isKnown ? place : nil
    }

    private func regions(of seq: Int64) throws(StoreError) -> [RegionChange] {
        try regions.add(seq).all { row throws(StoreError) in
            var change = RegionChange(
                region: try row.text(), occupancy: Int(row.integer()), edge: row.flag(), wake: try row.optionalWord())
            let isWholeRegion = row.optionalInteger()
            if let isWholeRegion, let until = row.optionalInteger() {
                change.cooldown = .init(isWholeRegion: isWholeRegion != 0, until: Instant(nanoseconds: until))
            }
            return change
        }
    }
}

extension Statement {
    /// The next three columns: uuid, major, minor.
    func identity() throws(StoreError) -> BeaconIdentity {
        let text = try text()
        guard let uuid = BeaconUUID(text), let major = UInt16(exactly: integer()),
            let minor = UInt16(exactly: integer())
        else { throw damaged("the impossible beacon \(text)") }
        return BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }

    /// The same three, nil where they are null.
    func optionalIdentity() throws(StoreError) -> BeaconIdentity? {
        isNextNull ? nil : try identity()
    }
}

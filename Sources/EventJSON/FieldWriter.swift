// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import Time

/// What a `/v1/field` document holds at most.
public enum FieldLimit {
    /// Rows of beacons, 0.5 KB each: 1 MB a second is what a phone in a hall still takes. Further ones are counted in
    /// `omitted`: unregistered ones first, the faintest of them before the louder.
    public static let beacons = 2_000
}

/// The `/v1/field` document. Spans are seconds up to `asOf`, so that a phone with a wrong clock shows them rightly.
/// `Field.md` holds an example.
public enum FieldWriter {
    /// The document, in UTF-8.
    public static func json(_ report: FieldReport) -> [UInt8] {
        var writer = JSONWriter()
        write(report, into: &writer)
        return writer.bytes
    }

    /// Writes a report as an object, every key always there, null where unknown.
    public static func write(_ report: FieldReport, into writer: inout JSONWriter) {
        let field = report.field
        writer.beginObject()
        writer.member("asOf", report.asOf.rfc3339)
        writer.member("clock", EventWriter.clock(synchronised: report.anchor.synchronised))
        writer.member("gateway", report.gateway)
        writer.member("version", report.version)
        writer.member("source", report.source.rawValue)
        writer.member("sourceText", report.sourceText)
        writer.member("recording", report.recording)
        writer.member("uptimeSeconds", (field.asOf - report.startedAt).inSeconds, decimals: 0)
        writer.member("receiver", field.receiver)
        writer.member("listening", field.listening)
        writer.key("radio")
        if let radio = field.radios.first {
            writer.beginObject()
            write(radio.status, asOf: field.asOf, into: &writer)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.list("radios", field.radios) { radio, writer in
            writer.beginObject()
            writer.member("receiver", radio.receiver)
            writer.member("sourceText", radio.sourceText)
            write(radio.status, asOf: field.asOf, into: &writer)
            writer.endObject()
        }
        writer.list("trouble", report.trouble) { trouble, writer in
            writer.beginObject()
            writer.member("kind", trouble.kind.rawValue)
            writer.member("message", trouble.message)
            writer.member("remedy", trouble.remedy)
            writer.endObject()
        }
        writer.member("registered", field.registered)
        writer.member("registeredHeard", field.registeredHeard)
        writer.list("neverHeard", field.neverHeard) { name, writer in writer.string(name) }
        writer.key("lastWake")
        write(wake: report.lastWakeOfBox, asOf: report.asOf, into: &writer)
        writer.list("receivers", field.receivers) { row, writer in write(row, of: report, into: &writer) }
        writer.list("regions", field.regions, write)
        writer.list("beacons", field.beacons.prefix(FieldLimit.beacons)) { row, writer in
            write(row, of: report, into: &writer)
        }
        writer.member("omitted", max(0, field.beacons.count - FieldLimit.beacons))
        writer.member("forgotten", field.forgotten)
        writer.member("refused", field.refused)
        writer.key("settings")
        writer.beginObject()
        for setting in Setting.allCases {
            let value = field.settings[setting]
            if let flag = value.flatMap(setting.flag) {
                writer.member(setting.rawValue, flag)
            } else {
                writer.member(setting.rawValue, value)
            }
        }
        writer.endObject()
        writer.member("reports", field.reports)
        writer.member("withoutRSSI", field.withoutRSSI)
        writer.key("discards")
        writer.beginObject()
        for reason in Discard.allCases { writer.member(reason.name, field.discards[reason]) }
        writer.endObject()
        writer.endObject()
    }

    private static func write(_ radio: RadioStatus, asOf: Instant, into writer: inout JSONWriter) {
        writer.member("state", radio.state.rawValue)
        writer.member("message", radio.message)
        writer.member("remedy", radio.state.remedy)
        writer.member("adapter", radio.adapter)
        writer.member("sinceSeconds", max(.zero, asOf - radio.since).inSeconds, decimals: 1)
        writer.member("duty", radio.duty.rawValue)
        writer.member("delivered", radio.delivered)
        writer.member("lost", radio.lost)
        writer.member("restarts", radio.restarts)
        writer.member("resets", radio.resets)
        writer.member("taken", radio.taken)
        writer.member("filtered", radio.isFiltered)
    }

    private static func write(_ row: FieldState.ReceiverRow, of report: FieldReport, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", row.id)
        writer.member("name", row.name)
        writer.member("kind", row.kind.rawValue)
        writer.member("registered", row.registered)
        writer.member("listening", row.listening)
        writer.member("heardUntil", row.heardUntil.map { report.anchor.wallTime(at: $0).rfc3339 })
        writer.member("sightings", row.sightings)
        writer.member("nearest", row.nearest)
        writer.endObject()
    }

    private static func write(_ region: RegionState, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("region", region.region)
        writer.member("name", region.name)
        writer.member("state", region.isInside ? "inside" : "outside")
        writer.member("occupancy", region.occupancy)
        writer.member("verified", region.verified)
        writer.member("listening", region.listening)
        writer.member("capacity", region.capacity)
        writer.endObject()
    }

    private static func write(_ row: FieldState.BeaconRow, of report: FieldReport, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("beacon")
        EventWriter.write(row.beacon, into: &writer)
        writer.member("address", row.advertiser?.description)
        writer.member("rssi", row.rssi, decimals: 1)
        writer.member("filteredRSSI", row.filteredRSSI, decimals: 1)
        writer.member("tier", row.tier?.rawValue)
        writer.member("distance", row.distance?.rawValue)
        writer.member("measuredPower", row.measuredPower)
        writer.member("implausiblePower", row.implausiblePower)
        writer.member("lastHeardSeconds", max(0, (report.field.asOf - row.lastHeard).inSeconds), decimals: 1)
        writer.member("sightings", row.sightings)
        write(row.state, asOf: report.field.asOf, into: &writer)
        writer.member("missing", row.missing)
        writer.member("nearest", row.nearest)
        writer.member("severalAdvertisers", row.severalAdvertisers)
        writer.member("hint", row.hint)
        writer.key("lastWake")
        write(wake: report.lastWakes[row.beacon.identity], asOf: report.asOf, into: &writer)
        writer.endObject()
    }

    /// The state's name, and beside it what only some states have.
    private static func write(_ state: FieldState.State, asOf: Instant, into writer: inout JSONWriter) {
        var (hits, hitsNeeded): (Int?, Int?)
        var insideSeconds: Double?
        var isVerified: Bool?
        let name: String
        switch state {
        case .unregistered: name = "unregistered"
        case .healthy: name = "healthy"
        case .missing: name = "missing"
        case .outside: name = "outside"
        case .entering(let count, let of):
            name = "entering"
            (hits, hitsNeeded) = (count, of)
        case .inside(let since, let verified):
            name = "inside"
            insideSeconds = max(0, (asOf - since).inSeconds)
            isVerified = verified
        }
        writer.member("state", name)
        writer.member("hits", hits)
        writer.member("hitsNeeded", hitsNeeded)
        writer.member("insideSeconds", insideSeconds, decimals: 1)
        writer.member("verified", isVerified)
    }

    /// What a told event was: who came or went, where it was told, and how long ago it was decided.
    private static func write(wake committed: CommittedEvent?, asOf: WallTime, into writer: inout JSONWriter) {
        guard let committed else { return writer.null() }
        let event = committed.event
        writer.beginObject()
        writer.member("seq", committed.seq)
        // A wake event tells an exit that waited.
        writer.member("direction", event.kind == .enter ? "enter" : "exit")
        writer.member("ageSeconds", max(0, (asOf - committed.detectedAt).inSeconds), decimals: 1)
        writer.list("regions", event.regions.lazy.filter { $0.wake == .told }) { change, writer in
            writer.string(change.region)
        }
        writer.key("beacon")
        EventWriter.write(event.beacon, into: &writer)
        writer.endObject()
    }
}

extension FieldReport {
    /// When the field was taken.
    fileprivate var asOf: WallTime { anchor.wallTime(at: field.asOf) }
}

extension JSONWriter {
    /// A member that is an array.
    fileprivate mutating func list<Items: Sequence>(
        _ key: String, _ items: Items, _ write: (Items.Element, inout JSONWriter) -> Void
    ) {
        self.key(key)
        beginArray()
        for item in items { write(item, &self) }
        endArray()
    }
}

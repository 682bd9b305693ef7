// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import Time

/// An event as JSON: the one shape that store, `--json` and stream share. `Events.md` holds an example of each type.
public enum EventWriter {
    /// Writes one event as an object, every key always there and in the same order, null where unknown.
    /// Some stand on events of one type only: `from`, `to` and their scores on `nearest`, `of` on `wake`.
    public static func write(_ committed: CommittedEvent, into writer: inout JSONWriter) {
        let event = committed.event
        writer.beginObject()
        writer.member("seq", committed.seq)
        writer.member("id", committed.id)
        writer.member("type", event.kind.rawValue)
        writer.member("reason", event.reason.rawValue)
        writer.member("source", committed.source.rawValue)
        writer.member("at", committed.at.rfc3339)
        writer.member("detectedAt", committed.detectedAt.rfc3339)
        writer.member("clock", clock(synchronised: committed.clockSynchronised))
        writer.key("beacon")
        write(event.beacon, into: &writer)
        writer.key("regions")
        writer.beginArray()
        for change in event.regions { write(change, into: &writer) }
        writer.endArray()
        writer.member("nearest", event.nearest)
        writer.member("exhibit", event.place?.exhibit)
        writer.member("floor", event.place?.floor)
        writer.member("x", event.place?.x, decimals: 3)
        writer.member("y", event.place?.y, decimals: 3)
        writer.member("visit", event.visit)
        writer.member("dwellSeconds", event.dwell?.inSeconds, decimals: 3)
        writer.member("uncertain", event.uncertain)
        writer.key("evidence")
        write(event.evidence, into: &writer)
        writer.member("settings", committed.settings)
        switch event.kind {
        case .enter, .exit: break
        case .nearest: write(event.change, into: &writer)
        case .wake: writer.member("of", committed.of)
        }
        writer.endObject()
    }

    /// One event on one line, without the line's end.
    public static func json(_ committed: CommittedEvent) -> String {
        var writer = JSONWriter()
        write(committed, into: &writer)
        return writer.text
    }

    static func clock(synchronised: Bool) -> String { synchronised ? "synchronised" : "unsynchronised" }

    static func write(_ beacon: BeaconDescription, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("uuid", beacon.identity.uuid.description)
        writer.member("major", beacon.identity.major)
        writer.member("minor", beacon.identity.minor)
        writer.member("name", beacon.name)
        writer.member("exhibit", beacon.exhibit)
        writer.member("kind", beacon.kind.rawValue)
        writer.member("group", beacon.group)
        writer.member("registered", beacon.registered)
        writer.endObject()
    }

    private static func write(_ change: RegionChange, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("region", change.region)
        writer.member("occupancy", change.occupancy)
        writer.member("edge", change.edge)
        writer.member("wake", change.wake?.rawValue)
        writer.endObject()
    }

    /// Members of the event itself.
    private static func write(_ change: NearestChange?, into writer: inout JSONWriter) {
        writer.member("from", change?.from)
        writer.member("to", change?.to)
        writer.member("fromScore", change?.fromScore, decimals: 1)
        writer.member("toScore", change?.toScore, decimals: 1)
    }

    private static func write(_ evidence: Evidence, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("hits", evidence.hits)
        writer.member("rssi", evidence.rssi, decimals: 1)
        writer.member("filteredRSSI", evidence.filteredRSSI, decimals: 1)
        writer.member("tier", evidence.tier?.rawValue)
        writer.member("distance", evidence.distance?.rawValue)
        writer.member("receiver", evidence.receiver)
        writer.member("listenedSeconds", evidence.listened.inSeconds, decimals: 3)
        writer.endObject()
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore

/// What `decode` prints.
extension DecodeAnswer {
    /// One JSON object:
    ///
    /// ```json
    /// {"line":1,"cut":"hci","sightings":[{"kind":"iBeacon","uuid":"A1B2C3D4-E5F6-4708-8910-1112131415AB","major":7,
    ///  "minor":258,"measuredPower":-59,"rssi":-65,"address":"C0:FF:EE:00:00:01"}],"discards":["truncated"]}
    /// {"line":3,"error":"line 3, column 7: \"g\" is no hex digit"}
    /// ```
    ///
    /// `rssi` and `address` are null where the input has none.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("line", line)
        switch outcome {
        case .fault(let message): writer.member("error", message)
        case .row(let row):
            writer.member("cut", row.cut.rawValue)
            writer.key("sightings")
            writer.beginArray()
            for sighting in row.sightings { sighting.writeDecoded(to: &writer) }
            writer.endArray()
            writer.key("discards")
            writer.beginArray()
            for discard in row.discards { writer.string(discard.name) }
            writer.endArray()
        }
        writer.endObject()
    }

    /// For people: a line for each sighting and one for what was discarded, as
    /// `1  iBeacon A1B2C3D4-E5F6-4708-8910-1112131415AB/7/258  power -59  rssi -65  C0:FF:EE:00:00:01  (hci)`.
    public var text: String {
        switch outcome {
        case .fault(let message): return "\(line)  error: \(message)"
        case .row(let row):
            var lines = row.sightings.map(\.decodedText)
            if !row.discards.isEmpty {
                let names = row.discards.map(\.name).joined(separator: ", ")
                lines.append(row.sightings.isEmpty ? "no beacon: \(names)" : "discarded: \(names)")
            }
            return lines.map { "\(line)  \($0)  (\(row.cut.rawValue))" }.joined(separator: "\n")
        }
    }
}

extension Sighting {
    private var knownRSSI: Int8? { rssi == Sighting.noRSSI ? nil : rssi }

    fileprivate func writeDecoded(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("kind", "iBeacon")
        writer.member("uuid", beacon.uuid.description)
        writer.member("major", beacon.major)
        writer.member("minor", beacon.minor)
        writer.member("measuredPower", measuredPower)
        writer.member("rssi", knownRSSI)
        writer.member("address", advertiser?.description)
        writer.endObject()
    }

    fileprivate var decodedText: String {
        var parts = ["iBeacon \(beacon)"]
        if let measuredPower { parts.append("power \(measuredPower)") }
        if let knownRSSI { parts.append("rssi \(knownRSSI)") }
        if let advertiser { parts.append("\(advertiser)") }
        return parts.joined(separator: "  ")
    }
}

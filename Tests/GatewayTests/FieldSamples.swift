// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

@testable import Gateway

/// Field documents as tests want them.
enum FieldSamples {
    static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

    static func identity(_ minor: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: BeaconUUID(uuid) ?? BeaconUUID(high: 0, low: 0), major: 1001, minor: minor)
    }

    /// One beacon of a document.
    static func row(
        _ minor: UInt16, name: String? = nil, rssi: Double? = -67, uuid: String = uuid, sightings: Int = 9,
        state: String = "outside", missing: String? = "2 of 3 hits in 10 s", registered: Bool = true,
        nearest: String? = nil, several: Bool = false
    ) -> String {
        let name = name.map { "\"\($0)\"" } ?? "null"
        let level = rssi.map { "\($0)" } ?? "null"
        return """
            {"beacon":{"uuid":"\(uuid)","major":1001,"minor":\(minor),"name":\(name),"exhibit":null,
            "registered":\(registered)},"address":"C0:FF:EE:00:00:01","rssi":\(level),"filteredRSSI":\(level),
            "tier":"mid","distance":"2–5 m","measuredPower":-59,"implausiblePower":false,"lastHeardSeconds":0.4,
            "sightings":\(sightings),"state":"\(state)","insideSeconds":null,"verified":null,
            "missing":\(missing.map { "\"\($0)\"" } ?? "null"),
            "nearest":\(nearest.map { "\"\($0)\"" } ?? "null"),"severalAdvertisers":\(several)}
            """
    }

    /// A document with these rows.
    static func document(
        _ rows: [String], source: String = "radio", radio: String? = nil, trouble: String = "",
        never: String = "\"序厅主展项\"", receivers: String = #"{"id":"gate","name":null,"listening":true}"#
    ) -> FieldDocument? {
        FieldDocument(
            Array(
                """
                {"gateway":"box-1","source":"\(source)","sourceText":"hci:0","version":"1","receiver":"gate",
                "listening":true,"uptimeSeconds":7260,"radios":[\(radio ?? "")],"trouble":[\(trouble)],"registered":100,
                "registeredHeard":97,"neverHeard":[\(never)],"receivers":[\(receivers)],"beacons":[\(rows.joined(separator: ","))],"omitted":0}
                """.utf8))
    }
}

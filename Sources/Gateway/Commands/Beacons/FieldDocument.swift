// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore

/// A `/v1/field` document as `regiond beacons` reads it, from a running gateway or from its own listening alike.
///
/// Every text in it may come from a stranger: it is made visible here, before anything can print it.
struct FieldDocument: Equatable {
    var gateway: String
    /// nil: a kind that this version does not know.
    var source: SourceKind?
    /// As the source was written; not made visible, to be compared.
    var sourceText: String
    var version: String
    var receiver: String
    var listening: Bool
    var uptimeSeconds: Double
    /// One for each receiver with a live radio.
    var radios: [Radio]
    /// Sentences that say what is wrong and what to do.
    var trouble: [String]
    var registered: Int
    var registeredHeard: Int
    var neverHeard: [String]
    /// Who hears, by name.
    var receivers: [Receiver]
    var beacons: [Row]
    /// Beacons beyond what a document holds.
    var omitted: Int

    /// How a live radio stands.
    struct Radio: Equatable {
        var state: String
        var message: String
        var remedy: String
        var adapter: String?
        /// Whose it is.
        var receiver: String
        /// Its source as it was written; not made visible, to be compared.
        var sourceText: String
    }

    /// One receiver.
    struct Receiver: Equatable {
        var name: String
        var listening: Bool
    }

    /// One beacon.
    struct Row: Equatable {
        var identity: BeaconIdentity
        /// Its name, or the exhibit it stands for.
        var name: String?
        var isRegistered: Bool
        var address: String?
        /// dBm; nil: the adapter gave none.
        var rssi: Double?
        var filteredRSSI: Double?
        var tier: String?
        var distance: String?
        var measuredPower: Int?
        var implausiblePower: Bool
        var lastHeardSeconds: Double
        var sightings: Int64
        var state: String
        var insideSeconds: Double?
        var isVerified: Bool?
        /// What it lacks to enter, in words.
        var missing: String?
        /// The station that is nearest to it.
        var nearest: String?
        /// Whether several devices call themselves this beacon.
        var severalAdvertisers: Bool

        /// The name; without one `major/minor`.
        var title: String { name ?? "\(identity.major)/\(identity.minor)" }
    }

    /// Whether this source is what it listens to, where these adapters are there.
    func isOf(_ named: SourceText, among adapters: [Adapter]) -> Bool {
        sourceText == named.text
            || radios.contains {
                RadioInUse(sourceText: $0.sourceText, adapter: $0.adapter).isMeant(by: named, among: adapters)
            }
    }

    /// Reads a document; nil: it is none. Rows that name no beacon are passed over.
    init?(_ bytes: [UInt8]) {
        guard let root = try? JSONReader.read(bytes), let gateway = root.text("gateway"),
            let rows = root["beacons"]?.arrayValue
        else { return nil }
        self.gateway = gateway
        source = root["source"]?.stringValue.flatMap(SourceKind.init(rawValue:))
        sourceText = root["sourceText"]?.stringValue ?? ""
        version = root.text("version") ?? "?"
        receiver = root.text("receiver") ?? "?"
        listening = root["listening"]?.boolValue ?? false
        uptimeSeconds = root["uptimeSeconds"]?.doubleValue ?? 0
        radios = (root["radios"]?.arrayValue ?? []).compactMap(Radio.init)
        trouble = (root["trouble"]?.arrayValue ?? []).map { trouble in
            [trouble.text("message"), trouble.text("remedy")].compactMap(\.self).joined(separator: " ")
        }
        registered = root.count("registered")
        registeredHeard = root.count("registeredHeard")
        neverHeard = (root["neverHeard"]?.arrayValue ?? []).compactMap { $0.stringValue?.shown }
        receivers = (root["receivers"]?.arrayValue ?? []).compactMap(Receiver.init)
        beacons = rows.compactMap(Row.init)
        omitted = root.count("omitted")
    }
}

extension FieldDocument.Radio {
    fileprivate init?(_ node: JSONNode) {
        guard let state = node.text("state") else { return nil }
        self.state = state
        message = node.text("message") ?? ""
        remedy = node.text("remedy") ?? ""
        adapter = node.text("adapter")
        receiver = node.text("receiver") ?? "?"
        sourceText = node["sourceText"]?.stringValue ?? ""
    }
}

extension FieldDocument.Receiver {
    fileprivate init?(_ node: JSONNode) {
        guard let id = node.text("id") else { return nil }
        name = node.text("name") ?? id
        listening = node["listening"]?.boolValue ?? false
    }
}

extension FieldDocument.Row {
    fileprivate init?(_ node: JSONNode) {
        guard let beacon = node["beacon"], let uuid = beacon["uuid"]?.stringValue.flatMap({ BeaconUUID($0) }),
            let major = beacon["major"]?.integerValue.flatMap(UInt16.init(exactly:)),
            let minor = beacon["minor"]?.integerValue.flatMap(UInt16.init(exactly:))
        else { return nil }
        identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
        let names = [beacon.text("name"), beacon.text("exhibit")]
        name = names.compactMap(\.self).first { !$0.isEmpty }
        isRegistered = beacon["registered"]?.boolValue ?? false
        address = node.text("address")
        rssi = node["rssi"]?.doubleValue
        filteredRSSI = node["filteredRSSI"]?.doubleValue
        tier = node.text("tier")
        distance = node.text("distance")
        measuredPower = node["measuredPower"]?.integerValue.flatMap(Int.init(exactly:))
        implausiblePower = node["implausiblePower"]?.boolValue ?? false
        lastHeardSeconds = node["lastHeardSeconds"]?.doubleValue ?? 0
        sightings = max(0, node["sightings"]?.integerValue ?? 0)
        state = node.text("state") ?? "?"
        insideSeconds = node["insideSeconds"]?.doubleValue
        isVerified = node["verified"]?.boolValue
        missing = node.text("missing")
        nearest = node.text("nearest")
        severalAdvertisers = node["severalAdvertisers"]?.boolValue ?? false
    }
}

extension JSONNode {
    /// A text, made visible.
    fileprivate func text(_ key: String) -> String? { self[key]?.stringValue?.shown }

    /// A number of things.
    fileprivate func count(_ key: String) -> Int { Int(clamping: max(0, self[key]?.integerValue ?? 0)) }
}

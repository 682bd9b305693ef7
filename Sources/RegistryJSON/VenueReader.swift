// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore

/// What numbers and texts may be. Generous: they keep slips and hostile files out, and judge nobody's hall.
enum RegistryLimit {
    /// A name is stored and sent with each event of its beacon.
    static let textBytes = 1_024
    /// Metres; public registries hold pixels and survey grids too.
    static let coordinate: ClosedRange<Double> = -1_000_000...1_000_000
    /// dBm at 1 m as measured on site. 0 is what registries hold where nobody measured: null says so.
    static let calibratedPower: ClosedRange<Int8> = -127...(-1)
    /// dB between two receivers; more is a broken antenna.
    static let rssiOffset: ClosedRange<Double> = -60...60
    /// People.
    static let capacity = 0...1_000_000
}

/// The keys of each object of the file, as the schema lists them.
enum RegistryKeys {
    static let venue = ["venueId", "beacons", "regions", "receivers", "settings", "shadow"]
    static let beacon = [
        "uuid", "major", "minor", "minors", "name", "id", "kind", "group", "floor", "x", "y", "txPower", "canary",
    ]
    static let region = [
        "identifier", "name", "uuid", "major", "minor", "receivers", "unregistered", "wake", "notifyOnEntry",
        "notifyOnExit", "notifyEntryStateOnDisplay", "capacity", "settings",
    ]
    static let receiver = ["id", "name", "kind", "floor", "x", "y", "rssiOffset", "group"]
    /// The settings of a second rule of the nearest receiver.
    static let shadow: [Setting] = [.margin, .leadEvidence]
}

/// One reading of one file: makes a `Venue` of a JSON tree and notes every fault.
struct VenueReader {
    var faults = FaultList()

    /// The venue as far as it could be read; of use only where no fault was noted.
    mutating func venue(_ root: JSONNode) -> Venue? {
        guard let fields = fields(root, of: "a registry", keys: RegistryKeys.venue) else { return nil }
        let venueId = requiredText("venueId", in: fields)
        let beacons = required("beacons", in: fields).map { elements($0, named: "beacons") } ?? []
        let regions = fields["regions"].map { elements($0, named: "regions") }
        let receivers = fields["receivers"].map { elements($0, named: "receivers") } ?? []
        let settings = settings(in: fields)
        let shadow = shadow(in: fields)

        let beaconEntries = Entries(beacons) { beacon($0) }
        let regionEntries = regions.map { Entries($0) { region($0) } }
        let receiverEntries = Entries(receivers) { receiver($0) }
        // Empty stands in for a venueId that is missing or no text, which is noted: the other rules are judged still.
        let venue = Venue(
            venueId: venueId ?? "", beacons: beaconEntries.read, regions: regionEntries?.read,
            receivers: receiverEntries.read, settings: settings, shadow: shadow)
        let places = VenuePlaces(
            root: root, beacons: beaconEntries.nodes, regions: regionEntries?.nodes ?? [],
            receivers: receiverEntries.nodes)
        for fault in VenueRules.faults(in: venue) {
            if venueId == nil, fault.place == .venue(.venueId) { continue }
            // Whether names hold the UUID depends on all beacons: with some unread this would be a guess.
            if case .derivedIdentifierTaken = fault.problem, beaconEntries.read.count < beacons.count { continue }
            // One that could not be read may be the one that is missed.
            if case .unknownReceiver = fault.problem, receiverEntries.read.count < receivers.count { continue }
            faults.add(fault.message, at: places[fault.place], other: fault.other.map { places[$0] })
        }
        return venue
    }

    mutating func settings(in fields: Fields) -> SettingOverrides {
        fields["settings"].map { overrides($0, of: "the settings", among: Setting.allCases) } ?? SettingOverrides()
    }

    /// A second rule of the nearest receiver; what it leaves out is at its default, whatever the venue sets.
    private mutating func shadow(in fields: Fields) -> NearestRule? {
        guard let node = fields["shadow"] else { return nil }
        let values = overrides(node, of: "the shadow", among: RegistryKeys.shadow).inForce
        guard let margin = values[.margin], let leadEvidence = values[.leadEvidence] else { return nil }
        return NearestRule(margin: margin, leadEvidence: leadEvidence)
    }

    private mutating func overrides(_ node: JSONNode, of what: String, among settings: [Setting]) -> SettingOverrides {
        var overrides = SettingOverrides()
        guard let fields = fields(node, of: what, keys: settings.map(\.rawValue)) else { return overrides }
        for setting in settings {
            guard let node = fields[setting.rawValue] else { continue }
            guard let value = setting.value(of: node) else {
                faults.add("\"\(setting.rawValue)\" is \(setting.expected), not \(node.kindName)", at: node.offset)
                continue
            }
            if let refusal = setting.refusal(of: value) { faults.add(refusal, at: node.offset) }
            overrides[setting] = value
        }
        return overrides
    }
}

/// The entries of an array that could be read, and where each of them stands.
private struct Entries<Entry> {
    var read: [Entry] = []
    var nodes: [JSONNode] = []

    init(_ elements: [JSONNode], reading: (JSONNode) -> Entry?) {
        for element in elements {
            guard let entry = reading(element) else { continue }
            read.append(entry)
            nodes.append(element)
        }
    }
}

/// Where in the file the fields of a `Venue` stand.
private struct VenuePlaces {
    let root: JSONNode
    let beacons: [JSONNode]
    let regions: [JSONNode]
    let receivers: [JSONNode]

    /// The offset of a field's value, or of the entry that lacks it.
    subscript(place: VenuePlace) -> Int {
        switch place {
        case .venue(let field): offset(of: field, in: root)
        case .beacon(let index, let field): offset(of: field, in: beacons[index])
        case .region(let index, let field): offset(of: field, in: regions[index])
        case .receiver(let index, let field): offset(of: field, in: receivers[index])
        case .receiverOfRegion(let index, let number):
            regions[index]["receivers"]?.arrayValue?[number].offset ?? regions[index].offset
        }
    }

    private func offset(of field: VenueField, in node: JSONNode) -> Int {
        let value =
            switch field {
            case .enterRSSI, .exitRSSI, .relativeRSSI, .belowLoudest: node["settings"]?[field.rawValue]
            case .venueId, .beacons, .receivers, .uuid, .major, .minor, .minors, .id, .identifier, .kind, .canary,
                .group, .unregistered:
                node[field.rawValue]
            }
        return (value ?? node).offset
    }
}

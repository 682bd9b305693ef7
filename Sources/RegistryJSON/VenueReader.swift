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
    static let venue = ["venueId", "beacons", "regions", "receivers", "settings"]
    static let beacon = [
        "uuid", "major", "minor", "minors", "name", "id", "kind", "group", "floor", "x", "y", "txPower", "canary",
    ]
    static let region = [
        "identifier", "name", "uuid", "major", "minor", "wake", "notifyOnEntry", "notifyOnExit",
        "notifyEntryStateOnDisplay", "capacity", "settings",
    ]
    static let receiver = ["id", "name", "kind", "floor", "x", "y", "rssiOffset"]
    static let settings = Setting.allCases.map(\.rawValue)
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

        let beaconEntries = Entries(beacons) { beacon($0) }
        let regionEntries = regions.map { Entries($0) { region($0) } }
        let receiverEntries = Entries(receivers) { receiver($0) }
        // Empty stands in for a venueId that is missing or no text, which is noted: the other rules are judged still.
        let venue = Venue(
            venueId: venueId ?? "", beacons: beaconEntries.read, regions: regionEntries?.read,
            receivers: receiverEntries.read, settings: settings)
        let places = VenuePlaces(
            root: root, beacons: beaconEntries.nodes, regions: regionEntries?.nodes ?? [],
            receivers: receiverEntries.nodes)
        for fault in VenueRules.faults(in: venue) {
            if venueId == nil, fault.place == .venue(.venueId) { continue }
            // Whether names hold the UUID depends on all beacons: with some unread this would be a guess.
            if case .derivedIdentifierTaken = fault.problem, beaconEntries.read.count < beacons.count { continue }
            faults.add(fault.message, at: places[fault.place], other: fault.other.map { places[$0] })
        }
        return venue
    }

    mutating func settings(in fields: Fields) -> SettingOverrides {
        var overrides = SettingOverrides()
        guard let node = fields["settings"],
            let settings = self.fields(node, of: "the settings", keys: RegistryKeys.settings)
        else { return overrides }
        for setting in Setting.allCases {
            guard let node = settings[setting.rawValue] else { continue }
            guard let value = node.doubleValue else {
                faults.add("\"\(setting.rawValue)\" is a number, not \(node.kindName)", at: node.offset)
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
        let (node, field) =
            switch place {
            case .venue(let field): (root, field)
            case .beacon(let index, let field): (beacons[index], field)
            case .region(let index, let field): (regions[index], field)
            case .receiver(let index, let field): (receivers[index], field)
            }
        let value =
            switch field {
            case .enterRSSI, .exitRSSI: node["settings"]?[field.rawValue]
            case .venueId, .beacons, .receivers, .uuid, .major, .minor, .minors, .id, .identifier, .kind, .canary,
                .group:
                node[field.rawValue]
            }
        return (value ?? node).offset
    }
}

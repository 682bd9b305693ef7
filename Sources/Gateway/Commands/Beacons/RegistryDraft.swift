// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import RegistryJSON

/// A registry of what was heard over a time: a beginning for a file that somebody will go on with.
struct RegistryDraft {
    /// Fewer sightings are passers-by and bit errors.
    static let fewest: Int64 = 3
    /// To be replaced by whoever takes the draft.
    static let venueId = "draft"

    /// Only beacons of this UUID; nil: all.
    let uuid: BeaconUUID?
    private var sightings: [BeaconIdentity: Int64] = [:]
    /// The counts of the document before; nil: there was none, and what was counted before is not of our time.
    private var counted: [BeaconIdentity: Int64]?
    /// Beacons that the last document had no room for.
    private(set) var omitted = 0

    /// A draft of nothing yet. `fromStart`: the first document counts, too.
    init(uuid: BeaconUUID?, fromStart: Bool) {
        self.uuid = uuid
        counted = fromStart ? [:] : nil
    }

    /// Counts what was heard since the document before.
    mutating func add(_ document: FieldDocument) {
        omitted = document.omitted
        var now = counted ?? [:]
        for row in document.beacons {
            let before = now.updateValue(row.sightings, forKey: row.identity) ?? 0
            guard counted != nil else { continue }
            // Fewer than before: the gateway was started anew, or had forgotten it meanwhile.
            let more = row.sightings >= before ? row.sightings - before : row.sightings
            if more > 0 { sightings[row.identity, default: 0] += more }
        }
        counted = now
    }

    /// Identities heard, of any UUID.
    var heard: Int { sightings.count }
    /// UUIDs heard, in order.
    var uuids: [BeaconUUID] { Set(sightings.keys.map(\.uuid)).sorted() }
    /// Left out because of `uuid`.
    var ofOthers: Int { sightings.keys.count { !isWanted($0) } }
    /// Left out because they were heard too seldom.
    var tooSeldom: Int { sightings.count { isWanted($0.key) && $0.value < Self.fewest } }

    /// What goes into the registry, in order.
    var identities: [BeaconIdentity] {
        sightings.filter { isWanted($0.key) && $0.value >= Self.fewest }.keys.sorted()
    }

    private func isWanted(_ identity: BeaconIdentity) -> Bool { uuid.map { $0 == identity.uuid } ?? true }

    /// The registry file, an entry a line: it is to be edited.
    var text: String {
        let entries = identities.map { BeaconEntry(uuid: $0.uuid, major: $0.major, minors: $0.minor...$0.minor) }
        // No text in it holds braces: the venue's name is ours, and all else are numbers.
        return RegistryWriter.text(of: Venue(venueId: Self.venueId, beacons: entries))
            .replacing("[{", with: "[\n{").replacing("},{", with: "},\n{").replacing("}]", with: "}\n]")
    }

    /// What a person should know of it.
    var account: String {
        var left: [String] = []
        if tooSeldom > 0 { left.append("\(tooSeldom) with fewer than \(Self.fewest) sightings") }
        if ofOthers > 0 { left.append("\(ofOthers) of other UUIDs") }
        let count = left.isEmpty ? "none left out" : "left out: \(left.joined(separator: ", "))"
        return "\(heard) beacons heard, \(identities.count) written, \(count)."
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import Time

/// What one line of a truth file says: where a beacon really was, and when.
///
/// ```json
/// {"from":12.0,"to":85.5,"beacon":"A1B2C3D4-E5F6-4708-8910-1112131415AB/7/258","region":"room-201"}
/// {"from":"2026-11-30T09:00:12Z","beacon":"A1B2C3D4-E5F6-4708-8910-1112131415AB/7/258","nearest":"Room201"}
/// ```
struct TruthLine: Equatable {
    /// When, on whichever clock it was written down by.
    enum Moment: Equatable {
        /// Seconds since the recording's start.
        case sinceStart(Duration)
        /// RFC 3339.
        case calendar(WallTime)
    }

    /// Where.
    enum Place: Hashable {
        /// In this region.
        case region(String)
        /// Nearest to this receiver, or to this group of them.
        case nearest(String)
        /// `null`: in no region, and nearest to nothing.
        case nowhere
    }

    /// From when on.
    let from: Moment
    /// Until when; nil: until the beacon's next line.
    let to: Moment?
    /// Who.
    let beacon: BeaconIdentity
    /// Where.
    let place: Place
    /// The byte offsets of beacon and place, for whoever finds that there are none such.
    let beaconOffset, placeOffset: Int

    /// Reads a line; the fault's position counts within it.
    init(_ bytes: [UInt8]) throws(JSONFault) {
        let reader = TruthReader(bytes)
        let fields = try reader.fields(allowing: ["from", "to", "beacon", "region", "nearest"])
        guard let from = fields.from else {
            throw reader.fault(0, "\"from\" is missing: seconds since the start, or an RFC 3339 time")
        }
        if let to = fields.to, !Self.comes(from, before: to) {
            throw reader.fault(fields.toOffset, "\"to\" is later than \"from\", and tells the time the same way")
        }
        (self.from, to) = (from, fields.to)
        (beacon, beaconOffset, place, placeOffset) = try reader.stay(fields)
    }

    /// Whether a stay of these two ends lasts.
    private static func comes(_ from: Moment, before to: Moment) -> Bool {
        switch (from, to) {
        case (.sinceStart(let from), .sinceStart(let to)): from < to
        case (.calendar(let from), .calendar(let to)): from < to
        case (.sinceStart, .calendar), (.calendar, .sinceStart): false
        }
    }
}

/// Where a beacon is from now on: what somebody who stands beside it says.
struct Mark: Equatable {
    /// Who.
    let beacon: BeaconIdentity
    /// Where.
    let place: TruthLine.Place

    /// Reads `{"beacon":"UUID/7/258","region":"room-201"}`, or with `nearest`, or with null for nowhere.
    init(_ bytes: [UInt8]) throws(JSONFault) {
        let reader = TruthReader(bytes)
        let fields = try reader.fields(allowing: ["beacon", "region", "nearest"])
        (beacon, _, place, _) = try reader.stay(fields)
    }

    /// The truth line that says so, without its end.
    func line(from time: WallTime) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("from", time.rfc3339)
        writer.member("beacon", beacon.description)
        switch place {
        case .region(let region): writer.member("region", region)
        case .nearest(let receiver): writer.member("nearest", receiver)
        case .nowhere: writer.member("region", String?.none)
        }
        writer.endObject()
        return writer.bytes
    }
}

/// Reads the members that lines and marks have in common, each into its exact type.
private struct TruthReader {
    /// What the members said, before it is judged as a whole.
    struct Fields {
        var from, to: TruthLine.Moment?
        var toOffset = 0
        var beacon: (identity: BeaconIdentity, offset: Int)?
        var place: (place: TruthLine.Place, offset: Int)?
    }

    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func fault(_ offset: Int, _ message: String) -> JSONFault {
        JSONFault(message: message, position: JSONReader.position(of: offset, in: bytes))
    }

    func fields(allowing keys: [String]) throws(JSONFault) -> Fields {
        let node = try JSONReader.read(bytes)
        guard let members = node.objectValue else {
            throw fault(node.offset, "this is one object, not \(node.kindName)")
        }
        var fields = Fields()
        for member in members {
            guard keys.contains(member.key) else {
                let known = keys.joined(separator: ", ")
                throw fault(
                    member.keyOffset, "the key \(member.key.quotedExcerpt) is not known: there may be \(known)")
            }
            try read(member, into: &fields)
        }
        return fields
    }

    func stay(
        _ fields: Fields
    ) throws(JSONFault) -> (BeaconIdentity, beaconOffset: Int, TruthLine.Place, placeOffset: Int) {
        guard let beacon = fields.beacon else { throw fault(0, "\"beacon\" is missing: UUID/major/minor") }
        guard let place = fields.place else {
            throw fault(0, "\"region\" or \"nearest\" is missing; null says that it is nowhere")
        }
        return (beacon.identity, beacon.offset, place.place, place.offset)
    }

    private func read(_ member: JSONMember, into fields: inout Fields) throws(JSONFault) {
        let node = member.value
        switch member.key {
        case "from": fields.from = try moment(node)
        case "to": (fields.to, fields.toOffset) = (try moment(node), node.offset)
        case "beacon":
            guard let identity = node.stringValue.flatMap(BeaconIdentity.init(text:)) else {
                throw fault(node.offset, "\"beacon\" is UUID/major/minor")
            }
            fields.beacon = (identity, node.offset)
        default:
            guard fields.place == nil else {
                throw fault(member.keyOffset, "a beacon is in one place: \"region\" or \"nearest\", not both")
            }
            fields.place = (try place(node, isRegion: member.key == "region"), node.offset)
        }
    }

    private func moment(_ node: JSONNode) throws(JSONFault) -> TruthLine.Moment {
        // A century, as for the lines of a capture: beyond it is a mistake.
        if let seconds = node.doubleValue, (0...3_155_760_000).contains(seconds) {
            return .sinceStart(.seconds(decimal: seconds))
        }
        guard let time = node.stringValue.flatMap({ WallTime(rfc3339: $0) }) else {
            throw fault(
                node.offset, "a time is seconds since the recording's start, or RFC 3339 as \"2026-11-30T09:00:01.25Z\""
            )
        }
        return .calendar(time)
    }

    private func place(_ node: JSONNode, isRegion: Bool) throws(JSONFault) -> TruthLine.Place {
        if node.isNull { return .nowhere }
        guard let identifier = node.stringValue, !identifier.isEmpty else {
            throw fault(node.offset, "a place is an identifier, or null for nowhere")
        }
        return isRegion ? .region(identifier) : .nearest(identifier)
    }
}

extension BeaconIdentity {
    /// Reads `UUID/major/minor`, as `description` writes it; nil for anything else.
    init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let uuid = BeaconUUID(parts[0]), let major = UInt16(parts[1]),
            let minor = UInt16(parts[2])
        else { return nil }
        self.init(uuid: uuid, major: major, minor: minor)
    }
}

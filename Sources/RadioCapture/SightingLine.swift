// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import Time

/// What one line of NDJSON says: a beacon was heard, a receiver ceased or began to hear, or time passed.
struct SightingLine: Equatable {
    /// When, on whichever clock the file was written by.
    enum Moment: Equatable {
        /// `t`: seconds since the start.
        case sinceStart(Duration)
        /// `time`: an RFC 3339 instant.
        case calendar(WallTime)
    }

    /// The longest span that `t` may name, and two lines may lie apart: a century, beyond which it is a mistake.
    static let longestSpan = Duration.seconds(36_525 * 86_400)
    /// Bytes of a receiver's identifier, as in the registry.
    static let receiverBytes = 1...64

    let moment: Moment
    let receiver: String?
    let input: SourceInput

    /// Reads a line; the fault's position counts within it.
    init(_ bytes: [UInt8]) throws(JSONFault) {
        let node = try JSONReader.read(bytes)
        let reader = LineReader(bytes: bytes)
        guard let members = node.objectValue else {
            throw reader.fault(node, "a line is one object, not \(node.kindName)")
        }
        var fields = Fields()
        for member in members { try reader.read(member, into: &fields) }
        guard let moment = fields.moment else {
            throw reader.fault(node, "the time is missing: give \"t\" (seconds since the start) or \"time\" (RFC 3339)")
        }
        self.moment = moment
        receiver = fields.receiver
        if let said = fields.listening ?? fields.tick {
            guard !fields.describesBeacon, fields.listening == nil || fields.tick == nil else {
                throw reader.fault(node, "a line says one thing: a beacon, or \"listening\", or \"tick\"")
            }
            input = said
        } else {
            guard let uuid = fields.uuid, let major = fields.major, let minor = fields.minor else {
                throw reader.fault(node, "\"uuid\", \"major\" and \"minor\" are needed")
            }
            input = .sighting(
                Sighting(
                    beacon: BeaconIdentity(uuid: uuid, major: major, minor: minor),
                    measuredPower: fields.measuredPower, rssi: fields.rssi ?? Sighting.noRSSI,
                    advertiser: fields.address))
        }
    }

    /// What the members said, before it is judged as a whole.
    fileprivate struct Fields {
        var moment: Moment?
        var receiver: String?
        var address: DeviceAddress?
        var uuid: BeaconUUID?
        var major: UInt16?
        var minor: UInt16?
        var measuredPower: Int8?
        var rssi: Int8?
        var listening: SourceInput?
        var tick: SourceInput?
        var describesBeacon = false
    }
}

/// Reads single members, each into its exact type.
private struct LineReader {
    let bytes: [UInt8]

    func fault(_ node: JSONNode, _ message: String) -> JSONFault {
        JSONFault(message: message, position: JSONReader.position(of: node.offset, in: bytes))
    }

    func read(_ member: JSONMember, into fields: inout SightingLine.Fields) throws(JSONFault) {
        let node = member.value
        switch member.key {
        case "t", "time":
            guard fields.moment == nil else { throw fault(node, "\"t\" and \"time\" cannot both stand") }
            fields.moment = member.key == "t" ? .sinceStart(try seconds(node)) : .calendar(try time(node))
        case "receiver": fields.receiver = try optional(node, receiver)
        case "listening": fields.listening = .listening(try flag(node))
        case "tick":
            guard node.boolValue == true else { throw fault(node, "\"tick\" can only be true") }
            fields.tick = .tick
        default:
            fields.describesBeacon = true
            try readBeacon(member, into: &fields)
        }
    }

    private func readBeacon(_ member: JSONMember, into fields: inout SightingLine.Fields) throws(JSONFault) {
        let node = member.value
        switch member.key {
        case "uuid": fields.uuid = try uuid(node)
        case "major": fields.major = try number(node)
        case "minor": fields.minor = try number(node)
        case "address": fields.address = try optional(node, address)
        case "measuredPower": fields.measuredPower = try optional(node, number)
        case "rssi": fields.rssi = try optional(node, number)
        default:
            throw JSONFault(
                message: "the key \(member.key.quotedExcerpt) is not known: a line may have t or time, receiver, and "
                    + "uuid, major, minor, measuredPower, rssi, address, or listening, or tick",
                position: JSONReader.position(of: member.keyOffset, in: bytes))
        }
    }

    private func optional<Value>(
        _ node: JSONNode, _ read: (JSONNode) throws(JSONFault) -> Value
    ) throws(JSONFault) -> Value? {
        node.isNull ? nil : try read(node)
    }

    private func seconds(_ node: JSONNode) throws(JSONFault) -> Duration {
        guard let value = node.doubleValue, value >= 0, value <= SightingLine.longestSpan.inSeconds else {
            throw fault(node, "\"t\" is seconds since the start, from 0 to a century")
        }
        return .seconds(decimal: value)
    }

    private func time(_ node: JSONNode) throws(JSONFault) -> WallTime {
        guard let text = node.stringValue, let time = WallTime(rfc3339: text) else {
            throw fault(node, "\"time\" is RFC 3339 with its zone, as \"2026-11-30T09:00:01.25Z\"")
        }
        return time
    }

    private func receiver(_ node: JSONNode) throws(JSONFault) -> String {
        guard let text = node.stringValue, SightingLine.receiverBytes.contains(text.utf8.count) else {
            throw fault(node, "\"receiver\" is a text of 1 to 64 bytes")
        }
        return text
    }

    private func flag(_ node: JSONNode) throws(JSONFault) -> Bool {
        guard let flag = node.boolValue else { throw fault(node, "\"listening\" is true or false") }
        return flag
    }

    private func uuid(_ node: JSONNode) throws(JSONFault) -> BeaconUUID {
        guard let text = node.stringValue, let uuid = BeaconUUID(text) else {
            throw fault(node, "\"uuid\" is 32 hex digits, with dashes or without")
        }
        return uuid
    }

    private func address(_ node: JSONNode) throws(JSONFault) -> DeviceAddress {
        guard let text = node.stringValue, let address = DeviceAddress(text) else {
            throw fault(node, "\"address\" is six bytes, as \"C0:FF:EE:00:00:01\"")
        }
        return address
    }

    private func number<Number: FixedWidthInteger>(_ node: JSONNode) throws(JSONFault) -> Number {
        guard let integer = node.integerValue, let number = Number(exactly: integer) else {
            throw fault(node, "a whole number from \(Number.min) to \(Number.max) is needed here")
        }
        return number
    }
}

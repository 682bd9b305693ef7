// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore

/// The entries of the three arrays. An entry without its identity gives nil; any other fault is noted and the entry
/// kept, so that duplicates are found in the same round.
extension VenueReader {
    mutating func beacon(_ node: JSONNode) -> BeaconEntry? {
        guard let fields = fields(node, of: "a beacon", keys: RegistryKeys.beacon) else { return nil }
        let uuid = uuid(in: fields)
        let major = requiredWhole("major", in: fields, range: UInt16.min...UInt16.max)
        let minors = minors(in: fields)
        let name = text("name", in: fields)
        let exhibit = text("id", in: fields)
        let kind = choice("kind", in: fields, as: Mobility.self)
        let group = text("group", in: fields)
        let floor = floor(in: fields)
        let x = decimal("x", in: fields, range: RegistryLimit.coordinate, unit: "m")
        let y = decimal("y", in: fields, range: RegistryLimit.coordinate, unit: "m")
        let power = calibratedPower(in: fields)
        let canary = flag("canary", in: fields) ?? false
        guard let uuid, let major, let minors else { return nil }
        return BeaconEntry(
            uuid: uuid, major: major, minors: minors, isRange: fields["minors"] != nil, name: name, exhibit: exhibit,
            kind: kind ?? (canary ? .fixed : .carried), group: group, floor: floor, x: x, y: y,
            calibratedPower: power, canary: canary)
    }

    mutating func region(_ node: JSONNode) -> RegionDefinition? {
        guard let fields = fields(node, of: "a region", keys: RegistryKeys.region) else { return nil }
        let identifier = requiredText("identifier", in: fields)
        let name = text("name", in: fields)
        let uuid = uuid(in: fields)
        let major = whole("major", in: fields, range: UInt16.min...UInt16.max)
        let minor = whole("minor", in: fields, range: UInt16.min...UInt16.max)
        let receivers = texts("receivers", in: fields)
        let unregistered = flag("unregistered", in: fields)
        let wake = choice("wake", in: fields, as: WakeRule.self)
        let onEntry = flag("notifyOnEntry", in: fields)
        let onExit = flag("notifyOnExit", in: fields)
        let onDisplay = flag("notifyEntryStateOnDisplay", in: fields)
        let capacity = whole("capacity", in: fields, range: RegistryLimit.capacity)
        let settings = settings(in: fields)
        guard let identifier, let uuid else { return nil }
        // A major that was refused is not a region without one.
        if fields["major"] != nil, major == nil { return nil }
        return RegionDefinition(
            identifier: identifier, name: name, scope: RegionScope(uuid: uuid, major: major, minor: minor),
            receivers: receivers, unregistered: unregistered ?? false, wake: wake, notifyOnEntry: onEntry ?? true,
            notifyOnExit: onExit ?? true, notifyEntryStateOnDisplay: onDisplay ?? false, capacity: capacity,
            settings: settings)
    }

    mutating func receiver(_ node: JSONNode) -> ReceiverEntry? {
        guard let fields = fields(node, of: "a receiver", keys: RegistryKeys.receiver) else { return nil }
        let id = requiredText("id", in: fields)
        let name = text("name", in: fields)
        let kind = choice("kind", in: fields, as: Mobility.self)
        let floor = floor(in: fields)
        let x = decimal("x", in: fields, range: RegistryLimit.coordinate, unit: "m")
        let y = decimal("y", in: fields, range: RegistryLimit.coordinate, unit: "m")
        let offset = decimal("rssiOffset", in: fields, range: RegistryLimit.rssiOffset, unit: "dB")
        let group = text("group", in: fields)
        guard let id else { return nil }
        return ReceiverEntry(
            id: id, name: name, kind: kind ?? .fixed, floor: floor, x: x, y: y, rssiOffset: offset ?? 0, group: group)
    }

    private mutating func uuid(in fields: Fields) -> BeaconUUID? {
        guard let node = required("uuid", in: fields) else { return nil }
        if let uuid = node.stringValue.flatMap({ BeaconUUID($0) }) { return uuid }
        let given = node.stringValue?.quotedExcerpt ?? node.kindName
        faults.add("\(given) is no UUID: 32 hex digits, with dashes in the usual four places or none", at: node.offset)
        return nil
    }

    /// `minor`, or the range that `minors` spells `1-2000`.
    private mutating func minors(in fields: Fields) -> ClosedRange<UInt16>? {
        guard let node = fields["minors"] else {
            guard fields["minor"] != nil else {
                faults.add("a beacon needs \"minor\", or \"minors\" for a range of badges", at: fields.offset)
                return nil
            }
            return whole("minor", in: fields, range: UInt16.min...UInt16.max).map { $0...$0 }
        }
        if let minor = fields["minor"] {
            faults.add(
                "a beacon has \"minor\" or \"minors\", not both", at: node.offset, other: minor.offset)
            return nil
        }
        let ends = (node.stringValue ?? "").split(separator: "-", omittingEmptySubsequences: false)
        if ends.count == 2, let first = minor(ends[0]), let last = minor(ends[1]), first <= last { return first...last }
        faults.add(
            "\"minors\" is a text like \"1-2000\": two numbers in 0…65535, the smaller first", at: node.offset)
        return nil
    }

    /// `UInt16.init` alone would also take a plus sign.
    private func minor(_ digits: Substring) -> UInt16? {
        digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt16(digits) : nil
    }

    /// A number or a text; `1`, `1.0` and `"1"` are one floor.
    private mutating func floor(in fields: Fields) -> String? {
        guard let number = fields["floor"]?.numberValue else { return text("floor", in: fields) }
        return Int64(exactly: number.double).map { "\($0)" } ?? "\(number.double)"
    }

    private mutating func calibratedPower(in fields: Fields) -> Int8? {
        if let node = fields["txPower"], node.integerValue == 0 {
            faults.add("\"txPower\" 0 is no power measured at 1 m: leave it out or write null", at: node.offset)
            return nil
        }
        return whole("txPower", in: fields, range: RegistryLimit.calibratedPower)
    }
}

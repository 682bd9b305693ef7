// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import RegistryJSON

/// JSON texts and registry files.
enum JSONTarget {
    /// What is read comes back the same when it is written, and each refusal points into the text.
    static func checkText(_ bytes: [UInt8]) {
        let strict = read(bytes, .strict)
        let relaxed = read(bytes, .relaxed)
        guard let strict else { return }
        precondition(relaxed.map { same($0, strict) } ?? false, "what is strictly JSON is read otherwise when relaxed")
        var writer = JSONWriter()
        write(strict, to: &writer)
        let again = read(writer.bytes, .strict)
        precondition(again.map { same($0, strict) } ?? false, "what was written is not what was read")
    }

    /// A venue that is accepted keeps the rules, and each refusal points into the text.
    static func checkRegistry(_ bytes: [UInt8]) {
        do throws(RegistryRefusal) {
            let venue = try RegistryReader.read(bytes)
            precondition(VenueRules.faults(in: venue).isEmpty, "a venue was accepted that breaks a rule")
            let identities = venue.beacons.reduce(0) { $0 + $1.minors.count }
            if identities <= 1_000 {
                precondition(Registry(venue: venue).count == identities, "a beacon was lost on the way")
            }
        } catch {
            precondition(!error.faults.isEmpty, "a refusal without a reason")
            for fault in error.faults {
                precondition(!fault.message.isEmpty, "a fault without a word")
                for position in [fault.position, fault.other] { position.map { checkPlace($0, in: bytes) } }
            }
        }
    }

    private static func read(_ bytes: [UInt8], _ options: JSONReader.Options) -> JSONNode? {
        do throws(JSONFault) { return try JSONReader.read(bytes, options: options) } catch {
            checkPlace(error.position, in: bytes)
            return nil
        }
    }

    private static func checkPlace(_ place: JSONPosition, in bytes: [UInt8]) {
        let end = JSONReader.position(of: bytes.count, in: bytes)
        precondition(place.line >= 1 && place.column >= 1 && place <= end, "a fault outside the text")
    }

    private static func write(_ node: JSONNode, to writer: inout JSONWriter) {
        switch node.value {
        case .null: writer.null()
        case .bool(let flag): writer.bool(flag)
        case .number(let number):
            if let integer = number.integer { writer.integer(integer) } else { writer.number(number.double) }
        case .string(let text): writer.string(text)
        case .array(let elements):
            writer.beginArray()
            for element in elements { write(element, to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.key(member.key)
                write(member.value, to: &writer)
            }
            writer.endObject()
        }
    }

    /// Equal but for where it stands and how numbers are spelt.
    private static func same(_ left: JSONNode, _ right: JSONNode) -> Bool {
        switch (left.value, right.value) {
        case (.number(let left), .number(let right)): left.double == right.double
        case (.array(let left), .array(let right)): left.count == right.count && zip(left, right).allSatisfy(same)
        case (.object(let left), .object(let right)):
            left.count == right.count
                && zip(left, right).allSatisfy { Array($0.key.utf8) == Array($1.key.utf8) && same($0.value, $1.value) }
        case (.string(let left), .string(let right)): Array(left.utf8) == Array(right.utf8)
        default: left.value == right.value
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore

/// Reads a registry file, whole or not at all.
///
/// Strict where two readers could differ: unknown keys are refused, and a number is what is written as one: `7` is a
/// major, `"7"` and `7.0` are not. `null` is the same as leaving an optional key out. The schema in `registry/` says
/// the same for editors.
public enum RegistryReader {
    /// More than anyone corrects in one go; the rest is counted.
    public static let mostFaults = 20

    /// The venue that a file describes.
    ///
    /// - Parameter bytes: the whole file, at most `JSONReader.mostBytes`.
    /// - Throws: `RegistryRefusal` with every fault found. Text that is no JSON has one: nothing after it is certain.
    public static func read(_ bytes: [UInt8]) throws(RegistryRefusal) -> Venue {
        let root: JSONNode
        do {
            root = try JSONReader.read(bytes)
        } catch {
            let message = isBlank(bytes) ? emptyFile : error.message
            let fault = RegistryFault(position: error.position, message: message)
            throw RegistryRefusal(faults: [fault], isCutOff: error.isCutOff)
        }
        var reader = VenueReader()
        guard let venue = reader.venue(root), reader.faults.total == 0 else {
            throw reader.faults.refusal(in: bytes)
        }
        return venue
    }

    private static let emptyFile =
        "the file is empty; a registry without beacons is written {\"venueId\": \"…\", \"beacons\": []}"

    private static func isBlank(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { [0x20, 0x0A, 0x0D, 0x09].contains($0) }
    }
}

/// What one reading has found wrong: the first faults in full, the others as a number.
struct FaultList {
    private var listed: [(offset: Int, message: String, other: Int?)] = []
    private(set) var total = 0

    mutating func add(_ message: @autoclosure () -> String, at offset: Int, other: Int? = nil) {
        total += 1
        if listed.count < RegistryReader.mostFaults { listed.append((offset, message(), other)) }
    }

    /// Lines and columns are counted only here: a good file never needs them.
    func refusal(in bytes: [UInt8]) -> RegistryRefusal {
        let faults = listed.sorted { $0.offset < $1.offset }.map { fault in
            RegistryFault(
                position: JSONReader.position(of: fault.offset, in: bytes), message: fault.message,
                other: fault.other.map { JSONReader.position(of: $0, in: bytes) })
        }
        return RegistryRefusal(faults: faults, more: total - listed.count)
    }
}

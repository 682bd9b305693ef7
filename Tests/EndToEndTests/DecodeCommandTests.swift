// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import TestKit
import Testing

@Suite(.ownThreads) struct DecodeCommandTests {
    private static let data = "0201061aff4c000215a1b2c3d4e5f6470889101112131415ab00070102c5"
    private static let event = "043e2a02010301010000eeffc01e" + data + "bf"

    @Test func `each line has exactly one answer as JSON`() throws {
        let outcome = try Regiond.run(["decode", "--json"], input: "\(Self.event)\n\(Self.data)\nnot hex\n00\n")
        #expect(outcome.code == 1)
        let answers = try outcome.lines.map { try JSONReader.read(Array($0.utf8)) }
        #expect(answers.map { $0["line"]?.integerValue } == [1, 2, 3, 4])
        #expect(answers.map { $0["cut"]?.stringValue }.prefix(2) == ["hci", "ad"])
        let sighting = answers[0]["sightings"]?.arrayValue?.first
        #expect(sighting?["kind"]?.stringValue == "iBeacon")
        #expect(sighting?["uuid"]?.stringValue == Sample.uuid)
        #expect(sighting?["major"]?.integerValue == 7)
        #expect(sighting?["minor"]?.integerValue == 258)
        #expect(sighting?["measuredPower"]?.integerValue == -59)
        #expect(sighting?["rssi"]?.integerValue == -65)
        #expect(sighting?["address"]?.stringValue == "C0:FF:EE:00:00:01")
        let bare = answers[1]["sightings"]?.arrayValue?.first
        #expect(bare?["rssi"]?.isNull == true)
        #expect(bare?["address"]?.isNull == true)
        #expect(answers[2]["error"]?.stringValue?.contains("line 3") == true)
    }

    @Test func `people get a line for each sighting`() throws {
        let outcome = try Regiond.run(["decode"], input: "\(Self.event)\n")
        #expect(outcome.code == 0)
        #expect(outcome.lines.count == 1)
        for part in ["iBeacon \(Sample.uuid)/7/258", "power -59", "rssi -65", "C0:FF:EE:00:00:01", "(hci)"] {
            #expect(outcome.output.contains(part))
        }
    }

    @Test func `a bad line says where, and the lines after it are read`() throws {
        let outcome = try Regiond.run(["decode"], input: "0g\n\(Self.event)\n")
        #expect(outcome.code == 1)
        #expect(outcome.output.contains("line 1, column 2"))
        #expect(outcome.output.contains("iBeacon \(Sample.uuid)/7/258"))
        #expect(outcome.errors.contains("1 lines"))
    }

    @Test func `what hcidump prints is read as it is`() throws {
        let bytes = stride(from: 0, to: Self.event.count, by: 2).map { offset in
            let start = Self.event.index(Self.event.startIndex, offsetBy: offset)
            return Self.event[start..<Self.event.index(start, offsetBy: 2)].uppercased()
        }
        let rows = stride(from: 0, to: bytes.count, by: 20).map { row in
            (row == 0 ? "> " : "  ") + bytes[row..<min(row + 20, bytes.count)].joined(separator: " ")
        }
        let dump = "HCI sniffer - Bluetooth packet analyzer ver 5.66\n" + rows.joined(separator: "\n") + "\n"
        let outcome = try Regiond.run(["decode", "--hci", "--json"], input: dump)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.lines.filter { $0.contains("\"minor\":258") }.count == 1, "\(outcome.output)")
    }
}

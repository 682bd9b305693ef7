// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import RegionCore
import RegistryJSON
import Testing

/// Where public test data lies that is not part of the project; these tests are skipped where it is not set.
private let dataFolder = ProcessInfo.processInfo.environment["REGIOND_DATA"]

@Suite(.enabled(if: dataFolder != nil, "REGIOND_DATA is not set: the public registries are not read"))
struct RegistryDataTests {
    private static func read(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: #require(dataFolder)).appending(path: name))
    }

    /// 133 beacons of a natural history museum: no power on any, an empty name on each.
    @Test func `the registry of a real museum is read`() throws {
        let venue = try RegistryReader.read(Array(Self.read("registry-amnh/registry.json")))
        #expect(venue.beacons.count == 133)
        #expect(venue.beacons.allSatisfy { $0.calibratedPower == nil && $0.name?.isEmpty == true })
        #expect(Set(venue.beacons.map(\.uuid)).count == 2)
    }

    /// Entries of real registries, each put in a file of its own behind a good one.
    @Test func `of ten odd entries three are good, and any other has its file refused at its line`() throws {
        let table = String(decoding: try Self.read("registry-samples/odd_entries.csv"), as: UTF8.self)
        let rows = table.split(whereSeparator: \.isNewline).dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(rows.count == 10)
        for (number, row) in zip(1..., rows) {
            let fields = [("major", row[1]), ("minor", row[2])].filter { !$0.1.isEmpty }.map { ",\"\($0.0)\":\($0.1)" }
            let text = """
                {"venueId": "h", "beacons": [
                {"uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 1, "minor": 1},
                {"uuid": "\(row[0])"\(fields.joined())}]}
                """
            let found = faults(in: text)
            #expect(found.isEmpty == [6, 7, 10].contains(number), "row \(number): \(found)")
            #expect(found.allSatisfy { $0.hasPrefix("3:") }, "row \(number): \(found)")
        }
    }
}

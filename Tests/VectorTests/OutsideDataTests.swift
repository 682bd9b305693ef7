// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import RadioCapture
import RegionCore
import Testing

/// The folder of outside data, which is not part of the project; without it these tests are skipped.
let outsideData = ProcessInfo.processInfo.environment["REGIOND_DATA"]
private let comment: Comment = "skipped: set REGIOND_DATA to the folder of outside data to run this"

struct OutsideDataTests {
    /// Reports, events and iBeacons of each capture.
    static let captures: [(file: String, reports: Int, events: Int, beacons: Int)] = [
        ("air-conference", 13_243, 13_243, 0), ("air-screenroom", 14_465, 14_465, 0), ("bluez-extended", 38, 38, 0),
        ("campus-legacy", 14_166, 14_166, 33), ("day-extended", 2_173, 2_173, 0), ("flat-legacy", 382, 382, 0),
        ("home-extended", 557, 557, 34), ("home-legacy", 412, 412, 11), ("lab-legacy", 2_565, 2_565, 0),
        ("multi-report-legacy", 59, 32, 0), ("office-extended", 1_164, 1_164, 0),
    ]

    static func frames(of file: String) throws -> [[UInt8]] {
        let source = try CaptureSource(path: "\(outsideData ?? "")/hci-captures/\(file).btsnoop.gz")
        let reading = Reading(source)
        #expect(reading.error == nil)
        #expect(reading.status.skippedRecords == 0)
        return reading.frames
    }

    @Test(.enabled(if: outsideData != nil, comment))
    func `the captures hold exactly the reports and beacons that are known of them`() throws {
        var parsed = ParsedFrame()
        for capture in Self.captures {
            var reports = 0
            var sightings: [Sighting] = []
            var malformed = 0
            let frames = try Self.frames(of: capture.file)
            for frame in frames {
                AdvertisingParser.parse(frame.span, into: &parsed)
                reports += parsed.reports
                sightings += parsed.sightings
                malformed += parsed.discards.count { $0 == .malformed || $0 == .notAdvertising }
            }
            #expect(frames.count == capture.events, "\(capture.file)")
            #expect(reports == capture.reports, "\(capture.file)")
            #expect(sightings.count == capture.beacons, "\(capture.file)")
            #expect(malformed == 0, "\(capture.file)")
            let powers: [String: Int8] = ["campus-legacy": -54, "home-extended": -50, "home-legacy": -62]
            #expect(sightings.allSatisfy { $0.measuredPower == powers[capture.file] }, "\(capture.file)")
            #expect(Set(sightings.map(\.beacon)).count == [0: 0, 33: 1, 34: 1, 11: 2][capture.beacons])
        }
        #expect(Self.captures.map(\.reports).reduce(0, +) == 49_224)
        #expect(Self.captures.map(\.events).reduce(0, +) == 49_197)
        #expect(Self.captures.map(\.beacons).reduce(0, +) == 78)
    }

    /// What a cut frame gives, the whole one gives too, in that order.
    @Test(.enabled(if: outsideData != nil, comment), arguments: captures.map(\.file))
    func `a frame cut anywhere invents nothing`(file: String) throws {
        var whole = ParsedFrame()
        var part = ParsedFrame()
        var inventions = 0
        for frame in try Self.frames(of: file) {
            AdvertisingParser.parse(frame.span, into: &whole)
            for length in 0..<frame.count {
                AdvertisingParser.parse(frame.span.extracting(first: length), into: &part)
                let isPrefix =
                    part.sightings.count <= whole.sightings.count && part.reports <= whole.reports
                    && zip(part.sightings, whole.sightings).allSatisfy { $0 == $1 }
                if !isPrefix { inventions += 1 }
            }
        }
        #expect(inventions == 0)
    }

    /// The smaller text has 79 iBeacons behind flags, 34 of another identity without flags, and a line of comment.
    @Test(
        .enabled(if: outsideData != nil, comment),
        arguments: [("redhat", 242, 113, 2, 1), ("redhat-big", 494, 429, 11, 0)])
    func `text of hcidump gives the beacons that are known of it`(
        file: String, events: Int, beacons: Int, identities: Int, badLines: Int
    ) throws {
        let text = try gunzip("\(outsideData ?? "")/hci-captures/\(file).hcidump.txt.gz")
        for mode in [DecodeReader.Mode.hci, .automatic] {
            var answers: [DecodeAnswer] = []
            var reader = DecodeReader(mode: mode)
            reader.take(text, into: &answers)
            reader.finish(into: &answers)
            let rows = answers.compactMap { if case .row(let row) = $0.outcome { row } else { nil } }
            #expect(rows.count == events)
            #expect(answers.count == events + badLines)
            let sightings = rows.flatMap(\.sightings)
            #expect(sightings.count == beacons)
            #expect(Set(sightings.map(\.beacon)).count == identities)
        }
    }
}

/// Peers' vectors. Where peers disagree, ours is the prefix reader's policy: bytes behind the power are ignored.
struct PeerVectorTests {
    struct Vector {
        let id, kind: String
        let input, data: [UInt8]
        let expected: [Sighting]
    }

    static func vectors() throws -> [Vector] {
        let text = try String(contentsOfFile: "\(outsideData ?? "")/adv-vectors/vectors.csv", encoding: .utf8)
        let lines = text.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let names = try #require(lines.first)
        return try lines.dropFirst().map { line in
            let field = { (name: Substring) -> String in names.firstIndex(of: name).map { String(line[$0]) } ?? "" }
            var expected: [Sighting] = []
            if field("expect") == "ibeacon" {
                expected.append(
                    Sighting(
                        beacon: BeaconIdentity(
                            uuid: try #require(BeaconUUID(field("uuid"))), major: try #require(UInt16(field("major"))),
                            minor: try #require(UInt16(field("minor")))),
                        measuredPower: Int8(field("tx_power")), rssi: Int8(field("rssi")) ?? 127,
                        advertiser: nil))
            }
            return Vector(
                id: field("id"), kind: field("input_kind"), input: hex(field("input_hex")), data: hex(field("ad_hex")),
                expected: expected)
        }
    }

    @Test(.enabled(if: outsideData != nil, comment))
    func `every vector is read exactly, as advertising data and as an event`() throws {
        let vectors = try Self.vectors()
        #expect(vectors.count == 229)
        #expect(vectors.count { !$0.expected.isEmpty } == 66)
        var parsed = ParsedFrame()
        for vector in vectors {
            AdvertisingParser.parse(advertisingData: vector.data.span, into: &parsed)
            #expect(parsed.sightings.map(\.beacon) == vector.expected.map(\.beacon), "\(vector.id)")
            #expect(parsed.sightings.map(\.measuredPower) == vector.expected.map(\.measuredPower), "\(vector.id)")
            guard vector.kind.hasPrefix("hci_event") else { continue }
            AdvertisingParser.parse(vector.input.span, into: &parsed)
            let heard = parsed.sightings.map { sighting in
                var sighting = sighting
                sighting.advertiser = nil
                return sighting
            }
            #expect(heard == vector.expected, "\(vector.id)")
        }
    }

    @Test(.enabled(if: outsideData != nil, comment))
    func `every vector is read as the cut that it is told to be by itself`() throws {
        for vector in try Self.vectors() {
            for bytes in [vector.data, vector.input]
            where bytes == vector.data || vector.kind == "mfr" || vector.kind == "hci_event" {
                let row = AdvertisingCut(recognising: bytes).decode(bytes)
                #expect(row.sightings.map(\.beacon) == vector.expected.map(\.beacon), "\(vector.id) as \(row.cut)")
            }
        }
    }
}

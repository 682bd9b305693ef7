// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

/// Extended reports in pieces, as a stream of frames.
struct ChainedReportTests {
    private static let first = "0201061aff4c000215a1b2c3d4e5f64708891011"
    private static let second = "12131415ab00070102c5"
    private static let secondOfB = "12131415ab00070103c5"

    /// What came of frames, with what is still open.
    private struct Stream {
        var chains = ReportChains()
        private(set) var sightings: [Sighting] = []
        private(set) var discards: [Discard] = []

        mutating func take(_ text: String, at seconds: Double = 0) {
            var frame = FrameBuffer()
            frame.refill { $0 += hex(text) }
            var chains = ReportChains()
            swap(&chains, &self.chains)
            _ = AdvertisingParser.parse(frame, joining: &chains, at: .boot + .seconds(decimal: seconds)) { reading in
                switch reading {
                case .sighting(let sighting): sightings.append(sighting)
                case .discard(let reason, _): discards.append(reason)
                }
            }
            swap(&chains, &self.chains)
        }

        var minors: [UInt16] { sightings.map(\.beacon.minor) }
    }

    /// What is to come after a piece.
    private enum Status: String {
        case complete = "00"
        case more = "20"
        case truncated = "40"
    }

    /// An event of one extended report; `from` is the last byte of the address as it is sent first.
    private static func piece(
        _ status: Status, _ data: String, from: String = "01", rssi: String = "bf", sid: String = "00",
        addressType: String = "01"
    ) -> String {
        let head =
            status.rawValue + "00" + addressType + from + "0000eeffc0" + "0102" + sid + "7f" + rssi
            + "0000" + "00" + "000000000000"
        let report = head + byte(data.count / 2) + data
        return "043e" + byte(report.count / 2 + 2) + "0d01" + report
    }

    private static func byte(_ value: Int) -> String {
        let digits = String(value, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }

    @Test func `P-15 a beacon in two reports is one sighting after the second`() {
        var stream = Stream()
        stream.take(
            "043e2e0d01200001010000eeffc00102007fbf000000000000000000140201061aff4c000215a1b2c3d4e5f64708891011")
        #expect(stream.sightings.isEmpty)
        #expect(stream.discards.isEmpty)
        stream.take("043e240d01000001010000eeffc00102007fbf0000000000000000000a12131415ab00070102c5", at: 0.01)
        #expect(stream.sightings == [FieldCaseTests.beacon(258, rssi: -65, from: "C0:FF:EE:00:00:01")])
        #expect(stream.discards.isEmpty)
        #expect(stream.chains.isEmpty)
    }

    @Test func `P-15 a first part alone is nothing, and given up after a second`() {
        var stream = Stream()
        stream.take(Self.piece(.more, Self.first))
        stream.take(Self.piece(.complete, "020106", from: "02"), at: 1)
        #expect(stream.discards == [.foreign])
        #expect(stream.chains.count == 1)
        stream.take(Self.piece(.complete, "020106", from: "02"), at: 1.001)
        #expect(stream.discards == [.foreign, .chained, .foreign])
        #expect(stream.chains.isEmpty)
        #expect(stream.sightings.isEmpty)
    }

    @Test func `P-15 of truncated data the whole structures are used and the cut one is not`() {
        var stream = Stream()
        stream.take(Self.piece(.more, Self.first))
        stream.take(Self.piece(.truncated, "12131415ab0007"))
        #expect(stream.sightings.isEmpty)
        #expect(stream.discards == [.truncated])
        stream.take(Self.piece(.more, Self.first))
        stream.take(Self.piece(.truncated, Self.second + "0aff59"))
        #expect(stream.minors == [258])
        #expect(stream.discards == [.truncated, .truncated])
        stream.take(Self.piece(.truncated, Self.first + Self.second))
        #expect(stream.minors == [258, 258])
        #expect(stream.discards == [.truncated, .truncated, .truncated])
        #expect(stream.chains.isEmpty)
    }

    @Test func `P-18 pieces of several advertisers interleave`() {
        var stream = Stream()
        stream.take(Self.piece(.more, Self.first, from: "01"))
        stream.take(Self.piece(.more, Self.first, from: "02"))
        stream.take(Self.piece(.complete, Self.second, from: "01"))
        stream.take(Self.piece(.complete, Self.secondOfB, from: "02"))
        #expect(
            stream.sightings == [
                FieldCaseTests.beacon(258, rssi: -65, from: "C0:FF:EE:00:00:01"),
                FieldCaseTests.beacon(259, rssi: -65, from: "C0:FF:EE:00:00:02"),
            ])
        #expect(stream.discards.isEmpty)
    }

    @Test func `P-18 a new first part replaces the old partial`() {
        var stream = Stream()
        stream.take(Self.piece(.more, Self.first))
        stream.take(Self.piece(.more, Self.first))
        stream.take(Self.piece(.complete, Self.second))
        #expect(stream.sightings == [FieldCaseTests.beacon(258, rssi: -65, from: "C0:FF:EE:00:00:01")])
        #expect(stream.discards == [.chained])
        // The same where the data has changed: the flags say that it begins.
        stream.take(Self.piece(.more, "0201061aff4c000215" + "ffb2c3d4e5f64708891011"))
        stream.take(Self.piece(.more, Self.first))
        stream.take(Self.piece(.complete, Self.second))
        #expect(stream.minors == [258, 258])
        #expect(stream.sightings[1] == stream.sightings[0])
        // And where it fits into one report now.
        stream.take(Self.piece(.more, Self.first))
        stream.take(Self.piece(.complete, Self.first + Self.second))
        #expect(stream.minors == [258, 258, 258])
        #expect(stream.chains.isEmpty)
    }

    @Test func `P-18 a thousand half-open chains stay under the cap`() {
        var stream = Stream()
        for number in 0..<1_000 {
            let address = Self.byte(number % 256) + Self.byte(number / 256)
            stream.take(Self.piece(.more, Self.first).replacing("010000eeffc0", with: address + "00eeffc0"))
            #expect(stream.chains.count == min(number + 1, ReportChains.mostOpen))
        }
        #expect(stream.discards.count == 1_000 - ReportChains.mostOpen)
        #expect(stream.sightings.isEmpty)
        // The newest are those that are kept: 999 is e7 03.
        let last = Self.piece(.complete, Self.second).replacing("010000eeffc0", with: "e70300eeffc0")
        stream.take(last)
        #expect(stream.minors == [258])
    }

    @Test func `a chain takes three pieces and no more than the longest data`() {
        var stream = Stream()
        stream.take(Self.piece(.more, String(Self.first.prefix(20))))
        stream.take(Self.piece(.more, String(Self.first.dropFirst(20))))
        stream.take(Self.piece(.complete, Self.second))
        #expect(stream.minors == [258])
        let filler = String(repeating: "59", count: 220)
        for _ in 0..<7 { stream.take(Self.piece(.more, "09" + filler)) }
        // Each began like the first: seven starts, one of them open.
        #expect(stream.chains.count == 1)
        #expect(stream.discards.count == 6)
        for number in 0..<8 { stream.take(Self.piece(.more, Self.byte(number) + filler, from: "09")) }
        #expect(stream.chains.count == 1)
        #expect(stream.discards.count == 7)
        #expect(stream.discards.allSatisfy { $0 == .chained })
    }

    @Test(arguments: [("bf", "a6", -65), ("7f", "a6", -90), ("7f", "7f", 127)] as [(String, String, Int8)])
    func `the RSSI is that of the first part which has one`(first: String, last: String, joined: Int8) {
        var stream = Stream()
        stream.take(Self.piece(.more, Self.first, rssi: first))
        stream.take(Self.piece(.complete, Self.second, rssi: last))
        #expect(stream.sightings.map(\.rssi) == [joined])
    }

    @Test func `sets of one address are apart, and an anonymous advertiser has none`() {
        var stream = Stream()
        stream.take(Self.piece(.more, Self.first, sid: "01"))
        stream.take(Self.piece(.more, Self.first, sid: "02"))
        stream.take(Self.piece(.complete, Self.second, sid: "01"))
        stream.take(Self.piece(.complete, Self.secondOfB, sid: "02"))
        #expect(stream.minors == [258, 259])
        stream.take(Self.piece(.more, Self.first, addressType: "ff"))
        #expect(stream.discards == [.chained])
        #expect(stream.chains.isEmpty)
        stream.take(Self.piece(.complete, Self.first + Self.second, addressType: "ff"))
        #expect(stream.minors == [258, 259, 258])
    }

    @Test func `an ordinary report of somebody else goes its way while a chain is open`() {
        var stream = Stream()
        stream.take(Self.piece(.more, Self.first))
        stream.take(Self.piece(.complete, Self.first + Self.secondOfB, from: "02"))
        stream.take(Self.piece(.complete, Self.second))
        #expect(stream.minors == [259, 258])
        #expect(stream.discards.isEmpty)
    }

    @Test func `alone, without a stream, a piece is chained, and says whose it was`() {
        for status in [Status.more, .truncated] {
            var readings: [RegionCore.Reading] = []
            _ = AdvertisingParser.parse(hex(Self.piece(status, Self.first)).span) { readings.append($0) }
            #expect(readings == [.discard(.chained, from: DeviceAddress(bits: 0xC0FF_EE00_0001))])
        }
    }
}

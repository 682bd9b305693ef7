// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing

struct ReportHeadTests {
    private func heads(_ bytes: [UInt8]) -> [ReportHead] {
        var frame = FrameBuffer()
        frame.refill { $0 += bytes }
        var heads: [ReportHead] = []
        AdvertisingParser.heads(of: frame) { heads.append($0) }
        return heads
    }

    @Test(arguments: [false, true]) func `every whole report has a head, however the frame is cut`(extended: Bool) {
        let frame = AdvertisingTests.event(extended: extended)
        var parsed = ParsedFrame()
        AdvertisingParser.parse(frame.span, into: &parsed)
        let all = heads(frame)
        #expect(all.count == parsed.reports)
        #expect(all.map(\.advertiser) == parsed.sightings.compactMap(\.advertiser))
        #expect(all.map(\.rssi) == parsed.sightings.map(\.rssi))
        #expect(all.allSatisfy { $0.hasData })
        for count in 0..<frame.count { #expect(heads(Array(frame.prefix(count))).count < all.count) }
    }

    @Test func `two legacy reports, one of them empty and without RSSI`() {
        let report = bytes("04 3e 18 02 02  03 01 01 00 00 ee ff c0 00 7f  00 01 02 00 00 ee ff c0 03 02 01 06 bf")
        #expect(heads(report).map(\.rssi) == [127, -65])
        #expect(heads(report).map(\.hasData) == [false, true])
        #expect(heads(report).map(\.advertiser.bits) == [0xC0FF_EE00_0001, 0xC0FF_EE00_0002])
    }

    @Test func `other events have none`() {
        #expect(heads(bytes("04 0e 04 01 0c 20 00")) == [])
        #expect(heads(bytes("04 3e 13 01 00 40 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00")) == [])
    }
}

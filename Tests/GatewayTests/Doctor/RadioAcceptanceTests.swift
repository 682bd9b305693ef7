// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

@testable import Gateway

struct RadioAcceptanceTests {
    /// So many advertisers, each heard once a second for so long, all at these RSSI in turn.
    private func acceptance(
        advertisers: Int, seconds: Int, rssi: [Int8] = [-60, -70, -80], deaf: Range<Int> = 0..<0,
        lost: UInt64? = 0
    ) -> RadioAcceptance {
        var measured = RadioMeasurement(from: .boot)
        for second in 0..<seconds where !deaf.contains(second) {
            for advertiser in 0..<advertisers {
                let beacon = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 7, minor: UInt16(advertiser))
                let sighting = Sighting(
                    beacon: beacon, measuredPower: -59, rssi: rssi[(second + advertiser) % rssi.count],
                    advertiser: DeviceAddress(bits: UInt64(advertiser)))
                measured.take(sighting, at: .boot + .seconds(second))
            }
        }
        measured.end(at: .boot + .seconds(seconds))
        return RadioAcceptance(measured: measured, span: .seconds(seconds), lost: lost, source: "hci:0")
    }

    @Test func `a good adapter will do, and says what it gave`() {
        let good = acceptance(advertisers: 10, seconds: 60)
        #expect(good.verdict == .fine)
        #expect(good.isFiltered == false)
        #expect(good.measured.reports == 600)
        #expect(good.measured.advertisers == 10)
        #expect(good.measured.beaconCount == 10)
        #expect(good.measured.longestGap == .seconds(1))
        #expect([0.1, 0.5, 0.9].map { good.measured.rssi(percentile: $0) } == [-80, -70, -60])
        #expect(
            String(decoding: good.json, as: UTF8.self)
                == #"{"type":"radio","source":"hci:0","seconds":60,"reports":600,"advertisers":10,"#
                + #""medianReports":60,"iBeacons":10,"sightings":600,"withRSSI":600,"p10":-80,"p50":-70,"p90":-60,"#
                + #""longestGapSeconds":1,"lost":0,"filtered":false,"verdict":"fine","faults":[]}"#)
    }

    @Test func `one that falls silent will not do where there is company`() {
        let deaf = acceptance(advertisers: 5, seconds: 60, deaf: 20..<24)
        #expect(deaf.faults == ["it was silent for 5.0 s: visitors would be missed"])
        #expect(acceptance(advertisers: 4, seconds: 60, deaf: 20..<24).verdict == .fine)
    }

    @Test func `one without RSSI, with one RSSI for all, or that loses events will not do`() {
        #expect(acceptance(advertisers: 5, seconds: 60, rssi: [127]).faults.first?.contains("no RSSI") == true)
        #expect(acceptance(advertisers: 5, seconds: 60, rssi: [-50]).faults.first?.contains("made up") == true)
        #expect(acceptance(advertisers: 5, seconds: 60, lost: 3).faults.first?.contains("3 events were lost") == true)
        #expect(acceptance(advertisers: 5, seconds: 60, lost: nil).verdict == .fine)
    }

    @Test func `each advertiser reported once is a duplicate filter`() {
        var measured = RadioMeasurement(from: .boot)
        for advertiser in 0..<20 {
            let beacon = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 7, minor: UInt16(advertiser))
            let sighting = Sighting(
                beacon: beacon, measuredPower: -59, rssi: Int8(-50 - advertiser),
                advertiser: DeviceAddress(bits: UInt64(advertiser)))
            measured.take(sighting, at: .boot + .seconds(advertiser))
        }
        let once = RadioAcceptance(measured: measured, span: .seconds(20), lost: 0, source: "hci:0")
        #expect(once.isFiltered == true)
        #expect(once.verdict == .wrong)
    }

    @Test func `too little heard is no verdict, and nothing heard is a fault`() {
        #expect(acceptance(advertisers: 2, seconds: 60).verdict == .couldNotLook)
        #expect(acceptance(advertisers: 9, seconds: 5).verdict == .couldNotLook)
        #expect(acceptance(advertisers: 0, seconds: 60).verdict == .wrong)
    }

    private static let adapters = [(0, 0x001A_7DDA_7113), (1, 0x001A_7DDA_7114)].map {
        Adapter(index: $0.0, address: DeviceAddress(bits: $0.1), isUp: true, isBlocked: false)
    }

    @Test(
        arguments: [
            ("hci", "hci:00:1a:7d:da:71:13", "hci0 00:1A:7D:DA:71:13", true),
            ("hci", "hci:1", "hci1 00:1A:7D:DA:71:14", false),
            ("hci:0", "hci", "hci0 00:1A:7D:DA:71:13", true),
            // It was plugged in anew meanwhile, and numbers have changed.
            ("hci:1", "hci:0", "hci0 00:1A:7D:DA:71:14", true), ("hci:0", "hci:1", "hci0 00:1A:7D:DA:71:14", false),
            ("hci:unix:/run/a", "hci:unix:/run/b", "/run/b", false),
            ("hci:0", "hci:0", nil, true), ("hci:1", "hci:0", "hci0 00:1A:7D:DA:71:13", false),
            ("hci:0?duty=gate", "hci:00:1a:7d:da:71:13", "hci0 00:1A:7D:DA:71:13", true),
            ("hci:00:1a:7d:da:71:13", "hci:0", "hci0 00:1A:7D:DA:71:13", true), ("hci:1", "hci:0", nil, true),
        ] as [(String, String, String?, Bool)])
    func `an adapter that a gateway listens to is not listened to beside it, whatever it is called`(
        wanted: String, running: String, adapter: String?, isSame: Bool
    ) throws {
        let source = try SourceText(wanted)
        var facts = GatewayFacts(
            gateway: "box", version: "1", sourceText: running, source: "radio", reports: 0, withoutRSSI: 0)
        facts.radios = [
            GatewayFacts.Radio(
                state: .scanning, message: "", remedy: "", adapter: "hci7 00:1A:7D:DA:71:99", taken: 0, delivered: 0,
                receiver: "a", sourceText: "hci:7"),
            GatewayFacts.Radio(
                state: .scanning, message: "", remedy: "", adapter: adapter, taken: 0, delivered: 0, receiver: "b",
                sourceText: running),
        ]
        #expect((MeasureRadio.conflict(of: source, with: facts, among: Self.adapters) != nil) == isSame)
        facts.radios = []
        #expect(MeasureRadio.conflict(of: source, with: facts, among: Self.adapters) == nil)
        var field = try #require(FieldSamples.document([]))
        field.source = .radio
        field.sourceText = "hci:7 \(running)"
        field.radios = [
            FieldDocument.Radio(
                state: "scanning", message: "", remedy: "", adapter: adapter, receiver: "b", sourceText: running)
        ]
        #expect(field.isOf(source, among: Self.adapters) == isSame)
    }
}

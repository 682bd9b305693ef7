// SPDX-License-Identifier: GPL-2.0-or-later

import CMallocCount
import EngineProperties
import HallSimulator
import RegionCore
import Testing
import Time

/// What RSSI, addresses and floods do, as the field cases tell it.
struct SignalScenarios {
    @Test func `a report without RSSI moves last-heard and no filter (P-12)`() {
        var stage = Stage()
        stage.hear(from: 0, to: 8, rssi: -75)
        stage.hear(at: 9, rssi: Sighting.noRSSI)
        #expect(stage.row(at: 9)?.filteredRSSI == -75)
        #expect(stage.row(at: 9)?.lastHeard.seconds == 9)
        stage.hear(from: 10, to: 18, rssi: -75)
        #expect(stage.row(at: 18)?.filteredRSSI == -75)
        #expect(stage.row(at: 18)?.tier == .mid)
    }

    @Test func `a report without RSSI is neither a hit nor the end of a count where a limit is set (P-12)`() {
        var stage = Stage([.enterRSSI: -80])
        stage.hear(at: 0)
        stage.hear(at: 1)
        stage.hear(at: 2, rssi: Sighting.noRSSI)
        #expect(stage.events.isEmpty)
        stage.hear(at: 3)
        #expect(stage.lines == ["enter hits at 0.0 seen 3.0 room:told"])
    }

    @Test(arguments: [nil, -80.0])
    func `an adapter without RSSI still sees visits where no limit is set (P-13)`(limit: Double?) {
        var stage = Stage(limit.map { [.enterRSSI: $0] } ?? [:])
        stage.hear(from: 0, to: 29, rssi: Sighting.noRSSI)
        let row = stage.row(at: 29)
        #expect(row?.rssi == nil)
        #expect(row?.sightings == 30)
        if limit == nil {
            #expect(stage.lines == ["enter hits at 0.0 seen 2.0 room:told"])
        } else {
            #expect(stage.events.isEmpty)
            #expect(row?.missing?.contains("no RSSI") == true)
        }
    }

    @Test func `tier and filtered RSSI are those of the window, not of one packet (E-14)`() {
        var stage = Stage()
        for second in 0..<120 {
            let rssi: Int8 = second % 2 == 0 ? -50 : -90
            stage.hear(at: Double(second), rssi: rssi)
            guard second >= 9 else { continue }
            let row = stage.row(at: Double(second))
            #expect(row?.rssi == Double(rssi))
            // Ten samples, five of each, less one of each: exactly the middle.
            #expect(row?.filteredRSSI == -70)
            #expect(second < 12 || row?.tier == .mid)
        }
    }

    @Test(arguments: [(20.0, 9.0...11.0), (10, 4...6)])
    func `the filter reaches as far as it is set to (E-15)`(reach: Double, crossing: ClosedRange<Double>) throws {
        var stage = Stage()
        stage.hear(from: 0, to: 10, rssi: -50)
        stage.reload(Stage.registry([.filterSeconds: reach, .filterSamples: reach]), at: 10.5)
        stage.hear(from: 11, to: 60, rssi: -50)
        var crossed: Double?
        for second in 61...100 {
            stage.hear(at: Double(second), rssi: -80)
            let filtered = try #require(stage.row(at: Double(second))?.filteredRSSI)
            if filtered < -65, crossed == nil { crossed = Double(second) - 60 }
        }
        #expect(crossed.map { crossing.contains($0) } == true, "crossed after \(crossed ?? .infinity) s")
    }

    @Test func `two beacons of one identity are inside until both are gone, and are not averaged (E-07)`() {
        let (loud, faint) = (DeviceAddress(bits: 1), DeviceAddress(bits: 2))
        var stage = Stage([.exit: 30, .cooldown: 0])
        for second in 0..<60 {
            stage.hear(at: Double(second), rssi: -45, address: loud)
            stage.hear(at: Double(second) + 0.5, rssi: -82, address: faint)
        }
        #expect(stage.row(at: 60)?.filteredRSSI == -45)
        #expect(stage.row(at: 60)?.severalAdvertisers == true)
        for second in 60..<200 { stage.hear(at: Double(second), rssi: -45, address: loud) }
        #expect(stage.row(at: 200)?.severalAdvertisers == false)
        for second in 200..<300 { stage.hear(at: Double(second), rssi: -82, address: faint) }
        #expect(stage.row(at: 300)?.filteredRSSI == -82)
        stage.tick(at: 400)
        #expect(
            stage.lines == [
                "enter hits at 0.0 seen 1.0 room:told", "exit silence at 299.0 seen 329.0 room:told",
            ])
    }

    @Test func `thirty days of new addresses are one visit (E-08)`() {
        var stage = Stage([.enterWindow: 90, .exit: 180])
        for number in 0..<86_400 {
            let address = DeviceAddress(bits: UInt64(number / 30) &* 0x9E37_79B9 | 0x4000_0000_0000)
            stage.hear(at: Double(number) * 30, address: address)
        }
        #expect(stage.lines == ["enter hits at 0.0 seen 60.0 room:told"])
    }

    @Test func `a flood of identities fills a list, not the memory, and hides no badge (X-05, E-09)`() {
        var stage = Stage([.exit: 30])
        let draws = SplitMix64(seed: 1)
        func flood(_ range: Range<Int>, _ stage: inout Stage) {
            for number in range {
                let word = draws.bits(at: Int64(number))
                let uuid = number % 2 == 0 ? Stage.uuid : BeaconUUID(high: word, low: ~word)
                let stranger = BeaconIdentity(uuid: uuid, major: 9, minor: UInt16(truncatingIfNeeded: number / 2))
                stage.hear(stranger, at: Double(number) * 0.01, address: DeviceAddress(bits: word))
                if number % 100 == 0 { stage.hear(at: Double(number) * 0.01) }
            }
        }
        flood(0..<20_000, &stage)
        let before = stage.field(at: 200)
        flood(20_000..<60_000, &stage)
        let after = stage.field(at: 600)
        #expect(after.beacons.count == before.beacons.count)
        #expect(after.beacons.count <= 10_000)
        // Every further one pushed one out.
        #expect(after.forgotten - before.forgotten == 40_000)
        #expect(stage.lines == ["enter hits at 0.0 seen 2.0 room:told"])
    }
}

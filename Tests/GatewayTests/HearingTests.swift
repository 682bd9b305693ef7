// SPDX-License-Identifier: GPL-2.0-or-later

import HallSimulator
import RegionCore
import Testing
import Time

@testable import Gateway

private func moment(_ seconds: Double) -> Instant { .boot + .seconds(decimal: seconds) }

/// A hall of badges 1 to 50 (major 7) and a canary (major 9), heard as frames.
private struct Hall {
    static let uuid = BeaconUUID(high: 0xA1B2_C3D4_E5F6_4708, low: 0x8910_1112_1314_15AB)

    var hearing: Hearing
    var decisions = Decisions()
    private var frame = FrameBuffer()

    init(exit: Double = 60, cooldown: Double = 0) {
        var settings = SettingOverrides()
        settings[.exit] = exit
        settings[.cooldown] = cooldown
        let venue = Venue(
            venueId: "hall",
            beacons: [
                BeaconEntry(uuid: Self.uuid, major: 7, minors: 1...50, isRange: true),
                BeaconEntry(uuid: Self.uuid, major: 9, minors: 1...1, kind: .fixed, canary: true),
            ], settings: settings)
        hearing = Hearing(
            engine: RegionEngine(registry: Registry(venue: venue), receiver: ReceiverEntry(id: "box"), at: .boot))
    }

    /// A report of a beacon, from an address of its own.
    mutating func hear(_ minor: UInt16, major: UInt16 = 7, at seconds: Double, rssi: Int8 = -65) {
        var data: [UInt8] = []
        AdvertisingEncoder.appendIBeacon(
            BeaconIdentity(uuid: Self.uuid, major: major, minor: minor), measuredPower: -59, to: &data)
        hear(data, from: UInt64(major) << 16 | UInt64(minor), at: seconds, rssi: rssi)
    }

    mutating func hear(_ data: [UInt8], from address: UInt64, at seconds: Double, rssi: Int8 = -65) {
        let report = AdvertisingEncoder.Report(address: DeviceAddress(bits: address), data: data, rssi: rssi)
        frame.refill { AdvertisingEncoder.appendLegacyEvent(report, to: &$0) }
        take(.frame, at: seconds)
    }

    /// Everybody of a range, once a second.
    mutating func hear(_ minors: ClosedRange<UInt16>, from: Int, through: Int) {
        for second in from...through {
            for minor in minors { hear(minor, at: Double(second) + Double(minor) / 1_000) }
        }
    }

    mutating func take(_ input: SourceInput, at seconds: Double) {
        hearing.take(input, frame: frame, at: moment(seconds), into: &decisions)
    }

    /// As the lane does: at each deadline, and at the end.
    mutating func idle(until seconds: Double) {
        while let deadline = hearing.nextDeadline(), deadline <= moment(seconds) {
            hearing.tick(at: deadline, into: &decisions)
        }
        hearing.tick(at: moment(seconds), into: &decisions)
    }

    /// `exit 3 silence 10/70`: of badge 3, at and detectedAt in whole seconds.
    var exits: [String] {
        decisions.events.filter { $0.kind == .exit }.map { event in
            let (at, detected) = ((event.at - .boot).inSeconds, (event.detectedAt - .boot).inSeconds)
            return "exit \(event.beacon.identity.minor) \(event.reason) \(Int(at))/\(Int(detected))"
        }
    }

    var enters: Int { decisions.events.count { $0.kind == .enter } }
}

struct HearingTests {
    @Test func `the last of two visitors leaving a quiet hall is an exit`() {
        var hall = Hall()
        hall.hear(1...2, from: 0, through: 10)
        hall.hear(2...2, from: 11, through: 50)
        hall.idle(until: 1_000)
        #expect(hall.exits == ["exit 1 silence 10/70", "exit 2 silence 50/110"])
        #expect(hall.hearing.takeChanges().isEmpty)
    }

    @Test func `a receiver that falls silent in a full hall loses nobody, nor when it comes back`() {
        var hall = Hall()
        hall.hear(1...50, from: 0, through: 20)
        hall.idle(until: 4_000)
        #expect(hall.hearing.isSilent())
        #expect(hall.exits.isEmpty)
        hall.hear(1...50, from: 4_000, through: 4_100)
        #expect(hall.exits.isEmpty)
        #expect(hall.enters == 50)
        #expect(
            hall.hearing.takeChanges() == [
                HearingChange(kind: .silent(since: moment(20.05), canary: false), at: moment(50.05)),
                HearingChange(kind: .heard, at: moment(4_000.001)),
            ])
        #expect(hall.hearing.takeChanges().isEmpty)
        // Who leaves later is known to have left by the first report after `exit`.
        hall.hear(1...49, from: 4_101, through: 4_200)
        #expect(hall.exits == ["exit 50 silence 4100/4161"])
    }

    @Test func `who left while the receiver was silent has a gap for a reason`() {
        var hall = Hall()
        hall.hear(1...50, from: 0, through: 20)
        hall.hear(1...49, from: 200, through: 300)
        #expect(hall.exits == ["exit 50 gap 20/260"])
    }

    @Test func `no exit is decided in a silence that may be a fault`() {
        var hall = Hall(exit: 10)
        hall.hear(1...6, from: 0, through: 20)
        hall.idle(until: 45)
        #expect(hall.exits.isEmpty)
        // A stranger's report ends the silence before it was too long: then it was the beacons'.
        hall.hear([2, 1, 6], from: 77, at: 45)
        #expect(hall.exits == (1...6).map { "exit \($0) silence 20/45" })
        #expect(hall.hearing.takeChanges().isEmpty)
    }

    @Test func `R-02 empty reports are silence`() {
        var hall = Hall()
        hall.hear(1...10, from: 0, through: 20)
        for number in 0..<1_200 { hall.hear([], from: UInt64(number), at: 21 + Double(number) / 20) }
        #expect(hall.hearing.isSilent())
        #expect(hall.hearing.lastReport() == moment(20.01))
        hall.idle(until: 1_000)
        #expect(hall.exits.isEmpty)
        #expect(
            hall.hearing.takeChanges() == [
                HearingChange(kind: .silent(since: moment(20.01), canary: false), at: moment(50.01))
            ])
        #expect(hall.hearing.tally.discards[.empty] == 1_200)
    }

    @Test func `R-13 a pause of the scanner is no absence`() {
        var hall = Hall(exit: 30)
        hall.hear(1...1, from: 0, through: 10)
        hall.take(.listening(false), at: 10.5)
        hall.idle(until: 50)
        hall.take(.listening(true), at: 50)
        hall.idle(until: 79.9)
        #expect(hall.exits.isEmpty)
        hall.idle(until: 90)
        #expect(hall.exits == ["exit 1 gap 10/80"])
    }

    @Test func `a canary that falls silent is ten seconds' warning, in an empty hall too`() {
        var hall = Hall()
        for second in 0...20 { hall.hear(1, major: 9, at: Double(second)) }
        hall.hear(1...1, from: 15, through: 20)
        hall.idle(until: 30)
        #expect(!hall.hearing.isSilent())
        hall.idle(until: 1_000)
        #expect(hall.hearing.isSilent())
        #expect(hall.exits.isEmpty)
        #expect(
            hall.hearing.takeChanges() == [
                HearingChange(kind: .silent(since: moment(20.001), canary: true), at: moment(30.001))
            ])
    }

    @Test(arguments: [Duty.gate, .saver])
    func `a duty cycle does not look like silence`(duty: Duty) {
        var plan = HallPlan()
        plan.visitors = 30
        plan.settings[.exit] = 120
        let simulated = SimulatedHall(seed: 11, plan: plan)
        var source = HallSource(hall: simulated, until: moment(1_200), duty: duty)
        var hearing = Hearing(
            engine: RegionEngine(
                registry: Registry(venue: simulated.venue), receiver: simulated.receiver, at: .boot))
        var decisions = Decisions()
        var frame = FrameBuffer()
        var pauses = 0
        while let (input, instant) = source.next(into: &frame) {
            if case .window(open: false) = input { pauses += 1 }
            hearing.take(input, frame: frame, at: instant, into: &decisions)
            #expect(!hearing.isSilent())
        }
        #expect(pauses > 10)
        #expect(hearing.takeChanges().isEmpty)
        // Pauses are none, but silence in the windows is.
        var instant = moment(1_200)
        for _ in 0..<100 {
            instant = instant + .seconds(10)
            hearing.take(.window(open: true), frame: frame, at: instant, into: &decisions)
            hearing.take(.window(open: false), frame: frame, at: instant + .seconds(5), into: &decisions)
        }
        #expect(hearing.isSilent())
    }

    @Test func `the source's word and the silence of its reports count together`() {
        var hall = Hall()
        hall.hear(1...10, from: 0, through: 20)
        hall.take(.listening(false), at: 25)
        hall.idle(until: 100)
        #expect(!hall.hearing.isSilent())
        hall.take(.listening(true), at: 100)
        hall.idle(until: 125)
        #expect(!hall.hearing.isSilent())
        // It hears again, says the source, and nothing comes.
        hall.idle(until: 1_000)
        #expect(hall.hearing.isSilent())
        #expect(hall.exits.isEmpty)
        hall.take(.listening(false), at: 1_001)
        hall.take(.listening(true), at: 1_002)
        hall.idle(until: 2_000)
        #expect(hall.exits.isEmpty)
        hall.hear(1...10, from: 2_000, through: 2_010)
        #expect(!hall.hearing.isSilent())
        #expect(hall.exits.isEmpty)
        #expect(hall.enters == 10)
        #expect(
            hall.hearing.takeChanges() == [
                HearingChange(kind: .silent(since: moment(20.01), canary: false), at: moment(130)),
                HearingChange(kind: .heard, at: moment(2_000.001)),
            ])
    }

    @Test func `extra ticks change nothing`() {
        func run(_ tick: Double?) -> Decisions {
            var hall = Hall(exit: 15, cooldown: 60)
            for round in 0..<6 {
                let start = 100 * round
                hall.hear(1...UInt16(3 + 3 * (round % 3)), from: start, through: start + 20 + 9 * round)
                guard let tick else { continue }
                var next = Double(start + 20 + 9 * round) + 0.5
                while next < Double(start + 100) {
                    hall.hearing.tick(at: moment(next), into: &hall.decisions)
                    next += tick
                }
            }
            hall.hearing.tick(at: moment(1_000), into: &hall.decisions)
            return hall.decisions
        }
        let plain = run(nil)
        #expect(plain.events.count > 30)
        for tick in [0.1, 3, 29.7] { #expect(run(tick) == plain) }
    }

    @Test func `at the end of the input every deadline can run out`() {
        var hall = Hall()
        hall.hear(1...10, from: 0, through: 20)
        hall.idle(until: 25)
        hall.hearing.endOfInput()
        hall.idle(until: 1_000)
        #expect(hall.exits == (1...10).map { "exit \($0) silence 20/80" })
        #expect(hall.hearing.takeChanges().isEmpty)
    }

    @Test func `sightings that come decoded take no part in the census`() {
        var hall = Hall()
        for second in 0...20 {
            for minor in 1...20 as ClosedRange<UInt16> {
                let sighting = Sighting(
                    beacon: BeaconIdentity(uuid: Hall.uuid, major: 7, minor: minor), measuredPower: -59, rssi: -65,
                    advertiser: DeviceAddress(bits: UInt64(minor)))
                hall.take(.sighting(sighting), at: Double(second))
            }
        }
        hall.idle(until: 1_000)
        #expect(hall.exits.count == 20)
        #expect(hall.hearing.takeChanges().isEmpty)
    }

    @Test func `a beacon in two reports is heard, and one without RSSI is counted`() {
        var hall = Hall()
        var data: [UInt8] = []
        AdvertisingEncoder.appendIBeacon(
            BeaconIdentity(uuid: Hall.uuid, major: 7, minor: 1), measuredPower: -59, to: &data)
        for (isLast, part) in [(false, data[..<20]), (true, data[20...])] {
            var frame = FrameBuffer()
            let report = AdvertisingEncoder.Report(
                eventType: isLast ? 0 : 0x20, address: DeviceAddress(bits: 1), data: Array(part), rssi: 127)
            frame.refill { AdvertisingEncoder.appendExtendedEvent(report, to: &$0) }
            hall.hearing.take(.frame, frame: frame, at: moment(1), into: &hall.decisions)
        }
        #expect(hall.hearing.tally.count == 1)
        #expect(hall.hearing.tally.withoutRSSI == 1)
        #expect(hall.hearing.tally.reports == 2)
        #expect(hall.hearing.tally.discards.total == 0)
    }
}

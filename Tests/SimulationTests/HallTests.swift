// SPDX-License-Identifier: GPL-2.0-or-later

import CMallocCount
import Foundation
import HallSimulator
import RegionCore
import Testing
import Time

/// What a source gave, kept for comparison.
private struct Heard: Equatable {
    var input: SourceInput
    var instant: Instant
    var bytes: [UInt8]
}

private func all(_ source: consuming HallSource) -> [Heard] {
    var heard: [Heard] = []
    var frame = FrameBuffer()
    while let (input, instant) = source.next(into: &frame) {
        heard.append(Heard(input: input, instant: instant, bytes: input == .frame ? frame.bytes : []))
    }
    return heard
}

/// A hall in which everything odd is common.
private let oddPlan: HallPlan = {
    var plan = HallPlan.hall
    plan.missingRSSI = 0.05
    plan.brokenEvents = 0.05
    return plan
}()

struct HallTests {
    @Test(arguments: [0, 1, 59_999, 3_600_000, 777_777_777])
    func `a hall entered late is the hall that ran from the beginning`(milliseconds: Int) {
        let hall = SimulatedHall(seed: 11, plan: oddPlan)
        let late = Instant.boot + .milliseconds(milliseconds)
        let early = max(Instant.boot, late - .seconds(120))
        let whole = all(HallSource(hall: hall, from: early, until: late + .seconds(60)))
        let entered = all(HallSource(hall: hall, from: late, until: late + .seconds(60)))
        #expect(!entered.isEmpty)
        #expect(whole.filter { $0.instant >= late } == entered)
    }

    @Test func `the seed decides everything`() {
        func minute(_ seed: UInt64) -> [Heard] {
            all(HallSource(hall: SimulatedHall(seed: seed), until: .boot + .seconds(60)))
        }
        #expect(minute(1) == minute(1))
        #expect(minute(1) != minute(2))
    }

    @Test func `frames come in instant order and hold what real air holds`() {
        let hall = SimulatedHall(seed: 3, plan: oddPlan)
        var parsed = ParsedFrame()
        var discards = DiscardCounts()
        var subevents: [UInt8: Int] = [:]
        var withoutRSSI = 0
        var strangers: Set<BeaconIdentity> = []
        var addresses: [BeaconIdentity: Set<DeviceAddress>] = [:]
        let known = Set(hall.exhibits + hall.visitors)
        var last = Instant.boot
        var frame = FrameBuffer()
        var source = HallSource(hall: hall, until: .boot + .seconds(2_400))
        while let (input, instant) = source.next(into: &frame) {
            #expect(input == .frame)
            #expect(instant >= last)
            last = instant
            AdvertisingParser.parse(frame.bytes.span, into: &parsed)
            if frame.count > 3 { subevents[frame.storage[3], default: 0] += 1 }
            for reason in parsed.discards { discards[reason] += 1 }
            for sighting in parsed.sightings {
                if sighting.rssi == Sighting.noRSSI { withoutRSSI += 1 }
                if !known.contains(sighting.beacon) { strangers.insert(sighting.beacon) }
                if let address = sighting.advertiser { addresses[sighting.beacon, default: []].insert(address) }
            }
        }
        #expect(Set(subevents.keys).isSuperset(of: [0x02, 0x0D]))
        #expect(withoutRSSI > 0)
        for reason in [Discard.malformed, .truncated, .empty, .foreign] {
            #expect(discards[reason] > 0, "no \(reason) in the air")
        }
        #expect(strangers.count == 3)
        #expect(addresses[hall.visitors[2]]?.count ?? 0 > 1, "a badge in a phone rotates its address")
        #expect(addresses[hall.exhibits[0]]?.count == 1)
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func `a badge is heard while its visitor is in the hall and at no other time`(seed: UInt64) {
        let hall = SimulatedHall(seed: seed)
        let end = Instant.boot + .seconds(1_800)
        var heard: [BeaconIdentity: [Instant]] = [:]
        hall.visit(for: end - .boot) { sighting, now in heard[sighting.beacon, default: []].append(now) }
        for beacon in hall.visitors {
            let truth = hall.truth(of: beacon, from: .boot, to: end)
            let moments = heard[beacon] ?? []
            #expect(moments.allSatisfy { moment in truth.contains { $0.contains(moment) } })
            for span in truth where span.upperBound - span.lowerBound > .seconds(60) {
                #expect(moments.contains { span.contains($0) }, "\(beacon) was in the hall unheard in \(span)")
            }
        }
        #expect(hall.truth(of: hall.exhibits[0], from: .boot, to: end) == [.boot..<end])
        let stranger = BeaconIdentity(uuid: SimulatedHall.uuid, major: 9, minor: 1)
        #expect(hall.truth(of: stranger, from: .boot, to: end).isEmpty)
    }

    @Test func `a minute of the ordinary hall has comings and goings`() {
        let hall = SimulatedHall(seed: 7)
        let minute = Instant.boot..<(Instant.boot + .seconds(60))
        let spans = hall.visitors.indices.flatMap {
            hall.truth(visitor: $0, from: minute.lowerBound, to: minute.upperBound)
        }
        #expect(spans.contains { $0.lowerBound > minute.lowerBound })
        #expect(spans.contains { $0.upperBound < minute.upperBound })
    }

    @Test func `the stress hall gives about 500 reports a second`() {
        let source = HallSource(hall: SimulatedHall(seed: 7, plan: .stress), until: .boot + .seconds(20))
        #expect((8_000...12_000).contains(all(source).count))
    }

    @Test(arguments: [(Duty.gate, 15), (.saver, 30)])
    func `a duty opens five seconds in each cycle and hears nothing between`(duty: Duty, cycle: Int) {
        let hall = SimulatedHall(seed: 5)
        let heard = all(HallSource(hall: hall, from: .boot + .seconds(2), until: .boot + .seconds(100), duty: duty))
        let windows = heard.filter { $0.input != .frame }
        #expect(windows.first?.input == .window(open: true))
        #expect(windows.first?.instant == .boot + .seconds(2))
        #expect(windows.dropFirst().first?.input == .window(open: false))
        #expect(windows.dropFirst().first?.instant == .boot + .seconds(5))
        #expect(windows.dropFirst(2).first?.instant == .boot + .seconds(cycle))
        for frame in heard where frame.input == .frame {
            #expect(frame.instant.nanoseconds % (Int64(cycle) * 1_000_000_000) < 5_000_000_000)
        }
        let all = all(HallSource(hall: hall, from: .boot + .seconds(2), until: .boot + .seconds(100)))
        #expect(heard.filter { $0.input == .frame } == all.filter { duty.isOpen(at: $0.instant) })
    }

    @Test func `a deaf span is said at both ends and hears nothing between`() {
        let hall = SimulatedHall(seed: 5)
        let deaf = (Instant.boot + .seconds(5))..<(Instant.boot + .seconds(9))
        let heard = all(HallSource(hall: hall, from: .boot, until: .boot + .seconds(20), deaf: [deaf]))
        #expect(heard.filter { $0.input != .frame }.map(\.input) == [.listening(false), .listening(true)])
        #expect(!heard.contains { $0.input == .frame && deaf.contains($0.instant) })
        let entered = all(HallSource(hall: hall, from: .boot + .seconds(7), until: .boot + .seconds(20), deaf: [deaf]))
        #expect(entered.first?.input == .listening(false))
        #expect(entered.first?.instant == .boot + .seconds(7))
    }

    @Test func `a steady hall allocates nothing`() {
        var source = HallSource(hall: SimulatedHall(seed: 9))
        var frame = FrameBuffer()
        for _ in 0..<1_000 { _ = source.next(into: &frame) }
        let before = malloc_count_now()
        for _ in 0..<10_000 { _ = source.next(into: &frame) }
        #expect(malloc_count_now() == before)
    }

    @Test func `path loss is the logarithm of the distance`() {
        for distance in stride(from: 0.5, to: 200, by: 0.37) {
            let loss = Propagation.pathLoss(squaredDistance: distance * distance, exponent: 2.2)
            #expect(abs(loss - 22 * log10(distance)) < 0.05)
        }
    }

    @Test func `progress runs from 0 to 1 where there is an end`() throws {
        var source = HallSource(hall: SimulatedHall(seed: 1), until: .boot + .seconds(10))
        #expect(source.progress == 0)
        var frame = FrameBuffer()
        var last = 0.0
        while source.next(into: &frame) != nil {
            let progress = try #require(source.progress)
            #expect(progress >= last)
            last = progress
        }
        #expect(last > 0.9 && last <= 1)
        #expect(HallSource(hall: SimulatedHall(seed: 1)).progress == nil)
    }
}

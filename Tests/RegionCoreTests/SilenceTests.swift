// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

private func moment(_ seconds: Double) -> Instant { .boot + .seconds(decimal: seconds) }

private func sender(_ number: Int) -> DeviceAddress { DeviceAddress(bits: 0xC000_0000_0000 | UInt64(number)) }

struct AdvertiserCensusTests {
    @Test func `five in a minute are company, both ends of it included`() {
        var census = AdvertiserCensus()
        for number in 0..<5 {
            #expect(!census.isCompany)
            census.heard(sender(number), at: moment(Double(number)))
        }
        #expect(census.isCompany)
        census.heard(sender(4), at: moment(60))
        #expect(census.isCompany)
        census.heard(sender(4), at: moment(60.000_001))
        #expect(!census.isCompany)
    }

    /// Against a model that remembers everybody, with stamps that are now and then late.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func `it is exact whoever is heard`(seed: UInt64) {
        var state = seed &* 2 &+ 1
        func draw(below bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        var census = AdvertiserCensus()
        var last: [DeviceAddress: Instant] = [:]
        var now = Instant.boot
        let population = [4, 5, 6, 8, 40, 1_000][Int(seed % 6)]
        for _ in 0..<2_000 {
            now = now + .milliseconds(Int(draw(below: [500, 10_000, 25_000][Int(draw(below: 3))])))
            let late = draw(below: 10) == 0 ? Int(draw(below: 40_000)) : 0
            let stamp = now - .milliseconds(late)
            let who = sender(Int(draw(below: UInt64(population))))
            census.heard(who, at: stamp)
            last[who] = max(last[who] ?? stamp, stamp)
            guard let newest = last.values.max() else { return }
            #expect(census.isCompany == (last.values.count { newest - $0 <= .seconds(60) } >= 5))
        }
    }
}

struct SilenceWatchTests {
    private func watch(senders: Int, canary: Bool = false, until end: Double = 10) -> SilenceWatch {
        var watch = SilenceWatch()
        for number in 0..<senders {
            watch.heard(sender(number), isCanary: canary && number == 0, at: moment(end - Double(number) / 10))
        }
        return watch
    }

    @Test func `in a quiet hall silence is never a fault`() {
        var watch = watch(senders: 4)
        #expect(!watch.isBounded)
        #expect(watch.horizon == nil)
        #expect(watch.silentAt == nil)
        #expect(watch.declare(before: moment(10_000)) == nil)
    }

    @Test func `in company it is deafness after thirty seconds, and known to the last report`() {
        var watch = watch(senders: 5)
        #expect(watch.horizon == moment(10))
        #expect(watch.silentAt == moment(40))
        #expect(watch.declare(before: moment(40)) == nil)
        #expect(!watch.isSilent)
        #expect(watch.declare(before: moment(40.1)) == .init(since: moment(10), at: moment(40), canary: false))
        #expect(watch.isSilent)
        #expect(watch.silentAt == nil)
        #expect(watch.declare(before: moment(100)) == nil)
        watch.heard(sender(0), isCanary: false, at: moment(300))
        #expect(!watch.isSilent)
        #expect(!watch.isBounded)
    }

    @Test func `a canary alone is company, for ten seconds`() {
        var watch = watch(senders: 1, canary: true)
        #expect(watch.silentAt == moment(20))
        #expect(watch.declare(before: moment(21)) == .init(since: moment(10), at: moment(20), canary: true))
        // One that was gone for a minute before the others fell silent tells nothing.
        watch.heard(sender(1), isCanary: false, at: moment(70))
        #expect(watch.isBounded)
        watch.heard(sender(1), isCanary: false, at: moment(70.1))
        #expect(!watch.isBounded)
    }

    @Test func `a planned pause is no silence`() {
        var watch = watch(senders: 5)
        watch.window(open: false, at: moment(12))
        #expect(watch.silentAt == nil)
        #expect(watch.isBounded)
        watch.window(open: true, at: moment(37))
        #expect(watch.silentAt == moment(65))
        watch.window(open: false, at: moment(42))
        // Read late, heard before the window closed.
        watch.heard(sender(0), isCanary: false, at: moment(41))
        watch.window(open: true, at: moment(67))
        #expect(watch.silentAt == moment(97))
    }

    @Test func `after a loss that the source told of it counts anew`() {
        var watch = watch(senders: 5)
        watch.resume(at: moment(35))
        #expect(watch.silentAt == moment(65))
    }
}

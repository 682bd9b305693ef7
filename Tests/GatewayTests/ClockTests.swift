// SPDX-License-Identifier: GPL-2.0-or-later

import Testing
import Time

@testable import Gateway

struct ClockTests {
    private func anchor(boot: Double, wall: Double) -> ClockAnchor {
        ClockAnchor(
            instant: .boot + .seconds(decimal: boot),
            wallTime: WallTime(microseconds: Int64(wall * 1_000_000)), synchronised: true)
    }

    @Test func `each step of the wall clock is noticed once, with its size`() {
        var watch = WallClockWatch()
        #expect(watch.step(to: anchor(boot: 0, wall: 1_000)) == nil)
        #expect(watch.step(to: anchor(boot: 60, wall: 1_060)) == nil)
        #expect(watch.step(to: anchor(boot: 61, wall: 4_661)) == .seconds(3_600))
        #expect(watch.step(to: anchor(boot: 62, wall: 4_662)) == nil)
        #expect(watch.step(to: anchor(boot: 63, wall: 4_663 - 7_200)) == .seconds(-7_200))
        #expect(watch.step(to: anchor(boot: 64, wall: 4_664 - 7_200 + 0.2)) == nil)
    }

    @Test func `the wall clock is looked at once a second at most`() {
        var watch = WallClockWatch()
        let looks = (0..<50).filter { watch.isDue(at: .boot + .milliseconds($0 * 100)) }
        #expect(looks == [0, 10, 20, 30, 40])
    }

    @Test func `a hall goes on over a restart`() {
        let start = WallTime(microseconds: 1_000_000_000)
        let first = SourceClock(start: start, speed: 1, now: anchor(boot: 50, wall: 1_000))
        #expect(first.beginning == .boot)
        let second = SourceClock(start: start, speed: 1, now: anchor(boot: 150, wall: 1_100))
        #expect(second.beginning == .boot + .seconds(100))
        // The same moment of the hall has the same label and, within one boot, the same instant.
        let moment = Instant.boot + .seconds(120)
        #expect(first.instant(of: moment) == second.instant(of: moment))
        #expect(second.anchor.wallTime(at: second.instant(of: moment)) == start + .seconds(120))
    }

    @Test func `at ten times the speed a second of the box is ten of the hall`() {
        let start = WallTime(microseconds: 0)
        let clock = SourceClock(start: start, speed: 10, now: anchor(boot: 7, wall: 3))
        #expect(clock.beginning == .boot + .seconds(30))
        #expect(clock.now(boot: .boot + .seconds(9)) == clock.instant(of: .boot + .seconds(50)))
        #expect(clock.real(.seconds(20)) == .seconds(2))
    }

    @Test func `what a radio heard keeps its instant, whatever the box's clocks say since`() {
        let start = ClockAnchor(instant: .boot + .seconds(100), wallTime: .epoch, synchronised: false)
        var clock = SourceClock(live: start)
        let heard = Instant.boot + .seconds(105)
        #expect(clock.instant(of: heard) == heard)
        let later = ClockAnchor(instant: .boot + .seconds(110), wallTime: .epoch + .seconds(500), synchronised: true)
        clock.follow(later)
        #expect(clock.instant(of: heard) == heard)
        #expect(clock.anchor == later)
        #expect(clock.now(boot: heard) == heard)
    }
}

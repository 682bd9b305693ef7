// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

struct ReportFilterTests {
    /// Carries a program out as the kernel does: a load beyond the packet ends it with 0.
    private func passes(_ filter: ReportFilter, _ frame: [UInt8]) -> Bool {
        var (a, x): (UInt32, UInt32) = (0, 0)
        var memory: UInt32 = 0
        var place = 0
        func byte(_ offset: UInt32) -> UInt32? {
            offset < frame.count ? UInt32(frame[Int(offset)]) : nil
        }
        while true {
            let step = filter.program[place]
            place += 1
            switch step.code {
            case 0x30, 0x50:
                guard let value = byte(step.operand &+ (step.code == 0x50 ? x : 0)) else { return false }
                a = value
            case 0x60: a = memory
            case 0x01: x = step.operand
            case 0x02: memory = a
            case 0x04: a = a &+ step.operand
            case 0x0C: a = a &+ x
            case 0x1C: a = a &- x
            case 0x07: x = a
            case 0x05: place += Int(step.operand)
            case 0x15: place += Int(a == step.operand ? step.ifTrue : step.ifFalse)
            case 0x25: place += Int(a > step.operand ? step.ifTrue : step.ifFalse)
            case 0x45: place += Int(a & step.operand != 0 ? step.ifTrue : step.ifFalse)
            case 0x06: return step.operand > 0
            default:
                Issue.record("an unknown instruction \(step.code)")
                return false
            }
        }
    }

    private static let beacon: [UInt8] =
        [0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15] + Array(1...16) + [0, 7, 1, 2, 0xC5]
    private static let flags: [UInt8] = [0x02, 0x01, 0x06]
    private static let foreign: [UInt8] = [0x05, 0xFF, 0x06, 0x00, 0x01, 0x09]

    private func legacy(_ data: [UInt8], reports: UInt8 = 1) -> [UInt8] {
        [0x04, 0x3E, UInt8(12 + data.count), 0x02, reports, 3, 1, 1, 2, 3, 4, 5, 6, UInt8(data.count)] + data + [0xC0]
    }

    private func extended(_ data: [UInt8], type: UInt8 = 0x10) -> [UInt8] {
        [0x04, 0x3E, UInt8(26 + data.count), 0x0D, 1, type, 0, 1, 1, 2, 3, 4, 5, 6, 1, 0, 0xFF, 0x7F, 0xC0]
            + [UInt8](repeating: 0, count: 9) + [UInt8(data.count)] + data
    }

    @Test func `beacons pass, alone or behind other structures, in either kind of event`() {
        for data in [Self.beacon, Self.flags + Self.beacon, [2, 0x0A, 4] + Self.beacon] {
            #expect(passes(.iBeacon, legacy(data)))
            #expect(passes(.iBeacon, extended(data)))
        }
    }

    @Test func `what is foreign is hidden, and so is what is empty`() {
        for data in [
            Self.foreign, Self.flags + Self.foreign, Self.flags, [], [0, 0, 0], [0x1E, 0xFF, 0x4C, 0x00, 0x10],
        ] {
            #expect(!passes(.iBeacon, legacy(data)))
            #expect(!passes(.iBeacon, extended(data)))
        }
    }

    @Test func `what it cannot judge passes`() {
        #expect(passes(.iBeacon, legacy(Self.foreign, reports: 2)))
        #expect(passes(.iBeacon, extended(Self.foreign, type: 0x00)))  // May be the last piece of a chain.
        #expect(passes(.iBeacon, extended(Self.foreign, type: 0x30)))
        #expect(passes(.iBeacon, [0x04, 0x0E, 4, 1, 0x42, 0x20, 0]))
        #expect(passes(.iBeacon, [0x04, 0x10, 1, 0x42]))
        #expect(passes(.iBeacon, legacy([UInt8](repeating: 1, count: 20))))  // Ten structures of nothing.
    }

    @Test func `it never hides what the parser takes, whatever the bytes`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50_000 {
            var data: [UInt8] = []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let body = (0..<Int.random(in: 0...6, using: &random)).map { _ in UInt8.random(in: .min ... .max) }
                data += [UInt8(body.count)] + body
            }
            if Bool.random() { data += Self.beacon }
            if Bool.random() { data += Self.foreign }
            if Int.random(in: 0..<4) == 0, !data.isEmpty {
                data[Int.random(in: 0..<data.count)] = .random(in: .min ... .max)
            }
            var frame = Bool.random() ? legacy(data) : extended(data)
            if Int.random(in: 0..<8) == 0 { frame[Int.random(in: 0..<frame.count)] = .random(in: .min ... .max) }
            if Int.random(in: 0..<8) == 0 { frame.removeLast(Int.random(in: 0..<frame.count)) }
            var parsed = ParsedFrame()
            AdvertisingParser.parse(frame.span, into: &parsed)
            if !parsed.sightings.isEmpty { #expect(passes(.iBeacon, frame), "\(frame)") }
        }
    }

    @Test func `two formats make one program, short enough for the kernel`() {
        let filter = ReportFilter(beginnings: [[0xFF, 0x4C, 0x00, 0x02, 0x15], [0xFF, 0x18, 0x01, 0xBE, 0xAC]])
        #expect(filter.program.count < 4_096)
        #expect(passes(filter, legacy([0x1B, 0xFF, 0x18, 0x01, 0xBE, 0xAC] + [UInt8](repeating: 9, count: 22))))
        #expect(passes(filter, legacy(Self.beacon)))
        #expect(!passes(filter, legacy(Self.foreign)))
    }
}

struct FilterScheduleTests {
    @Test func `it is lifted two seconds of each minute, in silence, and while somebody looks`() {
        let start = Instant.boot + .seconds(7)
        var schedule = FilterSchedule(from: start)
        #expect(!schedule.hides(at: start + .seconds(1)))
        #expect(schedule.nextChange(after: start + .seconds(1)) == start + .seconds(2))
        #expect(schedule.hides(at: start + .seconds(2)))
        // Ten seconds without a report, until one comes.
        #expect(schedule.nextChange(after: start + .seconds(2)) == start + .seconds(10))
        #expect(!schedule.hides(at: start + .seconds(10)))
        schedule.heard(at: start + .seconds(30))
        #expect(schedule.hides(at: start + .seconds(30)))
        schedule.watched(at: start + .seconds(31))
        #expect(!schedule.hides(at: start + .seconds(35)))
        #expect(schedule.hides(at: start + .seconds(36)))
        schedule.heard(at: start + .seconds(59))
        #expect(schedule.hides(at: start + .seconds(59)))
        #expect(!schedule.hides(at: start + .seconds(60)))
    }
}

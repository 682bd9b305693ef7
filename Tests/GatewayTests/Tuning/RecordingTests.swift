// SPDX-License-Identifier: GPL-2.0-or-later

import HallSimulator
import RegionCore
import Testing
import Time

@testable import Gateway

struct RecordingTests {
    private struct Given: Equatable {
        var input: SourceInput
        var instant: Instant
        var bytes: [UInt8]
        var receiver: Int?
        var receivers: [String]
    }

    private func everything(of source: any FrameSource) throws -> [Given] {
        var source = source
        var frame = FrameBuffer()
        var all: [Given] = []
        while let (input, instant) = try source.next(into: &frame) {
            let bytes = input == .frame ? frame.bytes : []
            all.append(
                Given(
                    input: input, instant: instant, bytes: bytes, receiver: source.receiver,
                    receivers: source.receivers))
        }
        return all
    }

    @Test func `every reading of a recording gives what the source gave`() throws {
        func hall() -> HallSource {
            HallSource(hall: SimulatedHall(seed: 3, plan: .hall), from: .boot, until: .boot + .seconds(60), duty: .gate)
        }
        let recording = try Recording(hall()) { _, _ in }
        let given = try everything(of: hall())
        #expect(given.count > 1_000)
        #expect(try everything(of: recording.source()) == given)
        #expect(try everything(of: recording.source()) == given)
        #expect(recording.end == given.last?.instant)
        #expect(recording.trouble == nil)
    }

    /// Lines of receivers that are named one after the other, and an error at the end.
    private struct Lines: FrameSource {
        var progress: Double? { nil }
        private let script: [Int?] = [0, nil, 1, 0]
        private var place = 0
        var receivers: [String] { Array(["north", "south"].prefix(place > 2 ? 2 : place > 0 ? 1 : 0)) }
        var receiver: Int? { script[place - 1] }

        mutating func next(into frame: inout FrameBuffer) throws(SourceError) -> (input: SourceInput, instant: Instant)?
        {
            guard place < script.count else { throw SourceError("cut off") }
            place += 1
            return (.tick, .boot + .seconds(place))
        }
    }

    @Test func `receivers are met when they were, and what was good before an error stands`() throws {
        let recording = try Recording(Lines()) { _, _ in }
        #expect(recording.trouble == SourceError("cut off"))
        let given = try everything(of: recording.source())
        #expect(given.map(\.receiver) == [0, nil, 1, 0])
        #expect(given.map(\.receivers.count) == [1, 1, 2, 2])
        #expect(given.last?.receivers == ["north", "south"])
    }

    @Test func `a recording that would fill the memory is refused`() {
        struct Endless: FrameSource {
            var second = 0
            var progress: Double? { nil }

            mutating func next(into frame: inout FrameBuffer) -> (input: SourceInput, instant: Instant)? {
                second += 1
                return (.tick, .boot + .seconds(second))
            }
        }
        let error = #expect(throws: GatewayError.self) {
            _ = try Recording(Endless(), limit: 1 << 20) { _, _ in }
        }
        #expect(error?.description.contains("more than 1 MiB of memory") == true, "\(error?.description ?? "")")
    }
}

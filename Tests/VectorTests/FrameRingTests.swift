// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

@testable import RadioCapture

struct FrameRingTests {
    static let start = WallTime(microseconds: 1_780_000_000_000_000)

    /// A frame of 45 bytes that tells its number.
    static func frame(_ number: Int) -> FrameBuffer {
        var frame = FrameBuffer()
        frame.refill { bytes in
            bytes += baseEvent.dropLast(4)
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        return frame
    }

    static func ring(_ count: Int, every step: Duration, of ring: FrameRing = FrameRing()) -> FrameRing {
        var ring = ring
        for number in 0..<count {
            ring.append(frame(number), at: .boot + step * number, time: start + step * number)
        }
        return ring
    }

    private static func bytes(of snapshot: RingSnapshot) -> [UInt8] {
        var pieces = snapshot.pieces()
        var bytes: [UInt8] = []
        while let piece = pieces.next() { bytes += piece }
        return bytes
    }

    @Test func `what the ring writes is byte for byte what a recording of the same frames holds`() throws {
        let file = try CaptureFile([])
        var writer = try BtsnoopWriter.create(path: file.path)
        var ring = FrameRing()
        for number in 0..<5_000 {
            let time = Self.start + .microseconds(number * 1_234)
            ring.append(Self.frame(number), at: .boot + .microseconds(number * 1_234), time: time)
            try writer.append(Self.frame(number).bytes, at: time)
        }
        try writer.flush()
        let snapshot = ring.snapshot(at: .boot + .seconds(60))
        let written = Self.bytes(of: snapshot)
        #expect(try written == file.bytes())
        #expect(snapshot.byteCount == written.count)
        #expect(snapshot.frames == 5_000)
        #expect(snapshot.from == Self.start)
    }

    @Test(arguments: [1, 10, 700]) func `frames older than the span are left out`(milliseconds: Int) throws {
        let step = Duration.milliseconds(milliseconds)
        let count = Int(14 / step.inSeconds)
        let ring = Self.ring(count, every: step, of: FrameRing(span: .seconds(7)))
        let now = Instant.boot + step * (count - 1)
        let snapshot = ring.snapshot(at: now)
        let reading = try CaptureFile(Self.bytes(of: snapshot)).read()
        #expect(reading.error == nil)
        #expect(reading.frames.count == snapshot.frames)
        let kept = Int(7 / step.inSeconds) + 1
        #expect(reading.frames == (count - kept..<count).map { Self.frame($0).bytes })
        #expect(snapshot.from == Self.start + step * (count - kept))
    }

    @Test func `a full ring gives up its oldest and says from when on it reaches`() throws {
        let limit = 10 * FrameRing.chunkBytes
        let ring = Self.ring(50_000, every: .milliseconds(1), of: FrameRing(bytes: limit))
        let snapshot = ring.snapshot(at: .boot + .seconds(50))
        let inChunk = FrameRing.chunkBytes / (FrameRing.Chunk.headBytes + 45)
        #expect((9 * inChunk...10 * inChunk).contains(snapshot.frames))
        #expect(snapshot.from == Self.start + .milliseconds(50_000 - snapshot.frames))
        #expect(try CaptureFile(Self.bytes(of: snapshot)).read().frames.last == Self.frame(49_999).bytes)
    }

    @Test func `ten minutes of the busiest hall fit`() {
        // A hundredth of it, in a hundredth of the memory.
        let small = FrameRing(span: RingLimit.span / 100, bytes: RingLimit.bytes / 100)
        let ring = Self.ring(12_000, every: .microseconds(500), of: small)
        #expect(ring.snapshot(at: .boot + .seconds(6)).from == Self.start)
    }

    @Test func `a snapshot stays as it was while the ring goes on`() {
        var ring = Self.ring(20_000, every: .milliseconds(1), of: FrameRing(bytes: 4 * FrameRing.chunkBytes))
        let snapshot = ring.snapshot(at: .boot + .seconds(20))
        let before = Self.bytes(of: snapshot)
        for number in 20_000..<40_000 {
            let elapsed = Duration.milliseconds(number)
            ring.append(Self.frame(number), at: .boot + elapsed, time: Self.start + elapsed)
        }
        #expect(Self.bytes(of: snapshot) == before)
    }

    @Test func `labels are kept exactly over a step of the wall clock, back and ahead`() throws {
        var ring = FrameRing()
        let steps: [Int64] = [0, 0, -3_600_000_000, 86_400_000_000, 100, 0]
        let times = steps.enumerated().map { WallTime(microseconds: Self.start.microseconds + Int64($0) + $1) }
        for (number, time) in times.enumerated() {
            ring.append(Self.frame(number), at: .boot + .microseconds(number), time: time)
        }
        var expected = BtsnoopBytes()
        for (number, time) in times.enumerated() {
            let microseconds = time.microseconds - 946_684_800_000_000
            expected.append(Self.frame(number).bytes, microseconds: microseconds)
        }
        #expect(Self.bytes(of: ring.snapshot(at: .boot)) == expected.bytes)
    }

    @Test func `an empty ring is a capture without records`() throws {
        let snapshot = FrameRing().snapshot(at: .boot + .seconds(5))
        #expect(snapshot.from == nil)
        #expect(snapshot.frames == 0)
        #expect(Self.bytes(of: snapshot) == BtsnoopBytes().bytes)
        #expect(snapshot.byteCount == 16)
    }
}

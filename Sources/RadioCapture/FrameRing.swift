// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// What the ring holds at most.
public enum RingLimit {
    /// Long enough that whoever saw something odd is still in time to ask for it.
    public static let span = Duration.seconds(600)
    /// 2,000 reports of iBeacons a second for ten minutes are 61 MB. Full: the oldest go, and the ring reaches less
    /// far back than its span.
    public static let bytes = 64 * 1_024 * 1_024
}

/// The HCI events of the last ten minutes, in memory.
///
/// They lie in chunks, so that a snapshot costs a reference for each of them and what is appended after it copies one
/// chunk at most. A frame allocates nothing; a chunk now and then does.
public struct FrameRing {
    private let span: Duration
    private let mostChunks: Int
    private var full: [Chunk] = []
    private var open: Chunk

    /// How large a chunk is. It holds what comes in half a second of the busiest hall.
    static let chunkBytes = 64 * 1_024

    /// An empty ring of so much time and memory.
    public init(span: Duration = RingLimit.span, bytes: Int = RingLimit.bytes) {
        self.span = span
        mostChunks = max(2, bytes / Self.chunkBytes)
        full.reserveCapacity(mostChunks)
        open = Chunk(at: .boot, time: .epoch, room: 0)
    }

    /// Takes a frame, packet type byte first: when it was received by the lane's clock, which never goes back, and
    /// what that moment is called.
    public mutating func append(_ frame: borrowing FrameBuffer, at instant: Instant, time: WallTime) {
        guard frame.count <= Chunk.longestFrame else { return }  // No HCI event has more than 258 bytes.
        if open.append(frame, at: instant, time: time) { return }
        beginChunk(at: instant, time: time)
        _ = open.append(frame, at: instant, time: time)
    }

    private mutating func beginChunk(at instant: Instant, time: WallTime) {
        if open.frames > 0 { full.append(open) }
        let expired = full.prefix { $0.newest < instant - span }.count
        let dropped = max(expired, full.count - (mostChunks - 1))
        if dropped > 0 { full.removeFirst(dropped) }
        open = Chunk(at: instant, time: time, room: Self.chunkBytes)
    }

    /// What it holds of the time up to now.
    public func snapshot(at now: Instant) -> RingSnapshot {
        let chunks = full + (open.frames > 0 ? [open] : [])
        return RingSnapshot(Array(chunks.drop { $0.newest < now - span }), since: now - span)
    }

    /// Some thousand frames that follow each other, each with two bytes of length and four of time before it.
    struct Chunk: Sendable {
        /// What it holds in its first `count` bytes; there is room behind them. Frames are copied into room that is
        /// there: to append them would cost several times the copy.
        private(set) var bytes: [UInt8]
        private(set) var count = 0
        private(set) var frames = 0
        /// When the first frame was received.
        let oldest: Instant
        /// What that moment is called.
        let start: WallTime
        /// When the last one was.
        private(set) var newest: Instant

        static let headBytes = 6
        static let longestFrame = 4_096
        /// Frames whose labels and instants drift further apart than this many microseconds are apart by a step of the wall clock.
        private static let step: UInt64 = 100_000

        /// An empty chunk.
        init(at instant: Instant, time: WallTime, room: Int) {
            // Sound though nobody has written it yet: any byte is one, and none beyond `count` is read.
            bytes = unsafe Array(unsafeUninitializedCapacity: room) { $1 = room }
            oldest = instant
            newest = instant
            start = time
        }

        /// Takes a frame; false where there is no room, or the label cannot be written as a span since the first one.
        mutating func append(_ frame: borrowing FrameBuffer, at instant: Instant, time: WallTime) -> Bool {
            // Whole numbers: this is asked of every frame.
            let elapsed = time.microseconds - start.microseconds
            let drift = elapsed - (instant.nanoseconds - oldest.nanoseconds) / 1_000
            let end = count + Self.headBytes + frame.count
            guard end <= bytes.count, drift.magnitude < Self.step, let label = UInt32(exactly: elapsed) else {
                return false
            }
            unsafe bytes.withUnsafeMutableBytes { bytes in
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[count..<end])
                unsafe room.storeBytes(of: UInt16(frame.count).bigEndian, as: UInt16.self)
                unsafe room.storeBytes(of: label.bigEndian, toByteOffset: 2, as: UInt32.self)
                unsafe frame.storage.span.extracting(..<frame.count).withUnsafeBytes {
                    unsafe UnsafeMutableRawBufferPointer(rebasing: room[Self.headBytes...]).copyMemory(from: $0)
                }
            }
            count = end
            frames += 1
            newest = instant
            return true
        }

        /// How long the frame at this place is.
        func length(at place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }

        /// What the frame at this place is labelled with.
        func time(at place: Int) -> WallTime {
            let elapsed = bytes[(place + 2)..<(place + Self.headBytes)].reduce(0) { Int64($0) << 8 | Int64($1) }
            return WallTime(microseconds: start.microseconds + elapsed)
        }
    }
}

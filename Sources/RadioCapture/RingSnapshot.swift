// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// What the ring held at one moment, to be written as a btsnoop file piece by piece, on any thread.
public struct RingSnapshot: Sendable {
    private let chunks: [FrameRing.Chunk]
    /// Where the first frame of the first chunk that is young enough lies.
    private let start: Int
    /// How many frames it holds.
    public let frames: Int
    /// How long the btsnoop file is.
    public let byteCount: Int

    /// Frames received before `since` are left out; only the first chunk may hold any.
    init(_ chunks: [FrameRing.Chunk], since: Instant) {
        self.chunks = chunks
        var (start, skipped) = (0, 0)
        if let first = chunks.first, first.oldest < since {
            let cut = first.start + (since - first.oldest)
            while start < first.count, first.time(at: start) < cut {
                start += FrameRing.Chunk.headBytes + first.length(at: start)
                skipped += 1
            }
        }
        self.start = start
        frames = chunks.reduce(0) { $0 + $1.frames } - skipped
        let held = chunks.reduce(0) { $0 + $1.count } - start
        byteCount = Btsnoop.headerBytes + held + frames * (Btsnoop.recordHeaderBytes - FrameRing.Chunk.headBytes)
    }

    /// What its oldest frame is labelled with: from when on it can tell; nil when it is empty.
    public var from: WallTime? {
        guard let first = chunks.first else { return nil }
        return start < first.count ? first.time(at: start) : chunks.dropFirst().first?.start
    }

    /// The btsnoop file in pieces of some 100 KB at most.
    public func pieces() -> Pieces { Pieces(chunks, from: start) }

    /// Makes one piece after another.
    public struct Pieces: IteratorProtocol {
        private var chunks: ArraySlice<FrameRing.Chunk>
        private var start: Int
        private var hasHeader = false

        init(_ chunks: [FrameRing.Chunk], from start: Int) {
            self.chunks = chunks[...]
            self.start = start
        }

        /// The next piece; nil at the end.
        public mutating func next() -> [UInt8]? {
            var piece: [UInt8] = []
            if !hasHeader {
                hasHeader = true
                Btsnoop.appendHeader(to: &piece)
                return piece
            }
            guard let chunk = chunks.popFirst() else { return nil }
            let heads = chunk.frames * (Btsnoop.recordHeaderBytes - FrameRing.Chunk.headBytes)
            piece.reserveCapacity(chunk.count + heads)
            var place = start
            start = 0
            while place < chunk.count {
                let length = chunk.length(at: place)
                Btsnoop.appendRecordHead(of: length, at: chunk.time(at: place), to: &piece)
                place += FrameRing.Chunk.headBytes
                piece.append(contentsOf: chunk.bytes[place..<(place + length)])
                place += length
            }
            return piece
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

/// What `/v1/ring` gives.
public enum RingAnswer: Sendable {
    /// What a receiver heard.
    case file(FeedFile)
    /// There is no such receiver; there are these.
    case unknown([String])
    /// It cannot be had now.
    case noAnswer
}

/// A file to be sent, made piece by piece while it goes out, so that it is never in memory as a whole.
public struct FeedFile: Sendable {
    /// What it is to be called where it is saved: letters, digits, dashes and dots.
    public let name: String
    /// How long it is; the pieces together have exactly this length.
    public let byteCount: Int
    /// What is known of it beside its bytes, as header fields.
    public let fields: [(name: String, value: String)]
    /// Begins anew: what it gives makes one piece after another, nil at the end, all on one thread.
    public let pieces: @Sendable () -> () -> [UInt8]?

    /// A file of these parts.
    public init(
        name: String, byteCount: Int, fields: [(name: String, value: String)] = [],
        pieces: @escaping @Sendable () -> () -> [UInt8]?
    ) {
        self.name = name
        self.byteCount = byteCount
        self.fields = fields
        self.pieces = pieces
    }
}

/// Hands out a file's bytes in whatever portions they are asked for.
final class FileReading {
    private let next: () -> [UInt8]?
    private var piece: [UInt8] = []
    private var start = 0

    init(_ file: FeedFile) { next = file.pieces() }

    /// Fills the room as far as one piece reaches; how many bytes that were, 0 at the end.
    func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
        while start == piece.count {
            guard let following = next() else { return 0 }
            piece = following
            start = 0
        }
        let count = min(room.count, piece.count - start)
        unsafe room.copyBytes(from: piece[start..<(start + count)])
        start += count
        return count
    }
}

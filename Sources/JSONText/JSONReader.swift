// SPDX-License-Identifier: GPL-2.0-or-later

/// Reads JSON (RFC 8259) strictly and says where it stopped.
///
/// What other readers let pass is refused here, because two programs could understand it differently: a key that
/// stands twice in one object (Unicode-equivalent spellings are one key), bytes that are no UTF-8, lone surrogates,
/// a byte order mark, numbers beyond a `Double`. Reading takes time linear in the number of bytes.
public enum JSONReader {
    /// What is accepted.
    public struct Options: Sendable {
        /// Longer texts are refused unread.
        public var maximumBytes: Int
        /// Arrays and objects within each other, the outermost included; at most `JSONReader.deepest`.
        public var maximumDepth: Int
        /// `// …`, `/* … */`, and a comma after the last element: for files that people write.
        public var allowsCommentsAndTrailingCommas: Bool

        /// Options of these parts.
        public init(
            maximumBytes: Int = JSONReader.mostBytes, maximumDepth: Int = 64,
            allowsCommentsAndTrailingCommas: Bool = false
        ) {
            self.maximumBytes = maximumBytes
            self.maximumDepth = maximumDepth
            self.allowsCommentsAndTrailingCommas = allowsCommentsAndTrailingCommas
        }

        /// RFC 8259 and nothing else.
        public static let strict = Options()
        /// With comments and trailing commas.
        public static let relaxed = Options(allowsCommentsAndTrailingCommas: true)
    }

    /// 64 MiB: a registry of 400,000 beacons. The tree takes some six times as much, so less is better where a
    /// stranger writes the text.
    public static let mostBytes = 64 << 20

    /// A level costs one stack frame of a few hundred bytes, here and when the tree is freed; this stays far below
    /// the smallest thread stack in use (8 MiB).
    public static let deepest = 512

    /// The one value that the text holds.
    ///
    /// - Throws: `JSONFault` at the first place that is not as it should be.
    public static func read(_ bytes: [UInt8], options: Options = .strict) throws(JSONFault) -> JSONNode {
        guard bytes.count <= options.maximumBytes else {
            throw JSONFault(
                message: "\(bytes.count) bytes are too long: at most \(options.maximumBytes) are read",
                position: JSONPosition(line: 1, column: 1))
        }
        var parser = JSONParser(bytes, options: options)
        return try parser.document()
    }

    /// The line and column of a byte offset; offsets beyond the end give the place after the last byte.
    public static func position(of offset: Int, in bytes: [UInt8]) -> JSONPosition {
        let lineFeed = UInt8(ascii: "\n")
        let carriageReturn = UInt8(ascii: "\r")
        let end = min(max(offset, 0), bytes.count)
        var line = 1
        var lineStart = 0
        for index in 0..<end {
            let isCRLF = bytes[index] == carriageReturn && index + 1 < bytes.count && bytes[index + 1] == lineFeed
            if bytes[index] == lineFeed || (bytes[index] == carriageReturn && !isCRLF) {
                line += 1
                lineStart = index + 1
            }
        }
        // Continuation bytes (10xxxxxx) belong to the scalar before them.
        let scalars = bytes[lineStart..<end].count { $0 & 0xC0 != 0x80 }
        return JSONPosition(line: line, column: scalars + 1)
    }
}

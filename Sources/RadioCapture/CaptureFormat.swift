// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// What a file holds, told by how it begins.
enum CaptureFormat {
    case btsnoop
    case sightings

    /// Files that people take for captures of ours: how they begin, what they are, and what to do with them.
    private static let foreign: [(start: [UInt8], name: String, remedy: String)] = [
        ([0xA1, 0xB2, 0xC3, 0xD4], "a pcap file", convert), ([0xD4, 0xC3, 0xB2, 0xA1], "a pcap file", convert),
        ([0xA1, 0xB2, 0x3C, 0x4D], "a pcap file", convert), ([0x4D, 0x3C, 0xB2, 0xA1], "a pcap file", convert),
        ([0x0A, 0x0D, 0x0D, 0x0A], "a pcapng file", convert),
        (Array("snoop\0\0\0".utf8), "a snoop file of a network", convert),
        (Array("PK\u{3}\u{4}".utf8), "a zip archive", "unpack it first"),
        ([0x1F, 0x8B], "gzip inside gzip", "unpack it once"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "an xz file", "unpack it first"),
        ([0x28, 0xB5, 0x2F, 0xFD], "a zstd file", "unpack it first"),
        (Array("BZh".utf8), "a bzip2 file", "unpack it first"),
        (Array("SQLite format 3".utf8), "an SQLite database", "name the capture it was made from"),
        (Array("HCI sniffer".utf8), "text of hcidump", "pass it to `regiond decode --hci`"),
        (Array("> ".utf8), "text of hcidump", "pass it to `regiond decode --hci`"),
        (Array("< ".utf8), "text of hcidump", "pass it to `regiond decode --hci`"),
        ([0xEF, 0xBB, 0xBF], "text with a byte order mark", "save it without"),
        (Array("[".utf8), "a JSON array", "write one object a line, as `jq -c '.[]'` does"),
    ]
    private static let convert = "convert it with `editcap -F btsnoop IN OUT`"
    private static let accepted = "btsnoop captures and sightings as NDJSON are read, plain or gzip"

    /// Looks at the first bytes and consumes none.
    ///
    /// - Throws: What the file looks like, what is accepted and what to do, when it is neither.
    static func detect(in stream: inout ByteStream) throws(SourceError) -> CaptureFormat {
        let enough = 64
        _ = try stream.need(enough)
        var head: [UInt8] = []
        stream.copy(min(stream.available, enough), at: 0, into: &head)
        if head.isEmpty { throw SourceError("\(stream.path): is empty; \(accepted)") }
        if head.starts(with: Btsnoop.identification.prefix(head.count)) { return .btsnoop }
        if head.first(where: { !isWhiteSpace($0) }) == UInt8(ascii: "{") { return .sightings }
        if let known = foreign.first(where: { head.starts(with: $0.start) }) {
            throw SourceError("\(stream.path): is \(known.name); \(accepted): \(known.remedy)")
        }
        let looks =
            head.allSatisfy { isWhiteSpace($0) || $0 >= 0x20 && $0 != 0x7F } ? "text" : "binary data of another kind"
        throw SourceError("\(stream.path): is \(looks); \(accepted)")
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (9...13).contains(byte)
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// One file in a tar archive, as POSIX has it (ustar, IEEE Std 1003.1, pax).
struct TarEntry {
    /// At most 100 bytes, with the folders before it.
    let name: String
    let content: [UInt8]

    /// Archives are made of these.
    static let blockBytes = 512
    /// Two empty blocks end an archive.
    static let end = [UInt8](repeating: 0, count: 2 * blockBytes)

    /// The block before the content: mode 0644, nobody's in particular.
    func header(at time: WallTime) -> [UInt8] {
        precondition(name.utf8.count <= 100, "a name in the archive is too long")
        var block: [UInt8] = []
        func put(_ text: String, _ width: Int) {
            block += text.utf8
            block += [UInt8](repeating: 0, count: width - text.utf8.count)
        }
        func octal(_ number: Int, _ width: Int) {
            let digits = String(number, radix: 8)
            put(String(repeating: "0", count: width - 1 - digits.count) + digits, width)
        }
        put(name, 100)
        octal(0o644, 8)
        octal(0, 8)
        octal(0, 8)
        octal(content.count, 12)
        octal(Int(max(0, time.microseconds) / 1_000_000), 12)
        let sumPlace = block.count
        put("        ", 8)  // Counted as blanks.
        put("0", 1)
        put("", 100)
        put("ustar", 6)
        put("00", 2)
        put("root", 32)
        put("root", 32)
        put("", Self.blockBytes - block.count)
        let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
        let field = String(repeating: "0", count: 6 - sum.count) + sum + "\0 "
        block.replaceSubrange(sumPlace..<(sumPlace + 8), with: field.utf8)
        return block
    }

    /// What fills the last block.
    var padding: [UInt8] {
        [UInt8](repeating: 0, count: (Self.blockBytes - content.count % Self.blockBytes) % Self.blockBytes)
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// How a btsnoop file (datalink H4) is put into bytes: what recordings and the ring share.
extension Btsnoop {
    /// Adds the header that a file begins with.
    static func appendHeader(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: identification)
        append(version, to: &bytes)
        append(Datalink.h4.rawValue, to: &bytes)
    }

    /// Adds the head of a record of so many bytes, received at that time; the bytes are to follow.
    static func appendRecordHead(of count: Int, at time: WallTime, to bytes: inout [UInt8]) {
        append(UInt32(count), to: &bytes)
        append(UInt32(count), to: &bytes)
        append(receivedEvent, to: &bytes)
        append(0, to: &bytes)  // Drops: none that we know of.
        let stamp = UInt64(bitPattern: time.microseconds &+ unixEpoch)
        append(UInt32(truncatingIfNeeded: stamp >> 32), to: &bytes)
        append(UInt32(truncatingIfNeeded: stamp), to: &bytes)
    }

    private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
        for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * place))) }
    }
}

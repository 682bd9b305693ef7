// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore
import Time

/// Writes HCI events into a btsnoop file (datalink H4) that this service, Wireshark and btmon read.
///
/// Records are gathered and written in large pieces; `flush` puts out what is waiting. An existing recording is never
/// overwritten.
public struct BtsnoopWriter: ~Copyable {
    /// Large enough that a busy hall costs a write a second, small enough to lose little with the power.
    private static let pieceBytes = 64 * 1_024

    private let path: String
    private let descriptor: CInt
    private var waiting: [UInt8] = []
    /// How many frames were taken.
    public private(set) var frames: UInt64 = 0

    /// Makes the file (or takes an empty one) and writes its header.
    public static func create(path: String) throws(SourceError) -> BtsnoopWriter {
        let readableByGroup: mode_t = 0o640
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, readableByGroup)
        let code = errno
        guard descriptor >= 0 else {
            throw SourceError("\(path): cannot be made: \(systemMessage(code)); check the folder and its rights")
        }
        var writer = BtsnoopWriter(path: path, descriptor: descriptor)
        var status = stat()
        if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 {
            throw SourceError("\(path): holds something already; name a new file to record into")
        }
        Btsnoop.appendHeader(to: &writer.waiting)
        try writer.flush()
        return writer
    }

    private init(path: String, descriptor: CInt) {
        self.path = path
        self.descriptor = descriptor
        waiting.reserveCapacity(Self.pieceBytes + Btsnoop.longestRecord)
    }

    deinit {
        // Nobody is left to be told; whoever wants to know flushes first.
        _ = Self.write(waiting, to: descriptor)
        _ = close(descriptor)
    }

    /// Takes one frame that was received at that time: an HCI event, packet type byte first.
    public mutating func append(_ frame: [UInt8], at time: WallTime) throws(SourceError) {
        Btsnoop.appendRecordHead(of: frame.count, at: time, to: &waiting)
        waiting.append(contentsOf: frame)
        frames += 1
        if waiting.count >= Self.pieceBytes { try flush() }
    }

    /// Hands everything taken so far to the system. After an error what was waiting is given up, and the file ends in
    /// a record that is cut short.
    public mutating func flush() throws(SourceError) {
        let code = Self.write(waiting, to: descriptor)
        waiting.removeAll(keepingCapacity: true)
        if code != 0 {
            throw SourceError("\(path): cannot be written: \(systemMessage(code)); make room or record elsewhere")
        }
    }

    /// The error number, 0 when all was written.
    private static func write(_ bytes: [UInt8], to descriptor: CInt) -> CInt {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { room in
                unsafe Glibc.write(descriptor, room.baseAddress.map { unsafe $0 + done }, room.count - done)
            }
            if count < 0, errno != EINTR { return errno }
            done += max(0, count)
        }
        return 0
    }
}

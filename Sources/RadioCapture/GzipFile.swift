// SPDX-License-Identifier: GPL-2.0-or-later

import CZlib
import Glibc
import RegionCore

/// Packs bytes into a new gzip file, piece by piece.
///
/// Safe to use: the pointer is made, owned and freed here, and zlib is given no more bytes than the buffers have.
@safe public struct GzipFile: ~Copyable {
    private let path: String
    private let descriptor: CInt
    // zlib keeps the stream's address and refuses one that moved, so it lives on the heap.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isWhole = false

    /// Makes the file; one that is there already is refused.
    public static func create(path: String) throws(SourceError) -> GzipFile {
        guard let stream = unsafe deflater() else { throw SourceError("\(path): there is no memory to pack it with") }
        let readableByUser: mode_t = 0o600
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readableByUser)
        let code = errno
        guard descriptor >= 0 else {
            unsafe deflateEnd(stream)
            unsafe stream.deallocate()
            throw SourceError(
                code == EEXIST
                    ? "\(path): is there already; name a new file"
                    : "\(path): cannot be made: \(systemMessage(code)); check the folder and its rights")
        }
        return unsafe GzipFile(path: path, descriptor: descriptor, stream: stream)
    }

    private static func deflater() -> UnsafeMutablePointer<z_stream>? {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let (withHeader, usualMemory): (CInt, CInt) = (15 + 16, 8)  // zlib.h, deflateInit2.
        let code = unsafe deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, withHeader, usualMemory, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size))
        if code == Z_OK { return unsafe stream }
        unsafe stream.deallocate()
        return nil
    }

    private init(path: String, descriptor: CInt, stream: UnsafeMutablePointer<z_stream>) {
        self.path = path
        self.descriptor = descriptor
        unsafe self.stream = stream
    }

    /// A file that was not finished is of no use to anybody, and is taken away.
    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
        close(descriptor)
        if !isWhole { unsafe unlink(path) }
    }

    /// Adds bytes.
    public mutating func append(_ bytes: [UInt8]) throws(SourceError) { try pack(bytes, Z_NO_FLUSH) }

    /// Writes what is left, to the disk. Nothing can be added after it.
    public mutating func finish() throws(SourceError) {
        try pack([], Z_FINISH)
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else { throw failure(errno) }
        isWhole = true
    }

    private mutating func pack(_ bytes: [UInt8], _ flush: CInt) throws(SourceError) {
        var room = [UInt8](repeating: 0, count: 64 * 1_024)
        var start = 0
        while true {
            let count = min(bytes.count - start, 1 << 24)  // Below what zlib counts with.
            let (left, produced, isEnd) = unsafe bytes.withUnsafeBytes { input in
                unsafe room.withUnsafeMutableBytes { output in
                    // zlib's input pointer is not const, but it only reads there.
                    unsafe stream.pointee.next_in = UnsafeMutablePointer(
                        mutating: input.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self))
                    unsafe stream.pointee.avail_in = uInt(count)
                    unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    unsafe stream.pointee.avail_out = uInt(output.count)
                    let status = unsafe deflate(stream, flush)
                    return unsafe (
                        Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out),
                        status == Z_STREAM_END
                    )
                }
            }
            start += count - left
            try write(room[..<produced])
            if flush == Z_FINISH ? isEnd : start == bytes.count && produced < room.count { return }
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>) throws(SourceError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { throw failure(errno) }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private func failure(_ code: CInt) -> SourceError {
        SourceError("\(path): cannot be written: \(systemMessage(code)); make room or name another place")
    }
}

/// The library that packs and unpacks.
public enum Zlib {
    /// What is running here.
    public static let version = unsafe String(cString: zlibVersion())
}

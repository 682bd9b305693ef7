// SPDX-License-Identifier: GPL-2.0-or-later

import CZlib

/// zlib's decompressor for gzip data; members that follow each other are one stream, as `gzip -d` reads them.
///
/// Safe to use: the pointer is made, owned and freed here, and zlib is given no more bytes than the buffers have.
@safe struct Inflater: ~Copyable {
    enum Outcome: Equatable {
        /// Goes on with the next piece of input.
        case running
        /// A member is whole; another may follow.
        case memberEnd
        /// The data are no gzip data from here on.
        case corrupt
    }

    // zlib keeps the stream's address and refuses one that moved, so it lives on the heap.
    private let stream: UnsafeMutablePointer<z_stream>

    /// nil when there is no memory for the 32 KiB window.
    init?() {
        unsafe stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let gzipOnly: CInt = 15 + 16  // The largest window, and a gzip header (zlib.h, inflateInit2).
        guard unsafe inflateInit2_(stream, gzipOnly, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Unpacks from `input` into `output`, and says how many bytes of each were used.
    mutating func inflate(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> (consumed: Int, produced: Int, outcome: Outcome) {
        // zlib's input pointer is not const, but it only reads there.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = uInt(input.count)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = uInt(output.count)
        let status = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
        let consumed = unsafe input.count - Int(stream.pointee.avail_in)
        let produced = unsafe output.count - Int(stream.pointee.avail_out)
        switch status {
        case Z_STREAM_END: return (consumed, produced, .memberEnd)
        case Z_OK, Z_BUF_ERROR: return (consumed, produced, .running)
        default: return (consumed, produced, .corrupt)
        }
    }

    /// Makes ready for the next member.
    mutating func beginMember() { unsafe _ = inflateReset(stream) }
}

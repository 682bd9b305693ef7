// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore

/// A file read once, from its start to its end, through a buffer of fixed size; gzip is told by its first two bytes
/// and unpacked on the way. Owns the descriptor.
struct ByteStream: ~Copyable {
    /// The longest piece that can be looked at in one go; larger reads cost no less per byte.
    static let bufferBytes = 256 * 1_024

    /// The file, as the user named it.
    let path: String
    private let descriptor: CInt
    private let fileBytes: Int64?
    private var bytesRead: Int64 = 0

    private var buffer = [UInt8](repeating: 0, count: ByteStream.bufferBytes)
    private var start = 0
    private var end = 0
    /// How many bytes, unpacked, lie before the present position.
    private(set) var offset: Int64 = 0

    private var inflater: Inflater?
    private var packed: [UInt8] = []
    private var packedStart = 0
    private var packedEnd = 0
    private var isBetweenMembers = false
    private var isCorrupt = false

    /// Opens the file and looks at its first bytes.
    static func open(path: String) throws(SourceError) -> ByteStream {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        let code = errno
        guard descriptor >= 0 else {
            throw SourceError("\(path): cannot be opened: \(systemMessage(code)); check the path and its rights")
        }
        var stream = ByteStream(path: path, descriptor: descriptor)
        if try stream.need(2), stream[0] == 0x1F, stream[1] == 0x8B { try stream.beginUnpacking() }
        return stream
    }

    private init(path: String, descriptor: CInt) {
        self.path = path
        self.descriptor = descriptor
        var status = stat()
        let known = unsafe fstat(descriptor, &status)
        fileBytes = known == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
    }

    deinit { _ = close(descriptor) }

    /// How many bytes can be looked at now.
    var available: Int { end - start }

    /// Where the reader stands, for messages.
    var place: String { isPacked ? "byte \(offset) (unpacked)" : "byte \(offset)" }

    /// How much of the file has been read, 0 to 1; nil where its size is unknown.
    var progress: Double? {
        guard let fileBytes, fileBytes > 0 else { return nil }
        return min(1, Double(bytesRead) / Double(fileBytes))
    }

    /// The byte at that distance from the present position, which must be available.
    subscript(distance: Int) -> UInt8 { buffer[start + distance] }

    /// A big-endian number; its bytes must be available.
    func bigEndian<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type, at distance: Int) -> Number {
        // Bounds are checked; "unsafe" is only that any type may be asked for, and an integer may have any bits.
        unsafe Number(
            bigEndian: buffer.span.bytes.unsafeLoadUnaligned(fromByteOffset: start + distance, as: Number.self))
    }

    /// The distance of the first such byte at `distance` or beyond, among those available.
    func firstIndex(of byte: UInt8, from distance: Int) -> Int? {
        buffer[(start + distance)..<end].firstIndex(of: byte).map { $0 - start }
    }

    /// Replaces `bytes` by that many available ones from that distance on; its storage stays.
    func copy(_ count: Int, at distance: Int, into bytes: inout [UInt8]) {
        let first = start + distance
        precondition(first + count <= end, "a reader copied bytes it had not seen")
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: buffer[first..<(first + count)])
    }

    /// Copies that many available bytes, from that distance on, into a frame, which then holds them behind `kept` bytes of
    /// its own and ends with them.
    func copy(_ count: Int, at distance: Int, into frame: inout FrameBuffer, keeping kept: Int) {
        let first = start + distance
        precondition(first + count <= end, "a reader copied bytes it had not seen")
        frame.count = kept + count
        while frame.storage.count < frame.count { frame.storage.append(0) }
        unsafe frame.storage.withUnsafeMutableBytes { bytes in
            unsafe buffer.withUnsafeBytes { buffer in
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[kept...])
                unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[first..<(first + count)]))
            }
        }
    }

    /// Steps over bytes that are available.
    mutating func skip(_ count: Int) {
        precondition(count <= available, "a reader stepped over bytes it had not seen")
        start += count
        offset += Int64(count)
    }

    /// Reads on until that many bytes are available; false when the file ends before.
    ///
    /// Throws when the file cannot be read or its gzip data are incomplete or damaged, after all that was good
    /// before that point was given.
    mutating func need(_ count: Int) throws(SourceError) -> Bool {
        while available < count {
            guard try fill() else { return false }
        }
        return true
    }

    /// Moves what is left to the front and reads behind it. False at the end of the file.
    private mutating func fill() throws(SourceError) -> Bool {
        if start > 0 {
            for index in start..<end { buffer[index - start] = buffer[index] }
            end -= start
            start = 0
        }
        precondition(end < buffer.count, "a reader asked for more than the buffer holds")
        let got = try isPacked ? unpack() : readFile(packed: false)
        end += got
        return got > 0
    }

    /// Reads a piece of the file, behind what the buffer holds or in place of the packed piece; 0 at its end.
    private mutating func readFile(packed isForUnpacking: Bool) throws(SourceError) -> Int {
        while true {
            let got =
                isForUnpacking
                ? Self.read(descriptor, into: &packed, from: 0) : Self.read(descriptor, into: &buffer, from: end)
            if got >= 0 {
                bytesRead += Int64(got)
                return got
            }
            let code = errno
            if code == EINTR { continue }
            throw SourceError("\(path): cannot be read at byte \(bytesRead): \(systemMessage(code)); copy it anew")
        }
    }

    private static func read(_ descriptor: CInt, into bytes: inout [UInt8], from first: Int) -> Int {
        unsafe bytes.withUnsafeMutableBytes { room in
            unsafe Glibc.read(descriptor, room.baseAddress.map { unsafe $0 + first }, room.count - first)
        }
    }
}

// gzip (RFC 1952): members that follow each other are one stream, and zeros behind the last are padding.
extension ByteStream {
    private var isPacked: Bool { inflater != nil }

    /// What was read so far becomes the packed data.
    private mutating func beginUnpacking() throws(SourceError) {
        guard let inflater = Inflater() else { throw SourceError("\(path): no memory to unpack gzip data") }
        self.inflater = consume inflater
        packed = buffer
        packedEnd = end
        end = 0
    }

    /// Unpacks behind what the buffer holds; 0 at the end of the data.
    private mutating func unpack() throws(SourceError) -> Int {
        while true {
            if isCorrupt { throw damaged("are damaged") }
            if isBetweenMembers, try !findMember() { return 0 }
            let (consumed, produced, outcome) = inflate()
            packedStart += consumed
            isBetweenMembers = outcome == .memberEnd
            isCorrupt = outcome == .corrupt
            if produced > 0 { return produced }
            if outcome == .running, packedStart == packedEnd, try !refill() { throw damaged("break off") }
        }
    }

    private mutating func inflate() -> (consumed: Int, produced: Int, outcome: Inflater.Outcome) {
        unsafe packed.withUnsafeBufferPointer { packed in
            unsafe buffer.withUnsafeMutableBufferPointer { buffer in
                let input = unsafe UnsafeBufferPointer(rebasing: packed[packedStart..<packedEnd])
                let output = unsafe UnsafeMutableBufferPointer(rebasing: buffer[end...])
                return unsafe inflater?.inflate(input, into: output) ?? (0, 0, .corrupt)
            }
        }
    }

    /// Steps to the next member; false when there is none.
    private mutating func findMember() throws(SourceError) -> Bool {
        while true {
            if packedStart == packedEnd, try !refill() { return false }
            if packed[packedStart] == 0x1F {
                inflater?.beginMember()
                return true
            }
            guard packed[packedStart] == 0 else { throw damaged("are followed by something else") }
            packedStart += 1
        }
    }

    private mutating func refill() throws(SourceError) -> Bool {
        packedStart = 0
        packedEnd = 0
        packedEnd = try readFile(packed: true)
        return packedEnd > 0
    }

    private func damaged(_ how: String) -> SourceError {
        let byte = bytesRead - Int64(packedEnd - packedStart)
        return SourceError(
            "\(path): the gzip data \(how) at byte \(byte); copy the file anew (what came before was used)")
    }
}

/// What the system calls an error number.
func systemMessage(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }

// SPDX-License-Identifier: GPL-2.0-or-later

import CShim  // Where the compiler sees timespec.
import Glibc
import Time

/// A question to the gateway that runs on this box: one GET on 127.0.0.1, answered within a time or not at all.
///
/// Whatever listens on the port may be no gateway: what it sends is bounded in time, header and body.
struct LoopbackRequest {
    /// Where the gateway listens.
    var port: UInt16
    /// As `/v1/field`.
    var path: String
    /// From the first packet to the last. The gateway itself gives up after a second.
    var timeLimit = Duration.seconds(3)
    /// A longer body is refused, bytes. A full field has 1 MB, a ring of ten minutes at 200 reports/s 10 MB.
    var sizeLimit = 64 << 20

    /// Request line and header fields of an answer; ours has half a kilobyte.
    private static let headerLimit = 16 << 10

    /// What came back.
    struct Answer: Equatable {
        /// The HTTP status.
        var status: Int
        /// The body, whole.
        var body: [UInt8]
    }

    /// Asks, and waits for the whole answer.
    func answer() throws(LoopbackFailure) -> Answer {
        let end = BoxClock.now() + timeLimit
        let connection = try Connection(port: port, until: end)
        // HTTP/1.0: the body is as long as it says or ends with the connection, and never comes in chunks.
        try connection.send("GET \(path) HTTP/1.0\r\nHost: 127.0.0.1:\(port)\r\nAccept: */*\r\n\r\n")
        return try read(connection)
    }

    private func read(_ connection: borrowing Connection) throws(LoopbackFailure) -> Answer {
        var bytes: [UInt8] = []
        var header: AnswerHeader?
        while true {
            if header == nil {
                header = try AnswerHeader(bytes, limit: Self.headerLimit, port: port)
                if let found = header { bytes.removeFirst(found.bytes) }
            }
            if let header {
                guard max(bytes.count, header.bodyBytes ?? 0) <= sizeLimit else {
                    throw LoopbackFailure(.tooLarge(limit: sizeLimit), port: port)
                }
                if let wanted = header.bodyBytes, bytes.count >= wanted {
                    return Answer(status: header.status, body: Array(bytes.prefix(wanted)))
                }
            }
            guard try connection.receive(into: &bytes) else { break }
        }
        guard let header, header.bodyBytes == nil else { throw LoopbackFailure(.cutShort, port: port) }
        return Answer(status: header.status, body: bytes)
    }
}

/// Why a question to the gateway has no answer.
struct LoopbackFailure: Error, Equatable, CustomStringConvertible {
    /// What went wrong.
    enum Kind: Equatable {
        /// Nothing listens on the port.
        case nobody
        /// Not whole within the time.
        case silent
        /// More than was asked for, bytes.
        case tooLarge(limit: Int)
        /// Something else than HTTP.
        case notHTTP
        /// The connection ended before the answer did.
        case cutShort
        /// The system refused, an errno.
        case system(code: Int32)
    }

    /// What went wrong.
    let kind: Kind
    /// Who was asked.
    let port: UInt16

    init(_ kind: Kind, port: UInt16) {
        self.kind = kind
        self.port = port
    }

    /// For a person: what, where, and what to do about it.
    var description: String {
        switch kind {
        case .nobody:
            "no gateway answers on port \(port): start one (regiond run), or name its port with --set port=N"
        case .silent:
            "the gateway on port \(port) does not answer in time: it is busy or stuck; look at its messages"
        case .tooLarge(let limit):
            "what listens on port \(port) answers with more than \(limit) bytes: it is no gateway; name another "
                + "port with --set port=N"
        case .notHTTP:
            "what listens on port \(port) is no gateway: name the gateway's port with --set port=N"
        case .cutShort:
            "the gateway on port \(port) ended the connection before its answer was whole: it is stopping; ask again"
        case .system(let code):
            "cannot ask the gateway on port \(port): \(unsafe String(cString: strerror(code)))"
        }
    }
}

extension GatewayError {
    init(_ failure: LoopbackFailure) { self.init(.failed, failure.description) }
}

/// The beginning of an answer.
private struct AnswerHeader {
    let status: Int
    /// How long the header is.
    let bytes: Int
    /// How long the body says it is; nil: as long as the connection lasts.
    let bodyBytes: Int?

    /// Nil while it is not whole.
    init?(_ received: [UInt8], limit: Int, port: UInt16) throws(LoopbackFailure) {
        let start = received.prefix(5)
        guard start.elementsEqual("HTTP/".utf8.prefix(start.count)) else {
            throw LoopbackFailure(.notHTTP, port: port)
        }
        let blank = Array("\r\n\r\n".utf8)
        let searched = received.prefix(limit)
        guard let end = searched.indices.first(where: { searched[$0...].starts(with: blank) }) else {
            guard received.count < limit else { throw LoopbackFailure(.notHTTP, port: port) }
            return nil
        }
        bytes = end + blank.count
        let lines = String(decoding: received[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, let status = Int(words[1]), (100...599).contains(status) else {
            throw LoopbackFailure(.notHTTP, port: port)
        }
        self.status = status
        var length: Int?
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            switch pair[0].lowercased() {
            case "content-length":
                guard let number = Int(pair[1].filter { $0 != " " && $0 != "\t" }), number >= 0, length == nil else {
                    throw LoopbackFailure(.notHTTP, port: port)
                }
                length = number
            case "transfer-encoding": throw LoopbackFailure(.notHTTP, port: port)  // Not for HTTP/1.0.
            default: break
            }
        }
        bodyBytes = length
    }
}

/// A TCP connection to this box that ends with its time.
private struct Connection: ~Copyable {
    private let descriptor: CInt
    private let port: UInt16
    private let end: Instant

    init(port: UInt16, until end: Instant) throws(LoopbackFailure) {
        self.port = port
        self.end = end
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw LoopbackFailure(.system(code: errno), port: port) }
        try limit(SO_SNDTIMEO)  // Holds for connecting, too.
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let result = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw failure(errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    borrowing func send(_ text: String) throws(LoopbackFailure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try limit(SO_SNDTIMEO)
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw failure(errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Adds what comes next; false when the other side has ended.
    borrowing func receive(into bytes: inout [UInt8]) throws(LoopbackFailure) -> Bool {
        try limit(SO_RCVTIMEO)
        let count = unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { unsafe bytes.append(contentsOf: buffer.prefix(count)) }
            return count
        }
        guard count >= 0 else { throw failure(errno) }
        return count > 0
    }

    /// Lets the next call wait for what is left of the time, and no longer.
    private borrowing func limit(_ option: CInt) throws(LoopbackFailure) {
        let left = (end - BoxClock.now()).wholeNanoseconds / 1_000
        guard left > 0 else { throw LoopbackFailure(.silent, port: port) }
        var time = timeval(tv_sec: Int(left / 1_000_000), tv_usec: Int(left % 1_000_000))
        unsafe setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    private borrowing func failure(_ code: CInt) -> LoopbackFailure {
        switch code {
        case ECONNREFUSED: LoopbackFailure(.nobody, port: port)
        case EAGAIN, EINPROGRESS, ETIMEDOUT: LoopbackFailure(.silent, port: port)
        case ECONNRESET, EPIPE: LoopbackFailure(.cutShort, port: port)
        default: LoopbackFailure(.system(code: code), port: port)
        }
    }
}

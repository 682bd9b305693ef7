// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// A client that sends bytes as they are: what a browser would never send, too.
public struct HTTPClient: ~Copyable {
    private let descriptor: Int32

    /// Connects to 127.0.0.1; reads give up after five seconds.
    public init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw ConnectionFailure() }
    }

    deinit { close(descriptor) }

    /// Sends these bytes, whatever becomes of them.
    public borrowing func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Everything until the server closes, or until five seconds pass.
    public borrowing func readToEnd() -> String { String(decoding: readBytesToEnd(), as: UTF8.self) }

    /// The same, for answers that are no text.
    public borrowing func readBytesToEnd() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Nobody listens there.
    public struct ConnectionFailure: Error {}
}

/// An answer, taken apart.
public struct HTTPReply {
    /// The status code; 0: none came.
    public let status: Int
    /// Header fields, their names in lower case.
    public let fields: [String: String]
    /// What follows the header.
    public let body: String

    /// Takes a whole answer apart.
    public init(_ text: String) {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n")
        status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        fields = lines.dropFirst().reduce(into: [:]) { fields, line in
            let pair = line.split(separator: ":", maxSplits: 1)
            if pair.count == 2 { fields[pair[0].lowercased()] = String(pair[1].drop { $0 == " " }) }
        }
        body = parts.count > 1 ? String(parts[1]) : ""
    }

    /// One request on a connection of its own; `host` nil sends no Host field, `more` are further fields.
    public static func to(
        _ path: String, method: String = "GET", port: UInt16, host: String? = "localhost", more: String = "",
        body: String? = nil
    ) throws -> HTTPReply {
        let client = try HTTPClient(port: port)
        let hostField = host.map { "Host: \($0)\r\n" } ?? ""
        let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
        client.send("\(method) \(path) HTTP/1.1\r\n\(hostField)Connection: close\r\n\(more)\(length)\r\n\(body ?? "")")
        return HTTPReply(client.readToEnd())
    }
}

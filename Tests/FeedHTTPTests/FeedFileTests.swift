// SPDX-License-Identifier: GPL-2.0-or-later

import TestKit
import Testing

@testable import FeedHTTP

struct FeedFileTests {
    /// Pieces of different lengths, some of them empty, larger and smaller than the server's portions.
    private static func file(_ lengths: [Int], missing: Int = 0) -> FeedFile {
        FeedFile(
            name: "ring-2026-11-30T09-00-00Z.btsnoop", byteCount: lengths.reduce(missing, +),
            fields: [("X-Ring-From", "2026-11-30T08:50:00.000000Z")]
        ) {
            var left = lengths[...]
            return { left.popFirst().map { [UInt8](repeating: UInt8(ascii: "a") + UInt8($0 % 26), count: $0) } }
        }
    }

    private static func text(_ lengths: [Int]) -> String {
        lengths.map { String(repeating: Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8($0 % 26))), count: $0) }
            .joined()
    }

    @Test(arguments: [[16, 90_000, 0, 1, 200_000, 65_536], [3], []])
    func `the ring is a file to be saved, all of it`(lengths: [Int]) throws {
        let server = try FeedServer(port: 0, fieldJSON: { nil }, ring: { _ in .file(Self.file(lengths)) })
        let reply = try HTTPReply.to("/v1/ring", port: server.port)
        #expect(reply.status == 200)
        #expect(reply.body == Self.text(lengths))
        #expect(reply.fields["content-length"] == "\(lengths.reduce(0, +))")
        #expect(reply.fields["content-type"] == "application/octet-stream")
        #expect(
            reply.fields["content-disposition"] == #"attachment; filename="ring-2026-11-30T09-00-00Z.btsnoop""#)
        #expect(reply.fields["x-ring-from"] == "2026-11-30T08:50:00.000000Z")
        #expect(reply.fields["cache-control"] == "no-store")
    }

    @Test func `HEAD says how far the ring reaches without sending it`() throws {
        let server = try FeedServer(port: 0, fieldJSON: { nil }, ring: { _ in .file(Self.file([500_000])) })
        let reply = try HTTPReply.to("/v1/ring", method: "HEAD", port: server.port)
        #expect(reply.status == 200)
        #expect(reply.fields["content-length"] == "500000")
        #expect(reply.fields["x-ring-from"] == "2026-11-30T08:50:00.000000Z")
        #expect(reply.body.isEmpty)
    }

    @Test func `without an answer of the radio's thread it is 503`() throws {
        let server = try FeedServer(port: 0, fieldJSON: { nil })
        let reply = try HTTPReply.to("/v1/ring", port: server.port)
        #expect(reply.status == 503)
        #expect(reply.fields["retry-after"] == "1")
    }

    @Test func `a receiver's ring is asked for by its name, and one that is not there is named as that`() throws {
        let server = try FeedServer(port: 0, fieldJSON: { nil }) { receiver in
            receiver == "Saal 2 + 3" ? .file(Self.file([7])) : .unknown(["gate", "Saal 2 + 3"])
        }
        let reply = try HTTPReply.to("/v1/ring?receiver=Saal%202%20%2B%203", port: server.port)
        #expect(reply.body == Self.text([7]))
        let refused = try HTTPReply.to("/v1/ring?receiver=hall", port: server.port)
        #expect(refused.status == 404)
        #expect(refused.body.contains("there are gate, Saal 2 + 3"))
    }

    @Test func `a file that ends early closes the connection`() throws {
        let server = try FeedServer(port: 0, fieldJSON: { nil }, ring: { _ in .file(Self.file([10], missing: 5)) })
        #expect(try HTTPReply.to("/v1/ring", port: server.port).body == Self.text([10]))
    }

    @Test func `readers who do not read hold up two files, and no other answer`() throws {
        let large = [Int](repeating: 100_000, count: 400)
        let server = try FeedServer(port: 0, fieldJSON: { [0x7B, 0x7D] }, ring: { _ in .file(Self.file(large)) })
        let request = "GET /v1/ring HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        do {
            let first = try HTTPClient(port: server.port)
            let second = try HTTPClient(port: server.port)
            first.send(request)
            second.send(request)
            var reply = try HTTPReply.to("/v1/ring", port: server.port)
            while reply.status == 200 { reply = try HTTPReply.to("/v1/ring", port: server.port) }
            #expect(reply.status == 503)
            #expect(try HTTPReply.to("/v1/field", port: server.port).body == "{}")
            #expect(first.readToEnd().hasSuffix(Self.text([100_000])))
        }
        // Both are gone, one of them in the middle.
        while try HTTPReply.to("/v1/ring", method: "HEAD", port: server.port).status == 503 {}
    }
}

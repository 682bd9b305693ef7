// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization
import TestKit
import Testing

@testable import FeedHTTP

/// `POST /v1/mark` changes something: who may, and what becomes of the rest.
struct MarkTests {
    private static let json = "Content-Type: application/json\r\n"
    private static let body = #"{"beacon":"…","region":"room-201"}"#

    /// A server that keeps what it was given to mark.
    private final class Book: Sendable {
        let bodies = Mutex<[String]>([])
        let answer: MarkAnswer

        init(_ answer: MarkAnswer = .written(Array("{}".utf8))) { self.answer = answer }

        var marked: [String] { bodies.withLock { $0 } }

        func server() throws -> FeedServer {
            try FeedServer(
                port: 0, fieldJSON: { nil },
                mark: { body in
                    self.bodies.withLock { $0.append(String(decoding: body, as: UTF8.self)) }
                    return self.answer
                })
        }
    }

    private func expectRefusal(_ status: Int, _ book: Book, _ reply: HTTPReply) {
        #expect(reply.status == status)
        #expect(reply.fields["content-type"] == "application/problem+json")
        #expect(reply.fields["access-control-allow-origin"] == nil)
        #expect(book.marked == [])
    }

    @Test func `a mark is taken whole, and answered with its line`() throws {
        let book = Book(.written(Array(#"{"from":1}"#.utf8)))
        let server = try book.server()
        let reply = try HTTPReply.to("/v1/mark", method: "POST", port: server.port, more: Self.json, body: Self.body)
        #expect(reply.status == 200)
        #expect(reply.body == #"{"from":1}"#)
        #expect(reply.fields["content-type"] == "application/json")
        #expect(reply.fields["cache-control"] == "no-store")
        #expect(book.marked == [Self.body])
    }

    @Test func `a body that comes in pieces or without a length is put together`() throws {
        let book = Book()
        let server = try book.server()
        let client = try HTTPClient(port: server.port)
        client.send("POST /v1/mark HTTP/1.1\r\nHost: localhost\r\n\(Self.json)Content-Length: 6\r\n\r\n{\"a")
        #expect(try HTTPReply.to("/v1/field", port: server.port).status == 503)  // Nobody waits for the rest.
        client.send("\":1POST /v1/mark HTTP/1.1\r\nHost: localhost\r\n\(Self.json)Transfer-Encoding: chunked\r\n")
        client.send("Connection: close\r\n\r\n2\r\n{\"\r\n4\r\nb\":2\r\n0\r\n\r\n")
        let replies = client.readToEnd().split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        #expect(replies == ["200", "200"])
        #expect(book.marked == [#"{"a":1"#, #"{"b":2"#])
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
    func `nothing but POST marks, and the answer says so`(method: String) throws {
        let book = Book()
        let server = try book.server()
        let reply = try HTTPReply.to("/v1/mark", method: method, port: server.port, more: Self.json)
        expectRefusal(405, book, reply)
        #expect(reply.fields["allow"] == "POST")
    }

    @Test(arguments: ["127.0.0.1", "localhost", "[::1]"])
    func `the gateway's own page may mark`(name: String) throws {
        let book = Book()
        let server = try book.server()
        let own = "Origin: http://\(name):\(server.port)\r\n"
        let reply = try HTTPReply.to(
            "/v1/mark", method: "POST", port: server.port, more: own + Self.json, body: Self.body)
        #expect(reply.status == 200)
    }

    @Test(arguments: [
        "http://evil.example", "null", "", "http://localhost", "http://localhost:1", "https://localhost:PORT",
        "http://localhost:PORT.evil.example", "http://evil.example:PORT",
        "http://localhost:PORT\r\nOrigin: http://evil.example",
    ])
    func `a stranger's page may not`(origin: String) throws {
        let book = Book()
        let server = try book.server()
        let field = "Origin: \(origin.replacing("PORT", with: "\(server.port)"))\r\n"
        let reply = try HTTPReply.to(
            "/v1/mark", method: "POST", port: server.port, more: field + Self.json, body: Self.body)
        expectRefusal(403, book, reply)
    }

    @Test func `a page whose name was rebound may not`() throws {
        let book = Book()
        let server = try book.server()
        let reply = try HTTPReply.to(
            "/v1/mark", method: "POST", port: server.port, host: "evil.example", more: Self.json, body: Self.body)
        expectRefusal(421, book, reply)
    }

    @Test(arguments: [
        "", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n",
        "Content-Type: application/json-patch+json\r\n", "Content-Type: text/plain; application/json\r\n",
        "Content-Type: text/plain\r\nContent-Type: application/json\r\n",
    ])
    func `what a form can send is no mark`(type: String) throws {
        let book = Book()
        let server = try book.server()
        let reply = try HTTPReply.to("/v1/mark", method: "POST", port: server.port, more: type, body: Self.body)
        expectRefusal(415, book, reply)
    }

    @Test func `a type with a character set is JSON all the same`() throws {
        let book = Book()
        let server = try book.server()
        let type = "Content-Type: Application/JSON ; charset=utf-8\r\n"
        let reply = try HTTPReply.to("/v1/mark", method: "POST", port: server.port, more: type, body: Self.body)
        #expect(reply.status == 200)
    }

    @Test func `a body that is too long is refused, by its length or where it shows`() throws {
        let book = Book()
        let server = try book.server()
        let long = String(repeating: " ", count: FeedLimit.bodyBytes + 1)
        expectRefusal(
            413, book, try HTTPReply.to("/v1/mark", method: "POST", port: server.port, more: Self.json, body: long))
        let said = Self.json + "Content-Length: 99999999999999999999\r\n"
        let unread = try HTTPReply.to("/v1/mark", method: "POST", port: server.port, more: said)
        #expect([400, 413].contains(unread.status))
        let chunked = try HTTPClient(port: server.port)
        chunked.send("POST /v1/mark HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(Self.json)")
        chunked.send("Transfer-Encoding: chunked\r\n\r\n1001\r\n\(long)\r\n0\r\n\r\n")
        expectRefusal(413, book, HTTPReply(chunked.readToEnd()))
    }

    @Test(arguments: [
        (MarkAnswer.malformed("why"), 400, "why"), (.unknown("who"), 404, "who"),
        (.notRecording, 409, "--record FILE"), (.failed("full"), 500, "full"), (.noAnswer, 503, "ask again"),
    ])
    func `what came of it has its status and says why`(answer: MarkAnswer, status: Int, detail: String) throws {
        let server = try Book(answer).server()
        let reply = try HTTPReply.to("/v1/mark", method: "POST", port: server.port, more: Self.json, body: Self.body)
        #expect(reply.status == status)
        #expect(reply.fields["content-type"] == "application/problem+json")
        #expect(reply.body.contains(detail))
    }
}

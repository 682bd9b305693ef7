// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import TestKit
import Testing

@testable import FeedHTTP

struct FeedServerTests {
    static let document = Array(#"{"gateway":"hall-a-box-1"}"#.utf8)

    @Test func `the field is JSON that no cache keeps and no other page reads`() throws {
        let server = try FeedServer(port: 0) { Self.document }
        let reply = try HTTPReply.to("/v1/field", port: server.port)
        #expect(reply.status == 200)
        #expect(reply.body == #"{"gateway":"hall-a-box-1"}"#)
        #expect(reply.fields["content-type"] == "application/json")
        #expect(reply.fields["cache-control"] == "no-store")
        #expect(reply.fields["x-content-type-options"] == "nosniff")
        #expect(reply.fields["referrer-policy"] == "no-referrer")
        #expect(reply.fields["cross-origin-resource-policy"] == "same-origin")
        #expect(reply.fields["access-control-allow-origin"] == nil)
    }

    @Test(arguments: [
        ("/field", "text/html; charset=utf-8", "<!doctype html>"),
        ("/field.js", "text/javascript; charset=utf-8", "'/v1/field'"),
        ("/field.css", "text/css; charset=utf-8", "prefers-color-scheme: dark"),
    ])
    func `the page comes with a policy that lets nothing else in`(path: String, type: String, part: String) throws {
        let server = try FeedServer(port: 0) { nil }
        let reply = try HTTPReply.to(path, port: server.port)
        #expect(reply.status == 200)
        #expect(reply.fields["content-type"] == type)
        #expect(reply.body.contains(part))
        let policy = try #require(reply.fields["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"))
        #expect(policy.hasSuffix("base-uri 'none'; form-action 'none'; frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
    }

    @Test func `the page keeps to its policy: no style or handler in the markup, no HTML from texts`() {
        let markup = String(decoding: PackageResources.field_html, as: UTF8.self)
        for forbidden in [" style=", "<style", " onclick", " onload", "javascript:", "src=\"http", "href=\"http"] {
            #expect(!markup.contains(forbidden), "\(forbidden) in field.html")
        }
        let script = String(decoding: PackageResources.field_js, as: UTF8.self)
        for forbidden in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
            #expect(!script.contains(forbidden), "\(forbidden) in field.js")
        }
    }

    @Test func `the root leads to the field page`() throws {
        let server = try FeedServer(port: 0) { nil }
        let reply = try HTTPReply.to("/", port: server.port)
        #expect(reply.status == 302)
        #expect(reply.fields["location"] == "/field")
    }

    @Test func `one connection carries one request after another`() throws {
        let server = try FeedServer(port: 0) { Self.document }
        let client = try HTTPClient(port: server.port)
        client.send("GET /v1/field HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD /field HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.send("GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let replies = client.readToEnd().split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        #expect(replies == ["200", "200", "404"])
    }

    @Test func `HEAD answers as GET does, without the body`() throws {
        let server = try FeedServer(port: 0) { Self.document }
        let reply = try HTTPReply.to("/v1/field", method: "HEAD", port: server.port)
        #expect(reply.status == 200)
        #expect(reply.fields["content-length"] == "\(Self.document.count)")
        #expect(reply.body.isEmpty)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"])
    func `other methods are refused, and told which are taken`(method: String) throws {
        let server = try FeedServer(port: 0) { Self.document }
        let reply = try HTTPReply.to("/v1/field", method: method, port: server.port)
        try expectProblem(reply, status: 405)
        #expect(reply.fields["allow"] == "GET, HEAD")
    }

    @Test func `what is not there is a problem document`() throws {
        let server = try FeedServer(port: 0) { Self.document }
        for path in ["/v1/nothing", "/field/", "/../etc/passwd", "/%2e%2e/etc/passwd", "http://evil.example/field"] {
            try expectProblem(HTTPReply.to(path, port: server.port), status: 404)
        }
    }

    @Test func `before the first report the gateway says that it is starting`() throws {
        let server = try FeedServer(port: 0) { nil }
        let reply = try HTTPReply.to("/v1/field", port: server.port)
        try expectProblem(reply, status: 503)
        #expect(reply.fields["retry-after"] == "1")
    }

    @Test func `a port that is taken is an error that names it`() throws {
        let server = try FeedServer(port: 0) { nil }
        let port = server.port
        let failure = #expect(throws: FeedError.self) { _ = try FeedServer(port: port) { nil } }
        #expect(failure?.description.contains("127.0.0.1:\(port): Address already in use") == true)
        #expect(try HTTPReply.to("/", port: server.port).status == 302)
    }

    @Test func `a server started again takes the same port at once`() throws {
        var port: UInt16 = 0
        for _ in 0..<3 {
            let server = try FeedServer(port: port) { Self.document }
            port = server.port
            #expect(try HTTPReply.to("/v1/field", port: port).status == 200)
        }
    }

    private func expectProblem(_ reply: HTTPReply, status: Int) throws {
        #expect(reply.status == status)
        #expect(reply.fields["content-type"] == "application/problem+json")
        #expect(reply.fields["x-content-type-options"] == "nosniff")
        #expect(reply.body.hasPrefix(#"{"title":""#))
        #expect(reply.body.contains(#""status":\#(status)"#))
    }
}

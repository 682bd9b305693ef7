// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Gateway

struct LoopbackRequestTests {
    private func ask(
        _ port: UInt16, within limit: Duration = .seconds(10), atMost bytes: Int = 100_000
    ) throws(LoopbackFailure) -> LoopbackRequest.Answer {
        try LoopbackRequest(port: port, path: "/v1/field", timeLimit: limit, sizeLimit: bytes).answer()
    }

    private func failure(
        _ port: UInt16, within limit: Duration = .seconds(10), atMost bytes: Int = 100_000
    ) -> LoopbackFailure.Kind? {
        do throws(LoopbackFailure) {
            _ = try ask(port, within: limit, atMost: bytes)
            return nil
        } catch { return error.kind }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", 200, "abc"),
        ("HTTP/1.0 503 Service Unavailable\r\nretry-after: 1\r\n\r\nto the end", 503, "to the end"),
        ("HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n", 200, ""),
    ])
    func `status and body come back whole`(reply: String, status: Int, body: String) throws {
        let server = ScriptedServer { _ = $0.send(reply) }
        let answer = try ask(server.port)
        #expect(answer == LoopbackRequest.Answer(status: status, body: Array(body.utf8)))
    }

    @Test func `an answer may come byte by byte`() throws {
        let server = ScriptedServer { peer in
            for byte in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab".unicodeScalars {
                guard peer.send(String(byte)) else { return }
            }
            peer.waitForTheEnd()
        }
        #expect(try ask(server.port).body == Array("ab".utf8))
    }

    @Test func `where nobody listens it says how to start a gateway`() throws {
        let port = ScriptedServer.deadPort()
        let failure = #expect(throws: LoopbackFailure.self) { try ask(port) }
        #expect(failure?.kind == .nobody)
        #expect(failure?.description.hasPrefix("no gateway answers on port \(port): start one") == true)
    }

    @Test func `silence ends with the time`() {
        #expect(failure(ScriptedServer { $0.waitForTheEnd() }.port, within: .milliseconds(100)) == .silent)
    }

    @Test func `one byte now and then does not make the time longer`() {
        let server = ScriptedServer { peer in
            guard peer.send("HTTP/1.1 200 OK\r\n") else { return }
            while peer.send("x"), peer.read() != nil {}
        }
        #expect(failure(server.port, within: .milliseconds(200)) == .silent)
    }

    @Test func `a header without an end is no answer`() {
        let server = ScriptedServer { peer in
            guard peer.send("HTTP/1.1 200 OK\r\n") else { return }
            while peer.send("X-More: \(String(repeating: "x", count: 1_000))\r\n") {}
        }
        #expect(failure(server.port) == .notHTTP)
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n"])
    func `a body beyond the limit is refused`(start: String) {
        let server = ScriptedServer { peer in
            guard peer.send(start) else { return }
            while peer.send(String(repeating: "x", count: 10_000)) {}
        }
        #expect(failure(server.port) == .tooLarge(limit: 100_000))
    }

    @Test(arguments: ["", "HT", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcd"])
    func `a connection that ends early is told from an answer`(part: String) {
        #expect(failure(ScriptedServer { _ = $0.send(part) }.port) == .cutShort)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2p1\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 99999999999999999999 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    ])
    func `what is no answer to this question is not taken for one`(reply: String) {
        let server = ScriptedServer { peer in
            guard peer.send(reply) else { return }
            peer.waitForTheEnd()
        }
        #expect(failure(server.port) == .notHTTP)
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import RegionCore
import TestKit
import Testing
import Time

@testable import FeedHTTP

struct HostileClientTests {
    static let secret = Array(#"{"who":"is inside"}"#.utf8)

    @Test(arguments: ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
    func `the box answers to its own names, with its port or none`(name: String) throws {
        let server = try FeedServer(port: 0) { Self.secret }
        #expect(try HTTPReply.to("/v1/field", port: server.port, host: name).status == 200)
        #expect(try HTTPReply.to("/v1/field", port: server.port, host: "\(name):\(server.port)").status == 200)
        #expect(try HTTPReply.to("/v1/field", port: server.port, host: "\(name):1").status == 421)
    }

    @Test(arguments: [
        "evil.example", "192.0.2.10:8080", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example",
        "localhost:", "", "127.1", "::1",
    ])
    func `a page whose name was rebound to the box gets no data`(host: String) throws {
        let server = try FeedServer(port: 0) { Self.secret }
        for path in ["/v1/field", "/field", "/"] {
            let reply = try HTTPReply.to(path, port: server.port, host: host)
            #expect(reply.status == 421)
            #expect(!reply.body.contains("inside"))
            #expect(reply.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test func `without a Host field, or with two, there is no answer but a refusal`() throws {
        let server = try FeedServer(port: 0) { Self.secret }
        #expect(try HTTPReply.to("/v1/field", port: server.port, host: nil).status == 400)
        let twice = try HTTPReply.to("/v1/field", port: server.port, more: "Host: evil.example\r\n")
        #expect(twice.status == 400)
        let old = try HTTPClient(port: server.port)
        old.send("GET /v1/field HTTP/1.0\r\n\r\n")
        #expect(HTTPReply(old.readToEnd()).status == 400)
    }

    @Test(arguments: ["Content-Length: 9000000000\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"])
    func `a body is refused before it is read`(field: String) throws {
        let server = try FeedServer(port: 0) { Self.secret }
        let reply = try HTTPReply.to("/v1/field", port: server.port, more: field)
        #expect(reply.status == 413)
        #expect(!reply.body.contains("inside"))
    }

    @Test func `headers without end are cut off, and others are answered meanwhile`() throws {
        let server = try FeedServer(port: 0) { Self.secret }
        let endless = try HTTPClient(port: server.port)
        endless.send("GET /v1/field HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "x", count: 64 * 1_024))
        #expect(try HTTPReply.to("/v1/field", port: server.port).status == 200)
        let reply = HTTPReply(endless.readToEnd())
        #expect([0, 400, 413, 414, 431].contains(reply.status))
        #expect(!reply.body.contains("inside"))
    }

    @Test func `slow clients, many of them, do not hold up others`() throws {
        let server = try FeedServer(port: 0) { Self.secret }
        var slow: [Connection] = []
        for _ in 0..<40 {
            let connection = try Connection(port: server.port)
            connection.client.send("GET /v1/fi")
            slow.append(connection)
        }
        for _ in 0..<20 { #expect(try HTTPReply.to("/v1/field", port: server.port).status == 200) }
        slow[0].client.send("eld HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(HTTPReply(slow[0].client.readToEnd()).status == 200)
    }

    @Test(arguments: [
        "\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\r\n\r\n\r\n\r\n",
        "GET / HTTP/1.1\r\n: x\r\n\r\n",
        "GET /v1/field HTTP/1.1\r\nHost: localhost\r\n\r\nGET \u{0} \u{7F}\r\n\r\n",
        "GET /%00%ff%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ])
    func `garbage, pipelined too, ends its own connection only`(garbage: String) throws {
        let server = try FeedServer(port: 0) { Self.secret }
        let client = try HTTPClient(port: server.port)
        client.send(garbage)
        client.send("GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        _ = client.readToEnd()
        #expect(try HTTPReply.to("/v1/field", port: server.port).status == 200)
    }

    @Test func `a script in a radio name arrives as text that closes nothing`() throws {
        let name = #"<img src=x onerror=alert(1)></script>" onmouseover="alert()"#
        let uuid = BeaconUUID(high: 1, low: 2)
        var field = FieldState(asOf: .boot, receiver: "gate-north", listening: true)
        let beacon = BeaconDescription(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 2), name: name)
        field.beacons = [
            FieldState.BeaconRow(
                beacon: beacon, advertiser: nil, rssi: nil, filteredRSSI: nil, tier: nil, distance: nil,
                measuredPower: nil, implausiblePower: false, lastHeard: .boot, sightings: 1, state: .outside,
                missing: nil)
        ]
        let report = FieldReport(
            field: field, anchor: ClockAnchor(instant: .boot, wallTime: .epoch, synchronised: false), gateway: name,
            source: .radio, sourceText: "hci:0", version: "1", startedAt: .boot)
        let document = FieldWriter.json(report)
        let server = try FeedServer(port: 0) { document }
        let reply = try HTTPReply.to("/v1/field", port: server.port)
        #expect(reply.status == 200)
        #expect(!reply.body.contains("<") && !reply.body.contains(">"))
        #expect(reply.body.contains(#"\u003cimg src=x onerror=alert(1)\u003e"#))
    }

    /// A client that can stand in an array.
    private final class Connection {
        let client: HTTPClient

        init(port: UInt16) throws { client = try HTTPClient(port: port) }
    }
}

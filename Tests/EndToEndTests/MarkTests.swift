// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import HallSimulator
import JSONText
import RegionCore
import RegistryJSON
import TestKit
import Testing
import Time

@Suite(.ownThreads) struct MarkTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func mark(_ body: String, at gateway: RunningGateway) throws -> HTTPReply {
        try HTTPReply.to(
            "/v1/mark", method: "POST", port: gateway.port, more: "Content-Type: application/json\r\n", body: body)
    }

    private func hall(_ more: [String] = []) throws -> RunningGateway {
        try RunningGateway(
            "simulated:hall?seed=7&speed=20&from=0", store: folder.file("run.db"), ["--json"] + more)
    }

    /// A beacon that entered, and a region it entered.
    private func visitor(of gateway: RunningGateway) throws -> (beacon: String, region: String) {
        let event = try #require(try gateway.events(1) { $0.type == "enter" }.first)
        let beacon = try #require(event.json["beacon"])
        let identity = [beacon["uuid"]?.stringValue, "\(beacon["major"]?.integerValue ?? 0)", "\(event.minor)"]
        return (identity.compactMap(\.self).joined(separator: "/"), try #require(event.regions.last))
    }

    @Test func `what is marked while recording is the truth that tune holds the recording against`() throws {
        let registry = try folder.write(
            "hall.json", RegistryWriter.text(of: SimulatedHall(seed: 7, plan: .hall).venue))
        let recording = folder.file("walk.btsnoop")
        let gateway = try hall(["--registry", registry, "--record", recording])
        #expect(try gateway.field()["recording"]?.boolValue == true)
        let (beacon, region) = try visitor(of: gateway)
        let reply = try mark(#"{"beacon":"\#(beacon)","region":"\#(region)"}"#, at: gateway)
        #expect(reply.status == 200, "\(reply.body)")
        _ = try gateway.events(3)
        #expect(try mark(#"{"beacon":"\#(beacon)","region":null}"#, at: gateway).status == 200)
        _ = try gateway.events(3)
        _ = try gateway.stop()

        let text = try String(contentsOfFile: recording + ".truth.ndjson", encoding: .utf8)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first.map(String.init) == reply.body)
        let outcome = try Regiond.run([
            "tune", "capture:\(recording)", "--registry", registry, "--truth", recording + ".truth.ndjson", "--json",
        ])
        #expect(outcome.code == 0, "\(outcome.errors)")
        let row = try JSONReader.read(Array(try #require(outcome.lines.first).utf8))
        #expect(row["stays"]?.integerValue == 1)
        #expect(row["missed"]?.integerValue == 0)
        // It was inside before it was marked: on the recording's clock there is no second in which it was not.
        #expect(row["recall"]?.doubleValue == 1)
    }

    @Test func `without a recording nothing is marked`() throws {
        let gateway = try hall()
        #expect(try gateway.field()["recording"]?.boolValue == false)
        let (beacon, region) = try visitor(of: gateway)
        let reply = try mark(#"{"beacon":"\#(beacon)","region":"\#(region)"}"#, at: gateway)
        #expect(reply.status == 409)
        #expect(reply.body.contains("--record FILE"))
        _ = try gateway.stop()
    }

    @Test func `names that nobody knows and bodies that say nothing are refused, and leave no file`() throws {
        let recording = folder.file("walk.btsnoop")
        let gateway = try hall(["--record", recording])
        let (beacon, region) = try visitor(of: gateway)
        for (status, body) in [
            (404, #"{"beacon":"\#(Sample.uuid)/1/1","region":"\#(region)"}"#),
            (404, #"{"beacon":"\#(beacon)","region":"nothing"}"#),
            (404, #"{"beacon":"\#(beacon)","nearest":"nothing"}"#),
            (400, #"{"beacon":"\#(beacon)"}"#), (400, "{"), (400, ""),
        ] {
            let reply = try mark(body, at: gateway)
            #expect(reply.status == status, "\(body): \(reply.body)")
        }
        let receiver = try #require(try gateway.field()["receiver"]?.stringValue)
        #expect(!FileManager.default.fileExists(atPath: recording + ".truth.ndjson"))
        #expect(try mark(#"{"beacon":"\#(beacon)","nearest":"\#(receiver)"}"#, at: gateway).status == 200)
        _ = try gateway.stop()
    }

    @Test func `the truth about another recording is not added to`() throws {
        let recording = folder.file("walk.btsnoop")
        try folder.write("walk.btsnoop.truth.ndjson", "precious\n")
        let outcome = try Regiond.run([
            "run", "simulated:hall", "--db", folder.file("run.db"), "--set", "port=0", "--record", recording,
        ])
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("walk.btsnoop.truth.ndjson"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: recording))
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import HallSimulator
import RadioCapture
import RegionCore
import RegistryJSON
import TestKit
import Testing
import Time

@Suite(.ownThreads) struct RingTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// The answer's bytes, whatever they are.
    private func ring(of gateway: RunningGateway) throws -> Data {
        let client = try HTTPClient(port: gateway.port)
        client.send("GET /v1/ring HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let answer = Data(client.readBytesToEnd())
        return try answer[#require(answer.range(of: Data("\r\n\r\n".utf8))).upperBound...]
    }

    private func replay(_ file: String, _ registry: String) throws -> [Event] {
        let outcome = try Regiond.run(["replay", "capture:\(file)", "--registry", registry, "--json"])
        #expect(outcome.code == 0, "\(outcome.errors)")
        return outcome.events
    }

    @Test func `what the ring gives replays to the events that were live`() throws {
        let registry = try folder.write(
            "hall.json", RegistryWriter.text(of: SimulatedHall(seed: 7, plan: .hall).venue))
        let gateway = try RunningGateway(
            "simulated:hall?seed=7&speed=50&from=0", store: folder.file("run.db"),
            ["--json", "--registry", registry, "--record", folder.file("whole.btsnoop")])
        _ = try gateway.events(10)
        let bytes = try ring(of: gateway)
        // The hall goes on; what was live when the ring was taken is among what is live by now.
        let live = try gateway.stop()
        try bytes.write(to: URL(fileURLWithPath: folder.file("ring.btsnoop")))
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file("whole.btsnoop")))
        #expect(bytes.count > 10_000)
        #expect(whole.starts(with: bytes))
        let replayed = try replay(folder.file("ring.btsnoop"), registry)
        #expect(replayed.count >= 10)
        #expect(replayed.map(\.content) == live.prefix(replayed.count).map(\.content))
    }

    @Test func `a source that fails leaves what was heard before it beside the store`() throws {
        let path = folder.file("broken.btsnoop")
        var writer = try BtsnoopWriter.create(path: path)
        let event: [UInt8] = [4, 0x3E, 2, 2, 0]
        for second in 0..<5 { try writer.append(event, at: WallTime(microseconds: Int64(second) * 1_000_000)) }
        try writer.flush()
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        try (good + Data([0, 0, 0, 5])).write(to: URL(fileURLWithPath: path))
        let outcome = try Regiond.run(
            ["run", "capture:\(path)?speed=1000&from=0", "--db", folder.file("run.db"), "--set", "port=0"])
        #expect(outcome.code == 1)
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder.file("faults"))
        #expect(kept.count == 1)
        let name = try #require(kept.first)
        #expect(name.hasSuffix("-source-failed.btsnoop"))
        // The labels of a capture that is played are those of its playing: the frames are the same.
        let written = try CaptureSource(path: folder.file("faults/\(name)"))
        var frame = FrameBuffer()
        var frames: [[UInt8]] = []
        while try written.next(into: &frame) != nil { frames.append(frame.bytes) }
        #expect(frames == Array(repeating: event, count: 5))
    }
}

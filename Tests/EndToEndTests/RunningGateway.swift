// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import JSONText
import TestKit
import Testing

/// A gateway that listens, its page on a free port.
struct RunningGateway {
    let process: ChildProcess
    let port: UInt16

    /// Starts it and waits until it says where its page is.
    init(_ source: String, store: String, _ arguments: [String] = ["--json"]) throws {
        process = try Regiond.start(["run", source, "--db", store, "--set", "port=0"] + arguments)
        let announcement = process.line(of: .errors) { $0.contains("Page: http://127.0.0.1:") }
        let digits = announcement?.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber }
        port = try #require(digits.flatMap { UInt16($0) }, "\(process.text(.errors))")
    }

    /// Waits for so many more events.
    func events(_ count: Int, where fits: (Event) -> Bool = { _ in true }) throws -> [Event] {
        var found: [Event] = []
        while found.count < count {
            let line = try #require(process.line(), "\(process.text(.errors))")
            if let event = Event(line), fits(event) { found.append(event) }
        }
        return found
    }

    /// What the page is made of.
    func field() throws -> JSONNode {
        let reply = try HTTPReply.to("/v1/field", port: port)
        try #require(reply.status == 200)
        return try JSONReader.read(Array(reply.body.utf8))
    }

    /// Stops it in order and gives everything it printed.
    func stop() throws -> [Event] {
        let start = ContinuousClock.now
        process.signal(SIGTERM)
        #expect(process.wait() == .exited(0), "\(process.text(.errors))")
        #expect(ContinuousClock.now - start < .seconds(2))
        return process.text().split(separator: "\n").compactMap { Event(String($0)) }
    }
}

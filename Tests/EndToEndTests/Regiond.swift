// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import JSONText
import TestKit
import Testing

/// The built program.
enum Regiond {
    /// What a command that ended gave.
    struct Outcome {
        let code: Int32?
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
        var events: [Event] { lines.compactMap(Event.init) }
    }

    /// Runs a command to its end. `input` is what it reads.
    static func run(
        _ arguments: [String], input: String? = nil, environment: [String: String?] = [:]
    ) throws -> Outcome {
        let folder = try Folder()
        let file = try input.map { try folder.write("input", $0) }
        let process = try start(arguments, input: file, environment: environment)
        let end = process.wait()
        guard case .exited(let code) = end else {
            Issue.record("\(arguments) ended as \(String(describing: end))")
            return Outcome(code: nil, output: process.text(), errors: process.text(.errors))
        }
        return Outcome(code: code, output: process.text(), errors: process.text(.errors))
    }

    /// Starts a command.
    static func start(
        _ arguments: [String], input: String? = nil, environment: [String: String?] = [:]
    ) throws -> ChildProcess {
        let usual: [String: String?] = ["STATE_DIRECTORY": nil, "HOME": "/nonexistent"]
        return try ChildProcess(
            BuiltProgram.path("regiond"), arguments,
            environment: usual.merging(environment) { _, new in new }, input: input)
    }
}

/// An event line of `--json`.
struct Event {
    let line: String
    let json: JSONNode

    /// Nil for other lines, such as a replay's summary.
    init?(_ line: String) {
        guard let json = try? JSONReader.read(Array(line.utf8)), json["seq"] != nil else { return nil }
        self.line = line
        self.json = json
    }

    var seq: Int64 { json["seq"]?.integerValue ?? 0 }
    var type: String { json["type"]?.stringValue ?? "" }
    var reason: String { json["reason"]?.stringValue ?? "" }
    var minor: Int64 { json["beacon"]?["minor"]?.integerValue ?? 0 }
    var at: String { json["at"]?.stringValue ?? "" }
    var detectedAt: String { json["detectedAt"]?.stringValue ?? "" }
    var regions: [String] { json["regions"]?.arrayValue?.compactMap { $0["region"]?.stringValue } ?? [] }
    /// What happened, to whom and when, without what differs between two stores or kinds of source.
    var content: String { "\(type) \(reason) \(minor) \(at) \(detectedAt) \(regions)" }

    /// Where enters and exits of a beacon and a region fail to alternate, or a seq to follow the one before.
    static func disorder(in events: [Event]) -> [String] {
        var inside: Set<String> = []
        var problems: [String] = []
        for (event, before) in zip(events.dropFirst(), events) where event.seq != before.seq + 1 {
            problems.append("seq \(event.seq) follows \(before.seq)")
        }
        for event in events where event.type != "wake" {
            for region in event.regions {
                let place = "\(event.minor) in \(region)"
                let isNew = event.type == "enter" ? inside.insert(place).inserted : inside.remove(place) != nil
                if !isNew { problems.append("seq \(event.seq): a second \(event.type) of \(place)") }
            }
        }
        return problems
    }
}

/// Small worlds that tests are told in.
enum Sample {
    static let uuid = "A1B2C3D4-E5F6-4708-8910-1112131415AB"

    /// One badge that is heard at these seconds, and the time going on to the last number.
    static func lines(heard seconds: [Double], minor: Int = 258, until end: Double) -> String {
        let sightings = seconds.map {
            #"{"t":\#($0),"address":"C0:FF:EE:00:00:01","uuid":"\#(uuid)","major":7,"minor":\#(minor),"#
                + #""measuredPower":-59,"rssi":-65}"#
        }
        return (sightings + [#"{"t":\#(end),"tick":true}"#]).joined(separator: "\n") + "\n"
    }

    /// A visit of ten seconds, and its end a minute later.
    static let visit = lines(heard: [0, 1, 2, 6, 10], until: 100)

    /// A registry of badges 7/1 to 7/999.
    static let registry = """
        { "venueId": "hall-a", "beacons": [ { "uuid": "\(uuid)", "major": 7, "minors": "1-999" } ] }
        """
}

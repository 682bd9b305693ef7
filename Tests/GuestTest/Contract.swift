// SPDX-License-Identifier: GPL-2.0-or-later

import CSQLite
import JSONText
import TestKit

/// Everything that these tests know of the program: its options, its words, and where they stand.
enum Contract {
    /// A gateway on these sources. Settings stand in the registry.
    static func run(_ sources: [String], store: String, registry: String) -> [String] {
        ["run"] + sources + ["--json", "--db", store, "--registry", registry, "--set", "port=0"]
    }

    /// What each layer of the box is like, the gateway on this port included; nil: on the usual one.
    static func doctor(
        _ source: String, port: UInt16?, store: String, registry: String, seconds: Int = 10
    ) -> [String] {
        ["doctor", "--json", "--listen", "\(seconds)", "--db", store, "--registry", registry]
            + settings(["source=\(source)"], port: port)
    }

    /// An adapter's acceptance.
    static func acceptance(
        _ source: String, seconds: Int, registry: String, port: UInt16? = nil, json: Bool = true
    ) -> [String] {
        ["doctor", "--radio", "\(seconds)", source, "--registry", registry] + (json ? ["--json"] : [])
            + settings([], port: port)
    }

    /// The field of a source, as `/v1/field` gives it.
    static func beacons(
        _ source: String, registry: String, port: UInt16? = nil, follows: Bool = false
    ) -> [String] {
        ["beacons", source, "--json", "--registry", registry] + (follows ? ["--follow"] : []) + settings([], port: port)
    }

    /// A registry of what a source hears.
    static func draft(_ source: String, seconds: Int) -> [String] { ["beacons", "--draft", "\(seconds)", source] }

    /// Whether a registry is taken.
    static func check(registry: String) -> [String] { ["check", "--registry", registry] }

    private static func settings(_ settings: [String], port: UInt16?) -> [String] {
        (settings + (port.map { ["port=\($0)"] } ?? [])).flatMap { ["--set", $0] }
    }

    /// The minors that a registry lists one by one.
    static func minors(inRegistry text: String) -> Set<Int64> {
        let entries = (try? JSONReader.read(Array(text.utf8)))?["beacons"]?.arrayValue ?? []
        return Set(entries.compactMap { $0["minors"]?.integerValue ?? $0["minor"]?.integerValue })
    }

    /// A recording's events, as lines.
    static func replay(_ capture: String, registry: String) -> [String] {
        ["replay", "capture:\(capture)", "--json", "--registry", registry]
    }

    /// The port of the page, from the line that says that the program has started.
    static func port(in line: String) -> UInt16? {
        line.split(separator: "Page: http://127.0.0.1:").dropFirst().first
            .flatMap { UInt16($0.prefix { $0.isNumber }) }
    }

    /// What the package lets a receive buffer grow to, in bytes (`net.core.rmem_max`).
    static let receiveBuffer = 4_194_304

    /// The document with the radio's state.
    static let field = "/v1/field"
    /// The recording of the last minutes, as btsnoop.
    static let ring = "/v1/ring"

    /// The registry that all scenarios share: a hundred badges as the controller's crowd has them, soon gone.
    static let registry = """
        { "venueId": "guest", "settings": { "exit": \(exitSeconds) },
          "beacons": [ { "uuid": "\(uuid)", "major": 1, "minors": "0-99" } ] }
        """
    /// The same badges where two receivers hear, each with a region of its own.
    static let registryOfTwo = """
        { "venueId": "guest", "settings": { "exit": \(exitSeconds) },
          "receivers": [ { "id": "north" }, { "id": "south" } ],
          "regions": [ { "identifier": "in-the-north", "uuid": "\(uuid)", "receivers": ["north"] },
                       { "identifier": "in-the-south", "uuid": "\(uuid)", "receivers": ["south"] } ],
          "beacons": [ { "uuid": "\(uuid)", "major": 1, "minors": "0-99" } ] }
        """
    /// An adapter as one of the registry's receivers.
    static func source(_ address: String, as receiver: String) -> String { "hci:\(address)?receiver=\(receiver)" }
    static let uuid = "00000000-0000-0000-0000-000000000000"
    static let exitSeconds = 6.0

    /// Notes about the radio that a store holds, the oldest first, each beginning with a word and a colon.
    static func notes(in store: String) -> [String] {
        var handle: OpaquePointer?
        defer { unsafe sqlite3_close(handle) }
        var statement: OpaquePointer?
        let sql = "SELECT text FROM note WHERE kind = 'radio' ORDER BY id"
        guard unsafe sqlite3_open_v2(store, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
            unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK
        else { return [] }
        defer { unsafe sqlite3_finalize(statement) }
        var notes: [String] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            if let text = unsafe sqlite3_column_text(statement, 0) { notes.append(unsafe String(cString: text)) }
        }
        return notes
    }
}

/// What the radio can be in.
enum RadioState: String {
    case noAdapter, unsupported, unauthorised, blocked, poweredOff, resetting, poweredOn, scanning, paused, silent, lost
}

/// The radio in the field document.
struct RadioStatus {
    let state: RadioState?
    let stateText: String
    let message: String
    let remedy: String
    let adapter: String?
    let reports, delivered, lost, restarts, resets: Int64
    let isFiltered: Bool
    /// How many beacons were heard since listening last began, in all of the venue.
    let verified: Int64

    /// Each receiver's word for how its radio stands.
    static func states(in text: String) -> [String: String] {
        let radios = (try? JSONReader.read(Array(text.utf8)))?["radios"]?.arrayValue ?? []
        return radios.reduce(into: [:]) { states, radio in
            states[radio["receiver"]?.stringValue ?? ""] = radio["state"]?.stringValue
        }
    }

    /// From the document's text.
    init?(_ text: String) {
        guard let document = try? JSONReader.read(Array(text.utf8)), let radio = document["radio"] else { return nil }
        func number(_ key: String) -> Int64 { radio[key]?.integerValue ?? -1 }
        stateText = radio["state"]?.stringValue ?? ""
        state = RadioState(rawValue: stateText)
        message = radio["message"]?.stringValue ?? ""
        remedy = radio["remedy"]?.stringValue ?? ""
        adapter = radio["adapter"]?.stringValue
        reports = (radio["reports"] ?? document["reports"])?.integerValue ?? -1
        delivered = number("delivered")
        lost = number("lost")
        restarts = number("restarts")
        resets = number("resets")
        isFiltered = radio["filtered"]?.boolValue ?? false
        verified = document["regions"]?.arrayValue?.compactMap { $0["verified"]?.integerValue }.max() ?? 0
    }
}

/// One beacon in the field document.
struct HeardBeacon {
    let uuid: String
    let major, minor: Int64
    let rssi: Double?

    /// All that the document shows.
    static func all(in text: String) -> [HeardBeacon] {
        let rows = (try? JSONReader.read(Array(text.utf8)))?["beacons"]?.arrayValue ?? []
        return rows.compactMap { row in
            guard let beacon = row["beacon"], let uuid = beacon["uuid"]?.stringValue,
                let major = beacon["major"]?.integerValue, let minor = beacon["minor"]?.integerValue
            else { return nil }
            return HeardBeacon(uuid: uuid, major: major, minor: minor, rssi: row["rssi"]?.doubleValue)
        }
    }
}

/// What an adapter's measurement gave.
struct Acceptance {
    let seconds: Double
    let reports, withRSSI, advertisers: Int64
    /// dBm.
    let median: Int64
    let verdict: String

    /// From the one line.
    init?(_ text: String) {
        guard let json = try? JSONReader.read(Array(text.utf8)), let seconds = json["seconds"]?.doubleValue,
            let reports = json["reports"]?.integerValue, let withRSSI = json["withRSSI"]?.integerValue,
            let advertisers = json["advertisers"]?.integerValue, let median = json["p50"]?.integerValue,
            let verdict = json["verdict"]?.stringValue
        else { return nil }
        self.seconds = seconds
        self.reports = reports
        self.withRSSI = withRSSI
        self.advertisers = advertisers
        self.median = median
        self.verdict = verdict
    }
}

/// An event line.
struct Event {
    let type: String
    let reason: String
    let minor: Int64
    let regions: [String]
    /// `at`, in seconds of its day.
    let at: Double

    /// Nil for other lines, such as a replay's summary.
    init?(_ line: some StringProtocol) {
        guard let json = try? JSONReader.read(Array(line.utf8)), json["seq"] != nil,
            let type = json["type"]?.stringValue, let reason = json["reason"]?.stringValue,
            let minor = json["beacon"]?["minor"]?.integerValue, let at = json["at"]?.stringValue,
            let clock = at.split(separator: "T").last?.dropLast().split(separator: ":"), clock.count == 3,
            let hours = Double(clock[0]), let minutes = Double(clock[1]), let seconds = Double(clock[2])
        else { return nil }
        self.type = type
        self.reason = reason
        self.minor = minor
        regions = json["regions"]?.arrayValue?.compactMap { $0["region"]?.stringValue } ?? []
        self.at = hours * 3_600 + minutes * 60 + seconds
    }

    /// What happened, without when.
    var content: String { "\(type) \(reason) \(minor) \(regions)" }
}

/// One layer in the doctor's answer.
struct Finding {
    let layer: String
    let verdict: String
    let message: String
    let remedy: String

    /// From one line.
    init?(_ line: some StringProtocol) {
        guard let json = try? JSONReader.read(Array(line.utf8)), let layer = json["layer"]?.stringValue else {
            return nil
        }
        self.layer = layer
        verdict = json["verdict"]?.stringValue ?? ""
        message = json["message"]?.stringValue ?? ""
        remedy = json["remedy"]?.stringValue ?? ""
    }

    /// Whether this layer is named as the cause.
    var isWrong: Bool { verdict == "wrong" }
}

/// What a fault must leave in the notes: of each row at least one beginning.
enum ExpectedNotes {
    static let down = [["poweredOff:"], ["scanning:"]]
    static let unplugged = [["noAdapter:", "lost:"], ["scanning:"]]
    static let unpluggedSouth = [["south: noAdapter:", "south: lost:"], ["south: scanning:"]]
    static let blocked = [["blocked:"], ["scanning:"]]
    static let silent = [["silent:"], ["recovery: toggle"], ["scanning:"]]
    static let silentUntilReset = [["silent:"], ["recovery: toggle"], ["recovery: reset"], ["scanning:"]]
    static let refused = [["recovery: reset"], ["scanning:"]]
    static let hardwareError = [["poweredOff:", "resetting:", "lost:"], ["scanning:"]]
    static let taken = [["taken:"]]
    static let unanswered = [["taken:"], ["recovery:", "lost:", "silent:", "resetting:"], ["scanning:"]]
}

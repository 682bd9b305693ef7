// SPDX-License-Identifier: GPL-2.0-or-later

import HallSimulator
import RegionCore
import Time

/// What a source text asks for: `hci:0`, `capture:FILE` or `simulated:hall`, with options after a question mark.
struct SourceText: Equatable {
    /// What is listened to.
    enum Kind: Equatable {
        case radio(AdapterChoice)
        case capture(path: String)
        case hall(plan: String, seed: UInt64)
    }

    /// The text as it was written.
    let text: String
    /// What is listened to.
    let kind: Kind
    /// `receiver`: which of the registry's receivers it is.
    private(set) var receiver: String?
    /// `speed`: times real time, in `run`.
    private(set) var speed = 1.0
    /// `from`: where to begin, and to begin anew, in `run`.
    private(set) var from: Duration?
    /// `for`: how much of a simulated hall `replay` takes.
    private(set) var span: Duration?
    /// `duty`: when a radio or a simulated receiver listens.
    private(set) var duty = Duty.continuous

    /// What is listened to when nobody says: any Bluetooth adapter.
    static let usual = "hci"

    /// The plans of simulated halls by name.
    static let plans: [(name: String, plan: HallPlan)] = [("hall", .hall), ("stress", .stress)]

    /// Which store it belongs to.
    var sourceKind: SourceKind {
        switch kind {
        case .radio: .radio
        case .capture: .capture
        case .hall: .simulated
        }
    }

    /// Reads a source text.
    init(_ text: String) throws(GatewayError) {
        self.text = text
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var options = try Self.options(parts.count > 1 ? parts[1] : "", of: text)
        let name = parts[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (name[0], name.count > 1 ? name[1] : "") {
        case ("capture", let path) where !path.isEmpty: kind = .capture(path: path)
        case ("simulated", let plan) where Self.plans.contains { $0.name == plan }:
            let seed = try Self.take("seed", from: &options, of: text, "a whole number") { UInt64($0) }
            kind = .hall(plan: plan, seed: seed ?? 7)
        case ("hci", let adapter): kind = .radio(try Self.adapter(adapter, of: text))
        default:
            throw GatewayError(.usage, "\(text) is no source; \(Self.help)")
        }
        let seconds = { (text: String) -> Duration? in
            Double(text).flatMap { $0 >= 0 && $0 < 1e9 ? Duration.seconds(decimal: $0) : nil }
        }
        receiver = try Self.take("receiver", from: &options, of: text, "an identifier") { $0.isEmpty ? nil : $0 }
        if sourceKind != .radio {
            speed =
                try Self.take("speed", from: &options, of: text, "a number in 0.01…1000") {
                    Double($0).flatMap { (0.01...1_000).contains($0) ? $0 : nil }
                } ?? 1
            from = try Self.take("from", from: &options, of: text, "seconds", seconds)
        }
        if sourceKind == .simulated { span = try Self.take("for", from: &options, of: text, "seconds", seconds) }
        if sourceKind != .capture {
            duty =
                try Self.take("duty", from: &options, of: text, "continuous, gate or saver", Duty.init(rawValue:))
                ?? .continuous
        }
        if let unknown = options.first {
            throw GatewayError(.usage, "\(text): there is no option '\(unknown.key)'; \(Self.help)")
        }
    }

    /// What sources there are, in one sentence.
    static let help =
        "sources are hci (any Bluetooth adapter), hci:0, hci:ADDRESS, capture:FILE, simulated:hall and "
        + "simulated:stress, with ?receiver=, for hci and simulated ones ?duty=continuous|gate|saver, "
        + "for all but hci ?speed= ?from=, and for simulated ones ?seed= ?for="

    /// What stands behind `hci:`.
    private static func adapter(_ text: String, of source: String) throws(GatewayError) -> AdapterChoice {
        if text.isEmpty, !source.hasPrefix("hci:") { return .any }
        if let index = Int(text), (0...65_535).contains(index) { return .index(index) }
        if let address = DeviceAddress(text) { return .address(address) }
        let path = text.hasPrefix("unix:") ? text.dropFirst(5) : ""
        guard !path.isEmpty else {
            throw GatewayError(
                .usage, "\(source): an adapter is named by its number (hci:0) or address (hci:00:1A:7D:DA:71:13)")
        }
        return .socket(path: String(path))
    }

    private static func options(_ text: String, of source: String) throws(GatewayError) -> [(
        key: String, value: String
    )] {
        var options: [(key: String, value: String)] = []
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2, !options.contains(where: { $0.key == pair[0] }) else {
                throw GatewayError(.usage, "\(source): '\(part)' is no option=value, or stands there twice")
            }
            options.append((pair[0], pair[1]))
        }
        return options
    }

    private static func take<Value>(
        _ key: String, from options: inout [(key: String, value: String)], of source: String, _ expected: String,
        _ read: (String) -> Value?
    ) throws(GatewayError) -> Value? {
        guard let place = options.firstIndex(where: { $0.key == key }) else { return nil }
        let option = options.remove(at: place)
        guard let value = read(option.value) else {
            throw GatewayError(.usage, "\(source): \(key) is \(expected), not '\(option.value)'")
        }
        return value
    }
}

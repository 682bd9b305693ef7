// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import JSONText
import RegionCore
import RegistryJSON

/// What may stand in the configuration file and after `--set`: the one table that reader, `--print-defaults` and help
/// come from. The engine's settings (`Setting`) stand beside it and may be set there too, for every venue.
enum ConfigurationKey: String, CaseIterable {
    case gateway, source, registry, db, port

    /// What the key is for, with its range.
    var reason: String {
        switch self {
        case .gateway:
            "the box's name in event ids, 1 to 64 bytes; fixed in a store when it is made; null: the host name"
        case .source:
            "what run listens to when the command line names nothing, as hci:0 or capture:FILE; several, each a receiver, as "
                + "[\"hci:0\", \"hci:1\"]; null: any adapter"
        case .registry: "path of the registry file"
        case .db:
            "path of the store; null: regiond.db in $STATE_DIRECTORY, else one for each kind of source under ~/.local/state/regiond"
        case .port: "TCP port of the page on 127.0.0.1, 0 to 65535; 0: any free one"
        }
    }
}

/// The configuration in force: the file's values, changed by `--set` and by options.
struct Configuration: Equatable {
    /// The gateway's name.
    var gateway: String
    /// The sources to run; empty: any adapter.
    var sources: [String] = []
    /// The registry's path.
    var registry: String?
    /// The store's path.
    var database: String?
    /// The page's port.
    var port: UInt16 = 8420
    /// Settings that hold where the registry sets none.
    var defaults = SettingOverrides()
    /// Settings from `--set`: they win over the registry's venue settings; a region's own stay.
    var overrides = SettingOverrides()

    /// Where the file is looked for when none is named.
    static let usualPath = "/etc/regiond/regiond.json"
    /// Larger files are no configuration.
    private static let limit = 1 << 20

    /// What holds without a file.
    init() { gateway = Self.hostName() }

    /// Reads the file (the usual one if it is there, when none is named), then applies `--set key=value` in order.
    init(file: String?, set: [String]) throws(GatewayError) {
        self.init()
        if let path = file ?? (unsafe access(Self.usualPath, F_OK) == 0 ? Self.usualPath : nil) {
            try apply(file: path)
        }
        for assignment in set { try apply(assignment: assignment) }
    }

    /// A venue with the settings of `--set`.
    func applied(to venue: Venue) -> Venue {
        var venue = venue
        venue.settings = venue.settings.overridden(by: overrides)
        return venue
    }

    // MARK: File

    private mutating func apply(file path: String) throws(GatewayError) {
        let bytes = try TextFile.read(path, limit: Self.limit)
        func refusal(_ offset: Int, _ message: String) -> GatewayError {
            let place = JSONReader.position(of: offset, in: bytes)
            return GatewayError(.refused, "\(path): line \(place.line), column \(place.column): \(message)")
        }
        let root: JSONNode
        do {
            root = try JSONReader.read(bytes, options: .relaxed)
        } catch {
            throw GatewayError(.refused, "\(path): \(error)")
        }
        guard case .object(let members) = root.value else {
            throw refusal(root.offset, "a configuration is one JSON object; see regiond check --print-defaults")
        }
        for member in members {
            do throws(Problem) {
                if let key = ConfigurationKey(rawValue: member.key) {
                    try set(key, to: member.value)
                } else if let setting = Setting(rawValue: member.key) {
                    try set(setting, to: member.value, in: \.defaults)
                } else {
                    throw Problem("unknown key \"\(member.key)\"; known are \(Self.knownKeys)")
                }
            } catch {
                throw refusal(member.keyOffset, error.message)
            }
        }
    }

    private mutating func set(_ key: ConfigurationKey, to node: JSONNode) throws(Problem) {
        switch (key, node.value) {
        case (.gateway, .null): gateway = Self.hostName()
        case (.source, .null): sources = []
        case (.source, .array(let items)): sources = try Self.sources(items)
        case (.registry, .null): registry = nil
        case (.db, .null): database = nil
        case (.port, .number(let number)):
            guard let port = number.integer.flatMap(UInt16.init(exactly:)) else {
                throw Problem("port is a whole number in 0…65535")
            }
            self.port = port
        case (.port, _): throw Problem("port is a number in 0…65535")
        case (_, .string(let text)): try set(key, to: text)
        case (.source, _): throw Problem("source is a text, or an array of texts")
        default: throw Problem("\(key.rawValue) is a text")
        }
    }

    private static func sources(_ items: [JSONNode]) throws(Problem) -> [String] {
        let texts = items.compactMap(\.stringValue)
        guard texts.count == items.count, !texts.isEmpty else {
            throw Problem("source is a text, or an array of texts, one at least")
        }
        return texts
    }

    private mutating func set(
        _ setting: Setting, to node: JSONNode, in target: WritableKeyPath<Configuration, SettingOverrides>
    ) throws(Problem) {
        if node.isNull {
            self[keyPath: target][setting] = nil
            return
        }
        guard let value = setting.value(of: node) else { throw Problem("\(setting.rawValue) is \(setting.expected)") }
        if let refusal = setting.refusal(of: value) { throw Problem(refusal) }
        self[keyPath: target][setting] = value
    }

    // MARK: --set

    private mutating func apply(assignment: String) throws(GatewayError) {
        let parts = assignment.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw GatewayError(.usage, "--set takes key=value, not '\(assignment)'; keys are \(Self.knownKeys)")
        }
        do throws(Problem) {
            if let key = ConfigurationKey(rawValue: parts[0]) {
                try set(key, to: parts[1])
            } else if let setting = Setting(rawValue: parts[0]) {
                guard let value = setting.value(written: parts[1]) else {
                    throw Problem("\(parts[0]) is \(setting.expected), not '\(parts[1])'")
                }
                if let refusal = setting.refusal(of: value) { throw Problem(refusal) }
                overrides[setting] = value
            } else {
                throw Problem("there is no setting '\(parts[0])'; there are \(Self.knownKeys)")
            }
        } catch {
            throw GatewayError(.usage, "--set \(assignment): \(error.message)")
        }
    }

    private mutating func set(_ key: ConfigurationKey, to text: String) throws(Problem) {
        switch key {
        case .gateway:
            guard (1...64).contains(text.utf8.count), !text.contains(where: { $0 == "/" || $0.isNewline }) else {
                throw Problem("gateway has 1 to 64 bytes and no slash")
            }
            gateway = text
        case .source: sources = [text]
        case .registry: registry = text
        case .db: database = text
        case .port:
            guard let port = UInt16(text) else { throw Problem("port is a whole number in 0…65535") }
            self.port = port
        }
    }

    private struct Problem: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }

    private static var knownKeys: String {
        (ConfigurationKey.allCases.map(\.rawValue) + Setting.allCases.map(\.rawValue)).joined(separator: ", ")
    }

    private static func hostName() -> String {
        var buffer = [CChar](repeating: 0, count: 65)
        unsafe gethostname(&buffer, 64)
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? "regiond" : name
    }
}

extension Setting {
    /// Reads a value as the command line has it; nil: it is no such thing.
    func value(written text: String) -> Double? {
        switch row.form {
        case .decimal, .whole: Double(text)
        case .flag: Bool(text).map { $0 ? 1 : 0 }
        }
    }
}

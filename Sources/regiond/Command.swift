// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway

/// One command: what help says of it, what it takes, what it does.
struct Command: Sendable {
    let name: String
    /// One line.
    let summary: String
    /// What it takes beside options, as `SOURCE`; nil: nothing.
    var operand: String?
    /// Whether the operand may be left out.
    var operandIsOptional = false
    /// Whether there may be several of it.
    var operandIsRepeatable = false
    let options: [Option]
    /// Some lines more.
    var notes = ""
    let run: @Sendable (Arguments) throws(GatewayError) -> Void
}

/// One option of a command.
struct Option: Sendable {
    /// With its dashes.
    let name: String
    /// What stands after it, as `FILE`; nil: nothing.
    var value: String?
    /// One line.
    let summary: String
    /// Whether it may be given several times.
    var isRepeatable = false

    static let json = Option(name: "--json", summary: "one JSON object a line, for programs")
    static let configuration = Option(
        name: "--config", value: "FILE", summary: "configuration (default /etc/regiond/regiond.json if there)")
    static let registry = Option(name: "--registry", value: "FILE", summary: "registry of the venue")
    static let database = Option(name: "--db", value: "FILE", summary: "store (default one for each kind of source)")
    static let set = Option(
        name: "--set", value: "KEY=VALUE", summary: "change a setting, as exit=30; again for more", isRepeatable: true)

    /// What commands with files take.
    static let files = [configuration, registry, database, set]
}

/// The words of a command line, held against the command's table.
struct Arguments {
    /// What is no option, in order.
    private(set) var operands: [String] = []
    private var values: [String: [String]] = [:]

    /// Reads them; an unknown option, a missing value or a second operand is refused.
    init(_ words: [String], of command: Command) throws(GatewayError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                guard command.operand != nil, operands.isEmpty || command.operandIsRepeatable else {
                    throw GatewayError(.usage, "'\(word)' is one word too many; see regiond help \(command.name)")
                }
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = command.options.first(where: { $0.name == parts[0] }) else {
                let known = command.options.map(\.name).joined(separator: ", ")
                throw GatewayError(.usage, "there is no option \(parts[0]); there are \(known)")
            }
            try take(option, attached: parts.count > 1 ? parts[1] : nil, from: &rest)
        }
        if let wanted = command.operand, operands.isEmpty, !command.operandIsOptional {
            throw GatewayError(.usage, "\(wanted) is missing; see regiond help \(command.name)")
        }
    }

    private mutating func take(
        _ option: Option, attached: String?, from rest: inout ArraySlice<String>
    ) throws(GatewayError) {
        guard option.isRepeatable || values[option.name] == nil else {
            throw GatewayError(.usage, "\(option.name) is given twice")
        }
        guard let wanted = option.value else {
            guard attached == nil else { throw GatewayError(.usage, "\(option.name) takes no value") }
            values[option.name] = [""]
            return
        }
        guard let value = attached ?? rest.popFirst() else {
            throw GatewayError(.usage, "\(option.name) needs a \(wanted) after it")
        }
        values[option.name, default: []].append(value)
    }

    /// What is no option; of several the first.
    var operand: String? { operands.first }

    /// Whether an option was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of an option, or nil.
    func value(_ name: String) -> String? { values[name]?.last }

    /// The values of an option that may be given again, in order.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of an option as a whole number from 0 up, or nil.
    func number(_ name: String) throws(GatewayError) -> Int64? {
        guard let text = value(name) else { return nil }
        guard let number = Int64(text), number >= 0 else {
            throw GatewayError(.usage, "\(name) takes a whole number, not '\(text)'")
        }
        return number
    }

    /// Files and settings.
    var files: FileOptions {
        var files = FileOptions()
        files.configuration = value("--config")
        files.registry = value("--registry")
        files.database = value("--db")
        files.set = all("--set")
        return files
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

/// Help, made from the command table.
enum Help {
    /// All commands.
    static func overview(of commands: [Command]) -> String {
        var lines = [
            "regiond: knows which iBeacon is in which region, and can say why.", "", "usage: regiond COMMAND …", "",
        ]
        lines += columns(
            commands.map { ($0.name, $0.summary) } + [
                ("help [COMMAND]", "this, or what one command takes"), ("--version", "the version"),
            ])
        lines += ["", exitCodes]
        return lines.joined(separator: "\n")
    }

    /// One command.
    static func text(of command: Command) -> String {
        let operand = command.operand.map { name in
            let word = command.operandIsRepeatable ? "\(name)…" : name
            return command.operandIsOptional ? " [\(word)]" : " \(word)"
        }
        var lines = ["regiond \(command.name)\(operand ?? "") [options]", "", command.summary, ""]
        lines += columns(
            command.options.map { option in
                (option.name + (option.value.map { " " + $0 } ?? ""), option.summary)
            })
        if !command.notes.isEmpty { lines += ["", command.notes] }
        lines += ["", exitCodes]
        return lines.joined(separator: "\n")
    }

    private static let exitCodes = "Exit codes: 0 done, 1 failed, 2 usage, 3 configuration or registry refused."

    private static func columns(_ rows: [(String, String)]) -> [String] {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, summary in
            "  \(name)\(String(repeating: " ", count: width - name.count))  \(summary)"
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway
import Glibc

/// The commands, in the order help lists them. One file each; another command is one more row.
enum CommandLineTool {
    static let commands: [Command] = [
        RunCommand.command, ReplayCommand.command, TuneCommand.command, CheckCommand.command,
        BeaconsCommand.command, EventsCommand.command, DecodeCommand.command, DoctorCommand.command,
    ]

    /// What the process ends with.
    private enum ExitCode {
        static let done: Int32 = 0
        static let failed: Int32 = 1
        static let usage: Int32 = 2
        static let refused: Int32 = 3
    }

    /// Runs what the arguments ask for and ends the process.
    static func runAndExit(_ arguments: [String]) -> Never {
        exit(run(arguments))
    }

    private static func run(_ arguments: [String]) -> Int32 {
        guard let name = arguments.first else {
            Console.say(Help.overview(of: commands))
            return ExitCode.usage
        }
        let rest = Array(arguments.dropFirst())
        switch name {
        case "--version", "version":
            Console.print("regiond \(Version.text)")
            return ExitCode.done
        case "help", "--help", "-h": return help(on: rest.first)
        default: break
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            Console.say("regiond: there is no command '\(name)'; regiond help lists them")
            return ExitCode.usage
        }
        if rest.contains("--help") || rest.contains("-h") { return help(on: name) }
        do throws(GatewayError) {
            try command.run(Arguments(rest, of: command))
            return ExitCode.done
        } catch {
            Console.say("regiond \(name): \(error)")
            switch error.kind {
            case .failed: return ExitCode.failed
            case .usage: return ExitCode.usage
            case .refused: return ExitCode.refused
            }
        }
    }

    private static func help(on name: String?) -> Int32 {
        guard let name else {
            Console.print(Help.overview(of: commands))
            return ExitCode.done
        }
        guard let command = commands.first(where: { $0.name == name }) else {
            Console.say("regiond: there is no command '\(name)'; regiond help lists them")
            return ExitCode.usage
        }
        Console.print(Help.text(of: command))
        return ExitCode.done
    }
}

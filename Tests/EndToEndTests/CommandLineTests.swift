// SPDX-License-Identifier: GPL-2.0-or-later

import TestKit
import Testing

@Suite(.ownThreads) struct CommandLineTests {
    @Test func `help and the version go to stdout and end with 0`() throws {
        let help = try Regiond.run(["help"])
        #expect(help.code == 0)
        for command in ["run", "replay", "check", "beacons", "events", "decode"] {
            #expect(help.output.contains("\n  \(command) "))
        }
        #expect(help.errors.isEmpty)
        #expect(try Regiond.run(["--help"]).output == help.output)
        let version = try Regiond.run(["--version"])
        #expect(version.code == 0)
        #expect(version.output.hasPrefix("regiond "))
        #expect(version.lines.count == 1)
    }

    @Test(arguments: ["run", "replay", "check", "beacons", "events", "decode"])
    func `help on a command names each of its options`(command: String) throws {
        let help = try Regiond.run(["help", command])
        #expect(help.code == 0)
        #expect(help.output.contains("--json"))
        #expect(try Regiond.run([command, "--help"]).output == help.output)
    }

    /// Each with what the message must name and what it must tell to do.
    @Test(arguments: [
        (["frobnicate"], ["frobnicate", "regiond help"]),
        (["help", "frobnicate"], ["frobnicate", "regiond help"]),
        (["run", "--frob"], ["--frob", "--registry"]),
        (["replay"], ["SOURCE", "regiond help replay"]),
        (["replay", "simulated:hall", "capture:x"], ["capture:x", "regiond help replay"]),
        (["replay", "simulated:hall", "--db"], ["--db", "FILE"]),
        (["replay", "simulated:hall", "--json", "--json"], ["--json", "twice"]),
        (["replay", "simulated:hall", "--json=yes"], ["--json", "no value"]),
        (["replay", "simulated:moon"], ["simulated:moon", "simulated:hall"]),
        (["replay", "simulated:hall?speed=fast"], ["speed", "0.01…1000"]),
        (["replay", "simulated:hall?frob=1"], ["frob", "?seed="]),
        (["replay", "hci:0"], ["hci:0", "a capture or a simulated hall"]),
        (["replay", "simulated:hall", "--set", "exit"], ["key=value", "exit"]),
        (["replay", "simulated:hall", "--set", "exit=soon"], ["exit", "soon"]),
        (["replay", "simulated:hall", "--set", "exit=0"], ["exit", "1…86400 s"]),
        (["replay", "simulated:hall", "--set", "frob=1"], ["frob", "exit"]),
        (["replay", "simulated:hall", "--epoch", "yesterday"], ["yesterday", "2026-11-30T09:00:00Z"]),
        (["run", "hci:x"], ["hci:x", "hci:0", "address"]),
        (["check"], ["--registry"]),
        (["events", "--after", "x"], ["--after", "x"]),
        (["decode", "--hci", "--ad"], ["--hci", "--ad"]),
    ])
    func `a mistake on the command line ends with 2 and says what to do`(
        arguments: [String], names: [String]
    ) throws {
        let outcome = try Regiond.run(arguments)
        #expect(outcome.code == 2, "\(arguments)")
        #expect(outcome.output.isEmpty)
        for name in names { #expect(outcome.errors.contains(name), "\(arguments): \(outcome.errors)") }
    }

    @Test func `without arguments it shows help, on stderr, and ends with 2`() throws {
        let outcome = try Regiond.run([])
        #expect(outcome.code == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("usage: regiond COMMAND"))
    }

    @Test(arguments: [[], ["--json"]]) func `the time zone of the box changes nothing`(form: [String]) throws {
        let folder = try Folder()
        let capture = try folder.write("visit", Sample.visit)
        let outputs = try [nil, "Asia/Tokyo", "America/St_Johns", "nonsense"].map { zone in
            try Regiond.run(["replay", "capture:\(capture)"] + form, environment: ["TZ": zone]).output
        }
        #expect(outputs[0].contains("enter"))
        #expect(Set(outputs).count == 1)
    }
}

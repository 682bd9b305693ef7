// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway

/// `regiond replay`.
enum ReplayCommand {
    static let command = Command(
        name: "replay", summary: "a capture or a hall in virtual time, as fast as the machine allows",
        operand: "SOURCE",
        options: Option.files + [
            .json, Option(name: "--record", value: "FILE", summary: "write what is heard as btsnoop"),
            Option(name: "--drain", summary: "let every deadline run out after the input's end"),
            Option(
                name: "--epoch", value: "TIME", summary: "what t 0 of NDJSON is called (default 1970-01-01T00:00:00Z)"),
            Option(name: "--skip-bad-lines", summary: "count bad NDJSON lines instead of stopping at the first"),
        ],
        notes: """
            Prints events in order, then a summary: on stderr for people, with --json as the last line.
            Without a registry all identities heard are taken. With --db FILE a new store is made of it.
            A simulated hall is an hour long unless ?for=SECONDS says otherwise.
            """
    ) { arguments throws(GatewayError) in
        var options = ReplayOptions()
        options.source = arguments.operand ?? ""
        options.files = arguments.files
        options.json = arguments.has("--json")
        options.record = arguments.value("--record")
        options.drain = arguments.has("--drain")
        options.epoch = arguments.value("--epoch")
        options.skipsBadLines = arguments.has("--skip-bad-lines")
        try Replay.run(options)
    }
}

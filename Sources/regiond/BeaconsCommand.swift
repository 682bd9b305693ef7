// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway

/// `regiond beacons`.
enum BeaconsCommand {
    static let command = Command(
        name: "beacons", summary: "what is heard now, loudest first; or a registry drafted from it",
        operand: "SOURCE", operandIsOptional: true,
        options: [
            .configuration, .registry, .set, .json,
            Option(name: "--follow", summary: "go on each second where standard output is no terminal"),
            Option(name: "--draft", value: "SECONDS", summary: "listen, then print a registry of what was heard"),
            Option(name: "--uuid", value: "UUID", summary: "only beacons of this UUID into the draft"),
        ],
        notes: """
            Asks the gateway that runs on this box (--set port=N where it is not 8420). Without one, or when a SOURCE
            is named that the gateway does not listen to, it listens itself and stores nothing.
            On a terminal the table is drawn anew each second, and --json prints a line each second, until Ctrl-C.
            Elsewhere both print once (after 3 s of listening where no gateway was asked), or each second with --follow.
            --json prints the document of /v1/field. --draft takes what was heard three times or more.
            """
    ) { arguments throws(GatewayError) in
        var options = BeaconsOptions()
        options.source = arguments.operand
        options.files = arguments.files
        options.json = arguments.has("--json")
        options.follows = arguments.has("--follow")
        options.draft = try arguments.number("--draft")
        options.uuid = arguments.value("--uuid")
        try Beacons.run(options)
    }
}

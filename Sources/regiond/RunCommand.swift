// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway

/// `regiond run`.
enum RunCommand {
    static let command = Command(
        name: "run", summary: "listen, decide, store, tell; page on http://127.0.0.1:8420/field", operand: "SOURCE",
        operandIsOptional: true,
        options: Option.files + [
            .json, Option(name: "--record", value: "FILE", summary: "write what is heard as btsnoop"),
        ],
        notes: """
            SOURCE: simulated:hall, simulated:stress or capture:FILE (btsnoop or sightings as NDJSON, plain or gzip),
            in real time. Options after a question mark: ?seed=7 ?duty=saver ?speed=10 ?from=0 ?receiver=ID.
            Started again, the hall or the capture has gone on meanwhile; ?from=0 begins anew.
            SIGHUP looks at the registry at once; it is looked at every 2 s anyway. Ctrl-C stops in order.
            """
    ) { arguments throws(GatewayError) in
        var options = RunOptions()
        options.source = arguments.operand
        options.files = arguments.files
        options.json = arguments.has("--json")
        options.record = arguments.value("--record")
        try Run.run(options)
    }
}

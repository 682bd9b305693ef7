// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway

/// `regiond run`.
enum RunCommand {
    static let command = Command(
        name: "run", summary: "listen, decide, store, tell; page on http://127.0.0.1:8420/field", operand: "SOURCE",
        operandIsOptional: true, operandIsRepeatable: true,
        options: Option.files + [
            .json,
            Option(
                name: "--record", value: "FILE", summary: "write what is heard as btsnoop; marks into FILE.truth.ndjson"
            ),
        ],
        notes: """
            SOURCE: hci (any Bluetooth adapter, the default), hci:0, hci:00:1A:7D:DA:71:13 (survives renumbering), or
            in real time simulated:hall, simulated:stress, capture:FILE (btsnoop or sightings as NDJSON, plain or gzip).
            Options after a question mark: ?receiver=ID ?duty=continuous|gate|saver, for played ones ?seed=7 ?speed=10
            ?from=0. Several SOURCEs of one kind are several receivers, as hci:0 hci:1. ?receiver=ID says which of the
            registry's receivers one is; where the registry lists any, each has to say so. Else the first is named as
            the box is, the others after box and adapter (BOX-hci1). --record takes one SOURCE. A radio needs CAP_NET_RAW and nothing more; what it lacks is said here and on the page, and tried
            again by itself. Started again, a hall or a capture has gone on meanwhile; ?from=0 begins anew.
            SIGHUP looks at the registry at once; it is looked at every 2 s anyway. Ctrl-C stops in order.
            """
    ) { arguments throws(GatewayError) in
        var options = RunOptions()
        options.sources = arguments.operands
        options.files = arguments.files
        options.json = arguments.has("--json")
        options.record = arguments.value("--record")
        try Run.run(options)
    }
}

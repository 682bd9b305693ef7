// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway

/// `regiond check`.
enum CheckCommand {
    static let command = Command(
        name: "check", summary: "read configuration and registry, say every fault, change nothing",
        options: [
            .configuration, .registry, .database, .set, .json,
            Option(name: "--print-defaults", summary: "print a configuration file with every default and reason"),
        ]
    ) { arguments throws(GatewayError) in
        var options = CheckOptions()
        options.files = arguments.files
        options.json = arguments.has("--json")
        options.printsDefaults = arguments.has("--print-defaults")
        try Check.run(options)
    }
}

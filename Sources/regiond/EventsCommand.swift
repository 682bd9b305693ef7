// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway

/// `regiond events`.
enum EventsCommand {
    static let command = Command(
        name: "events", summary: "list what a store holds, also while a gateway writes to it",
        options: [
            .configuration, .database, .json,
            Option(name: "--follow", summary: "go on with what is stored from now on"),
            Option(name: "--after", value: "SEQ", summary: "only events after this one"),
            Option(name: "--last", value: "N", summary: "only the newest so many"),
        ],
        notes: "Without --db it takes the usual store that was written last, and says which."
    ) { arguments throws(GatewayError) in
        var options = EventsOptions()
        options.files = arguments.files
        options.json = arguments.has("--json")
        options.follows = arguments.has("--follow")
        options.after = try arguments.number("--after")
        options.last = try arguments.number("--last")
        try Events.run(options)
    }
}

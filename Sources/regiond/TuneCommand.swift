// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway

/// `regiond tune`.
enum TuneCommand {
    static let command = Command(
        name: "tune", summary: "a recorded walk under many settings, held against what was true, best first",
        operand: "SOURCE",
        options: [
            .configuration, .registry, .set,
            Option(name: "--truth", value: "FILE", summary: "where each beacon really was, as NDJSON"),
            Option(
                name: "--sweep", value: "KEY=V1,V2…", summary: "values to try, as exit=20,30,60; again for more",
                isRepeatable: true),
            Option(name: "--jobs", value: "N", summary: "replays at a time (default: one for each core)"),
            .json, Option(name: "--skip-bad-lines", summary: "count bad NDJSON lines instead of stopping at the first"),
        ],
        notes: """
            A line of the truth, times in seconds since the recording's start or as RFC 3339:
              {"from":12.0,"to":85.5,"beacon":"UUID/7/258","region":"room-201"}
            "nearest":"Room201" in place of region: it was nearest to that receiver; null in either: it was nowhere.
            Without "to" it stays until the beacon's next line. run --record FILE makes FILE.truth.ndjson of what is
            marked on the page. Judged are the beacons of the truth, at the seconds it covers; write down every stay, or
            enters of those left out count as extra.
            Best first: F1 of being inside, or accuracy of the nearest, to three decimals; then fewer extra enters; then
            fewer changes of the nearest; then lower latency. Latencies are p50/p95 in seconds. The last line is the
            best as a part of the registry. A region's own settings are not swept.
            """
    ) { arguments throws(GatewayError) in
        var options = TuneOptions()
        options.source = arguments.operand ?? ""
        options.files = arguments.files
        options.truth = arguments.value("--truth")
        options.sweep = arguments.all("--sweep")
        options.jobs = try arguments.number("--jobs")
        options.json = arguments.has("--json")
        options.skipsBadLines = arguments.has("--skip-bad-lines")
        try Tune.run(options)
    }
}

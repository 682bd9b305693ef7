// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway

/// `regiond doctor`.
enum DoctorCommand {
    static let command = Command(
        name: "doctor", summary: "what is wrong with this box, layer by layer, and what to do about it",
        operand: "SOURCE", operandIsOptional: true,
        options: Option.files + [
            .json,
            Option(name: "--listen", value: "SECONDS", summary: "how long reports are counted (default 10)"),
            Option(name: "--report", value: "FILE.tar.gz", summary: "pack what a distant colleague needs"),
            Option(name: "--radio", value: "SECONDS", summary: "measure an adapter for acceptance: this one scans"),
        ],
        notes: """
            Each layer is fine (✓), wrong (✕) or could not be looked at (?), which is not fine. It needs no root and
            changes nothing: no file is made, no command is sent to an adapter. 0: nothing is wrong; 1: something is.
            Reports are counted by the running gateway. The port is the one of the configuration (--set port=N).
            --report lists what it packs before it does: these findings, the radio's last ten minutes, registry,
            configuration without what looks like a secret, the last 1,000 events, notes, versions.
            --radio listens to SOURCE (default: the configuration's, else hci:0) and says whether the adapter will do:
            \(RadioAcceptance.limits).
            It commands the adapter to scan, and is refused while a gateway listens to it.
            """
    ) { arguments throws(GatewayError) in
        if let seconds = try arguments.number("--radio") {
            var options = MeasureRadioOptions()
            options.files = arguments.files
            options.json = arguments.has("--json")
            options.source = arguments.operand
            options.seconds = seconds
            return try MeasureRadio.run(options)
        }
        guard arguments.operand == nil else { throw GatewayError(.usage, "only --radio takes a source") }
        var options = DoctorOptions()
        options.files = arguments.files
        options.json = arguments.has("--json")
        options.report = arguments.value("--report")
        options.listenSeconds = try arguments.number("--listen") ?? options.listenSeconds
        try Doctor.run(options)
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

extension Scenario {
    /// Where something is missing the gateway stays up, says so once, and waits.
    static let withoutRadio = [
        Scenario(name: "no adapter, and then one", phase: .first, body: noAdapter),
        Scenario(name: "a kernel without Bluetooth", phase: .first, starts: 1) { stage in
            let box = try stage.box("hci:0", withoutBluetooth: true)
            try box.start()
            judge(stage, box, states: [.unsupported], layers: ["kernel"])
            try box.stop()
        },
        Scenario(name: "without the right", phase: .alone) { stage in
            let controller = try stage.controller()
            let box = try stage.box(controller, capabilities: "-all")
            try box.start()
            judge(stage, box, states: [.unauthorised], layers: ["rights"])
            try box.stop()
        },
    ]

    /// Long enough for one that repeats itself each second or two.
    private static let watchedSeconds = 5.0
    /// From a power-on to the scan, where the gateway has waited for an adapter.
    private static let arrivalSeconds = 5.0

    private static func noAdapter(_ stage: Stage) throws {
        let box = try stage.box("hci:0")
        try box.start()
        judge(stage, box, states: [.noAdapter], layers: ["adapter"])
        let controller = try stage.controller()
        let powered = try controller.mark()
        stage.awaitRecovery(of: box, controller, after: powered, within: arrivalSeconds)
        try box.stop()
    }

    private static func judge(_ stage: Stage, _ box: Box, states: [RadioState], layers: [String]) {
        pause(watchedSeconds)
        let status = box.status()
        stage.expect(
            status?.state.map(states.contains) ?? false,
            "the page shows \(status?.stateText ?? "nothing"), not \(states)")
        stage.expect(!(status?.message.isEmpty ?? true), "no message on the page")
        stage.expect(!(status?.remedy.isEmpty ?? true), "no remedy on the page")
        // The line that it started, and one sentence.
        let lines = box.errors.split(separator: "\n").filter { Contract.port(in: String($0)) == nil }
        stage.expect((1...2).contains(lines.count), "\(lines.count) lines on stderr: \(lines.prefix(4))")
        stage.expect(Set(lines).count == lines.count, "it repeats itself: \(lines.prefix(4))")
        if let line = lines.first { stage.figure("'\(line)'") }
        do {
            let answer = try box.command(
                Contract.doctor(box.source, port: box.port, store: box.store, registry: box.registry))
            let findings = answer.output.split(separator: "\n").compactMap { Finding($0) }
            let wrong = findings.filter(\.isWrong)
            stage.expect(
                wrong.contains { layers.contains($0.layer) },
                "doctor names \(wrong.map(\.layer)), not \(layers): \(answer.errors.suffix(200))")
            stage.expect(wrong.allSatisfy { !$0.remedy.isEmpty }, "doctor knows no remedy")
        } catch {
            stage.expect(false, "\(error)")
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import TestKit

extension Scenario {
    /// The other commands that hear, as the same user as the gateway.
    static let commands = [
        Scenario(name: "beacons on an adapter that nobody listens to", starts: 34) { try direct($0, extended: false) },
        Scenario(name: "the same on an extended adapter", starts: 40) { try direct($0, extended: true) },
        Scenario(name: "beacons beside a gateway asks it", starts: 46, body: beside),
        Scenario(name: "an adapter is measured for acceptance", starts: 52, body: measured),
        Scenario(name: "doctor names who else scans", phase: .shared) { stage in
            try otherScanner(stage)
            try secondGateway(stage)
        },
    ]

    private static let badges = 10
    /// dBm, and how far off that it may be.
    private static let level = -65.0
    private static let spread = 4.0
    private static let crowd = "crowd \(badges) 100 \(Int(level)) \(Int(spread))"

    // MARK: beacons

    private static func direct(_ stage: Stage, extended: Bool) throws {
        let controller = try stage.controller(extended: extended)
        let box = try stage.box(controller)
        controller.tell(crowd)
        let shown = try box.command(Contract.beacons("hci:\(controller.index)", registry: box.registry))
        judge(stage, shown, of: controller)
        stage.expect(isQuiet(controller), "its scan goes on: \(controller.said.suffix(4))")
        let draft = try box.command(Contract.draft(box.source, seconds: 5))
        stage.expect(draft.code == 0, "no draft: \(draft.errors.suffix(300))")
        stage.expect(isQuiet(controller), "the draft's scan goes on: \(controller.said.suffix(4))")
        let file = try stage.folder.write("draft.json", draft.output)
        let check = try box.command(Contract.check(registry: file))
        stage.expect(check.code == 0, "the draft is refused: \(check.output) \(check.errors)")
        stage.expect(
            Contract.minors(inRegistry: draft.output) == Set(0..<Int64(badges)), "the draft is \(draft.output)")
    }

    private static func beside(_ stage: Stage) throws {
        let controller = try stage.controller()
        let box = try stage.box(controller)
        try box.startScanning(controller)
        controller.tell(crowd)
        stage.expect(eventually(within: 10) { box.count("enter") == badges }, "\(box.count("enter")) enters")
        let began = controller.scanBegan
        // Its adapter by its other name, too.
        for source in [box.source, "hci:\(controller.index)"] {
            let answer = try box.command(Contract.beacons(source, registry: box.registry, port: box.port))
            judge(stage, answer, of: controller)
            stage.expect(answer.output.contains(#""sourceText":"\#(box.source)""#), "\(source): not the gateway's page")
            stage.expect(controller.scanBegan == began, "\(source): the gateway's scan was disturbed")
        }
        let refused = try box.command(
            Contract.acceptance("hci:\(controller.index)", seconds: 10, registry: box.registry, port: box.port))
        stage.expect(refused.code == 1 && refused.output.isEmpty, "the gateway's adapter is measured beside it")
        stage.expect(controller.scanBegan == began, "the gateway's scan was disturbed by a measurement")
        try box.stop()
    }

    private static func judge(_ stage: Stage, _ answer: Tool.Outcome, of controller: Controller) {
        stage.expect(answer.code == 0, "beacons ends with \(answer.code ?? -1): \(answer.errors.suffix(300))")
        let heard = HeardBeacon.all(in: answer.output).filter { $0.uuid == Contract.uuid && $0.major == 1 }
        stage.expect(
            Set(heard.map(\.minor)) == Set(0..<Int64(badges)), "heard are \(heard.map(\.minor)): \(answer.errors)")
        let isLevel = heard.allSatisfy { $0.rssi.map { abs($0 - level) <= spread } ?? false }
        stage.expect(isLevel, "their levels are \(heard.map(\.rssi))")
        let adapter = RadioStatus(answer.output)?.adapter
        stage.expect(adapter == "\(controller.device) \(controller.address)", "the adapter is \(adapter ?? "unknown")")
    }

    /// Whether it scans no more, or will soon.
    private static func isQuiet(_ controller: Controller) -> Bool {
        eventually(within: 3) { controller.said.last { $0.contains(" scan o") }?.hasSuffix("scan off") ?? false }
    }

    // MARK: doctor

    private static func measured(_ stage: Stage) throws {
        let controller = try stage.controller(extended: true)
        let box = try stage.box(controller)
        controller.tell(crowd)
        let answer = try box.command(Contract.acceptance(box.source, seconds: 10, registry: box.registry))
        guard let result = Acceptance(answer.output) else {
            throw Obstacle("no result: \(answer.output) \(answer.errors.suffix(300))")
        }
        stage.figure(
            "\(tenths(Double(result.reports) / result.seconds)) reports a second, \(result.withRSSI) of "
                + "\(result.reports) with RSSI, p50 \(result.median), \(result.verdict)")
        stage.expect(answer.code == 0 && result.verdict == "fine", "the verdict is \(result.verdict): \(answer.output)")
        stage.expect((9.5...11).contains(result.seconds), "it listened for \(result.seconds) s")
        stage.expect(abs(Double(result.reports) / result.seconds - 100) < 15, "the rate is not that of the crowd")
        stage.expect(result.withRSSI == result.reports, "some are without RSSI")
        stage.expect(abs(Double(result.median) - level) <= spread, "the level is \(result.median)")
        stage.expect(result.advertisers == badges, "\(result.advertisers) advertisers")
        stage.expect(isQuiet(controller), "its scan goes on: \(controller.said.suffix(4))")
        let text = try box.command(Contract.acceptance(box.source, seconds: 10, registry: box.registry, json: false))
        for part in ["reports", "with RSSI", "longest gap", "✓ It will do"] {
            stage.expect(text.output.contains(part), "people are not told '\(part)': \(text.output)")
        }
    }

    /// A raw scan of somebody else's, no gateway.
    private static func otherScanner(_ stage: Stage) throws {
        let controller = try stage.controller()
        let box = try stage.box(controller)
        controller.tell(crowd)
        let other = try ChildProcess(
            "/usr/bin/hcitool", ["-i", controller.device, "lescan", "--passive", "--duplicates"])
        guard eventually(within: 10, { controller.scanBegan != nil }), let began = controller.scanBegan else {
            throw Obstacle("the other does not scan: \(other.text(.errors)) \(controller.said)")
        }
        let findings = try look(box, port: nil)
        judge(stage, findings, "scanners", verdict: "wrong", says: "hcitool (process \(other.pid))")
        judge(stage, findings, "reports", verdict: "fine", says: "Others' scans gave")
        stage.expect(controller.scanBegan == began, "the scan was disturbed: \(controller.said.suffix(4))")
        other.signal(SIGINT)
        _ = other.wait(within: .seconds(5))
    }

    /// Two of us on one adapter.
    private static func secondGateway(_ stage: Stage) throws {
        let controller = try stage.controller()
        let box = try stage.box(controller)
        try box.startScanning(controller)
        controller.tell(crowd)
        let began = controller.scanBegan
        // Asked at another port, doctor takes it for somebody else's.
        judge(
            stage, try look(box, port: nil), "scanners", verdict: "could not look", says: "regiond (process \(box.pid))"
        )
        judge(stage, try look(box, port: box.port), "scanners", verdict: "fine", says: "No other program")
        stage.expect(controller.scanBegan == began, "the scan was disturbed: \(controller.said.suffix(4))")
        let second = try box.beside(Contract.beacons(box.source, registry: box.registry, follows: true))
        stage.expect(eventually(within: 10) { controller.scanBegan != began }, "the second does not scan")
        judge(
            stage, try look(box, port: box.port), "scanners", verdict: "wrong", says: "regiond (process \(second.pid))")
        second.signal(SIGTERM)
        stage.expect(second.wait(within: .seconds(5)) == .exited(0), "the second does not end in order")
        stage.expect(
            eventually(within: 10) { controller.scanBegan != nil && box.status()?.state == .scanning },
            "the gateway does not scan again: \(controller.said.suffix(4))")
        try box.stop()
    }

    private static func look(_ box: Box, port: UInt16?) throws -> [Finding] {
        let answer = try box.command(
            Contract.doctor(box.source, port: port, store: box.store, registry: box.registry, seconds: 1))
        return answer.output.split(separator: "\n").compactMap { Finding($0) }
    }

    private static func judge(
        _ stage: Stage, _ findings: [Finding], _ layer: String, verdict: String, says part: String
    ) {
        let found = findings.first { $0.layer == layer }
        stage.expect(
            found?.verdict == verdict && (found?.message.contains(part) ?? false),
            "\(layer) is not \(verdict) with '\(part)': \(found?.verdict ?? "nothing"), \(found?.message ?? "")")
    }
}

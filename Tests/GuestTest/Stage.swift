// SPDX-License-Identifier: GPL-2.0-or-later

import TestKit

/// The programs under test.
struct Programs: Sendable {
    let gateway: String
    let controller: String
    let reader: String
}

/// What one scenario plays on: its own controllers, gateways and folder, and what it found.
final class Stage {
    let programs: Programs
    private let number: Int
    private var controllers = 0
    let folder: Folder
    private(set) var problems: [String] = []
    private(set) var figures: [String] = []
    /// Seconds from the end of a fault to the scan that followed.
    private(set) var recovery: Double?

    init(number: Int, programs: Programs) throws {
        self.number = number
        self.programs = programs
        folder = try Folder()
    }

    /// Something that must hold.
    func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
        if !holds { problems.append(otherwise()) }
    }

    /// Something that was measured.
    func figure(_ text: String) { figures.append(text) }

    /// The address of the next controller, different in all scenarios.
    private func nextAddress() -> String {
        controllers += 1
        func octet(_ value: Int) -> String { (value < 16 ? "0" : "") + String(value, radix: 16, uppercase: true) }
        return "02:00:5E:00:\(octet(number)):\(octet(controllers))"
    }

    /// A controller that is plugged in, and powered unless told otherwise.
    func controller(extended: Bool = false, powered: Bool = true) throws -> Controller {
        let controller = try Controller(
            program: programs.controller, address: nextAddress(), extended: extended, folder: folder)
        if powered { try controller.power() }
        return controller
    }

    /// A gateway for a controller.
    func box(_ controller: Controller, capabilities: String = "+net_raw") throws -> Box {
        try box("hci:\(controller.address)", capabilities: capabilities)
    }

    /// A gateway for a source.
    func box(_ source: String, capabilities: String = "+net_raw", withoutBluetooth: Bool = false) throws -> Box {
        try Box(
            program: programs.gateway, sources: [source], folder: folder, registry: Contract.registry,
            capabilities: capabilities, withoutBluetooth: withoutBluetooth)
    }

    /// A gateway for two controllers, the receivers north and south.
    func box(north: Controller, south: Controller) throws -> Box {
        try Box(
            program: programs.gateway,
            sources: [
                Contract.source(north.address, as: "north"), Contract.source(south.address, as: "south"),
            ], folder: folder, registry: Contract.registryOfTwo)
    }

    /// Waits for the scan that follows a fault and says how long it took.
    ///
    /// - Parameters:
    ///   - repaired: When the fault ended, on the controller's clock.
    ///   - limit: How long it may take, in seconds.
    func awaitRecovery(of box: Box, _ controller: Controller, after repaired: Double, within limit: Double) {
        // A fault may show a moment after it was made: only what stays so for a while is a recovery.
        var held = 0
        let isBack = eventually(within: limit + 5) {
            held = controller.scanBegan != nil && box.status()?.state == .scanning ? held + 1 : 0
            return held == 4
        }
        guard isBack, let began = controller.scanBegan else {
            problems.append(
                "no scan \(Int(limit) + 5) s after the fault: \(box.status()?.stateText ?? "no answer"), "
                    + "the controller says \(controller.said.suffix(12)), notes \(Contract.notes(in: box.store).suffix(8))"
            )
            return
        }
        let took = max(0, began - repaired)
        recovery = took
        figure("scanning after \(tenths(took)) s")
        expect(took <= limit, "that is more than \(limit) s")
    }

    /// Each row must have left a note that begins with one of its texts.
    func expectNotes(_ rows: [[String]], in box: Box) {
        let notes = Contract.notes(in: box.store)
        for row in rows where !notes.contains(where: { note in row.contains { note.hasPrefix($0) } }) {
            problems.append("no note '\(row.joined(separator: "' or '"))' among \(notes)")
        }
    }
}

/// A number with one decimal.
func tenths(_ value: Double) -> String { String((value * 10).rounded() / 10) }

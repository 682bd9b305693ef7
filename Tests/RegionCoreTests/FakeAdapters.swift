// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Adapters in virtual time: does at once what `ScanControl` asks for, and can fail in each way.
struct FakeAdapters {
    var control: ScanControl
    var now: Instant
    var adapters: [Adapter]
    /// Why a socket cannot be opened, or written to.
    var openFault: ScanControl.Fault?
    var sendFault: ScanControl.Fault?
    /// Commands stay without an answer.
    var isStalled = false
    /// A status for commands of this kind instead of success.
    var refusals: [HCIOpcode: UInt8] = [:]
    /// Refuses parameters while scanning, and commands of the other family once one was used, as real ones do.
    var isStrict = true
    var supportsExtended = true
    /// The status of switching the scan off while it is off.
    var refusesOff: UInt8 = 0

    private(set) var open: Int?
    private(set) var isScanning = false
    private(set) var usedExtended: Bool?
    private(set) var commands: [HCICommand] = []
    private(set) var looks = 0
    /// What came out, oldest first.
    private(set) var inputs: [(input: SourceInput, instant: Instant)] = []
    private(set) var notes: [(text: String, instant: Instant)] = []

    static let address = DeviceAddress(bits: 0x001A_7DDA_7113)
    static let other = DeviceAddress(bits: 0x001A_7DDA_7114)

    init(_ choice: AdapterChoice = .index(0), duty: Duty = .continuous) {
        now = .boot + .seconds(100)
        control = ScanControl(choice, duty: duty, at: now)
        adapters = [Adapter(index: 0, address: Self.address, isUp: true, isBlocked: false)]
    }

    /// Whether the engine is told that the receiver can hear.
    var hears: Bool {
        for (input, _) in inputs.reversed() { if case .listening(let on) = input { return on } }
        return true
    }

    var state: RadioState { control.status.state }
    var steps: [String] { notes.map(\.text).filter { $0.hasPrefix("recovery: ") } }

    /// Lets time pass.
    mutating func run(for span: Duration) {
        let end = now + span
        while true {
            while let request = control.next(at: now) { carryOut(request) }
            take()
            guard control.wakeAt <= end else { break }
            precondition(control.wakeAt > now, "it asks to be woken up at once, and then has nothing to do")
            now = control.wakeAt
        }
        now = end
    }

    /// Another program's command, carried out.
    mutating func foreign(_ opcode: HCIOpcode, scans: Bool) {
        isScanning = scans
        tell(opcode.rawValue, 0)
    }

    /// The adapter starts anew by itself.
    mutating func breakDown() {
        (isScanning, usedExtended) = (false, nil)
        control.event([0x04, 0x10, 0x01, 0x42].span, at: now)
        take()
    }

    mutating func powerOff() {
        adapters[0].isUp = false
        (isScanning, usedExtended) = (false, nil)
    }

    mutating func unplug() {
        adapters = []
        (isScanning, usedExtended) = (false, nil)
        control.broke(at: now, workedUntil: now - .milliseconds(300))
    }

    private mutating func take() {
        while let input = control.takeInput() { inputs.append(input) }
        notes += control.takeNotes().map { ($0, now) }
    }

    private mutating func carryOut(_ request: ScanControl.Request) {
        switch request {
        case .look:
            looks += 1
            control.looked(adapters, at: now)
        case .open(let adapter):
            if let openFault { return control.failed(openFault, at: now) }
            open = adapter?.index
            control.opened(at: now)
        case .close: open = nil
        case .send(let command):
            commands.append(command)
            if let sendFault { return control.failed(sendFault, at: now) }
            if isStalled { return }
            answer(command)
        }
    }

    private mutating func answer(_ command: HCICommand) {
        if let refusal = refusals[command.opcode] { return tell(command.opcode.rawValue, refusal) }
        let isExtended = command.opcode == .setExtendedScanEnable || command.opcode == .setExtendedScanParameters
        let isLegacy = command.opcode == .setScanEnable || command.opcode == .setScanParameters
        let setsParameters = command.opcode == .setScanParameters || command.opcode == .setExtendedScanParameters
        if isStrict, isExtended || isLegacy {
            if usedExtended.map({ $0 != isExtended }) ?? false || isScanning && setsParameters {
                return tell(command.opcode.rawValue, 0x0C)
            }
            usedExtended = isExtended
        }
        if isExtended || isLegacy, !setsParameters, command.parameters[0] == 0, !isScanning {
            return tell(command.opcode.rawValue, refusesOff)
        }
        switch command.opcode {
        case .reset: (isScanning, usedExtended) = (false, nil)
        case .setScanEnable, .setExtendedScanEnable: isScanning = command.parameters[0] == 1
        case .readLocalSupportedCommands:
            var row = [UInt8](repeating: 0, count: 64)
            row[37] = supportsExtended ? 0x60 : 0
            return tell(command.opcode.rawValue, 0, row)
        default: break
        }
        tell(command.opcode.rawValue, 0)
    }

    private mutating func tell(_ opcode: UInt16, _ status: UInt8, _ more: [UInt8] = []) {
        let event: [UInt8] =
            [0x04, 0x0E, UInt8(4 + more.count), 1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), status]
            + more
        control.event(event.span, at: now)
    }
}

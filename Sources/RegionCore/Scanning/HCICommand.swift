// SPDX-License-Identifier: GPL-2.0-or-later

/// The HCI commands that scanning is made of (Core Spec Vol 4 Part E 7; opcode = group << 10 | number).
public enum HCIOpcode: UInt16, CaseIterable, Sendable {
    case setEventMask = 0x0C01
    case reset = 0x0C03
    case readLocalSupportedCommands = 0x1002
    case setLEEventMask = 0x2001
    case setScanParameters = 0x200B
    case setScanEnable = 0x200C
    case setExtendedScanParameters = 0x2041
    case setExtendedScanEnable = 0x2042

    /// The name in the specification.
    public var name: String {
        switch self {
        case .setEventMask: "Set Event Mask"
        case .reset: "Reset"
        case .readLocalSupportedCommands: "Read Local Supported Commands"
        case .setLEEventMask: "LE Set Event Mask"
        case .setScanParameters: "LE Set Scan Parameters"
        case .setScanEnable: "LE Set Scan Enable"
        case .setExtendedScanParameters: "LE Set Extended Scan Parameters"
        case .setExtendedScanEnable: "LE Set Extended Scan Enable"
        }
    }

    /// Whether it changes who scans how.
    var changesScan: Bool {
        switch self {
        case .reset, .setScanParameters, .setScanEnable, .setExtendedScanParameters, .setExtendedScanEnable: true
        case .setEventMask, .readLocalSupportedCommands, .setLEEventMask: false
        }
    }
}

/// One HCI command.
public struct HCICommand: Equatable, Sendable {
    /// What it asks for.
    public var opcode: HCIOpcode
    /// As in the specification, least significant byte first.
    public var parameters: [UInt8] = []

    /// The packet as a socket takes it, packet type byte first.
    public var packet: [UInt8] {
        [0x01, UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(opcode.rawValue >> 8), UInt8(parameters.count)]
            + parameters
    }

    /// Passive scanning, window = interval (`Scan.interval`), own public address, everybody's advertising.
    static func scanParameters(extended: Bool) -> HCICommand {
        let passive: UInt8 = 0
        let publicAddress: UInt8 = 0
        let acceptAll: UInt8 = 0
        let interval = [UInt8(truncatingIfNeeded: Scan.interval), UInt8(Scan.interval >> 8)]
        if extended {
            let onlyPHY1M: UInt8 = 1
            return HCICommand(
                opcode: .setExtendedScanParameters,
                parameters: [publicAddress, acceptAll, onlyPHY1M, passive] + interval + interval)
        }
        return HCICommand(
            opcode: .setScanParameters, parameters: [passive] + interval + interval + [publicAddress, acceptAll])
    }

    /// Scanning on or off, the controller's duplicate filter off: it would give one report a beacon and no more.
    static func scan(_ on: Bool, extended: Bool) -> HCICommand {
        let enable: UInt8 = on ? 1 : 0
        let keepDuplicates: UInt8 = 0
        return extended
            ? HCICommand(
                opcode: .setExtendedScanEnable, parameters: [enable, keepDuplicates] + [0, 0] + [0, 0])  // For ever.
            : HCICommand(opcode: .setScanEnable, parameters: [enable, keepDuplicates])
    }

    /// A reset and what it needs after it: it takes away LE events (bit 61) and extended reports (LE bit 12), which
    /// the kernel set when it powered the adapter on. The other bits are what the kernel's own LE links need.
    static func reset(extended: Bool) -> [HCICommand] {
        [
            HCICommand(opcode: .reset),
            HCICommand(opcode: .setEventMask, parameters: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0x00, 0x20]),
            HCICommand(opcode: .setLEEventMask, parameters: [0x1F, extended ? 0x1E : 0x00, 0, 0, 0, 0, 0, 0]),
        ]
    }

    /// Whether it switches scanning off, which a controller that does not scan may refuse.
    var endsScan: Bool {
        (opcode == .setScanEnable || opcode == .setExtendedScanEnable) && parameters.first == 0
    }

    /// The numbers of a scan.
    enum Scan {
        /// 60 ms in units of 0.625 ms. With a window as long the radio listens all the time; the length decides only
        /// how often it changes the channel.
        static let interval: UInt16 = 96
    }
}

/// What a controller, or the kernel for it, says about commands and itself.
enum HCIAnswer: Equatable {
    /// A command has ended with this status; of the supported commands also whether the extended scan is among them.
    case done(opcode: UInt16, status: UInt8, supportsExtendedScan: Bool)
    /// The controller gave up on itself.
    case hardwareError(code: UInt8)

    /// Reads an event, packet type byte first; nil when it is another one, or broken.
    init?(_ frame: Span<UInt8>) {
        guard frame.count >= 4, frame[0] == HCI.eventPacket, frame.count >= HCI.headerBytes + Int(frame[2])
        else { return nil }
        switch frame[1] {
        case 0x0E:  // Command Complete: how many more may be sent, opcode, return parameters.
            guard frame.count >= 7 else { return nil }
            let opcode = UInt16(frame[4]) | UInt16(frame[5]) << 8
            // Octet 37 of the supported commands stands behind 7 bytes; bits 5 and 6: extended scan parameters, enable.
            let isKnown = opcode == HCIOpcode.readLocalSupportedCommands.rawValue && frame.count > 7 + 37
            self = .done(
                opcode: opcode, status: frame[6], supportsExtendedScan: isKnown && frame[7 + 37] & 0x60 == 0x60)
        case 0x0F:  // Command Status: status, how many more may be sent, opcode.
            guard frame.count >= 7 else { return nil }
            // Success here means only that it was begun.
            guard frame[3] != 0 else { return nil }
            self = .done(
                opcode: UInt16(frame[5]) | UInt16(frame[6]) << 8, status: frame[3], supportsExtendedScan: false)
        case 0x10: self = .hardwareError(code: frame[3])
        default: return nil
        }
    }
}

/// What a status byte is called (Core Spec Vol 1 Part F), where a scanner may meet it.
enum HCIStatus {
    static func text(_ status: UInt8) -> String {
        let name: String? =
            switch status {
            case 0x00: "Success"
            case 0x01: "Unknown HCI Command"
            case 0x03: "Hardware Failure"
            case 0x07: "Memory Capacity Exceeded"
            case 0x0C: "Command Disallowed"
            case 0x0D: "Rejected due to Limited Resources"
            case 0x11: "Unsupported Feature or Parameter Value"
            case 0x12: "Invalid HCI Command Parameters"
            case 0x1F: "Unspecified Error"
            case 0x3A: "Controller Busy"
            default: nil
            }
        return name.map { "\(number(status)) (\($0))" } ?? number(status)
    }

    /// As the specification writes it.
    static func number(_ status: UInt8) -> String {
        let digits = String(status, radix: 16, uppercase: true)
        return "0x\(digits.count < 2 ? "0" : "")\(digits)"
    }
}

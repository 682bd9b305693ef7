// SPDX-License-Identifier: GPL-2.0-or-later

/// Who else may command the adapter.
struct ScannersFacts: Equatable {
    /// A program that is known to command adapters.
    struct Program: Equatable {
        var name: String
        var pid: Int
    }

    /// Those that run; nil: processes cannot be listed.
    var programs: [Program]?
    /// How often somebody changed the running gateway's scan; nil: no gateway listens to a radio.
    var taken: Int64?
    /// Whether reports came of a scan that is nobody's whom doctor asked; nil: that was not listened for.
    var hearsScan: Bool?

    /// As the kernel has our own name.
    static let own = "regiond"

    /// Their names as the kernel has them, 15 bytes at most. btmon and hcidump only look.
    static let known: Set = [
        "bluetoothd", "bluetoothctl", "btmgmt", "hcitool", "gatttool", "blescan", "aioblescan", "btscanner",
    ]

    var finding: Finding {
        let running = (programs ?? []).map { "\($0.name) (process \($0.pid))" }.joined(separator: ", ")
        let names = running.isEmpty ? "a program that is not running now" : running
        if let taken, taken > 0 {
            return .wrong(
                .scanners, "Somebody else changed the gateway's scan \(taken) times; it may be \(names).",
                remedy: "Keep other Bluetooth programs off this adapter, as by systemctl disable --now bluetooth, "
                    + "or give the gateway an adapter of its own.")
        }
        guard let programs else {
            return .couldNotLook(
                .scanners, "Processes cannot be listed.", remedy: "Mount /proc, and ask again with sudo.")
        }
        if hearsScan == true { return scanning(programs, running) }
        if programs.isEmpty { return .fine(.scanners, "No other program that is known to scan runs.") }
        if taken != nil { return .fine(.scanners, "\(running) runs, and has left the gateway's scan alone.") }
        return .couldNotLook(
            .scanners, "\(running) runs; whether it scans, only a gateway on the same adapter can tell.",
            remedy: "Keep it off this adapter, as by systemctl disable --now bluetooth, or ask again while the gateway "
                + "listens.")
    }

    /// Somebody scans, and no gateway was asked.
    private func scanning(_ programs: [Program], _ running: String) -> Finding {
        if programs.isEmpty {
            return .couldNotLook(
                .scanners, "Somebody scans, or left a scan on; no program that is known to scan runs.",
                remedy: "Start the gateway and ask again: it counts who changes its scan.")
        }
        if programs.allSatisfy({ $0.name == Self.own }) {
            return .couldNotLook(
                .scanners, "\(running) scans, and does not answer where the gateway should.",
                remedy: "Name its port: --set port=N; if it is not the gateway, end it.")
        }
        return .wrong(
            .scanners, "Somebody scans while no gateway answers; it may be \(running).",
            remedy: "Keep other Bluetooth programs off this adapter, as by systemctl disable --now bluetooth, or give "
                + "the gateway an adapter of its own.")
    }
}

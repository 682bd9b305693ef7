// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// The kernel's switches for radios, as `/sys/class/rfkill` shows them.
struct RfkillFacts: Equatable {
    /// One switch for Bluetooth.
    struct Switch: Equatable {
        /// As `hci0`.
        var name: String
        /// Off by software; nil: could not be read.
        var isSoftBlocked: Bool?
        /// Off by a switch on the box; nil: could not be read.
        var isHardBlocked: Bool?
    }

    /// Those for Bluetooth; nil: the kernel has no rfkill.
    var switches: [Switch]?

    var finding: Finding {
        guard let switches else { return .fine(.rfkill, "This kernel has no rfkill: nothing switches radios off.") }
        if let off = switches.first(where: { $0.isHardBlocked == true }) {
            return .wrong(
                .rfkill, "\(off.name) is switched off by hardware (rfkill, hard).",
                remedy: "Turn on the switch on the box, or in its firmware settings; then power the adapter on.")
        }
        if let off = switches.first(where: { $0.isSoftBlocked == true }) {
            return .wrong(
                .rfkill, "\(off.name) is switched off by software (rfkill, soft).",
                remedy: "rfkill unblock bluetooth; then power the adapter on.")
        }
        if let unknown = switches.first(where: { $0.isSoftBlocked == nil || $0.isHardBlocked == nil }) {
            return .couldNotLook(
                .rfkill, "The switch of \(unknown.name) cannot be read.", remedy: "Look with rfkill list.")
        }
        return .fine(
            .rfkill, switches.isEmpty ? "No switch for Bluetooth." : "Not switched off (rfkill).")
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// How the box's clocks stand. Nothing is decided on the wall clock; what is stored is labelled with it.
struct ClockFacts: Equatable {
    var wallTime: WallTime
    /// Whether the kernel says that the wall clock is disciplined.
    var isSynchronised: Bool
    /// The boot clock; it has to be beyond its origin.
    var boot: Instant

    /// Before this program was written, a clock is one that lost its battery.
    private static let plausible = "2025"..."2099"

    var finding: Finding {
        guard boot > .boot else {
            return .couldNotLook(
                .clock, "The boot clock cannot be read.", remedy: "Use a kernel that has CLOCK_BOOTTIME.")
        }
        let text = wallTime.rfc3339
        guard Self.plausible.contains(String(text.prefix(4))) else {
            return .wrong(
                .clock, "The clock says \(text), which cannot be.",
                remedy: "Set it, and let it be kept: timedatectl set-ntp true, or a clock with a battery.")
        }
        guard isSynchronised else {
            return .wrong(
                .clock, "The clock says \(text), and nothing keeps it right.",
                remedy: "Let it be kept: timedatectl set-ntp true, or chrony with a server of this network.")
        }
        let days = boot.nanoseconds / 86_400_000_000_000
        return .fine(.clock, "The clock is synchronised: \(text); the box runs for \(days) days.")
    }
}

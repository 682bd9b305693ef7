// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// Whether the right to command a radio is there: for this process, and for a gateway that runs as another user.
struct RightsFacts: Equatable {
    /// A gateway that runs.
    struct Gateway: Equatable {
        var pid: Int
        /// Its effective capabilities; nil: hidden from this process.
        var effective: UInt64?
    }

    /// This process's effective capabilities; nil: `/proc` does not say.
    var own: UInt64?
    var gateways: [Gateway] = []
    /// Whether the gateway that answers listens to a radio; nil: none answers.
    var wantsRadio: Bool?

    /// CAP_NET_RAW, bit 13 (linux/capability.h).
    static let netRaw: UInt64 = 1 << 13

    var finding: Finding {
        if let gateway = gateways.first(where: { Self.has($0.effective) == true }) {
            return .fine(.rights, "The running gateway (process \(gateway.pid)) has CAP_NET_RAW.")
        }
        if let hidden = gateways.first(where: { $0.effective == nil }) {
            return .couldNotLook(
                .rights, "The rights of the running gateway (process \(hidden.pid)) are hidden from this user.",
                remedy: "Ask again as the gateway's user or with sudo.")
        }
        if let gateway = gateways.first, wantsRadio != false {
            return .wrong(
                .rights, "The running gateway (process \(gateway.pid)) has no CAP_NET_RAW.",
                remedy: RadioState.unauthorised.remedy)
        }
        guard let hasOwn = Self.has(own) else {
            return .couldNotLook(
                .rights, "The rights of this process cannot be read from /proc.", remedy: "Mount /proc, and ask again.")
        }
        if hasOwn { return .fine(.rights, "This process has CAP_NET_RAW.") }
        let why =
            gateways.isEmpty
            ? "no gateway runs that could be looked at" : "the gateway that runs plays a source that needs none"
        return .couldNotLook(
            .rights, "This process has no CAP_NET_RAW; the unit's process may have it, but \(why).",
            remedy: "Start the gateway on its radio and ask again; the unit gives the right by "
                + "AmbientCapabilities=CAP_NET_RAW.")
    }

    private static func has(_ capabilities: UInt64?) -> Bool? { capabilities.map { $0 & netRaw != 0 } }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore

/// Whether the kernel has Bluetooth sockets: what it answered when one was asked for.
enum KernelLook: Equatable {
    case opened
    /// An errno.
    case refused(Int32)

    var finding: Finding {
        switch self {
        case .opened: .fine(.kernel, "The kernel has Bluetooth sockets.")
        case .refused(EAFNOSUPPORT):
            .wrong(
                .kernel, "The kernel has no Bluetooth sockets (AF_BLUETOOTH), or a sandbox hides them.",
                remedy: RadioState.unsupported.remedy)
        case .refused(EPROTONOSUPPORT), .refused(ESOCKTNOSUPPORT):
            .wrong(
                .kernel, "The kernel's Bluetooth has no HCI sockets.", remedy: RadioState.unsupported.remedy)
        case .refused(let code):
            .couldNotLook(
                .kernel, "A Bluetooth socket was refused to this process: \(unsafe String(cString: strerror(code))).",
                remedy: "Ask again from a plain shell on the box itself, outside of any container.")
        }
    }
}

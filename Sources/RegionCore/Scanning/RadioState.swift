// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// How a live radio stands, in one word for people, page and notes.
public enum RadioState: String, CaseIterable, Sendable {
    /// No adapter is there, or not the one that was asked for.
    case noAdapter
    /// The system or the adapter cannot do it.
    case unsupported
    /// The right to send commands is missing.
    case unauthorised
    /// Switched off by rfkill.
    case blocked
    /// There, and powered off.
    case poweredOff
    /// Starting anew, by our hand or the kernel's.
    case resetting
    /// On, and not yet told to scan.
    case poweredOn
    /// Listening.
    case scanning
    /// Somebody else took the scan; it is put back.
    case paused
    /// Told to scan, and hearing nothing where many were heard before.
    case silent
    /// Gone, or not doing what it is told.
    case lost

    /// One sentence that says it.
    public var sentence: String {
        switch self {
        case .noAdapter: "There is no Bluetooth adapter."
        case .unsupported: "This system has no Bluetooth LE."
        case .unauthorised: "The right to command the radio is missing."
        case .blocked: "The radio is switched off (rfkill)."
        case .poweredOff: "The adapter is powered off."
        case .resetting: "The adapter is starting anew."
        case .poweredOn: "The adapter is on; the scan begins."
        case .scanning: "The radio listens."
        case .paused: "Another program took the scan over."
        case .silent: "The radio hears nothing where many were heard before."
        case .lost: "The adapter is gone, or does not do what it is told."
        }
    }

    /// One sentence that says what to do.
    public var remedy: String {
        switch self {
        case .noAdapter: "Plug it in; it is taken into use by itself."
        case .unsupported:
            "Use a kernel with Bluetooth (modprobe bluetooth) and an adapter with LE; "
                + "in a unit RestrictAddressFamilies must name AF_BLUETOOTH."
        case .unauthorised:
            "Give it CAP_NET_RAW: AmbientCapabilities=CAP_NET_RAW in the unit, or setcap cap_net_raw+ep on the program."
        case .blocked: "Unblock it: rfkill unblock bluetooth, or the switch on the box; then power it on."
        case .poweredOff: "Power it on: hciconfig hci0 up, or the unit regiond-power@hci0."
        case .resetting, .poweredOn: "Wait some seconds."
        case .scanning: "Nothing to do."
        case .paused: "The scan is put back in seconds; keep other Bluetooth programs off this adapter."
        case .silent: "The scan is begun anew step by step; if it stays so, unplug the adapter and plug it in again."
        case .lost: "It is tried again by itself; if it stays so, unplug it and plug it in again, or use another one."
        }
    }

    /// Whether somebody has to do something before anything can be heard.
    public var waitsForPeople: Bool {
        switch self {
        case .noAdapter, .unsupported, .unauthorised, .blocked, .poweredOff: true
        case .resetting, .poweredOn, .scanning, .paused, .silent, .lost: false
        }
    }

    /// Whether reports can be expected.
    public var isListening: Bool { self == .scanning }
}

/// What is known of a live radio at one moment.
public struct RadioStatus: Equatable, Sendable {
    /// How it stands.
    public var state: RadioState
    /// What exactly, where there is more to say than the state's sentence.
    public var detail: String?
    /// The adapter in use or last used, as `hci0 00:1A:7D:DA:71:13`.
    public var adapter: String?
    /// Since when it stands so.
    public var since: Instant
    /// When it listens by plan.
    public var duty: Duty
    /// HCI events read.
    public var delivered: UInt64 = 0
    /// HCI events that the kernel dropped because they were not read in time.
    public var lost: UInt64 = 0
    /// How often the scan was begun anew, at the start too.
    public var restarts: UInt64 = 0
    /// How often the adapter was reset.
    public var resets: UInt64 = 0
    /// How often somebody else changed the scan.
    public var taken: UInt64 = 0
    /// Whether the kernel hides what is no beacon.
    public var isFiltered = false

    /// A radio that stands so since then.
    public init(state: RadioState, since: Instant, duty: Duty = .continuous) {
        self.state = state
        self.since = since
        self.duty = duty
    }

    /// The state's sentence, and what exactly.
    public var message: String { detail.map { "\(state.sentence) \($0)" } ?? state.sentence }
}

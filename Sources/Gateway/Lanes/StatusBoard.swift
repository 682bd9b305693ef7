// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import RegionCore
import Synchronization

/// What the lanes let the page know beside the engine's state.
final class StatusBoard: Sendable {
    private struct State {
        var registryRefusal: String?
        var storeFailure: String?
        var lastWakes: [BeaconIdentity: CommittedEvent] = [:]
        var lastWakeOfBox: CommittedEvent?
    }

    private let state = Mutex(State())

    /// Why the registry file as it is now is refused; nil: it is in force.
    func set(registryRefusal: String?) { state.withLock { $0.registryRefusal = registryRefusal } }

    /// Why the last commit failed; nil: it did not.
    func set(storeFailure: String?) { state.withLock { $0.storeFailure = storeFailure } }

    /// Keeps the last told event of each beacon.
    func add(_ committed: [CommittedEvent]) {
        state.withLock { state in
            for event in committed where event.event.regions.contains(where: { $0.wake == .told }) {
                state.lastWakes[event.event.beacon.identity] = event
                state.lastWakeOfBox = event
            }
        }
    }

    /// Forgets beacons that the registry no longer lists.
    func keep(_ isRegistered: (BeaconIdentity) -> Bool) {
        state.withLock { state in state.lastWakes = state.lastWakes.filter { isRegistered($0.key) } }
    }

    /// Fills in a report.
    func complete(_ report: inout FieldReport) {
        state.withLock { state in
            report.lastWakes = state.lastWakes
            report.lastWakeOfBox = state.lastWakeOfBox
            if let failure = state.storeFailure {
                report.trouble.append(
                    FieldReport.Trouble(
                        kind: .storeInTrouble, message: failure,
                        remedy: "Events wait in memory and are not told until this is put right."))
            }
            if let refusal = state.registryRefusal {
                report.trouble.append(
                    FieldReport.Trouble(
                        kind: .registryRefused, message: refusal,
                        remedy: "The registry before it stays in force; correct the file, it is read again by itself."))
            }
        }
    }
}

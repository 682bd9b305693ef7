// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// What the engine keeps of one registered beacon that was heard. Instants are nanoseconds of the boot clock;
/// "listening" ones are of its witness's `ListeningClock`. In an order that leaves no gaps.
struct BeaconTrack: Sendable {
    /// The last sighting.
    var lastHeard: Int64
    /// The same moment on the witness's listening clock.
    var lastHeardListening: Int64
    /// The `at` of its last enter or exit: no later one lies before it, and only later hits count.
    var lastEventAt = Int64.min
    /// What is counted in this minute.
    var minute = MinuteTally()
    /// The minutes before.
    var recent = HeardMinutes()
    /// Its place in the registry.
    var beacon: Int32
    /// Its first signal; −1: none yet.
    var firstSignal: Int32 = -1
    /// Second of the boot clock until which it counts as sent by several devices.
    var severalUntil = Int32.min
    /// Sightings since the start.
    var sightings: UInt32 = 0
    /// Where its observation lies, while one runs after a told enter; −1: none.
    var observation: Int32 = -1
    /// The power byte of the last sighting.
    var measuredPower: Int8?
    /// The receiver whose silence counts: of the nearest station the one that heard it last.
    var witness: UInt8
    /// Whether it is near anything: from the first sighting on, until its visit ends.
    var isNear = false
    /// Whether its deadline waits for the witness's horizon.
    var isAside = false
    /// Where it stands.
    var presence = Presence.outside

    /// Everything a sighting changes whatever the beacon's state. Gives whether it is inside and the sighting changes
    /// nothing of its visit.
    ///
    /// - Parameters:
    ///   - sample: its RSSI, where it is one.
    ///   - moment: its instant.
    ///   - listened: the same on the witness's listening clock.
    ///   - heardAgainAt: when its receiver last began to hear again.
    @inline(__always)
    mutating func note(
        _ sighting: Sighting, sample: Int8?, at moment: Int64, listened: Int64, heardAgainAt: Int64
    ) -> Bool {
        // A pause in which the receiver could not hear is none of the beacon's.
        let gap = lastHeard >= heardAgainAt ? max(0, moment - lastHeard) : 0
        sightings &+= 1
        lastHeard = max(lastHeard, moment)
        lastHeardListening = max(lastHeardListening, listened)
        measuredPower = sighting.measuredPower
        minute.add(gap: gap, level: sample)
        if case .inside(let visit) = presence { return visit.isConfirmed }
        return false
    }
}

/// Presence: one decision for each beacon.
enum Presence: Sendable {
    /// Not there.
    case outside
    /// Some hits, not yet enough.
    case entering(HitRun)
    /// There.
    case inside(Visit)
    /// There before a restart, and the clock cannot tell how long ago; nothing is decided until it can.
    case held(Visit, isHeard: Bool)
}

/// Hits that may become an enter; their instants lie in the engine's `hitTimes`.
struct HitRun: Sendable {
    /// Hits within the window.
    var count: UInt8 = 0
    /// Where the newest lies in the ring.
    var newest: UInt8 = 0
    /// The strongest sample of the run; −128: none.
    var strongest = Int8.min
    /// Whether a hit came since a near miss was last counted: one run of hits is one near miss.
    var isFresh = false
}

/// A beacon's stay.
struct Visit: Sendable {
    /// Its number.
    var number: UInt64
    /// When it began.
    var enteredAt: Int64
    /// The last fresh start of the exit time, listening: silence counts from then, or from a later sighting.
    var exitTimeFrom: Int64
    /// dB·s by which it was too weak (rule 4).
    var deficit = 0.0
    /// When the deficit last left zero.
    var weakSince: Int64 = 0
    /// Whether it was heard since listening last began.
    var isVerified = true
    /// Whether the exit time already started anew for a loss since the last sighting.
    var lossSpent = false
    /// The same for a restart.
    var restartSpent = false
    /// Whether its end will be uncertain, come what may.
    var isUncertain = false

    /// Whether a sighting would change nothing of this.
    var isConfirmed: Bool { isVerified && !lossSpent && !restartSpent }

    /// It was heard.
    mutating func confirm() {
        isVerified = true
        lossSpent = false
        restartSpent = false
    }
}

/// The ten seconds of listening after a told enter (rule 8).
struct Observation: Sendable {
    /// Whose it is.
    var track: Int32
    /// The ordinal of the enter.
    var enter: UInt64
    /// When it ends, listening.
    var until: Int64
    /// Sightings so far.
    var count: UInt32 = 0
    /// The strongest sample so far; −128: none.
    var strongest = Int8.min

    /// Counts a sighting.
    mutating func add(_ sample: Int8?) {
        count &+= 1
        if let sample { strongest = max(strongest, sample) }
    }

    /// How long it lasts, nanoseconds: as long as an app that was woken may run.
    static let length: Int64 = 10_000_000_000
}

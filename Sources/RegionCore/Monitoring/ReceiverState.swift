// SPDX-License-Identifier: GPL-2.0-or-later

/// What the engine keeps of one receiver: when it listened, and which beacons wait for its silence.
struct ReceiverState: Sendable {
    /// How the registry describes it; of one it does not list, the bare name.
    var entry: ReceiverEntry
    /// Whether the registry lists it.
    var isListed: Bool
    /// The first receiver of its group: all of a group hear for one place.
    var station: Int
    /// Stands still while it cannot hear.
    var listening = ListeningClock()
    /// Its duty cycle.
    var windows = DutyWindows()
    /// Up to here it is known to have listened; `.max`: to the present. Silence beyond it decides nothing.
    var horizon = Int64.max
    /// Whether nothing is known of its listening but what its messages tell.
    var followsMessages = false
    /// Whether it fell behind the others: nothing is known of it while they are heard.
    var isBehind = false
    /// When its inputs are read, where the caller says so.
    var arrivedAt = Int64.min
    /// Tracks whose deadline has passed while nothing is known of this receiver's listening at that time.
    var waiting: [Int32] = []
    /// The first of those deadlines.
    var waitingFrom = Int64.max
    /// The loudest that it hears carried beacons; kept only where a limit is told from it.
    var loudest = LoudestLevel()
    /// Sightings since the start.
    var sightings: UInt64 = 0
    /// For a carried one: the fixed beacon that it is nearest to.
    var guide = NearestContest.Standing()
    /// When it last heard one.
    var guidedAt = Int64.min / 4
    /// The signals of the fixed beacons inside that it hears.
    var guides: [Int32] = []

    init(_ entry: ReceiverEntry, isListed: Bool, number: Int) {
        self.entry = entry
        self.isListed = isListed
        station = number
    }

    /// Whether it can hear now, as far as anybody can tell.
    var hears: Bool { listening.isListening && !isBehind }

    /// Whether a signal that it hears is alive: it ends when the receiver has listened for eight of its mean gaps without
    /// it. Deaf spans do not count, and with a duty cycle two whole windows must have passed too.
    func stillHears(_ signal: borrowing Signal, at now: Int64) -> Bool {
        let heard = signal.lastHeard
        guard heard > .min else { return false }
        let listened = listening.listened(since: heard, until: min(now, horizon))
        let longest = min(max(Life.gaps * signal.gap.mean, Life.seconds.lowerBound), Life.seconds.upperBound)
        if Double(listened) <= longest * 1e9 { return true }
        return windows.areUsed && !windows.twoPassed(since: listening.time(at: heard))
    }

    /// Numbers of the end of a signal.
    private enum Life {
        /// Mean gaps without a sighting.
        static let gaps = 8.0
        /// The shortest and the longest that is waited, seconds.
        static let seconds = 12.0...60.0
    }

    /// Stands for a horizon of which nothing is known yet.
    static let never = Int64.min / 4

    /// So far behind the others it is taken for deaf, and so long a pause in its messages is no listening, nanoseconds.
    static let longestLag: Int64 = 20_000_000_000
}

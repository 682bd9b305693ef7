// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Decides which last-heard times go with a batch, so that a crash costs little and flash is spared.
struct Checkpoints {
    /// What goes with a batch.
    struct Rows {
        /// Beacons inside: all of them, or those whose stored state would mislead a restart.
        var presences: [EngineSnapshot.Presence] = []
        /// Whether they are all of them.
        var isWhole = false
    }

    /// How often.
    private enum Pace {
        /// All go with a commit when the last ones are this old …
        static let withCommit = Duration.seconds(10)
        /// … and by themselves after this.
        static let alone = Duration.seconds(60)
        /// Who was heard again after a start or a loss is stored with any commit, or by itself after this: a crash
        /// before that would let silence add up over the runs, and a box that crashes again and again would send
        /// people out of the hall who never left it.
        static let heardAgain = Duration.seconds(1)
    }

    private var wholeAt: Instant
    private var lookedAt: Instant
    /// Beacons inside whose stored state says that their exit time has already started anew.
    private var spent: Set<BeaconIdentity> = []

    /// The first batch says who was taken up by the start.
    init(at start: Instant) {
        wholeAt = start - Pace.alone
        lookedAt = start
    }

    /// When all of them go by themselves.
    var nextWhole: Instant { wholeAt + Pace.alone }

    /// What goes with the batch of this moment.
    ///
    /// - Parameters:
    ///   - isLast: whether no other batch will follow.
    ///   - hasEvents: whether it holds events.
    ///   - commits: whether it will be committed anyway.
    ///   - inside: who is inside; asked for when something is due.
    mutating func rows(
        at present: Instant, isLast: Bool, hasEvents: Bool, commits: Bool, inside: () -> [EngineSnapshot.Presence]
    ) -> Rows {
        let isWhole = isLast || present >= nextWhole || hasEvents && present - wholeAt >= Pace.withCommit
        guard isWhole || !spent.isEmpty && (commits || present - lookedAt >= Pace.heardAgain) else { return Rows() }
        lookedAt = present
        let all = inside()
        let before = spent
        spent = Set(
            all.filter { ($0.restartSpent || $0.lossSpent) && (isWhole || before.contains($0.beacon)) }.map(\.beacon))
        guard isWhole else {
            return Rows(presences: all.filter { before.contains($0.beacon) && !spent.contains($0.beacon) })
        }
        wholeAt = present
        return Rows(presences: all, isWhole: true)
    }
}

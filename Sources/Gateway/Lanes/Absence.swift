// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// How long the box was away before this run, where only a synchronised clock can tell: a box without a real-time
/// clock begins in the past.
struct Absence {
    private var lastSeen: WallTime?
    private let start: Instant

    /// - Parameters:
    ///   - lastSeen: the calendar time up to which the run before is stored; nil: there is nothing to find out.
    ///   - start: when this run began.
    init(lastSeen: WallTime?, start: Instant) {
        self.lastSeen = lastSeen
        self.start = start
    }

    /// The answer, once.
    mutating func known(by now: ClockAnchor) -> Duration? {
        guard let seen = lastSeen, now.synchronised else { return nil }
        lastSeen = nil
        let away = now.wallTime(at: start) - seen
        return away >= .zero ? away : nil
    }
}

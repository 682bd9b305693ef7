// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// The clocks of one run: which boot its instants count in, and the last tie of that boot to calendar time.
struct RunClock {
    var run: Int64
    var bootId: String
    var anchor: ClockAnchor

    init(run: Int64, bootId: String, anchor: ClockAnchor) {
        self.run = run
        self.bootId = bootId
        self.anchor = anchor
    }

    /// From the columns id, boot, anchor_ns, anchor_us, synchronised.
    init(_ row: Statement) {
        run = row.integer()
        bootId = row.optionalText() ?? ""
        anchor = ClockAnchor(
            instant: Instant(nanoseconds: row.integer()), wallTime: WallTime(microseconds: row.integer()),
            synchronised: row.flag())
    }

    /// Nanoseconds to add to this run's instants to have them on the clock of another boot: none in the same boot, else
    /// the difference of the two ties to calendar time. It is one number for the whole run, so that spans stay exact.
    func shift(toBoot other: String, anchor present: ClockAnchor) -> Int64 {
        bootId == other ? 0 : anchor.bootStartNanoseconds - present.bootStartNanoseconds
    }
}

extension ClockAnchor {
    /// Calendar time at instant 0, in nanoseconds.
    fileprivate var bootStartNanoseconds: Int64 { wallTime.microseconds * 1_000 - instant.nanoseconds }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// Everything the store bounds.
enum StoreLimit {
    /// How long a lock held by somebody else is waited for. Below the 5 s after which the store counts as in trouble,
    /// so that the lane comes back to say so.
    static let busyMilliseconds: Int32 = 2_000
    /// One page is one block of the usual file systems, so that a block torn by a power cut hurts no neighbour.
    /// (1,024 would write a third: 10 against 29 kB of log for an enter committed alone, 1.3 against 3 kB in twenties.)
    static let pageBytes: Int64 = 4_096
    /// From here on an idle moment brings the write-ahead log home. Earlier would write the same pages to flash again
    /// and again: nothing is safer for it, the log is synced with each commit.
    static let idleCheckpointBytes: Int64 = 1 << 20
    /// From here on the log is brought home and its file emptied even in a busy moment.
    static let truncateBytes: Int64 = 4 << 20
    /// Dictionary entries kept in memory, for beacons, descriptions and names each; full: all are forgotten and read
    /// again as they are met. Ten times the largest registry that is ordinary.
    static let cachedEntries = 65_536
    /// The instant up to which a run is complete is stored this often while events come in; each event bounds it too.
    static let upToEvery: Duration = .seconds(1)
    /// Ended cooldowns are swept this often.
    static let sweepEvery: Duration = .seconds(60)
    /// Minutes of beacons that a look at a store reads: a day of 1,000 beacons is 1,440,000, read in a few seconds. Full:
    /// the older ones stay unread.
    static let inspectedMinutes = 2_000_000
    /// Gateway names are part of every event's id.
    static let gatewayBytes = 64
}

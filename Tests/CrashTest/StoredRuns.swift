// SPDX-License-Identifier: GPL-2.0-or-later

import CSQLite
import EngineProperties
import RegionCore
import Time

/// The runs as the store has them, all on one clock: the hall's own, which begins with the store.
struct StoredRuns {
    /// A run that stored something.
    struct Run {
        var id: Int64
        /// From here on it heard.
        var began: Instant
        /// Up to here its decisions are stored.
        var stored: Instant
        /// It was certainly dead by now, and heard nothing after.
        var died: Instant
        /// Nanoseconds from its boot clock to the hall's.
        var shift: Int64
    }

    /// Between two runs.
    struct Gap {
        /// Nothing that was heard after this is stored.
        var stored: Instant
        /// It was dead by now.
        var died: Instant
        /// The next one heard.
        var began: Instant
    }

    /// In order. Runs that were killed before they stored anything are part of a gap.
    private(set) var runs: [Run] = []
    /// Each event's run.
    private var runOfSeq: [Int64: Int64] = [:]

    private struct Failure: Error { let message: String }

    init(path: String, lives: [Campaign.Life], speed: Int) throws {
        self.speed = speed
        var handle: OpaquePointer?
        guard unsafe sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
            throw Failure(message: "cannot open \(path)")
        }
        defer { unsafe sqlite3_close(handle) }
        for row in unsafe Self.rows(of: handle, "SELECT seq, run FROM event") { runOfSeq[row[0]] = row[1] }
        // An event was decided at its instant, so the stored time goes on to the nanosecond after it.
        let sql = """
            SELECT run.id, started_ns, anchor_us - source_start_us, anchor_ns,
                max(coalesce(up_to_ns, 0), (SELECT coalesce(max(detected_ns) + 1, 0) FROM event WHERE event.run = run.id))
            FROM run JOIN store ORDER BY run.id
            """
        for row in unsafe Self.rows(of: handle, sql) where row[4] > 0 {
            let shift = row[2] * 1_000 - row[3]
            let started = Instant(nanoseconds: row[1])
            guard let life = lives.last(where: { $0.started <= started }) else {
                throw Failure(message: "run \(row[0]) began before its process")
            }
            let lived = (life.died - started) * speed
            runs.append(
                Run(
                    id: row[0], began: Instant(nanoseconds: row[1] + shift),
                    stored: Instant(nanoseconds: row[4] + shift),
                    died: Instant(nanoseconds: row[1] + shift) + lived, shift: shift))
        }
    }

    /// Downtimes, in order.
    var gaps: [Gap] {
        zip(runs, runs.dropFirst()).map { Gap(stored: $0.stored, died: min($0.died, $1.began), began: $1.began) }
    }

    /// Kills that cost more than a second or two of what was heard: with so many events a commit is never far.
    var lateStores: [String] {
        gaps.compactMap { gap in
            let lag = (gap.died - gap.stored).inSeconds / Double(speed)
            return lag > Self.longestLag ? "\(lag) s before the kill at \(gap.died.seconds)" : nil
        }
    }

    private static let longestLag = 2.0
    private let speed: Int

    /// An event on the hall's clock.
    func onHallClock(_ committed: CommittedEvent) -> RegionEvent {
        var event = committed.event
        let shift = runs.first { $0.id == runOfSeq[committed.seq] }?.shift ?? 0
        func moved(_ instant: Instant) -> Instant { Instant(nanoseconds: instant.nanoseconds + shift) }
        event.at = moved(event.at)
        event.detectedAt = moved(event.detectedAt)
        event.enteredAt = moved(event.enteredAt)
        for index in event.regions.indices {
            if let start = event.regions[index].cooldown {
                event.regions[index].cooldown = .init(isWholeRegion: start.isWholeRegion, until: moved(start.until))
            }
        }
        return event
    }

    private static func rows(of handle: OpaquePointer?, _ sql: String) -> [[Int64]] {
        var statement: OpaquePointer?
        unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        defer { unsafe sqlite3_finalize(statement) }
        var rows: [[Int64]] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<(unsafe sqlite3_column_count(statement))).map { unsafe sqlite3_column_int64(statement, $0) })
        }
        return rows
    }
}

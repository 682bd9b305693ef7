// SPDX-License-Identifier: GPL-2.0-or-later

import StoreSQLite
import Time

/// What the store holds, read without changing it.
enum StoreLook: Equatable {
    /// There is none at this path.
    case missing(String)
    /// Nobody said where it lies, and the usual places have none.
    case unnamed(String)
    case read(path: String, StoreSummary)
    case failed(StoreError)

    var finding: Finding {
        switch self {
        case .missing(let path):
            .couldNotLook(.store, "There is no store at \(path).", remedy: "Name it with --db, or start the gateway.")
        case .unnamed(let why): .couldNotLook(.store, "No store was found: \(why).", remedy: "Name it with --db.")
        case .read(let path, let summary): Self.finding(path, summary)
        case .failed(let error):
            switch error.kind {
            case .unreachable, .busy:
                .couldNotLook(.store, "Cannot \(error.doing): \(error.message).", remedy: Self.sentence(error.remedy))
            default: .wrong(.store, "Cannot \(error.doing): \(error.message).", remedy: Self.sentence(error.remedy))
            }
        }
    }

    private static func finding(_ path: String, _ summary: StoreSummary) -> Finding {
        let size = "\(summary.bytes / 1_000) kB, version \(summary.version)"
        let newest = summary.newest.map { "newest event \($0.seq) of \($0.detectedAt.rfc3339)" } ?? "no event"
        let run = summary.lastRun.map { run in
            run.how.map { "the last run ended: \($0)" } ?? "the last run goes on, or was broken off"
        }
        let message = ["\(path): \(size), \(newest)", run].compactMap(\.self).joined(separator: "; ")
        guard summary.lostEvents == 0 else {
            return .wrong(
                .store, "\(message); \(summary.lostEvents) events were lost while it was in trouble.",
                remedy: "Look when and why: the table lost, and the kernel log of that time.")
        }
        return .fine(.store, message + ".")
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }
}

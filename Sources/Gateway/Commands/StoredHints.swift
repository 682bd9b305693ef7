// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore
import StoreSQLite

/// What the store of a configuration says of its settings: a look that changes nothing and refuses nothing.
struct StoredHints: Equatable {
    /// A line for each beacon that other settings would suit better, `most` at most.
    private(set) var lines: [String] = []
    /// Why the store was not read; nil: it was, or there is none.
    private(set) var trouble: String?

    /// More lines than these nobody acts on in one go; the last one counts the rest.
    static let most = 20
    /// A day holds each hour of a hall; an older one may have been before the settings were changed.
    static let span: Duration = .seconds(24 * 3_600)

    /// Looks into the store that `run` would use, where there is one.
    init(_ configuration: Configuration, source: SourceText?, registry: Registry) {
        // The pauses of a duty cycle are gaps of every beacon: they say nothing of its pace.
        guard source?.duty ?? .continuous == .continuous,
            let path = configuration.database ?? (try? StorePath.usual(for: source?.sourceKind ?? .radio)),
            unsafe access(path, F_OK) == 0
        else { return }
        var hints = SettingHints(registry: registry)
        do throws(StoreError) {
            try StoreInspection(path: path).minutes(last: Self.span) { hints.add($0) }
        } catch {
            trouble = "the store was not looked at for hints: cannot \(error.doing): \(error.message)"
            return
        }
        lines = hints.lines
        guard lines.count > Self.most else { return }
        let more = lines.count - (Self.most - 1)
        lines = lines.prefix(Self.most - 1) + ["and \(more) more beacons"]
    }

    /// As `check` prints them.
    var text: [String] { lines.map { "hint: \($0)" } + (trouble.map { ["note: \($0)"] } ?? []) }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import Time

/// What came of a sweep, for people and for programs, and the best settings as part of a registry.
struct TuneTable {
    /// The best first.
    let results: [TuneResult]
    let sweep: Sweep
    /// What `--set` changed beside the sweep.
    let base: SettingOverrides

    /// Rows for people: nobody reads more. `--json` gives all.
    private static let rowLimit = 40

    // MARK: For people

    /// The table, what its columns are, and the fragment.
    var text: [String] {
        let shown = results.prefix(Self.rowLimit)
        let cells = [header] + shown.map(row)
        let widths = cells[0].indices.map { column in cells.map { $0[column].columns }.max() ?? 0 }
        var lines = cells.map { row in
            zip(row, widths).map { cell, width in cell.right(width) }.joined(separator: "  ")
        }
        if results.count > shown.count { lines.append("… and \(results.count - shown.count) more: --json gives all") }
        return lines + ["", "The best, as a part of the registry:", fragment]
    }

    private var figures: TuneFigures? { results.first?.figures }

    private var header: [String] {
        var cells = sweep.axes.map(\.setting.rawValue)
        if figures?.hasRegions == true { cells += ["F1", "missed", "extra", "merged", "enter s", "exit s"] }
        if figures?.hasNearest == true { cells += ["nearest", "changes", "move s"] }
        return cells + ["false exits/h"]
    }

    private func row(_ result: TuneResult) -> [String] {
        let figures = result.figures
        var cells = sweep.axes.map { axis in result.settings[axis.setting].map(axis.setting.text(of:)) ?? "–" }
        if figures.hasRegions {
            cells += [
                decimal(figures.f1, 3), "\(figures.missed)", "\(figures.extra)", "\(figures.merged)",
                latency(figures.enterDelays), latency(figures.exitDelays),
            ]
        }
        if figures.hasNearest {
            cells += [
                decimal(figures.nearestAccuracy, 3), "\(figures.nearestChanges)", latency(figures.moveDelays),
            ]
        }
        return cells + [decimal(figures.falseExitsPerHour, 2)]
    }

    /// Half of them, and 95 of a hundred, are no later.
    private func latency(_ delays: [Duration]) -> String {
        let (half, most) = (TuneFigures.quantile(0.5, of: delays), TuneFigures.quantile(0.95, of: delays))
        return "\(decimal(half?.inSeconds, 1))/\(decimal(most?.inSeconds, 1))"
    }

    /// A number with exactly so many decimals; `–` where there is none.
    private func decimal(_ value: Double?, _ decimals: Int) -> String {
        guard let value else { return "–" }
        let scale = (0..<decimals).reduce(1) { power, _ in power * 10 }
        let units = Int64((value.magnitude * Double(scale)).rounded())
        let fraction = "\(units % Int64(scale))"
        let padded = String(repeating: "0", count: max(0, decimals - fraction.count)) + fraction
        return "\(value < 0 && units > 0 ? "−" : "")\(units / Int64(scale)).\(padded)"
    }

    // MARK: For programs

    /// `{"settings":{…}}` of the best combination: what to write into the registry.
    var fragment: String {
        var writer = JSONWriter()
        writer.beginObject()
        base.overridden(by: results.first?.settings ?? SettingOverrides()).write(into: &writer)
        writer.endObject()
        return writer.text
    }

    /// One object a combination, the best first, then the fragment.
    var json: [String] {
        results.enumerated().map { place, result in json(result, rank: place + 1) } + [fragment]
    }

    private func json(_ result: TuneResult, rank: Int) -> String {
        let figures = result.figures
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("rank", rank)
        base.overridden(by: result.settings).write(into: &writer)
        writer.member("f1", figures.f1, decimals: 4)
        writer.member("precision", figures.precision, decimals: 4)
        writer.member("recall", figures.recall, decimals: 4)
        writer.member("stays", figures.stays)
        writer.member("missed", figures.missed)
        writer.member("extra", figures.extra)
        writer.member("merged", figures.merged)
        writer.member("nearestAccuracy", figures.nearestAccuracy, decimals: 4)
        writer.member("nearestMissed", figures.nearestMissed)
        writer.member("nearestChanges", figures.nearestChanges)
        let delays = [
            ("enterSeconds", figures.enterDelays), ("exitSeconds", figures.exitDelays),
            ("moveSeconds", figures.moveDelays),
        ]
        for (key, delays) in delays {
            writer.key(key)
            writer.beginObject()
            writer.member("p50", TuneFigures.quantile(0.5, of: delays)?.inSeconds, decimals: 3)
            writer.member("p95", TuneFigures.quantile(0.95, of: delays)?.inSeconds, decimals: 3)
            writer.endObject()
        }
        writer.member("falseExits", figures.falseExits)
        writer.member("falseExitsPerHour", figures.falseExitsPerHour, decimals: 3)
        writer.endObject()
        return writer.text
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Time

/// What was heard in some seconds.
struct HeardReports: Equatable, Sendable {
    /// All of them.
    var reports: Int64
    /// Those without RSSI.
    var withoutRSSI: Int64
}

/// Whether reports come, and with RSSI.
enum ReportsLook: Equatable {
    /// Counted by the running gateway between two of its answers, so many seconds apart.
    case gateway(HeardReports, seconds: Int, sourceText: String)
    /// Counted on the raw channel while others scan, without a command of ours.
    case overheard(HeardReports, seconds: Int)
    /// One of the running gateway's radios gave nothing in so many seconds.
    case silent(_ sourceText: String, seconds: Int)
    /// Nobody counted.
    case nobody(why: String)

    /// Adapters give a report without RSSI now and then; more than this share is a fault.
    private static let tolerated = 0.05

    var finding: Finding {
        switch self {
        case .gateway(let heard, let seconds, let sourceText):
            guard heard.reports >= 0 else {
                return .couldNotLook(
                    .reports, "The gateway was started anew while its reports were counted.", remedy: "Ask again.")
            }
            guard heard.reports > 0 else { return Self.nothing(of: sourceText, seconds) }
            return Self.finding(heard, seconds, "\(sourceText) gave")
        case .overheard(let heard, let seconds):
            guard heard.reports > 0 else {
                return .couldNotLook(
                    .reports, "Nobody scans, so that no report came in \(seconds) s.",
                    remedy: "Start the gateway and ask again.")
            }
            return Self.finding(heard, seconds, "Others' scans gave")
        case .silent(let sourceText, let seconds): return Self.nothing(of: sourceText, seconds)
        case .nobody(let why):
            return .couldNotLook(.reports, why, remedy: "Start the gateway and ask again.")
        }
    }

    /// Whether somebody scans; nil where that was not listened for.
    var hearsScan: Bool? { if case .overheard(let heard, _) = self { heard.reports > 0 } else { nil } }

    private static func nothing(of sourceText: String, _ seconds: Int) -> Finding {
        .wrong(
            .reports, "\(sourceText) gave no report in \(seconds) s.",
            remedy: "Look at the layers above; if they are fine, hold a beacon near the receiver.")
    }

    private static func finding(_ heard: HeardReports, _ seconds: Int, _ who: String) -> Finding {
        let with = heard.reports - heard.withoutRSSI
        let message = "\(who) \(with) reports with RSSI and \(heard.withoutRSSI) without in \(seconds) s."
        guard Double(heard.withoutRSSI) <= tolerated * Double(heard.reports) else {
            return .wrong(
                .reports, message,
                remedy: "Use another adapter: this one does not say how loud it hears, and nobody can be ranged.")
        }
        return .fine(.reports, message)
    }
}

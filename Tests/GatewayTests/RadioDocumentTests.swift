// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing
import Time

@testable import RegionCore

/// What a technician reads of the radio is what the program says and does.
struct RadioDocumentTests {
    @Test func `each state stands in the document with its sentence and its remedy, and no other does`() throws {
        let rows = try rows(under: "States")
        #expect(rows == RadioState.allCases.map { "| `\($0.rawValue)` | \($0.sentence) | \($0.remedy) |" })
    }

    @Test func `the pauses in the document are those of the scan's owner`() throws {
        typealias Pace = ScanControl.Pace
        let rows = try rows(under: "What the box does by itself").map { $0.components(separatedBy: " | ").dropFirst() }
        let pauses = [
            (Pace.firstSearch, Pace.longestSearch), (Pace.firstRetry, Pace.longestWait),
            (Pace.firstRetry, Pace.longestRetry), (Pace.firstHearing, Pace.longestRetry),
            (Pace.firstPutBack, Pace.longestPutBack), (Pace.firstQuiet, Pace.longestQuiet),
        ]
        #expect(rows.map { $0.joined(separator: " | ") } == pauses.map { "\(words($0)) | \(words($1)) |" })
    }

    @Test(arguments: Duty.allCases)
    func `document and page say how much of the time each duty listens`(duty: Duty) throws {
        let share = duty.cycle.map { "\(words(.nanoseconds($0.open))) of \(words(.nanoseconds($0.length)))" }
        let text = share ?? "all the time"
        #expect(try rows(under: "Duty, and Wi-Fi on the same chip").contains("| `\(duty.rawValue)` | \(text) |"))
        #expect(try file("Sources/FeedHTTP/Page/field.js").contains("\(duty.rawValue): '\(text)'"))
    }

    /// The rows of the table under a heading, without those of its head.
    private func rows(under heading: String) throws -> [String] {
        let document = try file("Sources/RadioHCI/RadioHCI.docc/Radio.md")
        let section = document.components(separatedBy: "\n## \(heading)\n").dropFirst().first ?? ""
        let lines = (section.components(separatedBy: "\n## ").first ?? "").components(separatedBy: "\n")
        return Array(lines.filter { $0.hasPrefix("|") }.dropFirst(2))
    }

    private func words(_ span: Duration) -> String {
        let seconds = span.inSeconds
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }

    private func file(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import Foundation
import JSONText
import RegionCore
import Testing
import Time

/// The examples in the documents are what the program writes: each of them is compared, byte for byte.
struct EventExampleTests {
    private static let samples = [
        EventSamples.enter, EventSamples.exit, EventSamples.wake, EventSamples.nearest, EventSamples.movedOut,
        EventSamples.movedIn,
    ]

    @Test(arguments: samples)
    func `the documented example of each event type is what is written`(event: CommittedEvent) throws {
        let examples = try examples(in: "Events.md")
        let written = EventWriter.json(event)
        #expect(!written.contains("\n") && !written.contains("\": ") && !written.hasSuffix(" "))
        #expect(examples.filter { $0.hasPrefix(#"{"seq":\#(event.seq),"#) } == [written])
    }

    @Test func `each type has an example, and no example is of nothing`() throws {
        #expect(Set(Self.samples.map(\.event.kind)) == Set(RegionEvent.Kind.allCases))
        #expect(try examples(in: "Events.md").count == Self.samples.count)
    }

    @Test func `the documented lines for people are what is printed`() throws {
        let text = try document("Events.md")
        for event in Self.samples {
            #expect(text.contains("\n\(EventLine.text(event))\n"), "\(EventLine.text(event))")
        }
    }

    @Test func `the documented field is what is written`() throws {
        let report = FieldReport(
            field: EventSamples.field, anchor: EventSamples.anchor, gateway: "hall-a-box-1", source: .radio,
            sourceText: "hci:0", version: "0.1.0", startedAt: .boot - .seconds(7_200),
            lastWakes: [EventSamples.badge.identity: EventSamples.enter], lastWakeOfBox: EventSamples.enter,
            trouble: [
                FieldReport.Trouble(
                    kind: .registryRefused, message: "hall.json:12:9: major 70000 is beyond 65535.",
                    remedy: "Mend the file; the registry before it stays in force.")
            ])
        #expect(try examples(in: "Field.md") == [String(decoding: FieldWriter.json(report), as: UTF8.self)])
    }

    /// The `json` blocks of a document; line breaks and indentation are there for the reader alone.
    private func examples(in name: String) throws -> [String] {
        try document(name).components(separatedBy: "```json\n").dropFirst().map { part in
            let block = part.components(separatedBy: "\n```")[0]
            return block.split(separator: "\n").map { $0.drop { $0 == " " } }.joined()
        }
    }

    private func document(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "Sources/EventJSON/EventJSON.docc/\(name)"), encoding: .utf8)
    }
}

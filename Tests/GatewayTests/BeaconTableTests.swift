// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing

@testable import Gateway

struct BeaconTableTests {
    private func lines(
        _ document: FieldDocument?, columns: Int? = nil, rows: Int? = nil, ink: Bool = false, trouble: [String] = []
    ) throws -> [String] {
        let document = try #require(document)
        let table = BeaconTable(document: document, beacons: document.beacons, origin: "here", trouble: trouble)
        return table.lines(on: BeaconTable.Paper(columns: columns, rows: rows, ink: Ink(isOn: ink)))
    }

    private static let mixed = [
        FieldSamples.row(1, name: "序厅主展项"), FieldSamples.row(2, name: "Badge 17"),
        FieldSamples.row(3, name: "e\u{301}🙂"), FieldSamples.row(4), FieldSamples.row(5, rssi: nil, missing: nil),
        FieldSamples.row(6, state: "unregistered", registered: false),
    ]

    @Test func `a table holds what the page shows`() throws {
        let lines = try lines(FieldSamples.document(Self.mixed))
        #expect(lines[0] == "box-1 · receiver gate · hci:0 · here · up 2 h · regiond 1")
        #expect(lines[1] == "listening · 97 of 100 heard, never: 序厅主展项 and 2 others")
        #expect(
            lines[2] == "RSSI  filtered  tier    distance    heard  beacon                 "
                + "  state, and what is missing")
        #expect(
            lines[3] == " −67     −67.0  ◆ mid   2–5 m       < 1 s  序厅主展项 1001/1 …96E0"
                + "  outside · 2 of 3 hits in 10 s")
        #expect(lines[7].hasPrefix("   –         –  "))
        #expect(lines[7].hasSuffix("outside · no RSSI"))
        #expect(lines[8].hasSuffix("1001/6 …96E0             unregistered C0:FF:EE:00:00:01"))
    }

    @Test func `wide names and marks leave the last column where it is`() throws {
        for columns in [60, 80, 100, 140] {
            let rows = try lines(FieldSamples.document(Self.mixed), columns: columns).dropFirst(3).prefix(4)
            let places = rows.map { row in row.firstRange(of: "outside").map { String(row[..<$0.lowerBound]).columns } }
            #expect(Set(places).count == 1, "\(columns): \(places)")
            #expect(places.first != .some(nil))
        }
    }

    @Test func `no line is wider and no table higher than the terminal`() throws {
        let trouble = #"{"kind":"silent","message":"Nothing has been heard for 40 s.","remedy":"Look at it."}"#
        let radio = #"{"state":"blocked","message":"The radio is off.","remedy":"rfkill unblock bluetooth"}"#
        let document = FieldSamples.document(
            Self.mixed, source: "simulated", radio: radio, trouble: trouble, never: "\"序厅主展项\",\"序厅主展项\"")
        for columns in 1...160 {
            let lines = try lines(document, columns: columns)
            #expect(lines.allSatisfy { $0.columns <= columns }, "\(columns): \(lines)")
        }
        for rows in 1...30 {
            var screen = Screen()
            let size = Screen.Size(columns: 80, rows: rows)
            let frame = screen.frame(try lines(document, columns: 80, rows: rows), size: size)
            #expect(frame.count { $0 == "\n" } <= max(1, rows - 1))
        }
    }

    @Test func `with several receivers each beacon says which is nearest, and deaf ones are named`() throws {
        let row = FieldSamples.row(1, name: "Badge", state: "inside", missing: nil, nearest: "R\\u001b1", several: true)
        let several = [
            #"{"id":"R1","name":null,"listening":true}"#, #"{"id":"R2","name":"Room 202","listening":false}"#,
            #"{"id":"R3","name":null,"listening":false}"#, "7",
        ].joined(separator: ",")
        let shown = try lines(FieldSamples.document([row], receivers: several))
        #expect(shown.contains("✕ Receivers not heard: Room 202, R3."))
        #expect(shown.last?.hasSuffix("inside · near R␛1 · several advertisers") == true)
        // One receiver is always the nearest, and says itself whether it hears.
        let alone = try lines(FieldSamples.document([row], receivers: #"{"id":"R1","listening":false}"#))
        #expect(alone.last?.hasSuffix("inside · several advertisers") == true)
        #expect(!alone.contains { $0.contains("not heard") })
    }

    @Test func `what does not fit is counted`() throws {
        let rows = (1...30).map { FieldSamples.row($0) }
        let lines = try lines(FieldSamples.document(rows), columns: 80, rows: 14)
        #expect(lines.count == 13)
        #expect(lines.last == "… and 21 more")
    }

    @Test func `names from the air cannot reach the terminal`() throws {
        let evil = FieldSamples.row(1, name: #"\u001b[2J\u009b31m\u202e\r\nx"#, missing: #"\u001b]0;x\u0007"#)
        let trouble = #"{"kind":"silent","message":"\u001b[31m","remedy":"\u0000"}"#
        let document = FieldSamples.document([evil], trouble: trouble, never: #""\u001b[H""#)
        for line in try lines(document, columns: 120) {
            #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "\(line)")
        }
        #expect(try lines(document).contains { $0.contains("␛[2J�31m�␍␊x") })
    }

    @Test func `where nobody is really there it says so first, and what is wrong is red`() throws {
        #expect(try lines(FieldSamples.document([], source: "simulated"))[0].hasPrefix("SIMULATED"))
        #expect(try lines(FieldSamples.document([], source: "capture"))[0].hasPrefix("CAPTURE"))
        let silent = try lines(FieldSamples.document([]), columns: 40, ink: true, trouble: ["No answer for 3 s."])
        #expect(silent.contains("\u{1B}[31m✕ No answer for 3 s.\u{1B}[0m"))
        #expect(try lines(FieldSamples.document([])).last == "Nothing heard yet.")
    }

    @Test func `a radio that does not listen says what to do, one that does is a calm line`() throws {
        let blocked = #"{"state":"blocked","message":"The radio is off.","remedy":"Unblock it.","adapter":"hci0"}"#
        #expect(
            try lines(FieldSamples.document([], radio: blocked)).contains(
                "✕ radio hci0 blocked: The radio is off. Unblock it."))
        let scanning = #"{"state":"scanning","message":"The radio listens.","remedy":"Nothing to do."}"#
        #expect(try lines(FieldSamples.document([], radio: scanning)).contains("radio scanning: The radio listens."))
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"gateway":"x"}"#, #"{"gateway":1,"beacons":[]}"#, #"{"gateway":"x","beacons":{}}"#,
    ])
    func `what is no field is not taken for one`(text: String) {
        #expect(FieldDocument(Array(text.utf8)) == nil)
    }

    @Test func `rows that name no beacon are passed over`() throws {
        let rows = ["7", "{}", FieldSamples.row(1), #"{"beacon":{"uuid":"x"}}"#]
        let document = try #require(FieldSamples.document(rows))
        #expect(document.beacons.map(\.identity) == [FieldSamples.identity(1)])
    }

    // MARK: Order

    @Test func `loudest first, and a beacon moves only when its level changes by 4 dB`() throws {
        var order = SteadyOrder()
        func sorted(_ levels: [Double?]) throws -> [UInt16] {
            let rows = levels.enumerated().map { FieldSamples.row(UInt16($0.offset + 1), rssi: $0.element) }
            return order.sort(try #require(FieldSamples.document(rows)).beacons).map(\.identity.minor)
        }
        #expect(try sorted([-70, -60, nil, -71]) == [2, 1, 4, 3])
        #expect(try sorted([-73.9, -63.9, nil, -67.1]) == [2, 1, 4, 3])
        #expect(try sorted([-74, -60, nil, -71]) == [2, 4, 1, 3])
        #expect(try sorted([-71, -60, nil, -71]) == [2, 4, 1, 3])
        #expect(try sorted([-71, -60, -50, -71]) == [3, 2, 4, 1])
    }

    @Test func `equally loud ones stand by name`() throws {
        var order = SteadyOrder()
        let rows = [FieldSamples.row(1, name: "b"), FieldSamples.row(2, name: "a"), FieldSamples.row(3, name: "a")]
        let sorted = order.sort(try #require(FieldSamples.document(rows)).beacons)
        #expect(sorted.map(\.identity.minor) == [2, 3, 1])
    }

    // MARK: Screen

    @Test func `a frame is drawn over the one before, and after a resize on a clean screen`() {
        var screen = Screen()
        let size = Screen.Size(columns: 80, rows: 24)
        let first = screen.frame(["a", "b"], size: size)
        #expect(!first.contains("A") && first.contains("a\u{1B}[K\nb\u{1B}[K\n\u{1B}[J"))
        #expect(screen.frame(["a"], size: size).contains("\r\u{1B}[2Aa\u{1B}[K\n\u{1B}[J"))
        #expect(screen.frame(["a"], size: size).contains("\r\u{1B}[1Aa"))
        #expect(screen.frame(["a"], size: Screen.Size(columns: 40, rows: 24)).contains("\u{1B}[H\u{1B}[Ja"))
        for frame in [first, screen.frame([], size: size)] {
            #expect(frame.hasPrefix("\u{1B}[?25l") && frame.hasSuffix("\u{1B}[?25h"))
        }
    }
}

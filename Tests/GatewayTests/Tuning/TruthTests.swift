// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import RegistryJSON
import Testing
import Time

@testable import Gateway

struct TruthTests {
    private typealias S = TuneSamples

    /// Badges 7/1 to 7/999 in two rooms of their own, and two receivers of one group.
    private func names() throws -> TruthNames {
        let text = """
            { "venueId": "hall-a", "beacons": [ { "uuid": "\(S.uuid)", "major": 7, "minors": "1-999" } ],
              "regions": [ { "identifier": "room-201", "uuid": "\(S.uuid)", "major": 7 } ],
              "receivers": [ { "id": "Room201" }, { "id": "Room202" } ] }
            """
        var venue = try RegistryReader.read(Array(text.utf8))
        venue.receivers[1].group = "south"
        return TruthNames(Registry(venue: venue))
    }

    private func lines(_ text: String) throws -> [TruthFile.Line] {
        try TruthFile.lines(of: Array(text.utf8), path: "truth.ndjson", names: names())
    }

    private func truth(_ text: String, start: String? = nil, to end: Double = 100) throws -> Truth {
        try Truth(
            lines(text), path: "truth.ndjson", names: names(), from: .boot, to: .boot + .seconds(decimal: end),
            start: start.flatMap { WallTime(rfc3339: $0) })
    }

    private func line(_ from: String, _ to: String? = nil, _ place: String = #""region":"room-201""#) -> String {
        let to = to.map { ",\"to\":\($0)" } ?? ""
        return #"{"from":\#(from)\#(to),"beacon":"\#(S.uuid)/7/258",\#(place)}"#
    }

    private func refusal(_ text: String, start: String? = nil) -> String {
        let error = #expect(throws: GatewayError.self) { _ = try truth(text, start: start) }
        #expect(error?.kind == .refused)
        return error?.description ?? ""
    }

    // MARK: Lines

    @Test func `a stay is read with its beacon, its place and its ends`() throws {
        let read = try lines("\n" + line("12.0", "85.5") + "\r\n\n" + line("90", nil, #""nearest":"Room201""#))
        #expect(read.map(\.number) == [2, 4])
        let first = try #require(read.first?.said)
        #expect(first.beacon == S.badge)
        #expect(first.from == .sinceStart(.seconds(12)))
        #expect(first.to == .sinceStart(.milliseconds(85_500)))
        #expect(first.place == .region("room-201"))
        #expect(read.last?.said.to == nil)
        #expect(read.last?.said.place == .nearest("Room201"))
    }

    @Test(arguments: [#""region":null"#, #""nearest":null"#])
    func `null is nowhere`(place: String) throws {
        #expect(try lines(line("0", "1", place)).first?.said.place == .nowhere)
    }

    @Test(arguments: [
        (#"{"from":1,"to":2,"beacon":"x/7/258","region":"room-201"}"#, "line 2, column 27: \"beacon\" is UUID"),
        (#"{"from":1,"to":2,"region":"room-201"}"#, "line 2, column 1: \"beacon\" is missing"),
        (#"{"from":1,"until":2}"#, "line 2, column 11: the key \"until\" is not known"),
        (#"{"from":"noon"}"#, "line 2, column 9: a time is seconds"),
        (#"{"from":-1}"#, "line 2, column 9: a time is seconds"),
        (#"{"from":1,"#, "line 2, column 11"),
        ("[]", "line 2, column 1: this is one object"),
    ])
    func `what is no stay is refused with its place`(text: String, message: String) {
        #expect(refusal("\n" + text).hasPrefix("truth.ndjson: \(message)"), "\(refusal("\n" + text))")
    }

    @Test func `a stay has one place, a beginning, and an end after it`() {
        #expect(refusal(line("1", "2", #""region":"room-201","nearest":"Room201""#)).contains("not both"))
        #expect(refusal(line("2", "2")).contains("\"to\" is later"))
        #expect(refusal(line("2", #""2026-11-30T09:00:00Z""#)).contains("the same way"))
        #expect(refusal(#"{"beacon":"\#(S.uuid)/7/258","region":"room-201"}"#).contains("\"from\" is missing"))
        #expect(refusal(#"{"from":1,"beacon":"\#(S.uuid)/7/258"}"#).contains("\"region\" or \"nearest\" is missing"))
        #expect(refusal(" \n").contains("holds no line"))
    }

    @Test func `a name that the registry does not have is refused with its place`() {
        let region = refusal(line("1", "2", #""region":"room-2O1""#))
        #expect(region.contains("line 1, column 81: the registry has no region \"room-2O1\""), "\(region)")
        #expect(refusal(line("1", "2", #""nearest":"Room9""#)).contains("no receiver or group \"Room9\""))
        let beacon = refusal(#"{"from":1,"beacon":"\#(S.uuid)/8/1","region":null}"#)
        #expect(beacon.contains("line 1, column 20: the registry does not list this beacon"), "\(beacon)")
    }

    // MARK: On the recording's clock

    @Test func `a line without an end lasts until the beacon's next one, the last until the recording's end`() throws {
        let truth = try truth([line("50", nil, #""region":null"#), line("10"), line("70")].joined(separator: "\n"))
        let account = try #require(truth.accounts[S.badge])
        #expect(account.spans(in: .region("room-201")).list == [S.span(10, 50), S.span(70, 100)])
        #expect(account.spans(in: .nowhere).list == [S.span(50, 70)])
        #expect(account.regionsKnown.list == [S.span(10, 100)])
    }

    @Test func `the same place marked again is one stay`() throws {
        let truth = try truth([line("10"), line("20"), line("20"), line("30", "40")].joined(separator: "\n"))
        #expect(truth.accounts[S.badge]?.spans(in: .region("room-201")).list == [S.span(10, 40)])
    }

    @Test func `calendar times are placed by the recording's start`() throws {
        let start = "2026-11-30T09:00:00.500Z"
        let text = line(#""2026-11-30T09:00:12Z""#, #""2026-11-30T10:00:20+01:00""#)
        let truth = try truth(text, start: start)
        #expect(truth.accounts[S.badge]?.spans(in: .region("room-201")).list == [S.span(11.5, 19.5)])
        #expect(refusal(text).contains("line 1: the recording counts seconds"))
        #expect(try self.truth(line("12", "20"), start: start).accounts[S.badge]?.regionsKnown.list == [S.span(12, 20)])
    }

    @Test func `what lies outside the recording is cut off and counted; nothing inside is refused`() throws {
        let truth = try truth([line("90", "130"), line("200", "210")].joined(separator: "\n"))
        #expect(truth.accounts[S.badge]?.spans(in: .region("room-201")).list == [S.span(90, 100)])
        #expect(truth.outside == 1)
        #expect(refusal(line("200", "210")).contains("nothing about the time of the recording (0 to 100 s)"))
    }

    @Test func `a receiver stands for its group`() throws {
        let truth = try truth(line("0", "9", #""nearest":"Room202""#) + "\n" + line("9", "20", #""nearest":"south""#))
        #expect(truth.accounts[S.badge]?.spans(in: .nearest("south")).list == [S.span(0, 20)])
        #expect(truth.speaksOfNearest)
        #expect(truth.regions.isEmpty)
    }

    // MARK: Marks

    @Test func `a mark becomes a line that says the same`() throws {
        let time = try #require(WallTime(rfc3339: "2026-11-30T09:00:12.25Z"))
        for place in [#""region":"room-201""#, #""nearest":"Room201""#, #""region":null"#, #""nearest":null"#] {
            let mark = try Mark(Array(#"{"beacon":"\#(S.uuid)/7/258",\#(place)}"#.utf8))
            let line = try TruthLine(mark.line(from: time))
            #expect(line.beacon == mark.beacon)
            #expect(line.place == mark.place)
            #expect(line.from == .calendar(time))
            #expect(line.to == nil)
        }
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"beacon":"A1B2C3D4-E5F6-4708-8910-1112131415AB/7/258"}"#, #"{"region":"room-201"}"#,
        #"{"from":1,"beacon":"A1B2C3D4-E5F6-4708-8910-1112131415AB/7/258","region":"room-201"}"#,
    ])
    func `what is no mark is refused`(text: String) {
        #expect(throws: (any Error).self) { _ = try Mark(Array(text.utf8)) }
    }
}

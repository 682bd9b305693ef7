// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RadioCapture
import RegionCore

/// What a replay found, for people and for programs.
struct ReplaySummary {
    let tally: AirTally
    let beacons: Int
    let events: Int
    let seconds: Double
    let late: UInt64
    /// What was heard of receivers that the registry does not list.
    let strangers: [(receiver: String, sightings: UInt64)]
    let capture: CaptureStatus?

    /// One line of JSON.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "summary")
        writer.member("reports", tally.reports)
        writer.member("beacons", beacons)
        writer.key("iBeacon")
        writer.beginObject()
        writer.member("count", tally.count)
        writer.member("sumMajor", tally.sumMajor)
        writer.member("sumMinor", tally.sumMinor)
        writer.member("sumPower", tally.sumPower)
        writer.member("sumRSSI", tally.sumRSSI)
        writer.member("xorUUID", tally.xorUUID)
        writer.endObject()
        writer.key("discards")
        writer.beginObject()
        for reason in Discard.allCases where tally.discards[reason] > 0 {
            writer.member(reason.name, tally.discards[reason])
        }
        writer.endObject()
        writer.member("droppedLate", late)
        writer.key("unlistedReceivers")
        writer.beginObject()
        for stranger in strangers { writer.member(stranger.receiver, stranger.sightings) }
        writer.endObject()
        if let capture {
            writer.member("skippedRecords", capture.skippedRecords)
            writer.member("badLines", capture.badLines)
        }
        writer.member("events", events)
        writer.endObject()
        return writer.text
    }

    /// Some lines for people.
    var text: String {
        let speed = seconds > 0 ? Int(Double(tally.reports) / seconds) : 0
        var lines = [
            "\(tally.reports) reports, \(tally.count) of iBeacons, \(beacons) beacons heard; \(events) events",
            "sums: major \(tally.sumMajor), minor \(tally.sumMinor), power \(tally.sumPower), "
                + "rssi \(tally.sumRSSI), uuid xor \(tally.xorUUID)",
        ]
        let discards = Discard.allCases.filter { tally.discards[$0] > 0 }.map { "\($0.name) \(tally.discards[$0])" }
        if !discards.isEmpty { lines.append("discards: " + discards.joined(separator: ", ")) }
        if late > 0 { lines.append("\(late) sightings were more than 120 s late and dropped") }
        if let capture {
            if capture.skippedRecords > 0 { lines.append("\(capture.skippedRecords) records held no HCI event") }
            if capture.heldTimes > 0 { lines.append("\(capture.heldTimes) records went back in time and were held") }
            if let first = capture.firstBadLine {
                lines.append("\(capture.badLines) bad lines skipped, the first: \(first)")
            }
        }
        if !strangers.isEmpty {
            let heard = strangers.map { "\($0.receiver) (\($0.sightings) sightings)" }
            lines.append("receivers that the registry does not list: " + heard.joined(separator: ", "))
        }
        let rounded = Double(Int(seconds * 1_000)) / 1_000
        lines.append("\(rounded) s, \(speed) reports/s")
        return lines.joined(separator: "\n")
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import FeedHTTP
import JSONText
import RegionCore
import Time

/// Takes the marks of `POST /v1/mark`: knows what time it is on the recording's clock, and which names there are.
struct MarkDesk: Sendable {
    let desk: RadioDesk
    let book: MarkBook
    /// As the radio lane has it at the start; a live one is set by the box's clocks before it is read.
    let clock: SourceClock

    /// Writes a mark down, if it is one.
    func take(_ body: [UInt8]) -> MarkAnswer {
        guard book.isRecording else { return .notRecording }
        var clock = clock
        clock.follow(BoxClock.anchor())
        let time = clock.anchor.wallTime(at: clock.now(boot: BoxClock.now()))
        let mark: Mark
        do throws(JSONFault) { mark = try Mark(body) } catch { return .malformed("No mark: \(error).") }
        // Whom it names may have been heard this moment.
        guard let field = desk.ask(noOlderThan: .zero)?.field else { return .noAnswer }
        if let unknown = Self.unknown(in: mark, to: field) { return .unknown(unknown) }
        return book.add(mark.line(from: time))
    }

    /// What of a mark nobody knows; nil: nothing.
    static func unknown(in mark: Mark, to field: FieldState) -> String? {
        guard field.beacons.contains(where: { $0.beacon.identity == mark.beacon }) else {
            return "No beacon \(mark.beacon) was heard since the start."
        }
        switch mark.place {
        case .region(let region):
            let isKnown = field.regions.contains { $0.region == region }
            return isKnown ? nil : "There is no region \(region.quotedExcerpt)."
        case .nearest(let receiver):
            let isKnown = field.receivers.contains { $0.id == receiver }
            return isKnown ? nil : "There is no receiver \(receiver.quotedExcerpt)."
        case .nowhere: return nil
        }
    }
}

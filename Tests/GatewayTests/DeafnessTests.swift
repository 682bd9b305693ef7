// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import RegionCore
import Testing
import Time

@testable import Gateway

struct DeafnessTests {
    private let now = Instant.boot + .seconds(100)

    private func ear(
        _ receiver: String, _ state: RadioState? = nil, listening: Bool = true, silent seconds: Int64 = 0
    ) -> RadioDesk.Ear {
        RadioDesk.Ear(
            receiver: receiver, listening: listening, lastReport: now - .seconds(seconds),
            radio: state.map { RadioStatus(state: $0, since: .boot) })
    }

    private func messages(_ ears: [RadioDesk.Ear]) -> [String] {
        let anchor = ClockAnchor(instant: .boot, wallTime: .epoch, synchronised: true)
        let field = FieldState(asOf: now, receiver: "north", listening: true)
        return PageAnswer.deafness(in: RadioDesk.Answer(field: field, anchor: anchor, ears: ears)).map(\.message)
    }

    @Test func `where all hear nothing is wrong`() {
        #expect(messages([ear("north", .scanning), ear("south", .scanning)]).isEmpty)
    }

    @Test func `of several receivers each that does not hear is named`() {
        #expect(
            messages([ear("north", .lost), ear("south", .scanning, silent: 31), ear("west", listening: false)]) == [
                "north: \(RadioState.lost.sentence)", "south: Nothing has been heard for 31 s.",
                "west: The receiver cannot hear.",
            ])
    }

    @Test func `the only one needs no name`() {
        #expect(messages([ear("north", .lost)]) == [RadioState.lost.sentence])
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// When a receiver begins and ceases to hear, planned and unplanned, from an instant on. What is in force there and
/// not taken for granted (a duty, a deafness) is said at that instant.
struct ListeningChanges: Sendable {
    private let duty: Duty
    /// Ends of deaf spans in order: a beginning, then its end, and so on.
    private let deafness: [Instant]
    private var window: (moment: Instant, opens: Bool)?
    private var nextDeafness = 0
    private var isWindowOpen = true

    init(from: Instant, duty: Duty, deaf: [Range<Instant>]) {
        self.duty = duty
        deafness = deaf.filter { $0.upperBound > from }.flatMap { [max($0.lowerBound, from), $0.upperBound] }
        window = duty == .continuous ? nil : (from, duty.isOpen(at: from))
    }

    /// Whether it can hear, after the changes taken so far.
    var isListening: Bool { isWindowOpen && nextDeafness % 2 == 0 }

    /// The next change, not taken yet.
    var next: (moment: Instant, input: SourceInput)? {
        let loss = nextDeafness < deafness.count ? deafness[nextDeafness] : nil
        if let loss, window.map({ loss <= $0.moment }) ?? true {
            return (loss, .listening(nextDeafness % 2 == 1))
        }
        return window.map { ($0.moment, .window(open: $0.opens)) }
    }

    /// Takes the next change.
    mutating func advance() {
        switch next?.input {
        case .listening: nextDeafness += 1
        case .window(let open):
            isWindowOpen = open
            window = window.flatMap { duty.nextChange(after: $0.moment) }
        case .frame, .sighting, .tick, nil: break
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import JSONText
import RegionCore

/// How events are printed.
enum EventForm {
    /// One JSON object a line, for programs.
    case json
    /// A line for people.
    case text

    /// An enter of three regions has some 1,100 bytes.
    private static let usualBytes = 1_536

    /// One event, in UTF-8.
    func line(_ event: CommittedEvent) -> [UInt8] {
        switch self {
        case .json:
            var writer = JSONWriter()
            writer.reserve(Self.usualBytes)
            EventWriter.write(event, into: &writer)
            return writer.bytes
        case .text: return Array(EventLine.text(event).utf8)
        }
    }
}

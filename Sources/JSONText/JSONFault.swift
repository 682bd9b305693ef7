// SPDX-License-Identifier: GPL-2.0-or-later

/// A place in a text as an editor shows it.
public struct JSONPosition: Hashable, Comparable, Sendable {
    /// From 1. A line ends with LF, CR LF or a lone CR.
    public let line: Int
    /// From 1, in Unicode scalars.
    public let column: Int

    /// The place in this line and column.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Whether the left place comes first.
    public static func < (left: JSONPosition, right: JSONPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension JSONPosition: CustomStringConvertible {
    /// `line 3, column 7`.
    public var description: String { "line \(line), column \(column)" }
}

/// Why a text was refused, and where.
public struct JSONFault: Error, Equatable, Sendable {
    /// What is wrong and what to do, for people; without the place.
    public let message: String
    /// Where reading stopped.
    public let position: JSONPosition
    /// Whether the text ends too early, as a file does that is still being written.
    public let isCutOff: Bool

    /// A fault of these parts.
    public init(message: String, position: JSONPosition, isCutOff: Bool = false) {
        self.message = message
        self.position = position
        self.isCutOff = isCutOff
    }
}

extension JSONFault: CustomStringConvertible {
    /// `line 3, column 7: …`.
    public var description: String { "\(position): \(message)" }
}

extension String {
    /// The text in double quotes, fit for a message: cut after 40 scalars, control characters shown as `\u{1B}`.
    ///
    /// Outside text is data in a terminal too: it must not move the cursor, nor fill the screen.
    public var quotedExcerpt: String {
        var excerpt = "\""
        for scalar in unicodeScalars.prefix(40) {
            let isControl = scalar.properties.generalCategory == .control
            excerpt += isControl ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
        }
        return excerpt + (unicodeScalars.dropFirst(40).isEmpty ? "\"" : "…\"")
    }
}

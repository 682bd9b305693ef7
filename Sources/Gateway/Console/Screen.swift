// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// A few lines at the end of a terminal that are drawn anew in place, without taking the whole screen.
///
/// Each frame is one write that hides the cursor, draws, and shows it again, so that nothing flickers and no end of
/// the program, however sudden, leaves a terminal without a cursor.
struct Screen {
    /// What a terminal holds, in columns and rows.
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    private var drawn = 0
    private var size: Size?

    /// Whether standard output is a terminal that understands where to put things.
    static var isThere: Bool { Console.isTerminal(Console.output) && Environment["TERM"] != "dumb" }

    /// How large the terminal is now; 80 by 24 where it does not say.
    static func currentSize() -> Size {
        var size = winsize()
        guard unsafe ioctl(Console.output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Draws lines in place of those before; false when the terminal is gone.
    mutating func draw(_ lines: [String], size: Size) -> Bool {
        Console.write(Array(frame(lines, size: size).utf8), to: Console.output)
    }

    /// What is written to the terminal. Lines are expected to fit its width; those beyond its height are left out.
    mutating func frame(_ lines: [String], size: Size) -> String {
        let lines = lines.prefix(max(1, size.rows - 1))
        // No cursor, and no line runs on in the next one, whatever a terminal holds for wide.
        var text = "\u{1B}[?25l\u{1B}[?7l"
        if let before = self.size, before != size {
            text += "\u{1B}[H\u{1B}[J"  // After a resize nobody knows where the lines before are.
        } else if drawn > 0 {
            text += "\r\u{1B}[\(drawn)A"
        }
        for line in lines { text += "\(line)\u{1B}[K\n" }
        text += "\u{1B}[J\u{1B}[?7h\u{1B}[?25h"
        drawn = lines.count
        self.size = size
        return text
    }
}

/// How words are set apart on a terminal; as plain text elsewhere, and where NO_COLOR is set.
struct Ink {
    /// Whether there is any.
    let isOn: Bool

    /// Colours where a person looks at a terminal and did not ask for none.
    static func usual() -> Ink { Ink(isOn: Screen.isThere && (Environment["NO_COLOR"] ?? "").isEmpty) }

    /// What a word is.
    enum Kind: String {
        case wrong = "31", loud = "7;1", heading = "1", quiet = "2", good = "32", middling = "33"
    }

    /// The text, set apart.
    func callAsFunction(_ kind: Kind, _ text: String) -> String {
        isOn ? "\u{1B}[\(kind.rawValue)m\(text)\u{1B}[0m" : text
    }
}

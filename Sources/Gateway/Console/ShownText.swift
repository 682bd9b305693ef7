// SPDX-License-Identifier: GPL-2.0-or-later

/// Text in the columns of a terminal: how wide it is, cut to fit, and what a terminal would obey made visible.
///
/// Names and addresses come from strangers' radios and files: none of it may move the cursor, colour the screen or
/// turn the direction of writing.
extension String {
    /// The text with a sign in place of each scalar that a terminal obeys instead of showing: `␛` for ESC and its
    /// like, `�` for C1 controls, line separators, direction marks and what nobody can see.
    var shown: String {
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars { scalars.append(scalar.shown) }
        return String(scalars)
    }

    /// Columns it takes on a terminal, of shown text.
    var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// Cut to so many columns at most, with `…` where something is left out.
    func cut(to width: Int) -> String {
        var used = 0
        var marks = 0
        var scalars = UnicodeScalarView()
        // Where the text would still fit with the `…` behind it.
        var fitting = UnicodeScalarView()
        for scalar in unicodeScalars {
            let columns = scalar.columns
            // Any number of marks would fit on one letter; four are more than any script puts there.
            marks = columns == 0 ? marks + 1 : 0
            if marks > 4 { continue }
            used += columns
            guard used <= width else {
                fitting.append(contentsOf: "…".unicodeScalars.prefix(max(0, width)))
                return String(fitting)
            }
            scalars.append(scalar)
            if used < width { fitting = scalars }
        }
        return String(scalars)
    }

    /// Exactly so many columns: cut, or filled with blanks behind.
    func left(_ width: Int) -> String {
        let text = cut(to: width)
        return text + String(repeating: " ", count: max(0, width - text.columns))
    }

    /// Exactly so many columns: cut, or filled with blanks in front.
    func right(_ width: Int) -> String {
        let text = cut(to: width)
        return String(repeating: " ", count: max(0, width - text.columns)) + text
    }

    /// In lines of so many columns at most, broken between words where that is possible.
    func lines(of width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ").map(String.init) {
            if line.isEmpty {
                line = word
            } else if line.columns + 1 + word.columns <= width {
                line += " " + word
            } else {
                lines.append(line.cut(to: width))
                line = word
            }
        }
        return lines + [line.cut(to: width)]
    }
}

extension Unicode.Scalar {
    /// What stands for it on a terminal.
    fileprivate var shown: Unicode.Scalar {
        switch value {
        case 0..<0x20: return Unicode.Scalar(0x2400 + value) ?? "�"  // Control pictures.
        case 0x7F: return "␡"
        case 0x200C, 0x200D: return self  // Joiners, which scripts need.
        case 0xAD: return "-"
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: return "�"
        default: return self
        }
    }

    /// Columns it takes (Unicode Standard Annex 11): two for wide ones, none for marks on the letter before.
    var columns: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if (0x1160...0x11FF).contains(value) { return 0 }  // Vowels and finals of Hangul, joined to the syllable.
        if Self.wide.contains(where: { $0.contains(value) }) { return 2 }
        // Regional indicators are emoji, and narrow: two make a flag.
        return properties.isEmojiPresentation && !(0x1F1E6...0x1F1FF).contains(value) ? 2 : 1
    }

    /// East Asian width W and F, without emoji: they say themselves that they are.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul initials
        0x2329...0x232A,  // angle brackets
        0x2E80...0x303E,  // radicals, ideographic punctuation
        0x3041...0x33FF,  // kana, bopomofo, Hangul letters, squared words
        0x3400...0xA4CF,  // ideographs, hexagrams, Yi
        0xA960...0xA97F,  // more Hangul initials
        0xAC00...0xD7A3,  // Hangul syllables
        0xF900...0xFAFF,  // more ideographs
        0xFE10...0xFE19, 0xFE30...0xFE6F,  // upright and small punctuation
        0xFF01...0xFF60, 0xFFE0...0xFFE6,  // full width
        0x16FE0...0x18DFF,  // Tangut, Khitan
        0x1AFF0...0x1B2FF,  // more kana, Nushu
        0x1F200...0x1F265,  // squared ideographs
        0x20000...0x3FFFD,  // ideographs of planes 2 and 3
    ]
}

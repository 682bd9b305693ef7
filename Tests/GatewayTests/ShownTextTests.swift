// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Gateway

struct ShownTextTests {
    @Test(arguments: [
        ("", 0), ("Badge 17", 8), ("−66.4", 5), ("● near", 6), ("序厅主展项", 10), ("한국어", 6), ("ｶﾅ", 2), ("カナ", 4),
        ("Ａ１", 4), ("e\u{301}", 1), ("é", 1), ("🙂", 2), ("🇩🇪", 2), ("a\u{200D}b", 2), ("𠀀", 2), ("、。", 4), ("ß", 1),
        ("\u{1112}\u{1161}\u{11AB}", 2),
    ])
    func `a text takes as many columns as a terminal gives it`(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test(arguments: [
        ("序厅主展项", 10, "序厅主展项"), ("序厅主展项", 9, "序厅主展…"), ("序厅主展项", 8, "序厅主…"), ("序厅主展项", 2, "…"),
        ("序厅主展项", 1, "…"), ("序厅主展项", 0, ""), ("Badge", 5, "Badge"), ("Badge", 4, "Bad…"),
        ("e\u{301}\u{301}x", 2, "e\u{301}\u{301}x"),
    ])
    func `it is cut between characters and never wider than asked`(text: String, width: Int, cut: String) {
        #expect(text.cut(to: width) == cut)
    }

    @Test func `filled texts have one width, whatever they hold`() {
        let texts = ["", "a", "序厅主展项", "Badge 17 at the door", "e\u{301}", "🙂🙂🙂🙂🙂🙂🙂🙂"]
        for width in 0...20 {
            for text in texts {
                #expect(text.left(width).columns == width)
                #expect(text.right(width).columns == width)
            }
        }
    }

    @Test func `a letter under a tower of marks keeps four of them`() {
        let tower = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(tower.cut(to: 5).unicodeScalars.count == 5)
    }

    @Test(arguments: [
        ("a\u{1B}[2Jb", "a␛[2Jb"), ("\r\n\t\u{0}", "␍␊␉␀"), ("\u{7F}", "␡"), ("\u{9B}31m", "�31m"),
        ("\u{202E}abc\u{2066}", "�abc�"), ("\u{2028}", "�"), ("\u{200B}\u{FEFF}\u{E0041}", "���"),
        ("序厅 é 🙂 a\u{200D}b", "序厅 é 🙂 a\u{200D}b"),
    ])
    func `what a terminal would obey is made visible`(text: String, shown: String) {
        #expect(text.shown == shown)
    }

    @Test func `long sentences are broken between words`() {
        #expect("the radio is gone".lines(of: 9) == ["the radio", "is gone"])
        #expect("unpronounceable".lines(of: 6) == ["unpro…"])
        #expect("".lines(of: 6) == [""])
    }
}

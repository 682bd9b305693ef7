// SPDX-License-Identifier: GPL-2.0-or-later

/// Leaves out of a JSON text what looks like a secret, so that a report may be sent to a colleague. It works on texts
/// that are broken, too: those are what reports are about.
enum SecretText {
    /// What stands in its place.
    static let redacted = "left out"
    /// A key that holds one of these names a secret.
    private static let words = ["token", "secret", "passw", "passphrase", "credential", "apikey", "privatekey"]

    /// The text with the values of such keys replaced, and what stands before the `@` of an address in every string.
    static func removed(from text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var place = 0
        while place < text.count {
            guard text[place] == UInt8(ascii: "\"") else {
                output.append(text[place])
                place += 1
                continue
            }
            let string = text[place..<endOfString(in: text, from: place)]
            place = string.endIndex
            output += withoutUser(string)
            guard isSecret(string), let value = startOfValue(in: text, after: place) else { continue }
            output += text[place..<value]
            output += "\"\(redacted)\"".utf8
            place = endOfValue(in: text, from: value)
        }
        return output
    }

    private static func isSecret(_ key: ArraySlice<UInt8>) -> Bool {
        let name = String(decoding: key, as: UTF8.self).lowercased().filter { $0 != "_" && $0 != "-" }
        return words.contains { name.contains($0) }
    }

    /// Behind its closing quote, or the end.
    private static func endOfString(in text: [UInt8], from quote: Int) -> Int {
        var place = quote + 1
        while place < text.count, text[place] != UInt8(ascii: "\"") {
            place += text[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place + 1, text.count)
    }

    /// Where the value begins, if a colon follows.
    private static func startOfValue(in text: [UInt8], after key: Int) -> Int? {
        var place = key
        var hasColon = false
        while place < text.count {
            if text[place] == UInt8(ascii: ":"), !hasColon {
                hasColon = true
            } else if !isBlank(text[place]) {
                return hasColon ? place : nil
            }
            place += 1
        }
        return nil
    }

    /// Behind a value of any kind, whatever is nested in it.
    private static func endOfValue(in text: [UInt8], from start: Int) -> Int {
        var depth = 0
        var place = start
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: "\""):
                place = endOfString(in: text, from: place)
                if depth == 0 { return place }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return place }
                depth -= 1
                if depth == 0 { return place + 1 }
            case UInt8(ascii: ","), UInt8(ascii: "\n"):
                if depth == 0 { return place }
            default: break
            }
            place += 1
        }
        return place
    }

    /// `mqtt://name:word@host` without name and word.
    private static func withoutUser(_ string: ArraySlice<UInt8>) -> [UInt8] {
        let text = String(decoding: string, as: UTF8.self)
        guard let scheme = text.firstRange(of: "://") else { return Array(string) }
        let authority = text[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "\"" }
        guard let at = authority.lastIndex(of: "@") else { return Array(string) }
        return Array((text[..<scheme.upperBound] + redacted.replacing(" ", with: "-") + text[at...]).utf8)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
}

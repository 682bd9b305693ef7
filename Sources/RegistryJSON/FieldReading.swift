// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText

/// One object of the file, its keys known to be allowed.
struct Fields {
    /// What the object is, for messages: `a beacon`.
    let what: String
    /// Where it begins.
    let offset: Int
    fileprivate let members: [JSONMember]

    /// The value under a key; nil where it is missing or null.
    subscript(key: String) -> JSONNode? {
        members.first { $0.key == key }.flatMap { $0.value.isNull ? nil : $0.value }
    }
}

/// Fields read by type. Each fault is noted and gives nil, and reading goes on, so that all faults are found.
extension VenueReader {
    /// The object's fields; notes each key that is not among those allowed.
    mutating func fields(_ node: JSONNode, of what: String, keys: [String]) -> Fields? {
        guard let members = node.objectValue else {
            faults.add("\(what) is an object in braces, not \(node.kindName)", at: node.offset)
            return nil
        }
        for member in members where !keys.contains(member.key) {
            let hint = nearest(to: member.key, in: keys).map { "did you mean \"\($0)\"?" }
            faults.add(
                "\(member.key.quotedExcerpt) is no key of \(what); "
                    + (hint ?? "there are: \(keys.joined(separator: ", "))"), at: member.keyOffset)
        }
        return Fields(what: what, offset: node.offset, members: members)
    }

    /// The value under a key that must be there; notes where it is not.
    mutating func required(_ key: String, in fields: Fields) -> JSONNode? {
        if let node = fields[key] { return node }
        faults.add("\(fields.what) needs \"\(key)\"", at: fields.offset)
        return nil
    }

    /// A text of bounded length.
    mutating func text(_ key: String, in fields: Fields) -> String? {
        fields[key].flatMap { text($0, named: key) }
    }

    /// A text that must be there.
    mutating func requiredText(_ key: String, in fields: Fields) -> String? {
        required(key, in: fields).flatMap { text($0, named: key) }
    }

    /// An array of texts; nil where any of it could not be read: what is left is not what was meant.
    mutating func texts(_ key: String, in fields: Fields) -> [String]? {
        guard let node = fields[key] else { return nil }
        let elements = elements(node, named: key)
        let texts = elements.compactMap { text($0, named: key) }
        return texts.count < elements.count || node.arrayValue == nil ? nil : texts
    }

    private mutating func text(_ node: JSONNode, named key: String) -> String? {
        guard let text = node.stringValue else {
            faults.add("\"\(key)\" is a text in double quotes, not \(node.kindName)", at: node.offset)
            return nil
        }
        guard text.utf8.count <= RegistryLimit.textBytes else {
            faults.add("\"\(key)\" has more than \(RegistryLimit.textBytes) bytes", at: node.offset)
            return nil
        }
        return text
    }

    /// A whole number in a range, written without fraction, exponent or quotes.
    mutating func whole<Number: FixedWidthInteger>(
        _ key: String, in fields: Fields, range: ClosedRange<Number>
    ) -> Number? {
        fields[key].flatMap { whole($0, named: key, range: range) }
    }

    /// The same, for a number that must be there.
    mutating func requiredWhole<Number: FixedWidthInteger>(
        _ key: String, in fields: Fields, range: ClosedRange<Number>
    ) -> Number? {
        required(key, in: fields).flatMap { whole($0, named: key, range: range) }
    }

    private mutating func whole<Number: FixedWidthInteger>(
        _ node: JSONNode, named key: String, range: ClosedRange<Number>
    ) -> Number? {
        guard let number = node.numberValue else {
            let quotes = node.stringValue == nil ? "" : ": leave out the quotes"
            faults.add("\"\(key)\" is a whole number, not \(node.kindName)\(quotes)", at: node.offset)
            return nil
        }
        if let value = number.integer.flatMap({ Number(exactly: $0) }), range.contains(value) { return value }
        let spelling = number.integer == nil ? ", written without fraction or exponent" : ""
        faults.add(
            "\"\(key)\" is a whole number in \(range.lowerBound)…\(range.upperBound)\(spelling)", at: node.offset)
        return nil
    }

    /// A number in a range.
    mutating func decimal(_ key: String, in fields: Fields, range: ClosedRange<Double>, unit: String) -> Double? {
        guard let node = fields[key] else { return nil }
        guard let value = node.doubleValue else {
            faults.add("\"\(key)\" is a number, not \(node.kindName)", at: node.offset)
            return nil
        }
        guard range.contains(value) else {
            let (low, high) = (Int(range.lowerBound), Int(range.upperBound))
            faults.add("\"\(key)\" must lie in \(low)…\(high) \(unit)", at: node.offset)
            return nil
        }
        return value
    }

    /// True or false.
    mutating func flag(_ key: String, in fields: Fields) -> Bool? {
        guard let node = fields[key] else { return nil }
        if let flag = node.boolValue { return flag }
        faults.add("\"\(key)\" is true or false, not \(node.kindName)", at: node.offset)
        return nil
    }

    /// One of a few words.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, in fields: Fields, as type: Choice.Type
    ) -> Choice? {
        guard let node = fields[key] else { return nil }
        if let choice = node.stringValue.flatMap(Choice.init(rawValue:)) { return choice }
        let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        faults.add("\"\(key)\" is one of \(words)", at: node.offset)
        return nil
    }

    /// The elements of an array.
    mutating func elements(_ node: JSONNode, named key: String) -> [JSONNode] {
        if let elements = node.arrayValue { return elements }
        faults.add("\"\(key)\" is an array in brackets, not \(node.kindName)", at: node.offset)
        return []
    }
}

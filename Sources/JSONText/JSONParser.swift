// SPDX-License-Identifier: GPL-2.0-or-later

/// One walk over one text: structure and literals. Strings and numbers are in the files beside this one.
///
/// Recursive, one level for each array or object, and bounded by `maximumDepth`.
struct JSONParser {
    let bytes: [UInt8]
    let options: JSONReader.Options
    let maximumDepth: Int
    var offset = 0
    /// Where the arrays and objects around the present place began, outermost first.
    private var open: [Int] = []

    init(_ bytes: [UInt8], options: JSONReader.Options) {
        self.bytes = bytes
        self.options = options
        maximumDepth = min(options.maximumDepth, JSONReader.deepest)
    }

    /// The byte at the present place; nil at the end.
    var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    mutating func document() throws(JSONFault) -> JSONNode {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw fault("the text begins with a byte order mark: save it as UTF-8 without one", at: 0)
        }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw fault("the text is UTF-16: save it as UTF-8", at: 0)
        }
        try skipSpace()
        let node = try value()
        try skipSpace()
        guard offset == bytes.count else { throw fault("there is more after the end of the JSON text", at: offset) }
        return node
    }

    private mutating func value() throws(JSONFault) -> JSONNode {
        guard let byte else { throw cutOff() }
        let start = offset
        let value: JSONNode.Value
        switch byte {
        case UInt8(ascii: "{"): value = .object(try object())
        case UInt8(ascii: "["): value = .array(try array())
        case UInt8(ascii: "\""): value = .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): value = .number(try number())
        case UInt8(ascii: "t"): value = try literal("true", .bool(true))
        case UInt8(ascii: "f"): value = try literal("false", .bool(false))
        case UInt8(ascii: "n"): value = try literal("null", .null)
        default: throw unexpected("a value")
        }
        return JSONNode(value: value, offset: start)
    }

    private mutating func literal(_ word: StaticString, _ value: JSONNode.Value) throws(JSONFault) -> JSONNode.Value {
        let start = offset
        for expected in word.description.utf8 {
            guard let byte else { throw cutOff() }
            guard byte == expected else { throw fault("this is no JSON value; \(word) was expected", at: start) }
            offset += 1
        }
        return value
    }

    private mutating func array() throws(JSONFault) -> [JSONNode] {
        try enter()
        var elements: [JSONNode] = []
        while try !leaves(with: UInt8(ascii: "]"), afterElement: !elements.isEmpty) {
            elements.append(try value())
        }
        return elements
    }

    private mutating func object() throws(JSONFault) -> [JSONMember] {
        try enter()
        var members: [JSONMember] = []
        var seen = SeenKeys()
        while try !leaves(with: UInt8(ascii: "}"), afterElement: !members.isEmpty) {
            let keyOffset = offset
            guard byte == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
            let key = try string()
            if let earlier = seen.insert(key, at: keyOffset, after: members) {
                let place = JSONReader.position(of: earlier, in: bytes)
                throw fault(
                    "the key \(key.quotedExcerpt) stands twice in this object, first at \(place)", at: keyOffset)
            }
            try skipSpace()
            guard byte == UInt8(ascii: ":") else { throw unexpected("a colon after the key") }
            offset += 1
            try skipSpace()
            members.append(JSONMember(key: key, keyOffset: keyOffset, value: try value()))
        }
        return members
    }

    /// Steps over the bracket that opens an array or an object.
    private mutating func enter() throws(JSONFault) {
        guard open.count < maximumDepth else {
            throw fault("more than \(maximumDepth) arrays and objects within each other", at: offset)
        }
        open.append(offset)
        offset += 1
    }

    /// Steps over space, the comma between elements, and the closing bracket; true when that was it.
    private mutating func leaves(with bracket: UInt8, afterElement: Bool) throws(JSONFault) -> Bool {
        try skipSpace()
        if afterElement, byte == UInt8(ascii: ",") {
            let comma = offset
            offset += 1
            try skipSpace()
            if byte == bracket, !options.allowsCommentsAndTrailingCommas {
                throw fault("a comma before the closing bracket: remove it", at: comma)
            }
        } else if afterElement, byte != bracket {
            throw unexpected("a comma or the closing bracket")
        }
        guard byte == bracket else { return false }
        offset += 1
        open.removeLast()
        return true
    }

    private mutating func skipSpace() throws(JSONFault) {
        while let byte {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): offset += 1
            case UInt8(ascii: "/") where options.allowsCommentsAndTrailingCommas: try skipComment()
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSONFault) {
        let start = offset
        offset += 1
        switch byte {
        case UInt8(ascii: "/"):
            while let byte, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { offset += 1 }
        case UInt8(ascii: "*"):
            offset += 1
            while offset + 1 < bytes.count, bytes[offset] != UInt8(ascii: "*") || bytes[offset + 1] != UInt8(ascii: "/")
            {
                offset += 1
            }
            guard offset + 1 < bytes.count else {
                throw fault("this comment is never closed", at: start, isCutOff: true)
            }
            offset += 2
        default:
            throw fault("a comment begins with // or /*", at: start)
        }
    }
}

/// What went wrong, put in words.
extension JSONParser {
    func fault(_ message: String, at offset: Int, isCutOff: Bool = false) -> JSONFault {
        JSONFault(message: message, position: JSONReader.position(of: offset, in: bytes), isCutOff: isCutOff)
    }

    /// The text ended where something had to come.
    func cutOff() -> JSONFault {
        guard let start = open.last else {
            let isBlank = bytes.allSatisfy { [0x20, 0x0A, 0x0D, 0x09].contains($0) }
            return fault(
                isBlank ? "the text is empty" : "the text ends before the value does (cut off, or still being written)",
                at: bytes.count, isCutOff: true)
        }
        let kind = bytes[start] == UInt8(ascii: "{") ? "object" : "array"
        let place = JSONReader.position(of: start, in: bytes)
        return fault(
            "the text ends inside the \(kind) that began at \(place) (cut off, or still being written)",
            at: bytes.count, isCutOff: true)
    }

    /// Something else stands where `wanted` was to come.
    private func unexpected(_ wanted: String) -> JSONFault {
        guard let byte else { return cutOff() }
        switch byte {
        case UInt8(ascii: "'"): return fault("text stands in double quotes", at: offset)
        case UInt8(ascii: "/"), UInt8(ascii: "#"): return fault("expected \(wanted), not a comment", at: offset)
        case 0x21...0x7E: return fault("expected \(wanted), not \(Character(UnicodeScalar(byte)))", at: offset)
        default: return fault("expected \(wanted)", at: offset)
        }
    }
}

/// The keys of one object: compared one by one while they are few, looked up when they are many, so that an object of
/// a million keys is no attack. (`Hasher` is seeded for each process.)
private struct SeenKeys {
    private static let few = 16
    private var offsets: [String: Int] = [:]

    /// Where the same key stood before, or nil.
    mutating func insert(_ key: String, at offset: Int, after members: [JSONMember]) -> Int? {
        guard members.count >= Self.few else { return members.first { $0.key == key }?.keyOffset }
        if offsets.isEmpty {
            for member in members { offsets[member.key] = member.keyOffset }
        }
        return offsets.updateValue(offset, forKey: key)
    }
}

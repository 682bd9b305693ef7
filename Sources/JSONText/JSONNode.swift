// SPDX-License-Identifier: GPL-2.0-or-later

/// One JSON value and where it stands, so that whoever judges it can point at it.
public struct JSONNode: Equatable, Sendable {
    /// What it is.
    public let value: Value
    /// The byte offset of its first byte; `JSONReader.position` makes a line and column of it.
    public let offset: Int

    /// The value of this kind at that place.
    public init(value: Value, offset: Int) {
        self.value = value
        self.offset = offset
    }

    /// The kinds of JSON values.
    public enum Value: Equatable, Sendable {
        case null
        case bool(Bool)
        case number(JSONNumber)
        case string(String)
        case array([JSONNode])
        /// Members in the order of the text; no key stands twice.
        case object([JSONMember])
    }

    /// The value under a key; nil where it has none, or is no object. Takes time with the number of members.
    public subscript(key: String) -> JSONNode? {
        objectValue?.first { $0.key == key }?.value
    }

    /// Whether it is `null`.
    public var isNull: Bool { value == .null }

    /// The truth value, or nil when it is something else.
    public var boolValue: Bool? {
        if case .bool(let flag) = value { flag } else { nil }
    }

    /// The number, or nil when it is something else.
    public var numberValue: JSONNumber? {
        if case .number(let number) = value { number } else { nil }
    }

    /// The whole number, or nil when it is something else or was written with a fraction or an exponent.
    public var integerValue: Int64? { numberValue?.integer }

    /// The number as a `Double`, or nil when it is something else.
    public var doubleValue: Double? { numberValue?.double }

    /// The text, or nil when it is something else.
    public var stringValue: String? {
        if case .string(let text) = value { text } else { nil }
    }

    /// The elements, or nil when it is something else.
    public var arrayValue: [JSONNode]? {
        if case .array(let elements) = value { elements } else { nil }
    }

    /// The members, or nil when it is something else.
    public var objectValue: [JSONMember]? {
        if case .object(let members) = value { members } else { nil }
    }

    /// What it is, for a message: `a number`, `an object`…
    public var kindName: String {
        switch value {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// One member of an object.
public struct JSONMember: Equatable, Sendable {
    /// The key, escapes resolved.
    public let key: String
    /// The byte offset of the key's opening quote.
    public let keyOffset: Int
    /// The value.
    public let value: JSONNode

    /// A member of these parts.
    public init(key: String, keyOffset: Int, value: JSONNode) {
        self.key = key
        self.keyOffset = keyOffset
        self.value = value
    }
}

/// A number as it was written and as it is used.
public struct JSONNumber: Equatable, Sendable {
    /// As written.
    public let text: String
    /// The whole number; nil where it was written with a fraction or an exponent, or does not fit.
    public let integer: Int64?
    /// The nearest `Double`; always finite.
    public let double: Double

    /// A number of these parts.
    public init(text: String, integer: Int64?, double: Double) {
        self.text = text
        self.integer = integer
        self.double = double
    }
}

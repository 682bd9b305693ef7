// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// What was fixed when the store was made.
public struct StoreFacts: Equatable, Sendable {
    /// The gateway's name, first part of every event's id.
    public let gateway: String
    /// Six random hex digits: a store that is made anew under the same name has others.
    public let store: String
    /// The only kind of source whose events it takes.
    public let source: SourceKind
    /// When it was made.
    public let created: WallTime

    /// The id of the event with this number: `<gateway>-<store>-<seq>`.
    public func id(of seq: Int64) -> String { "\(gateway)-\(store)-\(seq)" }

    /// Reads them; nil where the file has none yet.
    static func read(from database: Database) throws(StoreError) -> StoreFacts? {
        let statement = try database.prepare(
            "SELECT gateway, store, source, created_us FROM store", doing: "read what \(database.path) is")
        return try statement.first { row throws(StoreError) in
            StoreFacts(
                gateway: try row.text(), store: try row.text(), source: try row.word(),
                created: WallTime(microseconds: row.integer()))
        }
    }

    /// Fixes them in a new file.
    static func make(
        in database: Database, gateway: String, source: SourceKind, created: WallTime
    ) throws(StoreError) {
        let insert = try database.prepare(
            "INSERT INTO store (id, gateway, store, source, created_us) VALUES (1, ?, lower(hex(randomblob(3))), ?, ?)",
            doing: "make the store \(database.path)")
        try insert.add(gateway).add(source.rawValue).add(created.microseconds).run()
    }
}

extension Statement {
    /// The next column, which is never null in an undamaged file.
    func text() throws(StoreError) -> String {
        guard let text = optionalText() else { throw damaged("an empty value where there is always a text") }
        return text
    }

    /// The next column as one of the words of an enumeration.
    func word<Word: RawRepresentable<String>>() throws(StoreError) -> Word {
        let text = try text()
        guard let word = Word(rawValue: text) else { throw damaged("the unknown word '\(text)'") }
        return word
    }

    /// The next column as one of the words of an enumeration, nil where it is null.
    func optionalWord<Word: RawRepresentable<String>>() throws(StoreError) -> Word? {
        guard let text = optionalText() else { return nil }
        guard let word = Word(rawValue: text) else { throw damaged("the unknown word '\(text)'") }
        return word
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import RegionCore
import Testing
import Time

@testable import StoreSQLite

@Suite struct RefusalTests {
    private let folder = Folder()

    private func open(_ source: SourceKind = .radio) throws(StoreError) -> EventStore {
        try EventStore(path: folder.store, gateway: "box", source: source, now: morning.wallTime)
    }

    private func bytes() -> Data? { FileManager.default.contents(atPath: folder.store) }

    /// Makes a store, closes it, and changes the file with SQL.
    private func alter(_ sql: String) throws {
        _ = try openStore(folder)
        try Database(path: folder.store, mode: .writer, lock: nil).execute(sql, doing: "alter")
    }

    private func kindOfFailure(_ body: () throws(StoreError) -> some Any) -> StoreError.Kind? {
        do throws(StoreError) {
            _ = try body()
            return nil
        } catch { return error.kind }
    }

    @Test func `a file from a newer version is refused and not one byte of it changes`() throws {
        try alter("PRAGMA user_version = \(Schema.migrations.count + 1)")
        let before = bytes()
        #expect(before != nil)
        #expect(kindOfFailure { () throws(StoreError) in try open() } == .newerVersion)
        #expect(kindOfFailure { () throws(StoreError) in try EventReader(path: folder.store) } == .newerVersion)
        #expect(bytes() == before)
    }

    @Test func `a newer file whose log was never brought home stays as it is`() throws {
        try alter("PRAGMA journal_mode = WAL")
        let newer = try Database(path: folder.store, mode: .writer, lock: nil)
        try newer.execute("PRAGMA user_version = \(Schema.migrations.count + 1)", doing: "alter")
        // What a crash of that newer program would leave: both files as they are now.
        let copy = Folder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: folder.store + suffix, toPath: copy.store + suffix)
        }
        let before = FileManager.default.contents(atPath: copy.store)
        let log = FileManager.default.contents(atPath: copy.store + "-wal")
        #expect(
            kindOfFailure { () throws(StoreError) in
                try EventStore(path: copy.store, gateway: "box", source: .radio, now: morning.wallTime)
            } == .newerVersion)
        #expect(FileManager.default.contents(atPath: copy.store) == before)
        #expect(FileManager.default.contents(atPath: copy.store + "-wal") == log)
    }

    @Test func `another program's database is refused and untouched`() throws {
        try Database(path: folder.store, mode: .writer, lock: nil).execute("CREATE TABLE a (b)", doing: "make")
        let before = bytes()
        #expect(kindOfFailure { () throws(StoreError) in try open() } == .notAStore)
        #expect(bytes() == before)
    }

    @Test func `a store takes events of one kind of source only, and says which`() throws {
        _ = try openStore(folder)
        let before = bytes()
        do throws(StoreError) {
            _ = try open(.simulated)
            Issue.record("a simulated hall was let into the real ledger")
        } catch {
            #expect(error.kind == .otherSource)
            #expect(error.description.contains("'radio'"))
        }
        #expect(bytes() == before)
    }

    @Test func `a second writer is refused with the number of the first`() throws {
        let first = try openStore(folder)
        do throws(StoreError) {
            _ = try open()
            Issue.record("two writers")
        } catch {
            #expect(error.kind == .inUse)
            #expect(error.message.contains("process \(getpid()) "))
        }
        // Through another name of the same file too.
        let link = folder.path + "/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.store)
        #expect(
            kindOfFailure { () throws(StoreError) in
                try EventStore(path: link, gateway: "box", source: .radio, now: morning.wallTime)
            } == .inUse)
        withExtendedLifetime(first) {}
    }

    @Test func `when a writer has gone the next one gets in`() throws {
        _ = try openStore(folder)
        #expect(kindOfFailure { () throws(StoreError) in try open() } == nil)
    }

    @Test(arguments: [0..<64, 40..<104, 100..<164, 4_096..<65_536])
    func `a damaged file is called damaged and kept`(range: Range<Int>) throws {
        let store = try openStore(folder)
        try store.database.checkpoint(truncate: true)
        _ = consume store
        var damaged = try #require(bytes())
        let place = range.clamped(to: 0..<damaged.count)
        damaged.replaceSubrange(place, with: Data(repeating: 0xA5, count: place.count))
        try damaged.write(to: URL(fileURLWithPath: folder.store))
        #expect(kindOfFailure { () throws(StoreError) in try open() } == .damaged)
        #expect(bytes() == damaged)
    }

    @Test func `a file that is no database at all is refused and untouched`() throws {
        let text = Data(String(repeating: "not a database\n", count: 100).utf8)
        try text.write(to: URL(fileURLWithPath: folder.store))
        #expect(kindOfFailure { () throws(StoreError) in try open() } == .damaged)
        #expect(bytes() == text)
    }

    @Test func `a reader says when there is no store`() {
        #expect(kindOfFailure { () throws(StoreError) in try EventReader(path: folder.store) } == .unreachable)
    }

    @Test func `a folder that is not there is named`() {
        do throws(StoreError) {
            _ = try EventStore(path: "/nowhere/x.db", gateway: "box", source: .radio, now: morning.wallTime)
            Issue.record("opened")
        } catch {
            #expect(error.kind == .unreachable)
            #expect(error.description.contains("/nowhere/x.db"))
        }
    }

    @Test func `a lock held by somebody else is busy, and later the batch gets in`() throws {
        let store = try openStore(folder)
        store.database.setBusyTimeout(milliseconds: 1)
        var script = Script()
        let batch = batch([script.event(.enter, badge(1), at: 20, visit: 1)], upTo: 23)
        let foreign = try Database(path: folder.store, mode: .writer, lock: nil)
        try foreign.execute("BEGIN IMMEDIATE", doing: "lock")
        #expect(kindOfFailure { () throws(StoreError) in try store.append(batch) } == .busy)
        try foreign.execute("ROLLBACK", doing: "unlock")
        #expect(try store.append(batch).map(\.seq) == [1])
    }

    @Test func `a migration that fails leaves the file as it was`() throws {
        _ = try openStore(folder)
        let database = try Database(path: folder.store, mode: .writer, lock: nil)
        let steps = Schema.migrations + ["CREATE TABLE more (a) STRICT", "CREATE TABLE store (a INTEGER) STRICT"]
        #expect(kindOfFailure { () throws(StoreError) in try Migrations.apply(steps, to: database) } != nil)
        #expect(try number("PRAGMA user_version", in: folder) == Int64(Schema.migrations.count))
        #expect(try number("SELECT count(*) FROM sqlite_schema WHERE name = 'more'", in: folder) == 0)
        try Migrations.apply(Schema.migrations + ["CREATE TABLE more (a INTEGER) STRICT"], to: database)
        #expect(try number("PRAGMA user_version", in: folder) == Int64(Schema.migrations.count) + 1)
    }
}

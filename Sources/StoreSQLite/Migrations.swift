// SPDX-License-Identifier: GPL-2.0-or-later

/// Brings a file from the version it has to the one this program knows, and refuses files that are not its own.
enum Migrations {
    /// The file's version: 0 for one that is still empty. Changes nothing.
    ///
    /// Throws `.notAStore` for another program's database and `.newerVersion` for a store of a newer regiond.
    static func version(of database: Database) throws(StoreError) -> Int64 {
        let doing = "open \(database.path)"
        let application = try database.integer("PRAGMA application_id", doing: doing) ?? 0
        let version = try database.integer("PRAGMA user_version", doing: doing) ?? 0
        let objects = try countObjects(in: database, doing: doing)
        if application == 0, version == 0, objects == 0 { return 0 }
        guard application == Schema.applicationID else {
            throw StoreError(.notAStore, doing: doing, message: "it is a database of another program")
        }
        guard version <= Schema.migrations.count else {
            throw StoreError(
                .newerVersion, doing: doing,
                message: "it is of version \(version), and this regiond knows version \(Schema.migrations.count)")
        }
        return version
    }

    /// The first look at the file's content. A header that contradicts itself is a general error to SQLite.
    private static func countObjects(in database: Database, doing: String) throws(StoreError) -> Int64 {
        do throws(StoreError) {
            return try database.integer("SELECT count(*) FROM sqlite_schema", doing: doing) ?? 0
        } catch  where error.kind == .refused {
            throw StoreError(.damaged, doing: doing, message: error.message)
        }
    }

    /// Applies what the file lacks, each step with its version number in a transaction of its own.
    static func apply(_ migrations: [String] = Schema.migrations, to database: Database) throws(StoreError) {
        let present = try database.integer("PRAGMA user_version", doing: "read the version of \(database.path)") ?? 0
        for (index, migration) in migrations.enumerated().dropFirst(Int(present)) {
            let doing = "bring \(database.path) to version \(index + 1)"
            try database.transaction(doing: doing) { () throws(StoreError) in
                try database.execute(migration, doing: doing)
                try database.execute(
                    "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(index + 1)",
                    doing: doing)
            }
        }
    }
}

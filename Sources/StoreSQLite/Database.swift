// SPDX-License-Identifier: GPL-2.0-or-later

import CSQLite
import CShim
import Glibc

// SQLite's pointers and result codes live in this file and nowhere else.

/// One connection, closed with its last user. It may move between threads and must never be used by two at once.
@safe final class Database {
    enum Mode {
        /// `untouched` makes no file beside the database and takes no lock: for one that nobody writes to meanwhile.
        case readOnly, writer, untouched
    }

    private let handle: OpaquePointer
    let path: String
    /// Held until after the connection is closed, since the class's own storage goes last.
    private let lock: WriterLock?
    /// Frames in the write-ahead log after the last commit that no complete checkpoint has brought home.
    private(set) var pendingFrames = 0

    /// Opens the file; a writer makes it when it is not there. `vfs` names another file layer, for fault tests.
    init(path: String, mode: Mode, lock: consuming WriterLock?, vfs: String? = nil) throws(StoreError) {
        var opened: OpaquePointer?
        let access =
            switch mode {
            case .writer: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly: SQLITE_OPEN_READONLY
            case .untouched: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let code = unsafe sqlite3_open_v2(
            mode == .untouched ? Self.immutable(path) : path, &opened,
            access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs)
        guard let connection = unsafe opened else {
            throw StoreError(.refused, doing: "open \(path)", message: "out of memory")
        }
        guard code == SQLITE_OK else {
            let error = unsafe failure(code, of: connection, doing: "open \(path)")
            _ = unsafe sqlite3_close_v2(connection)
            throw error
        }
        unsafe handle = connection
        self.path = path
        self.lock = lock
    }

    deinit { _ = unsafe sqlite3_close_v2(handle) }

    /// The path as SQLite's URI of a file that does not change.
    private static func immutable(_ path: String) -> String {
        let plain = path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"):  // Digits, and - . / before them.
                return String(decoding: [byte], as: UTF8.self)
            default:
                let digits = String(byte, radix: 16)
                return "%" + String(repeating: "0", count: 2 - digits.count) + digits
            }
        }
        return "file:\(plain.joined())?immutable=1"
    }

    /// Runs one or more statements without parameters or results.
    func execute(_ sql: String, doing: String) throws(StoreError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw unsafe failure(code, of: handle, doing: doing) }
    }

    /// Compiles one statement that will be used again and again.
    func prepare(_ sql: String, doing: String) throws(StoreError) -> Statement {
        var compiled: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
        guard code == SQLITE_OK, let statement = unsafe compiled else {
            throw unsafe failure(code, of: handle, doing: doing)
        }
        return unsafe Statement(statement, of: self, connection: handle, doing: doing)
    }

    /// The integer in the first column of the first row; nil when there is no row or it is null.
    func integer(_ sql: String, doing: String) throws(StoreError) -> Int64? {
        try prepare(sql, doing: doing).first { $0.optionalInteger() } ?? nil
    }

    /// Runs the body as one transaction that takes the write lock at once: all of it or nothing.
    func transaction<Result>(
        doing: String, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try execute("BEGIN IMMEDIATE", doing: doing)
        do throws(StoreError) {
            let result = try body()
            try execute("COMMIT", doing: doing)
            return result
        } catch {
            // SQLite has already rolled back after most failures of the disk; a second rollback would be an error.
            if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK", doing: doing) }
            throw error
        }
    }

    /// How long a locked file is waited for, in milliseconds.
    func setBusyTimeout(milliseconds: Int32) { _ = unsafe sqlite3_busy_timeout(handle, milliseconds) }

    /// Whether closing brings the write-ahead log home; off until it is certain that the file is ours to change.
    func setCheckpointOnClose(_ on: Bool) { configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on: !on) }

    /// Closes doors that a damaged or forged file could use: text in double quotes, writes to the schema.
    func harden() {
        configure(SQLITE_DBCONFIG_DQS_DML, on: false)
        configure(SQLITE_DBCONFIG_DQS_DDL, on: false)
        configure(SQLITE_DBCONFIG_DEFENSIVE, on: true)
        configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, on: false)
    }

    private func configure(_ option: CInt, on: Bool) { _ = unsafe shim_sqlite_configure(handle, option, on ? 1 : 0) }

    /// Counts the frames of each commit from here on. Takes the place of SQLite's own automatic checkpoint.
    func countFrames() {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()  // The connection does not outlive `self`.
        _ = unsafe sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().pendingFrames = Int(frames)
                return SQLITE_OK
            }, context)
    }

    /// Those frames in bytes: a page and a header of 24 bytes each.
    var pendingBytes: Int64 { Int64(pendingFrames) * (StoreLimit.pageBytes + 24) }

    /// Brings the write-ahead log home without waiting for readers; `truncate` empties its file too.
    /// Readers that still need the log make it partial: that is no failure, the next one goes on.
    func checkpoint(truncate: Bool) throws(StoreError) {
        setBusyTimeout(milliseconds: 0)
        defer { setBusyTimeout(milliseconds: StoreLimit.busyMilliseconds) }
        var (frames, done): (CInt, CInt) = (0, 0)
        let mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, "main", mode, &frames, &done)
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else {
            throw unsafe failure(code, of: handle, doing: "bring the write-ahead log of \(path) home")
        }
        if code == SQLITE_OK, frames == done { pendingFrames = 0 }
    }
}

/// A compiled statement. Parameters are added in order, columns are read in order.
@safe final class Statement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    /// Keeps the connection open for as long as the statement lives.
    private let database: Database
    private let doing: String
    private var position: CInt = 0
    private var bindCode = SQLITE_OK

    fileprivate init(_ handle: OpaquePointer, of database: Database, connection: OpaquePointer, doing: String) {
        unsafe self.handle = handle
        unsafe self.connection = connection
        self.database = database
        self.doing = doing
    }

    deinit { _ = unsafe sqlite3_finalize(handle) }

    /// The next parameter.
    @discardableResult
    func add(_ value: Int64) -> Statement {
        bound(unsafe sqlite3_bind_int64(handle, next(), value))
    }

    /// The next parameter, null where there is none.
    @discardableResult
    func add(_ value: Int64?) -> Statement {
        if let value { return add(value) }
        return bound(unsafe sqlite3_bind_null(handle, next()))
    }

    /// The next parameter, as 1 or 0.
    @discardableResult
    func add(_ value: Bool) -> Statement { add(Int64(value ? 1 : 0)) }

    /// The next parameter, null where there is none.
    @discardableResult
    func add(_ value: Double?) -> Statement {
        guard let value else { return bound(unsafe sqlite3_bind_null(handle, next())) }
        return bound(unsafe sqlite3_bind_double(handle, next(), value))
    }

    /// The next parameter, null where there is none. The bytes are copied.
    @discardableResult
    func add(_ value: String?) -> Statement {
        guard var value else { return bound(unsafe sqlite3_bind_null(handle, next())) }
        let index = next()
        let code = value.withUTF8 { bytes in
            // An empty buffer may have no address, and without one SQLite would bind null.
            guard let start = bytes.baseAddress else {
                return unsafe sqlite3_bind_text(handle, index, "", 0, shim_sqlite_transient())
            }
            return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                unsafe sqlite3_bind_text(handle, index, $0, CInt(bytes.count), shim_sqlite_transient())
            }
        }
        return bound(code)
    }

    /// Runs it to its end, without results, and makes it ready for the next use.
    func run() throws(StoreError) {
        while try step() {}
    }

    /// Reads the first row, nil when there is none.
    func first<Row>(_ read: (Statement) throws(StoreError) -> Row) throws(StoreError) -> Row? {
        defer { reset() }
        return try step() ? try read(self) : nil
    }

    /// Reads all rows.
    func all<Row>(_ read: (Statement) throws(StoreError) -> Row) throws(StoreError) -> [Row] {
        defer { reset() }
        var rows: [Row] = []
        while try step() { rows.append(try read(self)) }
        return rows
    }

    /// Reads rows one after the other until `read` has enough and gives false.
    func each(_ read: (Statement) throws(StoreError) -> Bool) throws(StoreError) {
        defer { reset() }
        while try step(), try read(self) {}
    }

    /// The next column; 0 where it is null.
    func integer() -> Int64 { unsafe sqlite3_column_int64(handle, nextColumn()) }

    /// The next column: any number but 0.
    func flag() -> Bool { integer() != 0 }

    /// The next column, nil where it is null.
    func optionalInteger() -> Int64? {
        let column = nextColumn()
        return isNull(column) ? nil : unsafe sqlite3_column_int64(handle, column)
    }

    /// The next column, nil where it is null.
    func optionalReal() -> Double? {
        let column = nextColumn()
        return isNull(column) ? nil : unsafe sqlite3_column_double(handle, column)
    }

    /// The next column, nil where it is null. Bytes that are not UTF-8 are repaired.
    func optionalText() -> String? {
        let column = nextColumn()
        guard !isNull(column), let start = unsafe sqlite3_column_text(handle, column) else { return nil }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Whether the next column is null; reads nothing.
    var isNextNull: Bool { isNull(position) }

    /// The error for a value that only a damaged or altered file can hold.
    func damaged(_ what: String) -> StoreError {
        StoreError(.damaged, doing: doing, message: "\(database.path) holds \(what)")
    }

    private func next() -> CInt {
        position += 1
        return position
    }

    private func nextColumn() -> CInt {
        defer { position += 1 }
        return position
    }

    private func isNull(_ column: CInt) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    private func bound(_ code: CInt) -> Statement {
        if code != SQLITE_OK, bindCode == SQLITE_OK { bindCode = code }
        return self
    }

    /// One step; true when there is a row to read. At the end, and on failure, it is ready for the next use.
    private func step() throws(StoreError) -> Bool {
        let code = bindCode == SQLITE_OK ? unsafe sqlite3_step(handle) : bindCode
        position = 0
        if code == SQLITE_ROW { return true }
        let error = code == SQLITE_DONE ? nil : unsafe failure(code, of: connection, doing: doing)
        reset()
        if let error { throw error }
        return false
    }

    private func reset() {
        _ = unsafe sqlite3_reset(handle)  // Repeats the code that `step` has already answered for.
        bindCode = SQLITE_OK
        position = 0
    }
}

/// SQLite's answer as an error of ours.
private func failure(_ code: CInt, of connection: OpaquePointer, doing: String) -> StoreError {
    let systemError = unsafe sqlite3_system_errno(connection)
    var message = unsafe String(cString: sqlite3_errmsg(connection))
    let kind: StoreError.Kind =
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_FULL: .full
        case SQLITE_READONLY: .readOnly
        case SQLITE_CORRUPT: .damaged
        case SQLITE_NOTADB: .damaged
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .unreachable
        // SQLite folds these two into its general device error.
        case SQLITE_IOERR where systemError == EROFS: .readOnly
        case SQLITE_IOERR where systemError == EDQUOT || systemError == EFBIG: .full
        case SQLITE_IOERR: .device
        default: .refused
        }
    if kind == .device || kind == .readOnly || kind == .unreachable, systemError != 0 {
        message += unsafe " (\(String(cString: strerror(systemError))))"
    }
    return StoreError(kind, doing: doing, message: message)
}

/// The library that keeps it all.
public enum SQLite {
    /// What is running here.
    public static let version = unsafe String(cString: sqlite3_libversion())
}

// SPDX-License-Identifier: GPL-2.0-or-later

import CSQLite
import Foundation

/// SQLite's file layer with one write, sync or truncation that fails on demand.
///
/// Files stay those of the default layer; only three entries of their method table are replaced. The pointer to this
/// object and to the original table lie behind each file's own bytes.
@safe final class FaultVFS {
    let name = "fault-\(UUID().uuidString)"
    private(set) var syncs = 0
    /// The number of the write, sync or truncation, counted from now on, that fails; nil: none does.
    var failAt: Int?
    /// Whether all after it fail too, until `failAt` is nil again.
    var keepsFailing = false
    /// Whether the failure was met.
    private(set) var hasFailed = false
    private var operations = 0

    private let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    private let cName: UnsafeMutablePointer<CChar>

    private typealias Methods = UnsafeMutablePointer<sqlite3_io_methods>

    private static var base: UnsafeMutablePointer<sqlite3_vfs> {
        guard let base = unsafe sqlite3_vfs_find("unix") else { fatalError("SQLite has no file layer") }
        return unsafe base
    }

    init() {
        unsafe cName = strdup(name)
        unsafe vfs.initialize(to: Self.base.pointee)
        unsafe vfs.pointee.zName = unsafe UnsafePointer(cName)
        unsafe vfs.pointee.szOsFile = Self.ownOffset + 16
        unsafe vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        unsafe vfs.pointee.xOpen = { vfs, path, file, flags, outFlags in
            guard let vfs = unsafe vfs, let file = unsafe file else { return SQLITE_IOERR }
            let code = unsafe FaultVFS.base.pointee.xOpen(FaultVFS.base, path, file, flags, outFlags)
            guard code == SQLITE_OK, let original = unsafe file.pointee.pMethods else { return code }
            unsafe FaultVFS.wrap(file, original, owner: vfs.pointee.pAppData)
            return code
        }
        unsafe sqlite3_vfs_register(vfs, 0)
    }

    deinit {
        unsafe sqlite3_vfs_unregister(vfs)
        unsafe vfs.deallocate()
        unsafe free(cName)
    }

    /// Starts counting anew; the n-th operation from here on fails.
    func arm(failAt: Int?, keepsFailing: Bool = false) {
        (self.failAt, self.keepsFailing, operations, hasFailed) = (failAt, keepsFailing, 0, false)
    }

    private static var ownOffset: CInt { (unsafe base.pointee.szOsFile + 7) / 8 * 8 }

    private static func slot(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<UnsafeRawPointer?> {
        let address = unsafe UnsafeMutableRawPointer(file) + Int(ownOffset)
        return unsafe address.assumingMemoryBound(to: UnsafeRawPointer?.self)
    }

    private static func wrap(
        _ file: UnsafeMutablePointer<sqlite3_file>, _ original: UnsafePointer<sqlite3_io_methods>,
        owner: UnsafeMutableRawPointer?
    ) {
        unsafe slot(file)[0] = UnsafeRawPointer(owner)
        unsafe slot(file)[1] = unsafe UnsafeRawPointer(original)
        // A table for each open file, never freed: SQLite may look at it until the process ends.
        let table = Methods.allocate(capacity: 1)
        unsafe table.initialize(to: original.pointee)
        unsafe table.pointee.xWrite = { file, bytes, count, offset in
            guard let file = unsafe file else { return SQLITE_IOERR }
            if unsafe FaultVFS.owner(file).fails() { return SQLITE_FULL }
            return unsafe FaultVFS.original(file).pointee.xWrite(file, bytes, count, offset)
        }
        unsafe table.pointee.xTruncate = { file, size in
            guard let file = unsafe file else { return SQLITE_IOERR }
            if unsafe FaultVFS.owner(file).fails() { return SQLITE_IOERR }
            return unsafe FaultVFS.original(file).pointee.xTruncate(file, size)
        }
        unsafe table.pointee.xSync = { file, flags in
            guard let file = unsafe file else { return SQLITE_IOERR }
            unsafe FaultVFS.owner(file).syncs += 1
            if unsafe FaultVFS.owner(file).fails() { return SQLITE_IOERR | 4 << 8 }  // SQLITE_IOERR_FSYNC
            return unsafe FaultVFS.original(file).pointee.xSync(file, flags)
        }
        unsafe file.pointee.pMethods = unsafe UnsafePointer(table)
    }

    private static func owner(_ file: UnsafeMutablePointer<sqlite3_file>) -> FaultVFS {
        guard let pointer = unsafe slot(file)[0] else { fatalError("a file without its owner") }
        return unsafe Unmanaged<FaultVFS>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static func original(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafePointer<sqlite3_io_methods> {
        guard let pointer = unsafe slot(file)[1] else { fatalError("a file without its methods") }
        return unsafe pointer.assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    private func fails() -> Bool {
        operations += 1
        guard let failAt, keepsFailing ? operations >= failAt : operations == failAt else { return false }
        hasFailed = true
        return true
    }
}

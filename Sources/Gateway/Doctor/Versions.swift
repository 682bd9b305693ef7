// SPDX-License-Identifier: GPL-2.0-or-later

import FeedHTTP
import Glibc
import RadioCapture
import StoreSQLite

/// What this box runs, one `name: version` a line.
enum Versions {
    static func text(_ system: SystemLook) -> String {
        let name = system.text("/etc/os-release")?.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        let lines: [(String, String?)] = [
            ("regiond", Version.text),
            ("kernel", system.text("/proc/sys/kernel/osrelease")),
            ("kernel build", system.text("/proc/sys/kernel/version")),
            ("system", name.map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } }),
            ("Debian", system.text("/etc/debian_version")),
            ("machine", system.text("/proc/sys/kernel/arch")),
            ("C library", libc()),
            ("sqlite3", SQLite.version),
            ("libmicrohttpd", MicroHTTPD.version),
            ("zlib", Zlib.version),
        ]
        return lines.map { "\($0): \($1 ?? "unknown")\n" }.joined()
    }

    /// As `glibc 2.36`.
    private static func libc() -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        _ = unsafe confstr(Int32(_CS_GNU_LIBC_VERSION), &buffer, buffer.count)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore

/// Where stores lie when nobody says so.
enum StorePath {
    /// `$STATE_DIRECTORY/regiond.db`, else one for each kind of source under `~/.local/state/regiond`.
    static func usual(for kind: SourceKind) throws(GatewayError) -> String {
        if let directory = stateDirectory { return "\(directory)/regiond.db" }
        return "\(try userDirectory())/\(kind.rawValue).db"
    }

    /// The store that `events` means when it is told nothing: the usual one that was written last.
    static func newest() throws(GatewayError) -> String {
        if let directory = stateDirectory { return "\(directory)/regiond.db" }
        let directory = try userDirectory()
        let found = SourceKind.allCases.compactMap { kind -> (path: String, written: Int)? in
            let path = "\(directory)/\(kind.rawValue).db"
            // A commit touches the log beside the file.
            let times = [path, path + "-wal"].compactMap(modified)
            return times.isEmpty ? nil : (path, times.max() ?? 0)
        }
        guard let newest = found.max(by: { $0.written < $1.written }) else {
            throw GatewayError(
                .failed,
                "there is no store in \(directory) yet; name one with --db, or start: regiond run simulated:hall")
        }
        return newest.path
    }

    /// Makes the folder a store is to lie in.
    static func makeFolder(for path: String) throws(GatewayError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        var folder = ""
        for (place, part) in parts.enumerated() {
            folder += place == 0 ? String(part) : "/\(part)"
            guard !folder.isEmpty, unsafe mkdir(folder, 0o755) != 0, errno != EEXIST else { continue }
            let why = unsafe String(cString: strerror(errno))
            throw GatewayError(.failed, "cannot make the folder \(folder): \(why); name another store with --db")
        }
    }

    /// systemd gives one folder, or several with a colon between: the first is ours.
    private static var stateDirectory: String? {
        Environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    }

    private static func userDirectory() throws(GatewayError) -> String {
        guard let home = Environment["HOME"], !home.isEmpty else {
            throw GatewayError(.failed, "neither STATE_DIRECTORY nor HOME is set; name a store with --db")
        }
        return "\(home)/.local/state/regiond"
    }

    private static func modified(_ path: String) -> Int? {
        var status = stat()
        return unsafe stat(path, &status) == 0
            ? status.st_mtim.tv_sec * 1_000 + status.st_mtim.tv_nsec / 1_000_000 : nil
    }
}

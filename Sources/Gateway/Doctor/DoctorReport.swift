// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import JSONText
import RadioCapture
import RegionCore
import StoreSQLite
import Time

/// What a distant colleague needs, packed into one file: `tar tzf` lists it.
struct DoctorReport {
    /// The file that is to be made.
    let path: String

    /// What goes in at most.
    private enum Limit {
        /// Events and notes, the newest.
        static let rows = 1_000
        /// A registry of a million badges is smaller.
        static let fileBytes = 64 << 20
        /// A full ring as btsnoop, and how long it may take to come.
        static let ringBytes = 128 << 20
        static let ringPatience = Duration.seconds(60)
    }

    /// A file that is there already is refused before anything is looked at.
    init(path: String) throws(GatewayError) {
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else {
            throw GatewayError(.failed, "\(path) is there already; name a new file")
        }
        self.path = path
    }

    /// Gathers, says what it will pack, and packs it.
    func write(_ findings: [Finding], _ examination: Examination) throws(GatewayError) {
        let now = BoxClock.wallNow()
        let entries = entries(findings, examination, folder: "regiond-report-\(now.fileStamp)")
        Console.say("\(path) will hold:")
        for entry in entries { Console.say("  \(entry.name)  \(entry.content.count) bytes") }
        do throws(SourceError) {
            var file = try GzipFile.create(path: path)
            for entry in entries {
                try file.append(entry.header(at: now))
                try file.append(entry.content)
                try file.append(entry.padding)
            }
            try file.append(TarEntry.end)
            try file.finish()
        } catch { throw GatewayError(error) }
        Console.say("\(path) is written. It names beacons and visits: give it only to whom they may be told.")
    }

    private func entries(_ findings: [Finding], _ examination: Examination, folder: String) -> [TarEntry] {
        let configuration = examination.configuration
        let table = findings.flatMap { $0.lines(width: nil, ink: Ink(isOn: false)) }
        let parts: [(String, [UInt8])] = [
            ("doctor.txt", Self.lines(table.map { Array($0.utf8) })),
            ("doctor.jsonl", Self.lines(findings.map(\.json))),
            ("versions.txt", Array(Versions.text(examination.system).utf8)),
            ("configuration.json", SecretText.removed(from: Self.inForce(configuration))),
            Self.ring(port: configuration.port),
            Self.registry(configuration.registry),
            Self.optional("events.jsonl") { () throws(StoreError) in try Self.events(examination.storePath) },
            Self.optional("notes.jsonl") { () throws(StoreError) in try Self.notes(examination.storePath) },
            ("faults.txt", Self.faults(examination.storePath)),
        ]
        return parts.map { TarEntry(name: "\(folder)/\($0)", content: $1) }
    }

    // MARK: Parts

    private static func inForce(_ configuration: Configuration) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("source")
        writer.beginArray()
        for source in configuration.sources { writer.string(source) }
        writer.endArray()
        writer.member("registry", configuration.registry)
        writer.member("db", configuration.database)
        writer.endObject()
        return writer.bytes.dropLast() + ",\"inForce\":\(configuration.text)}\n".utf8
    }

    private static func ring(port: UInt16) -> (String, [UInt8]) {
        do throws(LoopbackFailure) {
            let request = LoopbackRequest(
                port: port, path: "/v1/ring", timeLimit: Limit.ringPatience, sizeLimit: Limit.ringBytes)
            let answer = try request.answer()
            guard answer.status == 200 else {
                return missing("ring", "The gateway answered with status \(answer.status).")
            }
            return ("ring.btsnoop", answer.body)
        } catch { return missing("ring", "\(error)") }
    }

    private static func registry(_ path: String?) -> (String, [UInt8]) {
        guard let path else { return missing("registry", "None is named.") }
        do throws(GatewayError) {
            return ("registry.json", SecretText.removed(from: try TextFile.read(path, limit: Limit.fileBytes)))
        } catch { return missing("registry", "\(error)") }
    }

    private static func events(_ path: String?) throws(StoreError) -> [[UInt8]]? {
        guard let path else { return nil }
        let reader = try EventReader(path: path, leavingNoTrace: true)
        let after = max(0, try reader.newestSeq() - Int64(Limit.rows))
        return try reader.events(after: after, limit: Limit.rows).map { EventForm.json.line($0) }
    }

    private static func notes(_ path: String?) throws(StoreError) -> [[UInt8]]? {
        guard let path else { return nil }
        return try StoreInspection(path: path).notes(last: Limit.rows).map { note in
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("at", note.at.rfc3339)
            writer.member("kind", note.kind)
            writer.member("text", note.text)
            writer.endObject()
            return writer.bytes
        }
    }

    private static func optional(
        _ name: String, _ read: () throws(StoreError) -> [[UInt8]]?
    ) -> (String, [UInt8]) {
        let what = String(name.prefix { $0 != "." })
        do throws(StoreError) {
            guard let rows = try read() else { return missing(what, "There is no store.") }
            return (name, lines(rows))
        } catch { return missing(what, "\(error)") }
    }

    /// Their names alone: they may be large, and can be asked for.
    private static func faults(_ store: String?) -> [UInt8] {
        guard let store else { return Array("There is no store.\n".utf8) }
        let folder = FaultRecordings.folder(beside: store)
        let names = FaultRecordings.names(in: folder).reversed()
        return Array((["Recordings of faults in \(folder), the newest first:"] + names).joined(separator: "\n").utf8)
            + [UInt8(ascii: "\n")]
    }

    /// A part that is not there says why.
    private static func missing(_ what: String, _ why: String) -> (String, [UInt8]) {
        ("\(what)-is-missing.txt", Array((why + "\n").utf8))
    }

    private static func lines(_ rows: [[UInt8]]) -> [UInt8] { rows.flatMap { $0 + [UInt8(ascii: "\n")] } }
}

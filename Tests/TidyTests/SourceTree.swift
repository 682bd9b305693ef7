// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation

/// The project's files, found from where this one lies.
enum SourceTree {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// One file of the project.
    struct File: CustomStringConvertible {
        /// From the project's root.
        let path: String
        let text: String

        var description: String { path }
        /// The target it belongs to.
        var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    }

    /// All files below a folder whose names end in one of these, in order.
    static func files(in folder: String, _ endings: String...) throws -> [File] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        return try paths.filter { path in endings.contains { path.hasSuffix($0) } }.sorted()
            .map { try file("\(folder)/\($0)") }
    }

    /// One file by its path from the root.
    static func file(_ path: String) throws -> File {
        File(path: path, text: try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
    }
}

extension SourceTree.File {
    /// The lines without comments and without what stands in string literals, so that a rule about code is not broken
    /// by a sentence about it.
    var code: [Substring] {
        var isInText = false
        return lines.map { line in
            if line.contains("\"\"\"") {
                isInText.toggle()
                return ""
            }
            return isInText ? "" : Self.code(of: line)
        }
    }

    private static func code(of line: Substring) -> Substring {
        var code = ""
        var isQuoted = false
        var before: Character = " "
        for character in line {
            if character == "\"", before != "\\" { isQuoted.toggle() }
            if character == "/", before == "/", !isQuoted { return Substring(code.dropLast()) }
            if !isQuoted { code.append(character) }
            before = before == "\\" && character == "\\" ? " " : character
        }
        return Substring(code)
    }

    /// Where code matches a pattern, as `path:line: text`.
    func places(of pattern: Regex<Substring>) -> [String] {
        let (code, lines) = (code, lines)
        return code.indices.filter { code[$0].contains(pattern) }.map { "\(path):\($0 + 1): \(lines[$0])" }
    }
}

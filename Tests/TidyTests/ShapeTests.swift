// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// What holds for every file, and for the project's top level.
struct ShapeTests {
    @Test func `nothing in the product traps by habit`() throws {
        // An exclamation mark after a name or a bracket; `a != b` has a space before it.
        let traps = #/\b(?:try|as)!|[\w\)\]>]!(?!=)/#
        for file in try SourceTree.files(in: "Sources", ".swift") { #expect(file.places(of: traps) == []) }
    }

    @Test func `every Swift file names its licence first`() throws {
        let licence = "// SPDX-License-Identifier: GPL-2.0-or-later"
        for file in try SourceTree.files(in: "Sources", ".swift") + SourceTree.files(in: "Tests", ".swift") {
            #expect(file.lines.first.map(String.init) == licence, "\(file)")
        }
        // The manifest's first line belongs to the package manager.
        #expect(try SourceTree.file("Package.swift").lines.dropFirst().first.map(String.init) == licence)
    }

    @Test func `nothing is left for later`() throws {
        let marks = ["TO" + "DO", "FIX" + "ME"]
        for folder in ["Sources", "Tests", "registry"] {
            let files = try SourceTree.files(
                in: folder, ".swift", ".c", ".h", ".js", ".html", ".css", ".md", ".json", ".py")
            for file in files {
                for mark in marks { #expect(!file.text.contains(mark), "\(file) holds \(mark)") }
            }
        }
    }

    @Test func `the top level is as agreed`() throws {
        let agreed: Set = ["Package.swift", "Sources", "Tests", "registry", "deploy", "README.md"]
        let found = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path)
        #expect(Set(found.filter { !$0.hasPrefix(".") }) == agreed)
    }

    @Test func `what is meant to be short is short`() throws {
        #expect(try SourceTree.file("Sources/CShim/CShim.c").lines.count < 200)
        // One more than its lines: what follows the last line's end.
        #expect(try SourceTree.file("README.md").lines.count <= 151)
    }
}

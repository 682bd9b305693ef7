// SPDX-License-Identifier: GPL-2.0-or-later

import FeedHTTP
import Foundation
import RegionCore
import TestKit
import Testing

@testable import Gateway

struct MarkBookTests {
    private let folder: Folder
    private let line = Array(#"{"from":1}"#.utf8)

    init() throws { folder = try Folder() }

    private var recording: String { folder.file("walk.btsnoop") }

    private func content() throws -> String {
        try String(contentsOfFile: MarkBook.path(beside: recording), encoding: .utf8)
    }

    @Test func `lines are appended beside the recording, each on disk when it is answered`() throws {
        let book = try MarkBook(beside: recording)
        #expect(!FileManager.default.fileExists(atPath: MarkBook.path(beside: recording)))
        for count in 1...3 {
            #expect(book.add(line) == .written(line))
            #expect(try content() == String(repeating: "{\"from\":1}\n", count: count))
        }
    }

    @Test func `without a recording, or once it has failed, nothing is written`() throws {
        #expect(try MarkBook(beside: nil).add(line) == .notRecording)
        let book = try MarkBook(beside: recording)
        #expect(book.add(line) == .written(line))
        book.recordingEnded()
        #expect(!book.isRecording)
        #expect(book.add(line) == .notRecording)
        #expect(try content() == "{\"from\":1}\n")
    }

    @Test func `a book that cannot be written says where and why`() throws {
        let path = folder.file("nowhere/walk.btsnoop")
        guard case .failed(let why) = try MarkBook(beside: path).add(line) else {
            Issue.record("it was written")
            return
        }
        #expect(why.contains("\(path).truth.ndjson cannot be written: No such file or directory"))
    }

    @Test func `a full disk leaves no half line, and the mark is refused`() throws {
        try FileManager.default.createSymbolicLink(
            atPath: MarkBook.path(beside: recording), withDestinationPath: "/dev/full")
        guard case .failed(let why) = try MarkBook(beside: recording).add(line) else {
            Issue.record("it was written")
            return
        }
        #expect(why.contains("No space left on device"))
    }

    @Test func `the truth about another recording is left alone`() throws {
        try folder.write("walk.btsnoop.truth.ndjson", "precious")
        let error = #expect(throws: GatewayError.self) { _ = try MarkBook(beside: recording) }
        #expect(error?.kind == .failed)
        #expect(try content() == "precious")
    }
}

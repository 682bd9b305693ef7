// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import RegionCore
import Time

/// Puts together what `/v1/field` says: the engine's state, what is on disk, and what is wrong.
struct PageAnswer: Sendable {
    let desk: RadioDesk
    let board: StatusBoard
    let mailbox: Mailbox
    let marks: MarkBook
    let gateway: String
    let source: SourceText
    let startedAt: Instant

    /// With nothing heard for so long people should look at the radio.
    private static let silence = Duration.seconds(30)

    /// The document in UTF-8; nil when the radio lane does not answer.
    func json() -> [UInt8]? {
        guard let answer = desk.ask() else { return nil }
        var report = FieldReport(
            field: answer.field, anchor: answer.anchor, gateway: gateway, source: source.sourceKind,
            sourceText: source.text, version: Version.text, startedAt: startedAt)
        if let deaf = Self.deafness(in: answer) { report.trouble.append(deaf) }
        report.recording = marks.isRecording
        board.complete(&report)
        let standing = mailbox.standing
        if standing.isInTrouble, !report.trouble.contains(where: { $0.kind == .storeInTrouble }) {
            report.trouble.append(
                FieldReport.Trouble(
                    kind: .storeInTrouble,
                    message: "Nothing could be stored for 5 s; \(standing.waiting) events wait.",
                    remedy: "Look at the disk of the store; events are not told until they are on it."))
        }
        if standing.lost > 0 {
            report.trouble.append(
                FieldReport.Trouble(
                    kind: .lost, message: "\(standing.lost) events found no room in memory and are lost.",
                    remedy: "Put the store right; their number and span will be recorded."))
        }
        return FieldWriter.json(report)
    }

    /// What is wrong when nothing is heard; nil: something is.
    static func deafness(in answer: RadioDesk.Answer) -> FieldReport.Trouble? {
        radio(in: answer) ?? silence(in: answer)
    }

    private static func radio(in answer: RadioDesk.Answer) -> FieldReport.Trouble? {
        guard let radio = answer.field.radio, !radio.state.isListening else { return nil }
        return FieldReport.Trouble(
            kind: .radio, message: radio.message, remedy: "\(radio.state.remedy) Nobody leaves because of it.")
    }

    private static func silence(in answer: RadioDesk.Answer) -> FieldReport.Trouble? {
        if !answer.field.listening {
            return FieldReport.Trouble(
                kind: .silent, message: "The receiver cannot hear.",
                remedy: "Nobody leaves because of it; look at the adapter.")
        }
        let silent = answer.field.asOf - answer.lastReport
        guard silent > silence else { return nil }
        return FieldReport.Trouble(
            kind: .silent, message: "Nothing has been heard for \(Int(silent.inSeconds)) s.",
            remedy: "Look at the receiver, and whether any beacon is near.")
    }
}

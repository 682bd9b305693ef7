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
    let startedAt: Instant

    /// With nothing heard for so long people should look at the radio.
    private static let silence = Duration.seconds(30)

    /// The document in UTF-8; nil when the radio lane does not answer.
    func json() -> [UInt8]? {
        guard let answer = desk.ask() else { return nil }
        var report = FieldReport(
            field: answer.field, anchor: answer.anchor, gateway: gateway, source: desk.sources.sourceKind,
            sourceText: desk.sources.text, version: Version.text, startedAt: startedAt)
        report.trouble += Self.deafness(in: answer)
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

    /// What is wrong where a receiver hears nothing; of several it says which.
    static func deafness(in answer: RadioDesk.Answer) -> [FieldReport.Trouble] {
        answer.ears.compactMap { ear in
            guard var trouble = radio(of: ear) ?? silence(of: ear, at: answer.field.asOf) else { return nil }
            if answer.ears.count > 1 { trouble.message = "\(ear.receiver): \(trouble.message)" }
            return trouble
        }
    }

    private static func radio(of ear: RadioDesk.Ear) -> FieldReport.Trouble? {
        guard let radio = ear.radio, !radio.state.isListening else { return nil }
        return FieldReport.Trouble(
            kind: .radio, message: radio.message, remedy: "\(radio.state.remedy) Nobody leaves because of it.")
    }

    private static func silence(of ear: RadioDesk.Ear, at now: Instant) -> FieldReport.Trouble? {
        if !ear.listening {
            return FieldReport.Trouble(
                kind: .silent, message: "The receiver cannot hear.",
                remedy: "Nobody leaves because of it; look at the adapter.")
        }
        let silent = now - ear.lastReport
        guard silent > silence else { return nil }
        return FieldReport.Trouble(
            kind: .silent, message: "Nothing has been heard for \(Int(silent.inSeconds)) s.",
            remedy: "Look at the receiver, and whether any beacon is near.")
    }
}

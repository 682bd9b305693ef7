// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Listens for a while, then writes a registry of what was heard.
struct DraftSession {
    let seconds: Int64
    let uuid: BeaconUUID?

    /// How often sightings are counted: a gateway that is started anew in between costs no more than this.
    private static let every = Duration.seconds(1)

    /// Writes the registry to stdout and says on stderr what is in it and what to do next.
    func run(_ origin: inout any FieldOrigin, _ loop: borrowing EventLoop) throws(GatewayError) {
        let start = BoxClock.now()
        let listened = try listen(&origin, loop, from: start)
        let draft = listened.draft
        let span = Int((BoxClock.now() - start).inSeconds.rounded())
        guard !draft.identities.isEmpty else { throw nothing(draft, span) }
        Console.print(draft.text)
        if listened.isCutOff { Console.say("Stopped after \(span) of \(seconds) s.") }
        Console.say(draft.account)
        if draft.omitted > 0 {
            Console.say("The field had no room for \(draft.omitted) more: name a UUID with --uuid on a quiet day.")
        }
        Console.say(
            """
            Next: set "venueId"; give what hangs for good "kind": "fixed" (all count as visitors now), give names, and
            "txPower", the RSSI measured at 1 m on site; then: regiond check --registry FILE
            """)
    }

    private func listen(
        _ origin: inout any FieldOrigin, _ loop: borrowing EventLoop, from start: Instant
    ) throws(GatewayError) -> (draft: RegistryDraft, isCutOff: Bool) {
        var draft = RegistryDraft(uuid: uuid, fromStart: origin.beginsAnew)
        var progress = ProgressLine()
        let end = start + .seconds(seconds)
        var failure: GatewayError?
        var next = start
        while true {
            let passing = try origin.pass(loop, until: next)
            do throws(GatewayError) {
                if let document = FieldDocument(try origin.document()) { draft.add(document) }
                failure = nil
            } catch { failure = error }  // It may be started anew; at the end it must answer.
            let now = BoxClock.now()
            progress.show("draft: \(Int((now - start).inSeconds)) of \(seconds) s, \(draft.heard) beacons")
            if passing != .due || now >= end {
                if let failure { throw failure }
                return (draft, passing == .stopped)
            }
            next = min(max(next + Self.every, now), end)
        }
    }

    private func nothing(_ draft: RegistryDraft, _ span: Int) -> GatewayError {
        if draft.heard == 0 {
            return GatewayError(
                .failed,
                "nothing was heard in \(span) s, so there is no draft: are the beacons on and near, and do they send "
                    + "iBeacon? Look with: regiond beacons")
        }
        if let uuid, draft.ofOthers == draft.heard {
            let heard = draft.uuids.prefix(5).map(\.description).joined(separator: ", ")
            return GatewayError(.failed, "nothing of UUID \(uuid) was heard in \(span) s; heard were \(heard)")
        }
        return GatewayError(.failed, "\(draft.account) Listen longer: a larger --draft, or nearer to the beacons.")
    }
}

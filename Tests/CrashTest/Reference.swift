// SPDX-License-Identifier: GPL-2.0-or-later

import EngineProperties
import HallSimulator
import RegionCore
import Time

/// What one gateway that was never killed, but could not hear in the gaps, decides of the same hall. What was heard and
/// not stored when the kill came is as if it had not been heard: nobody was told of it.
struct Reference {
    let events: [RegionEvent]
    /// When each beacon was heard.
    private(set) var heard: [BeaconIdentity: [Instant]] = [:]

    init(hall: SimulatedHall, registry: Registry, ledger: StoredRuns) {
        let gaps = ledger.gaps
        guard let first = ledger.runs.first, let last = ledger.runs.last else {
            events = []
            return
        }
        var engine = RegionEngine(registry: registry, receiver: hall.receiver, at: first.began)
        var decisions = Decisions()
        var source = HallSource(
            hall: hall, from: first.began, until: last.stored,
            deaf: gaps.filter { $0.stored < $0.began }.map { $0.stored..<$0.began })
        var frame = FrameBuffer()
        var parsed = ParsedFrame()
        while let (input, instant) = source.next(into: &frame) {
            switch input {
            case .frame:
                AdvertisingParser.parse(frame.bytes.span, into: &parsed)
                for sighting in parsed.sightings {
                    heard[sighting.beacon, default: []].append(instant)
                    engine.observe(sighting, at: instant, into: &decisions)
                }
            case .listening(let on): engine.listening(on, at: instant, into: &decisions)
            case .sighting, .window, .tick: break  // A hall that is heard all the time sends none.
            }
        }
        engine.tick(at: last.stored, into: &decisions)
        events = decisions.events
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import JSONText
import RadioCapture
import RegionCore
import RegistryJSON
import Time

/// What one beacon showed on the page while a capture was replayed.
private struct Shown {
    var tier: ProximityTier?
    var tierChanges = 0
    var severalAdvertisers = false

    /// A tier that begins or ends is no change of tier.
    mutating func look(_ row: FieldState.BeaconRow) {
        if let old = tier, let new = row.tier, new != old { tierChanges += 1 }
        tier = row.tier ?? tier
        severalAdvertisers = severalAdvertisers || row.severalAdvertisers
    }
}

/// Replays a capture through the engine and looks twice a second at what the page would show of each beacon.
private struct FieldProbe {
    /// Half of the shortest time in which a tier can change twice.
    static let interval = Duration.milliseconds(500)
    /// So long after the last sighting nothing that is looked at changes any more.
    static let watched = Duration.seconds(15)

    private var engine: RegionEngine
    private let source: CaptureSource
    private var decisions = Decisions()
    private var shown: [BeaconIdentity: Shown] = [:]
    private var order: [BeaconIdentity] = []

    init(registry: String, capture: String) throws {
        var file = RegistryFile(path: registry)
        guard case .loaded(let venue, _) = file.poll() else { throw SourceError("\(registry) is refused") }
        let registry = Registry(venue: venue, seed: 0)
        engine = RegionEngine(registry: registry, receiver: ReceiverEntry(id: "probe"), at: .boot)
        source = try CaptureSource(path: capture)
    }

    mutating func replay() throws {
        var frame = FrameBuffer()
        var next = Instant.boot + Self.interval
        var heard = Instant.boot
        while let (input, instant) = try source.next(into: &frame) {
            while next < min(instant, heard + Self.watched) { look(at: &next) }
            if instant - heard > Self.watched { next = max(next, instant) }
            heard = max(heard, instant)
            if case .sighting(let sighting) = input { engine.observe(sighting, at: instant, into: &decisions) }
            decisions.removeAll()
        }
        look(at: &next)
    }

    private mutating func look(at next: inout Instant) {
        for row in engine.field(at: next).beacons {
            let identity = row.beacon.identity
            if shown[identity] == nil { order.append(identity) }
            shown[identity, default: Shown()].look(row)
        }
        next += Self.interval
    }

    /// One object a line for each beacon, in the order in which they came.
    func write() {
        for identity in order {
            guard let shown = shown[identity] else { continue }
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("uuid", identity.uuid.description)
            writer.member("major", identity.major)
            writer.member("minor", identity.minor)
            writer.member("tierChanges", shown.tierChanges)
            writer.member("severalAdvertisers", shown.severalAdvertisers)
            writer.endObject()
            print(writer.text)
        }
    }
}

guard CommandLine.arguments.count == 3 else {
    print("FieldProbe REGISTRY CAPTURE\n\nwhat the page shows of each beacon while a capture is replayed")
    exit(2)
}
do {
    var probe = try FieldProbe(registry: CommandLine.arguments[1], capture: CommandLine.arguments[2])
    try probe.replay()
    probe.write()
} catch {
    print("FieldProbe: \(error)")
    exit(1)
}

// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// A path that callgrind counts the instructions of.
enum InstructionPath: String, CaseIterable {
    /// The loop itself: frames are found and left alone.
    case walk
    /// The frame of an iBeacon is parsed.
    case decode
    /// Parsed and looked up among a thousand.
    case match
    /// Parsed, looked up and decided on, a thousand beacons at 10 Hz inside one region.
    case region
    /// The same with all that the radio lane does beside: pieces, census, silence, horizon.
    case lane
    /// Something else than an iBeacon is refused.
    case foreign
    /// Bytes to decisions on gen_stream.py's walkers, three regions each: enters, exits and minute rows included.
    case whole
    /// A hundred beacons at twelve receivers, decided on without being parsed: at rest, and moving every half minute.
    case severalStill, severalWalking
    /// A hundred heard among as many, and among ten and a hundred times as many.
    case flat100, flat1000, flat10000

    /// Takes the path so many times. All that is prepared does not depend on the count.
    func take(_ count: Int, _ options: Options) throws {
        let identities = (0..<1_000).map(Population.identity)
        switch self {
        case .walk:
            var bytes = 0
            repeatedly(Population.frames(Population.sightings(identities)), count) { bytes += $0.count }
            precondition(bytes >= count, "no frame is empty")
        case .decode:
            var found = 0
            repeatedly(Population.frames(Population.sightings(identities)), count) { frame in
                found += AdvertisingParser.parse(frame) { _ in }
            }
            precondition(found == count, "every frame holds a report")
        case .match:
            let registry = Population.registry(identities, regions: .one)
            var found = 0
            repeatedly(Population.frames(Population.sightings(identities)), count) { frame in
                _ = AdvertisingParser.parse(frame) { reading in
                    if case .sighting(let sighting) = reading, registry.contains(sighting.beacon) { found += 1 }
                }
            }
            precondition(found == count, "every beacon is registered")
        case .region:
            var lane = HotLane(Population.registry(identities, regions: .one), pace: 100_000)
            let frames = Population.frames(Population.sightings(identities))
            frames.forEach { lane.hear($0) }
            repeatedly(frames, count) { lane.hear($0) }
        case .lane:
            var lane = HotLane(Population.registry(identities, regions: .one), pace: 100_000)
            let frames = Population.frames(Population.sightings(identities))
            frames.forEach { lane.listen($0) }
            repeatedly(frames, count) { lane.listen($0) }
        case .foreign:
            var lane = HotLane(Population.registry(identities, regions: .one), pace: 100_000)
            repeatedly(Population.foreignFrames, count) { lane.hear($0) }
        case .whole: try takeWhole(count, folder: options.stream ?? "")
        case .severalStill:
            var ears = ManyEars(beacons: 100, turn: 0, pace: 100_000)
            ears.hear(count)
        case .severalWalking:
            var ears = ManyEars(beacons: 100, turn: 300, pace: 100_000)
            ears.hear(count)
        case .flat100: FlatLane(registered: 100).run(count / FlatLane.reports)
        case .flat1000: FlatLane(registered: 1_000).run(count / FlatLane.reports)
        case .flat10000: FlatLane(registered: 10_000).run(count / FlatLane.reports)
        }
    }

    private func takeWhole(_ count: Int, folder: String) throws {
        let stream = try WalkerStream(folder: folder)
        let frames = Population.frames(stream.sightings.map(\.sighting))
        guard stream.sightings.count >= count else {
            throw InputError("\(folder) holds \(stream.sightings.count) sightings, fewer than \(count)")
        }
        var lane = HotLane(Population.registry(stream.identities, regions: .three), pace: 0)
        var done = 0
        frames.forEach { frame in
            guard done < count else { return }
            lane.hear(frame, at: stream.sightings[done].instant)
            done += 1
        }
    }

    private func repeatedly(_ frames: FrameRow, _ count: Int, _ body: (Span<UInt8>) -> Void) {
        var done = 0
        while done < count {
            frames.forEach { frame in
                guard done < count else { return }
                body(frame)
                done += 1
            }
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import CReference
import RegionCore
import Time

/// The hot path beside the C reference: same bytes, same process, in turn.
struct HotPath {
    private let rounds: Int
    private let corpus: FrameRow
    private let stream: WalkerStream

    init(_ options: Options) throws {
        rounds = options.rounds
        corpus = FrameRow(bytes: try contents(of: options.corpus ?? ""))
        stream = try WalkerStream(folder: options.stream ?? "")
    }

    func measure(into report: inout Report) throws {
        try measureCorpus(into: &report)
        measureStream(into: &report)
        measureFlatness(into: &report)
    }

    // MARK: Frames

    private func measureCorpus(into report: inout Report) throws {
        let registry = Population.registry(corpus.identities, regions: .one)
        unsafe reference_register(corpus.bytes, corpus.bytes.count)
        let decoded = unsafe reference_decode(corpus.bytes, corpus.bytes.count)
        let matched = unsafe reference_match(corpus.bytes, corpus.bytes.count)
        guard Sums(decoded) == decode(), Sums(matched) == match(registry) else {
            throw InputError("Swift and C do not agree on the beacons of the corpus")
        }
        report.add(Figure(name: "iBeacons in the corpus", value: Double(decoded.beacons), unit: "agreed with C"))
        let items = corpus.count
        let timings = interleaved(
            rounds: rounds,
            [
                Variant(items: items) { _ = decode() }, Variant(items: items) { _ = match(registry) },
                Variant(items: items) { _ = engine(registry) },
                Variant(items: items) { unsafe _ = reference_decode(corpus.bytes, corpus.bytes.count) },
                Variant(items: items) { unsafe _ = reference_match(corpus.bytes, corpus.bytes.count) },
                Variant(items: items) { unsafe _ = reference_regions(corpus.bytes, corpus.bytes.count) },
            ])
        for (number, name) in ["decode", "decode, match", "decode, match, engine with one region"].enumerated() {
            report.add(name, unit: "ns/frame", timings[number], reference: timings[number + 3])
        }
    }

    private func decode() -> Sums {
        var sums = Sums()
        corpus.forEach { frame in
            _ = AdvertisingParser.parse(frame) { if case .sighting(let sighting) = $0 { sums.add(sighting) } }
        }
        return sums
    }

    private func match(_ registry: Registry) -> Sums {
        var sums = Sums()
        corpus.forEach { frame in
            _ = AdvertisingParser.parse(frame) { reading in
                guard case .sighting(let sighting) = reading else { return }
                sums.add(sighting)
                if registry.contains(sighting.beacon) { sums.matched += 1 }
            }
        }
        return sums
    }

    private func engine(_ registry: Registry) -> HotLane {
        var lane = HotLane(registry, pace: 1_000_000)
        corpus.forEach { lane.hear($0) }
        return lane
    }

    // MARK: Sightings

    private func measureStream(into report: inout Report) {
        let registry = Population.registry(stream.identities, regions: .three)
        let beacons = stream.identities.count
        let lane = engineOnStream(registry)
        let reference = unsafe reference_stream(stream.records, stream.records.count, beacons)
        let timings = interleaved(
            rounds: rounds,
            [
                Variant(items: stream.sightings.count) { _ = engineOnStream(registry) },
                Variant(items: stream.sightings.count) {
                    unsafe _ = reference_stream(stream.records, stream.records.count, beacons)
                },
            ])
        report.add("engine with three regions, walkers", unit: "ns/sighting", timings[0], reference: timings[1])
        report.add(
            Figure(
                name: "  enters and exits", value: Double(lane.enters + lane.exits), unit: "events",
                note: "C, by its simpler rule: \(reference.enters + reference.exits)"))
    }

    private func engineOnStream(_ registry: Registry) -> HotLane {
        var lane = HotLane(registry, pace: 0)
        for (sighting, instant) in stream.sightings { lane.hear(sighting, at: instant) }
        return lane
    }

    // MARK: Flatness

    /// The same hundred are heard, however many are registered.
    private func measureFlatness(into report: inout Report) {
        let sizes = [100, 1_000, 10_000]
        let lanes = sizes.map { FlatLane(registered: $0) }
        let items = 200 * FlatLane.reports
        let timings = interleaved(rounds: rounds, lanes.map { lane in Variant(items: items) { lane.run(200) } })
        for (size, timing) in zip(sizes, timings) {
            report.add(
                Figure(
                    name: "100 heard of \(size) registered", value: timing.least, unit: "ns/report",
                    note: "\(shown(timing.least / timings[0].least)) × that of 100"))
        }
    }
}

/// A hundred beacons heard at 10 Hz among many registered.
final class FlatLane {
    /// Reports in one run of `run`.
    static let reports = 1_000

    private let frames: FrameRow
    private var lane: HotLane

    init(registered: Int) {
        let identities = (0..<registered).map(Population.identity)
        let heard = (0..<100).map { identities[$0 * registered / 100] }
        frames = Population.frames(Population.sightings(heard))
        lane = HotLane(Population.registry(identities, regions: .three), pace: 1_000_000)
        run(10)
    }

    /// Ten seconds of that hall, so many times.
    func run(_ times: Int) {
        for _ in 0..<times { frames.forEach { lane.hear($0) } }
    }
}

/// What a pass over the corpus found.
private struct Sums: Equatable {
    private var frames: UInt64 = 0
    private var major = 0
    private var minor = 0
    private var power = 0
    private var rssi = 0
    private var high: UInt64 = 0
    private var low: UInt64 = 0
    var matched: UInt64 = 0

    init() {}

    init(_ sums: reference_sums) {
        frames = sums.beacons
        (major, minor, power, rssi) = (Int(sums.major), Int(sums.minor), Int(sums.power), Int(sums.rssi))
        (high, low, matched) = (sums.uuid_high, sums.uuid_low, sums.matched)
    }

    mutating func add(_ sighting: Sighting) {
        frames += 1
        major += Int(sighting.beacon.major)
        minor += Int(sighting.beacon.minor)
        power += Int(sighting.measuredPower ?? 0)
        rssi += Int(sighting.rssi)
        high ^= sighting.beacon.uuid.high
        low ^= sighting.beacon.uuid.low
    }
}

extension Report {
    fileprivate mutating func add(_ name: String, unit: String, _ timing: Timing, reference: Timing) {
        add(
            Figure(
                name: name, value: timing.least, unit: unit,
                note: "median \(shown(timing.median)), C \(shown(reference.least)),"
                    + " ratio \(shown(timing.least / reference.least))"))
    }
}

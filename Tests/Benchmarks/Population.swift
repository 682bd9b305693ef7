// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Beacons made up here, so that counts need no file.
enum Population {
    /// How many regions each beacon lies in.
    enum Regions {
        /// Its UUID's.
        case one
        /// Its UUID's, its major's and its own: the derived ones.
        case three
    }

    static let receiver = ReceiverEntry(id: "benchmark")

    /// The n-th beacon: a hundred to a major.
    static func identity(_ number: Int) -> BeaconIdentity {
        BeaconIdentity(
            uuid: BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0),
            major: UInt16(number / 100), minor: UInt16(number % 100))
    }

    /// A registry of single beacons without names.
    static func registry(_ identities: [BeaconIdentity], regions: Regions) -> Registry {
        Registry(venue: venue(identities, regions: regions))
    }

    static func venue(_ identities: [BeaconIdentity], regions: Regions) -> Venue {
        let beacons = identities.map { BeaconEntry(uuid: $0.uuid, major: $0.major, minors: $0.minor...$0.minor) }
        guard regions == .one else { return Venue(venueId: "hall", beacons: beacons) }
        var seen: Set<BeaconUUID> = []
        let uuids = identities.map(\.uuid).filter { seen.insert($0).inserted }
        return Venue(
            venueId: "hall", beacons: beacons,
            regions: uuids.enumerated().map { RegionDefinition(identifier: "hall-\($0)", scope: .init(uuid: $1)) })
    }

    /// What each of these sends, ten rounds of it, with levels that wander as they do in a hall.
    static func sightings(_ identities: [BeaconIdentity]) -> [Sighting] {
        var state: UInt64 = 7
        return (0..<10).flatMap { _ in
            identities.enumerated().map { number, identity in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Sighting(
                    beacon: identity, measuredPower: -59, rssi: -62 - Int8(state >> 60),
                    advertiser: DeviceAddress(bits: 0xC000_0000_0000 | UInt64(number)))
            }
        }
    }

    /// One event for each sighting, flags and iBeacon, as most of the air is.
    static func frames(_ sightings: [Sighting]) -> FrameRow {
        var bytes: [UInt8] = []
        for sighting in sightings {
            var data: [UInt8] = []
            AdvertisingEncoder.appendIBeacon(
                sighting.beacon, measuredPower: sighting.measuredPower ?? 0, to: &data)
            let report = AdvertisingEncoder.Report(
                address: sighting.advertiser ?? DeviceAddress(bits: 0), data: data, rssi: sighting.rssi)
            AdvertisingEncoder.appendLegacyEvent(report, to: &bytes)
        }
        return FrameRow(bytes: bytes)
    }

    /// Events without a beacon, each of another kind: a phone, a sensor, padding, nothing, lengths that lie.
    static let foreignFrames: FrameRow = {
        let data: [[UInt8]] = [
            [2, 1, 6, 10, 0xFF, 0x4C, 0, 0x10, 5, 1, 2, 3, 4, 5], [2, 1, 6, 5, 0x16, 0xAA, 0xFE, 0x20, 0],
            [2, 1, 6, 0, 0, 0, 0], [], [2, 1, 6, 30, 0xFF, 0x4C, 0, 2, 0x15], [6, 0xFF, 0x4C, 0, 2, 0x15, 1],
        ]
        var bytes: [UInt8] = []
        for data in data {
            let report = AdvertisingEncoder.Report(address: DeviceAddress(bits: 7), data: data, rssi: -70)
            AdvertisingEncoder.appendLegacyEvent(report, to: &bytes)
        }
        return FrameRow(bytes: bytes)
    }()

    /// A beacon in two pieces, the first of which comes again as if the rest had been lost.
    static let pieces: FrameRow = {
        var data: [UInt8] = []
        AdvertisingEncoder.appendIBeacon(identity(0), measuredPower: -59, to: &data)
        let moreToCome: UInt8 = 0x20
        var bytes: [UInt8] = []
        for (status, part) in [(moreToCome, data[..<20]), (moreToCome, data[..<20]), (0, data[20...])] {
            let report = AdvertisingEncoder.Report(
                eventType: status | 3, address: DeviceAddress(bits: 7), data: Array(part), rssi: -70)
            AdvertisingEncoder.appendExtendedEvent(report, to: &bytes)
        }
        return FrameRow(bytes: bytes)
    }()
}

/// An engine with what stands before and behind it in the radio lane: bytes in, decisions emptied.
struct HotLane {
    var engine: RegionEngine
    /// The instant of the last report.
    private(set) var now = Instant.boot
    /// Nanoseconds between two reports.
    let pace: Int64
    private(set) var enters = 0
    private(set) var exits = 0
    private var decisions = Decisions()
    private var chains: ReportChains? = ReportChains()
    private var watch = SilenceWatch()

    init(_ registry: Registry, pace: Int64) {
        engine = RegionEngine(registry: registry, receiver: Population.receiver, at: .boot)
        self.pace = pace
    }

    /// One frame, parsed and decided on.
    mutating func hear(_ frame: Span<UInt8>) {
        hear(frame, at: Instant(nanoseconds: now.nanoseconds + pace))
    }

    /// One frame heard at an instant, parsed and decided on.
    mutating func hear(_ frame: Span<UInt8>, at instant: Instant) {
        now = instant
        _ = AdvertisingParser.parse(frame) { reading in
            if case .sighting(let sighting) = reading { engine.observe(sighting, at: instant, into: &decisions) }
        }
        settle()
    }

    /// One frame as the radio lane takes it: pieces put together, advertisers counted, silence watched.
    mutating func listen(_ frame: Span<UInt8>) {
        now.nanoseconds += pace
        let instant = now
        precondition(watch.declare(before: instant) == nil, "there is no silence in a benchmark")
        guard var chains = self.chains.take() else { preconditionFailure("a frame is parsed within another") }
        var carriesData = false
        _ = AdvertisingParser.parse(frame, joining: &chains, at: instant) { reading in
            switch reading {
            case .sighting(let sighting):
                hear(sighting.advertiser, engine.isCanary(sighting.beacon), isFirst: !carriesData, at: instant)
                carriesData = true
                engine.observe(sighting, at: instant, into: &decisions)
            case .discard(.empty, _), .discard(_, from: nil): break
            case .discard(_, let advertiser):
                hear(advertiser, false, isFirst: !carriesData, at: instant)
                carriesData = true
            }
        }
        self.chains = consume chains
        if carriesData { engine.bound(horizon: watch.horizon) }
        settle()
    }

    private mutating func hear(
        _ advertiser: DeviceAddress?, _ isCanary: Bool, isFirst: Bool, at instant: Instant
    ) {
        if isFirst { engine.heard(at: instant, into: &decisions) }
        if let advertiser { watch.heard(advertiser, isCanary: isCanary, at: instant) }
    }

    /// One sighting, decided on.
    mutating func hear(_ sighting: Sighting, at instant: Instant) {
        now = instant
        engine.observe(sighting, at: instant, into: &decisions)
        settle()
    }

    /// An idle wake-up: lets deadlines fire and asks for the next.
    mutating func idle() {
        now.nanoseconds += pace
        engine.tick(at: now, into: &decisions)
        _ = engine.nextDeadline()
        settle()
    }

    /// Gives back the room that decisions took: in the gateway it belongs to the mailbox.
    mutating func releaseDecisions() { decisions = Decisions() }

    private mutating func settle() {
        guard !decisions.isEmpty else { return }
        for event in decisions.events {
            if event.kind == .enter { enters += 1 } else if event.kind == .exit { exits += 1 }
        }
        decisions.removeAll()
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import EngineProperties
import RegionCore
import Time

/// One engine and a few beacons, for scenarios told in seconds.
struct Stage {
    static let uuid = BeaconUUID(high: 0xA1B2_C3D4_E5F6_4708, low: 0x8910_1112_1314_15AB)
    static let receiver = ReceiverEntry(id: "box")
    /// The badge that most scenarios are about, and another one.
    static let a = BeaconIdentity(uuid: uuid, major: 7, minor: 258)
    static let b = BeaconIdentity(uuid: uuid, major: 7, minor: 259)

    private(set) var engine: RegionEngine
    private(set) var decisions = Decisions()
    private(set) var registry: Registry

    /// A stage whose only region is `room`, unless others are given.
    init(_ settings: [Setting: Double] = [:], regions: [RegionDefinition]? = nil) {
        registry = Self.registry(settings, regions: regions)
        engine = RegionEngine(registry: registry, receiver: Self.receiver, at: .boot)
    }

    static let room = RegionDefinition(identifier: "room", scope: RegionScope(uuid: uuid, major: 7))

    static func registry(
        _ settings: [Setting: Double] = [:], regions: [RegionDefinition]? = nil, badges: [BeaconIdentity] = [a, b]
    ) -> Registry {
        var overrides = SettingOverrides()
        for (setting, value) in settings { overrides[setting] = value }
        let beacons = badges.map { BeaconEntry(uuid: $0.uuid, major: $0.major, minors: $0.minor...$0.minor) }
        return Registry(
            venue: Venue(
                venueId: "stage", beacons: beacons, regions: regions ?? [room], receivers: [receiver],
                settings: overrides))
    }

    /// One sighting of a beacon.
    mutating func hear(
        _ beacon: BeaconIdentity = a, at seconds: Double, rssi: Int8 = -70, address: DeviceAddress? = nil
    ) {
        let sighting = Sighting(beacon: beacon, measuredPower: -59, rssi: rssi, advertiser: address)
        engine.observe(sighting, at: moment(seconds), into: &decisions)
    }

    /// A sighting at `from`, and after each `interval`, up to and with `to`.
    mutating func hear(
        _ beacon: BeaconIdentity = a, from: Double, to: Double, every interval: Double = 1, rssi: Int8 = -70
    ) {
        var count = 0.0
        while from + count * interval <= to {
            hear(beacon, at: from + count * interval, rssi: rssi)
            count += 1
        }
    }

    /// When the engine wants to be asked again, to the millisecond.
    mutating func nextDeadline() -> Double? { engine.nextDeadline().map { ($0.seconds * 1_000).rounded() / 1_000 } }

    mutating func tick(at seconds: Double) { engine.tick(at: moment(seconds), into: &decisions) }

    mutating func listening(_ on: Bool, at seconds: Double) {
        engine.listening(on, at: moment(seconds), into: &decisions)
    }

    mutating func window(open: Bool, at seconds: Double) {
        engine.window(open: open, at: moment(seconds), into: &decisions)
    }

    mutating func reload(_ next: Registry, at seconds: Double) {
        registry = next
        engine.replaceRegistry(next, at: moment(seconds), into: &decisions)
    }

    /// Off at `stop`, on again at `start`; `isKnown` false: the clock cannot tell how long it was.
    mutating func restart(stop: Double, start: Double, isKnown: Bool = true) {
        tick(at: stop)
        let away = Duration.seconds(decimal: start - stop)
        let kept = engine.snapshot(at: moment(stop))
        engine = RegionEngine(registry: registry, receiver: Self.receiver, at: moment(start))
        engine.restore(
            isKnown ? kept : kept.shifted(by: away), away: isKnown ? .known(away) : .unknown, at: moment(start),
            into: &decisions)
    }

    mutating func awayKnown(_ away: Double, at seconds: Double) {
        engine.awayKnown(.seconds(decimal: away), at: moment(seconds), into: &decisions)
    }

    /// What the field page shows of a beacon.
    func row(_ beacon: BeaconIdentity = a, at seconds: Double) -> FieldState.BeaconRow? {
        engine.field(at: moment(seconds)).beacons.first { $0.beacon.identity == beacon }
    }

    func field(at seconds: Double) -> FieldState { engine.field(at: moment(seconds)) }

    var events: [RegionEvent] { decisions.events }

    /// One line for each event: `exit silence at 10.0 seen 40.0 room:waiting`.
    var lines: [String] { events.map(Self.line) }

    private static func line(_ event: RegionEvent) -> String {
        let regions = event.regions.map { "\($0.region):\($0.wake?.rawValue ?? "-")" }
        return "\(event.kind) \(event.reason) at \(event.at.seconds) seen \(event.detectedAt.seconds) "
            + regions.joined(separator: " ")
    }

    private func moment(_ seconds: Double) -> Instant { .boot + .seconds(decimal: seconds) }
}

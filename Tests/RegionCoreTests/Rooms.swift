// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// An engine with several receivers, each in a room of its own, told in seconds.
struct Rooms {
    static let uuid = AdvertisingTests.beacon.uuid
    static let badge = BeaconIdentity(uuid: uuid, major: 7, minor: 1)
    static let exhibit = BeaconIdentity(uuid: uuid, major: 9, minor: 1)
    static let painting = BeaconIdentity(uuid: uuid, major: 9, minor: 2)

    var engine: RegionEngine
    var decisions = Decisions()
    private let venue: Venue
    private let sendMessages: Bool
    private(set) var numbers: [Int] = []

    /// Rooms named after the stations of these receivers; `sendMessages`: nothing is known of them but their messages.
    init(
        _ receivers: [ReceiverEntry] = [ReceiverEntry(id: "north"), ReceiverEntry(id: "south")],
        _ settings: [Setting: Double] = [:], sendMessages: Bool = false, wake: WakeRule? = nil,
        shadow: NearestRule? = nil
    ) {
        var overrides = SettingOverrides()
        overrides[.enterHits] = 1
        for (setting, value) in settings { overrides[setting] = value }
        var stations: [String] = []
        for receiver in receivers where !stations.contains(receiver.group ?? receiver.id) {
            stations.append(receiver.group ?? receiver.id)
        }
        let hall = RegionDefinition(identifier: "hall", scope: RegionScope(uuid: Self.uuid))
        let rooms = stations.map {
            RegionDefinition(
                identifier: "room-\($0)", scope: RegionScope(uuid: Self.uuid), receivers: [$0], wake: wake)
        }
        venue = Venue(
            venueId: "museum",
            beacons: [
                BeaconEntry(uuid: Self.uuid, major: 7, minors: 1...9),
                BeaconEntry(
                    uuid: Self.uuid, major: 9, minors: 1...1, name: "Vase", exhibit: "vase", kind: .fixed, floor: "1",
                    x: 3, y: 4),
                BeaconEntry(uuid: Self.uuid, major: 9, minors: 2...2, name: "Painting", kind: .fixed),
            ], regions: [hall] + rooms, receivers: receivers, settings: overrides, shadow: shadow)
        self.sendMessages = sendMessages
        engine = Self.engine(venue, sendMessages: sendMessages, at: .boot)
        connect()
    }

    private static func engine(_ venue: Venue, sendMessages: Bool, at start: Instant) -> RegionEngine {
        RegionEngine(
            registry: Registry(venue: venue, seed: 7),
            receiver: sendMessages ? ReceiverEntry(id: "box") : venue.receivers[0], at: start)
    }

    private mutating func connect() {
        numbers = venue.receivers.map {
            sendMessages ? engine.receiver(named: $0.id) : engine.receiver(own: $0)
        }
    }

    mutating func hear(
        _ beacon: BeaconIdentity = badge, by receiver: Int, at seconds: Double, rssi: Int8 = -70,
        address: UInt64? = nil
    ) {
        let moment = Instant.boot + .seconds(decimal: seconds)
        engine.heard(by: numbers[receiver], at: moment, into: &decisions)
        let sighting = Sighting(
            beacon: beacon, measuredPower: -59, rssi: rssi, advertiser: address.map { DeviceAddress(bits: $0) })
        engine.observe(sighting, by: numbers[receiver], at: moment, into: &decisions)
    }

    /// Twice a second by each of these receivers at its level, `end` not included.
    mutating func hear(_ beacon: BeaconIdentity = badge, from start: Int, to end: Int, _ levels: [Int8?]) {
        for half in 2 * start..<2 * end {
            for (receiver, level) in levels.enumerated() {
                guard let level else { continue }
                hear(beacon, by: receiver, at: Double(half) / 2 + Double(receiver) / 100, rssi: level)
            }
        }
    }

    /// A message that holds no sighting.
    mutating func message(by receiver: Int, at seconds: Double) {
        engine.heard(by: numbers[receiver], at: .boot + .seconds(decimal: seconds), into: &decisions)
    }

    mutating func listening(_ on: Bool, of receiver: Int, at seconds: Double) {
        engine.listening(on, of: numbers[receiver], at: .boot + .seconds(decimal: seconds), into: &decisions)
    }

    mutating func tick(at seconds: Double) {
        engine.tick(at: .boot + .seconds(decimal: seconds), into: &decisions)
    }

    /// Off and on again at once.
    mutating func restart(at seconds: Double) {
        let moment = Instant.boot + .seconds(decimal: seconds)
        let kept = engine.snapshot(at: moment)
        engine = Self.engine(venue, sendMessages: sendMessages, at: moment)
        connect()
        engine.restore(kept, away: .known(.zero), at: moment, into: &decisions)
    }

    func row(_ beacon: BeaconIdentity = badge, at seconds: Double) -> FieldState.BeaconRow? {
        engine.field(at: .boot + .seconds(decimal: seconds)).beacons.first { $0.beacon.identity == beacon }
    }

    func region(_ identifier: String, at seconds: Double) -> RegionState? {
        engine.field(at: .boot + .seconds(decimal: seconds)).regions.first { $0.region == identifier }
    }

    /// What is nearest, by event: `north>south`.
    var changes: [String] {
        decisions.events.compactMap { event in event.change.map { "\($0.from)>\($0.to)" } }
    }

    /// Enters and exits: `exit moved room-north 12`, with `at`.
    var visits: [String] {
        decisions.events.filter { $0.kind == .enter || $0.kind == .exit }.map { event in
            "\(event.kind) \(event.reason) \(event.regions.map(\.region).joined(separator: ",")) "
                + "\(Double(event.at.nanoseconds) / 1e9)"
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import HallSimulator
import RegionCore
import Time

/// Four minutes of a corridor with two to six receivers, visitors who walk along it, and all that goes wrong with
/// receivers, from one seed, as engine inputs. Everybody leaves in time for all to be decided.
struct WalkedHall {
    /// What may go wrong.
    struct Faults: OptionSet {
        let rawValue: Int
        /// Receivers say that they cannot hear, and that they can again.
        static let deafness = Faults(rawValue: 1)
        /// A receiver sends nothing for half a minute or more, and is back.
        static let silence = Faults(rawValue: 2)
        /// One receiver dies for good.
        static let death = Faults(rawValue: 4)
        /// The messages of one receiver come up to 96 s late.
        static let lateness = Faults(rawValue: 8)
        /// The clocks of receivers are up to 2 s off.
        static let clocks = Faults(rawValue: 16)
        /// One receiver in some halls hears in planned windows.
        static let duty = Faults(rawValue: 32)
        /// Two senders under one identity, and reports without RSSI.
        static let air = Faults(rawValue: 64)
        /// Regions get other receivers, and come and go.
        static let reloads = Faults(rawValue: 128)
        /// The gateway is restarted.
        static let restarts = Faults(rawValue: 256)
        /// Some halls have a receiver that is carried past exhibits.
        static let guides = Faults(rawValue: 512)
        static let all = Faults(rawValue: 1_023)
    }

    /// One input of an engine, or what is done to the process around it.
    enum Input {
        case sighting(Sighting)
        /// A message that holds no sighting.
        case heartbeat
        case listening(Bool)
        case window(open: Bool)
        case tick
        case reload(Venue)
        /// The process ends; what it knew is kept.
        case stop
        /// It is there again.
        case start(Away)
        case awayKnown(Duration)
    }

    struct Step {
        /// When it comes; steps are in this order.
        var arrival: Instant
        /// What its receiver's clock said.
        var instant: Instant
        var receiver = 0
        var input: Input
    }

    let seed: UInt64
    let faults: Faults
    let venue: Venue
    let end = Instant.boot + .seconds(250)
    /// When the last have left.
    static let closing = 150.0
    let exit: Duration
    let badges: [BeaconIdentity]
    /// Number 0 is always the box itself.
    let receivers: [Receiver]
    private(set) var steps: [Step] = []

    /// One receiver and its fate.
    struct Receiver {
        var entry: ReceiverEntry
        /// Metres along the corridor; of one that is carried, where it begins.
        var x: Double
        /// Only its messages tell of it.
        var sendsMessages: Bool
        /// dB that it reads too much.
        var error: Double
        var clock: Duration = .zero
        var late: Duration = .zero
        var duty: Duty = .continuous
        /// When it cannot hear, and says so.
        var deaf: [Range<Instant>] = []
        /// When it sends nothing.
        var silent: [Range<Instant>] = []

        /// Never heard of again after this.
        var death: Instant? { (silent + deaf).first { $0.upperBound == .never }?.lowerBound }
    }

    /// Regions that wake for each beacon.
    static let each: Set<String> = ["badges", "room-0", "room-2", "room-4"]
    static let uuid = SimulatedHall.uuid

    init(seed: UInt64, faults: Faults) {
        let draws = SplitMix64(seed: seed).stream(178)
        self.seed = seed
        self.faults = faults
        let receivers = Self.receivers(draws.stream(1), faults: faults)
        self.receivers = receivers
        badges = (1...3).map { BeaconIdentity(uuid: Self.uuid, major: 7, minor: $0) }
        venue = Self.venue(receivers, draws: draws, variant: 0)
        exit = .seconds(decimal: venue.settings[.exit] ?? 60)
        steps = played(draws)
    }

    // MARK: Receivers

    private static func receivers(_ draws: SplitMix64, faults: Faults) -> [Receiver] {
        let count = 2 + draws.whole(at: 0, below: 5)
        let hasGuide = faults.contains(.guides) && draws.unit(at: 1) < 0.25
        let isGrouped = count > 2 && draws.unit(at: 2) < 0.4
        var receivers = (0..<count).map { number in
            let own = draws.stream(10 + UInt64(number))
            let error = own.unit(at: 0) < 0.3 ? Double(own.whole(at: 1, below: 17)) - 8 : 0
            let entry = ReceiverEntry(
                id: number == 0 ? "box" : "r\(number)", x: Double(number) * 10, rssiOffset: -error,
                group: isGrouped && number < 2 ? "lobby" : nil)
            return Receiver(
                entry: entry, x: Double(number) * 10, sendsMessages: number > 0 && own.unit(at: 2) < 0.75,
                error: error)
        }
        if hasGuide { receivers[receivers.count - 1].entry.kind = .carried }
        for number in receivers.indices {
            strike(&receivers[number], number, draws.stream(30 + UInt64(number)), faults: faults)
        }
        if faults.contains(.death), draws.unit(at: 3) < 0.7 {
            let number = 1 + Int(draws.whole(at: 4, below: count - 1))
            let death = moment(20 + 110 * draws.unit(at: 5))
            receivers[number].silent.removeAll { $0.upperBound > death }
            receivers[number].deaf.removeAll { $0.upperBound > death }
            if receivers[number].sendsMessages {
                receivers[number].silent.append(death..<Instant.never)
            } else {
                receivers[number].deaf.append(death..<Instant.never)
            }
        }
        if faults.contains(.lateness), draws.unit(at: 6) < 0.7 {
            let number = 1 + Int(draws.whole(at: 7, below: count - 1))
            if receivers[number].sendsMessages { receivers[number].late = .seconds(decimal: 96 * draws.unit(at: 8)) }
        }
        return receivers
    }

    /// What becomes of one receiver.
    private static func strike(_ receiver: inout Receiver, _ number: Int, _ draws: SplitMix64, faults: Faults) {
        if faults.contains(.clocks), receiver.sendsMessages {
            receiver.clock = .seconds(decimal: 4 * draws.unit(at: 0) - 2)
        }
        if faults.contains(.duty), number == 0, draws.unit(at: 1) < 0.3 { receiver.duty = .gate }
        if faults.contains(.deafness), draws.unit(at: 2) < 0.5 {
            let begin = closing * draws.unit(at: 3)
            receiver.deaf = [moment(begin)..<moment(begin + 1 + 90 * draws.unit(at: 4))]
        }
        if faults.contains(.silence), receiver.sendsMessages, receiver.deaf.isEmpty, draws.unit(at: 5) < 0.5 {
            let begin = closing * draws.unit(at: 6)
            receiver.silent = [moment(begin)..<moment(begin + 15 + 90 * draws.unit(at: 7))]
        }
    }

    // MARK: Venue

    /// Variant 0 is the registry at the start; the bits of others say what differs.
    static func venue(_ receivers: [Receiver], draws: SplitMix64, variant: UInt64) -> Venue {
        func isSet(_ bit: UInt64) -> Bool { variant & 1 << bit != 0 }
        func one(of choices: [Double], at index: Int64) -> Double {
            choices[Int(draws.whole(at: index, below: Int64(choices.count)))]
        }
        var settings = SettingOverrides()
        settings[.enterHits] = one(of: [1, 2, 3], at: 1)
        settings[.exit] = receivers[0].duty == .continuous ? one(of: [10, 20, 60], at: 2) : 60
        settings[.cooldown] = one(of: [0, 10, 30, 60], at: 3)
        if isSet(0) { settings[.margin] = 6 }
        if draws.unit(at: 4) < 0.3 { settings[.enterRSSI] = -88 }
        let rooms = receivers.indices.map { number in
            let place = isSet(1) ? (number + 1) % receivers.count : number
            return RegionDefinition(
                identifier: "room-\(number)", scope: RegionScope(uuid: uuid, major: 7),
                receivers: [receivers[place].entry.station], wake: number % 2 == 0 ? .each : .first)
        }
        var regions = [
            RegionDefinition(identifier: "hall", scope: RegionScope(uuid: uuid)),
            RegionDefinition(identifier: "badges", scope: RegionScope(uuid: uuid, major: 7), wake: .each),
            RegionDefinition(
                identifier: "wing", scope: RegionScope(uuid: uuid),
                receivers: receivers.prefix(isSet(2) ? 1 : 2).map(\.entry.id)),
        ]
        regions += isSet(3) ? Array(rooms.dropLast()) : rooms
        let badges = (1...3 as ClosedRange<UInt16>).map { BeaconEntry(uuid: uuid, major: 7, minors: $0...$0) }
        let exhibits = (1...2 as ClosedRange<UInt16>).map {
            BeaconEntry(uuid: uuid, major: 1_001, minors: $0...$0, exhibit: "e\($0)", kind: .fixed)
        }
        return Venue(
            venueId: "corridor", beacons: badges + exhibits, regions: regions, receivers: receivers.map(\.entry),
            settings: settings, shadow: draws.unit(at: 5) < 0.2 ? NearestRule(margin: 1, leadEvidence: 2) : nil)
    }

    static func moment(_ seconds: Double) -> Instant { .boot + .seconds(decimal: seconds) }
}

extension Instant {
    /// Later than anything that happens.
    static let never = Instant(nanoseconds: .max)
}

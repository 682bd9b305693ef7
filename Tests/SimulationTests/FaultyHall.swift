// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import HallSimulator
import RegionCore
import Time

/// Eight minutes of a small hall and everything that goes wrong meanwhile, all from one seed, as engine inputs.
struct FaultyHall {
    /// What may go wrong.
    struct Faults: OptionSet {
        let rawValue: Int
        /// The receiver is deaf now and then, for half a second to two minutes.
        static let deafness = Faults(rawValue: 1)
        /// The gateway is restarted, away for nothing to twenty minutes, sometimes without knowing for how long.
        static let restarts = Faults(rawValue: 2)
        /// Beacons and regions come, go and change.
        static let reloads = Faults(rawValue: 4)
        /// One in three halls is heard in planned windows only.
        static let duty = Faults(rawValue: 8)
        /// Regions with `enterRSSI`.
        static let limits = Faults(rawValue: 16)
        /// One sighting in fifty comes up to five seconds late.
        static let lateness = Faults(rawValue: 32)
        /// Some halls have an `exit` below `enterWindow`.
        static let shortExits = Faults(rawValue: 64)
        /// In some minutes the horizon is the last report, foreign ones too.
        static let horizon = Faults(rawValue: 128)
        /// Some halls have regions that take whoever is not listed.
        static let unregistered = Faults(rawValue: 256)
        static let all: Faults = [
            .deafness, .restarts, .reloads, .duty, .limits, .lateness, .shortExits, .horizon, .unregistered,
        ]
    }

    /// One input of an engine, or what is done to the process around it.
    enum Input {
        case sighting(Sighting)
        case listening(Bool)
        case window(open: Bool)
        case tick
        /// A report that carries data came.
        case heard
        /// What the horizon is after a report.
        case horizon(Instant?)
        case reload(Registry)
        /// The process ends; what it knew is kept.
        case stop
        /// It is there again.
        case start(Away)
        case awayKnown(Duration)
    }

    struct Step {
        var instant: Instant
        var input: Input
    }

    let seed: UInt64
    let hall: SimulatedHall
    let registry: Registry
    /// In arrival order.
    private(set) var steps: [Step] = []
    let deaf: [Range<Instant>]
    let end: Instant
    /// The exit time in force at the start, and but for reloads always.
    let exit: Duration

    /// When another registry takes effect.
    var reloads: Set<Instant> {
        Set(steps.compactMap { step in if case .reload = step.input { step.instant } else { nil } })
    }

    /// Regions that wake for each beacon.
    static let each: Set<String> = ["badges", "first", "second"]
    /// Some 1,500 sightings.
    private static let length = Duration.seconds(480)
    private let isBounded: Bool

    init(seed: UInt64, faults: Faults) {
        let draws = SplitMix64(seed: seed).stream(77)
        let duty = faults.contains(.duty) && draws.unit(at: 0) < 0.3 ? Self.dutyOfSeed(seed) : .continuous
        let settings = Self.settings(draws, duty: duty, faults: faults)
        self.seed = seed
        isBounded = faults.contains(.horizon)
        hall = SimulatedHall(seed: seed, plan: Self.plan(settings))
        let variant = Self.start(seed, faults)
        registry = Registry(venue: Self.venue(of: hall, faults: faults, settings: settings, variant: variant))
        exit = .seconds(decimal: settings[.exit] ?? 60)
        deaf = faults.contains(.deafness) ? Self.spans(draws.stream(1), lengths: [0.5, 5, 30, 120]) : []
        let absences =
            faults.contains(.restarts) ? Self.spans(draws.stream(2), lengths: [0, 0.001, 8, 100, 1_200]) : []
        end = max(.boot + Self.length, (absences.last?.upperBound ?? .boot) + .seconds(120))
        play(absences: absences, duty: duty, draws: draws)
        if faults.contains(.reloads) { addReloads(draws.stream(4), faults: faults, settings: settings, absences) }
        if faults.contains(.lateness) { delay(draws.stream(5)) }
        steps.append(Step(instant: end, input: .tick))
    }

    private static func dutyOfSeed(_ seed: UInt64) -> Duty { seed % 2 == 0 ? .gate : .saver }

    private static func plan(_ settings: SettingOverrides) -> HallPlan {
        var plan = HallPlan()
        plan.visitors = 5
        plan.exhibits = 1
        plan.strangers = 2
        plan.intervals = [
            .init(.milliseconds(500), weight: 1), .init(.seconds(1), weight: 3), .init(.seconds(3), weight: 3),
        ]
        plan.visit = .seconds(15)...(.seconds(90))
        plan.pause = .seconds(3)...(.seconds(60))
        plan.missingRSSI = 0.02
        plan.settings = settings
        return plan
    }

    private static func settings(_ draws: SplitMix64, duty: Duty, faults: Faults) -> SettingOverrides {
        func one(of choices: [Double], at index: Int64) -> Double {
            choices[Int(draws.whole(at: index, below: Int64(choices.count)))]
        }
        var settings = SettingOverrides()
        settings[.enterHits] = one(of: [1, 2, 3, 3], at: 1)
        let exits = faults.contains(.shortExits) ? [4.0, 10, 20, 60] : [10, 20, 60]
        settings[.exit] = duty == .continuous ? one(of: exits, at: 2) : 60
        settings[.cooldown] = one(of: [0, 10, 30, 60, 60], at: 3)
        return settings
    }

    /// The variant at the start: 0, or that whose regions take whoever is not listed.
    private static func start(_ seed: UInt64, _ faults: Faults) -> Int64 {
        faults.contains(.unregistered) && seed % 3 == 1 ? 3 << 9 : 0
    }

    /// The bits of a variant say what differs from the plain registry.
    private static func venue(
        of hall: SimulatedHall, faults: Faults, settings: SettingOverrides, variant: Int64
    ) -> Venue {
        func isSet(_ bit: Int64) -> Bool { variant & 1 << bit != 0 }
        let uuid = SimulatedHall.uuid
        let badge = SimulatedHall.badgeMajor
        var limit = SettingOverrides()
        if faults.contains(.limits) { limit[.enterRSSI] = -80 }
        var regions = [
            RegionDefinition(identifier: isSet(0) ? "renamed" : "hall", scope: RegionScope(uuid: uuid)),
            RegionDefinition(
                identifier: "badges", scope: RegionScope(uuid: uuid, major: isSet(1) ? 7 : badge), wake: .each),
            RegionDefinition(identifier: "exhibits", scope: RegionScope(uuid: uuid, major: 1001), wake: WakeRule.none),
            RegionDefinition(
                identifier: "first", scope: RegionScope(uuid: uuid, major: badge, minor: 1), settings: limit),
        ]
        if !isSet(2) {
            regions.append(
                RegionDefinition(
                    identifier: "second", scope: RegionScope(uuid: uuid, major: badge, minor: 2), notifyOnExit: false))
        }
        if isSet(9) {
            regions[0].unregistered = true
            regions[1].unregistered = true
        }
        var venue = hall.venue
        venue.regions = regions
        if isSet(3) { venue.beacons.removeAll { $0.major == badge && $0.minors.contains(3) } }
        if isSet(10) { venue.beacons.removeAll { $0.major == badge && $0.minors.lowerBound > 3 } }
        if isSet(4), let index = venue.beacons.firstIndex(where: { $0.major == badge && $0.minors.contains(1) }) {
            venue.beacons[index].kind = .fixed
        }
        if isSet(5) { venue.settings[.exit] = 60 }
        if isSet(6) { venue.settings[.cooldown] = 20 }
        if isSet(7) { venue.settings[.filterSamples] = 20 }
        if isSet(8) { venue.beacons.reverse() }
        return venue
    }

    /// Up to three spans within the eight minutes, in order and apart.
    private static func spans(_ draws: SplitMix64, lengths: [Double]) -> [Range<Instant>] {
        let starts = (0..<draws.whole(at: 0, below: 4)).map { draws.unit(at: 10 + $0) * 480 }.sorted()
        var spans: [Range<Instant>] = []
        for (number, start) in starts.enumerated() {
            let begin = Instant.boot + .seconds(decimal: start)
            let length = lengths[Int(draws.whole(at: 20 + Int64(number), below: Int64(lengths.count)))]
            guard spans.last.map({ $0.upperBound + .seconds(10) < begin }) ?? true else { continue }
            spans.append(begin..<(begin + .seconds(decimal: length)))
        }
        return spans
    }

    private mutating func play(absences: [Range<Instant>], duty: Duty, draws: SplitMix64) {
        var begin = Instant.boot
        for (number, absence) in absences.enumerated() {
            playPart(from: begin, until: absence.lowerBound, duty: duty)
            let away = absence.upperBound - absence.lowerBound
            let isKnown = draws.unit(at: 40 + Int64(number)) < 0.7
            steps.append(Step(instant: absence.lowerBound, input: .stop))
            steps.append(Step(instant: absence.upperBound, input: .start(isKnown ? .known(away) : .unknown)))
            begin = absence.upperBound
            guard !isKnown else { continue }
            // The clock is set a little later.
            playPart(from: begin, until: begin + .seconds(4), duty: duty)
            begin += .seconds(4)
            steps.append(Step(instant: begin, input: .awayKnown(away)))
        }
        playPart(from: begin, until: end, duty: duty)
    }

    /// The horizon after a report at an instant.
    private func horizon(at instant: Instant) -> Instant? {
        let minute = (instant - .boot).wholeNanoseconds / 60_000_000_000
        return SplitMix64(seed: seed).stream(78).unit(at: minute) < 0.6 ? instant : nil
    }

    private mutating func playPart(from: Instant, until: Instant, duty: Duty) {
        var source = HallSource(hall: hall, from: from, until: until, duty: duty, deaf: deaf)
        var frame = FrameBuffer()
        var parsed = ParsedFrame()
        while let (input, instant) = source.next(into: &frame) {
            switch input {
            case .frame:
                AdvertisingParser.parse(frame.bytes.span, into: &parsed)
                if isBounded { steps.append(Step(instant: instant, input: .heard)) }
                for sighting in parsed.sightings { steps.append(Step(instant: instant, input: .sighting(sighting))) }
                if isBounded { steps.append(Step(instant: instant, input: .horizon(horizon(at: instant)))) }
            case .sighting(let sighting): steps.append(Step(instant: instant, input: .sighting(sighting)))
            case .listening(let on): steps.append(Step(instant: instant, input: .listening(on)))
            case .window(let open): steps.append(Step(instant: instant, input: .window(open: open)))
            case .tick: steps.append(Step(instant: instant, input: .tick))
            }
        }
    }

    private mutating func addReloads(
        _ draws: SplitMix64, faults: Faults, settings: SettingOverrides, _ absences: [Range<Instant>]
    ) {
        for number in 0..<draws.whole(at: 0, below: 5) {
            let instant = Instant.boot + .seconds(decimal: draws.unit(at: 10 + number) * 480)
            guard !absences.contains(where: { $0.contains(instant) }) else { continue }
            let drawn = Int64(draws.bits(at: 20 + number) & draws.bits(at: 30 + number) & 0x7FF)
            let variant = faults.contains(.unregistered) ? drawn ^ Self.start(seed, faults) : drawn & 0x1FF
            let venue = Self.venue(of: hall, faults: faults, settings: settings, variant: variant)
            insert(Step(instant: instant, input: .reload(Registry(venue: venue))))
        }
    }

    /// Puts a step behind those of its instant.
    mutating func insert(_ step: Step) {
        let place = steps.firstIndex { $0.instant > step.instant } ?? steps.endIndex
        steps.insert(step, at: place)
    }

    private mutating func delay(_ draws: SplitMix64) {
        for number in stride(from: Int64(draws.whole(at: 0, below: 50)), to: Int64(steps.count), by: 50) {
            let place = Int(number)
            guard case .sighting = steps[place].input else { continue }
            let arrival = steps[place].instant + .seconds(decimal: 5 * draws.unit(at: number + 1))
            var target = place
            while target + 1 < steps.count, steps[target + 1].instant <= arrival {
                if case .stop = steps[target + 1].input { break }
                target += 1
            }
            steps.insert(steps.remove(at: place), at: target)
        }
    }
}

/// How many seeds a property is tried on: a few in an ordinary run, many where `REGIOND_SLOW` is set.
let seeds: Range<UInt64> = 0..<(ProcessInfo.processInfo.environment["REGIOND_SLOW"] == nil ? 200 : 20_000)

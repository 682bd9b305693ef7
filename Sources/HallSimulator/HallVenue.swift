// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

extension SimulatedHall {
    /// The hall as a registry file would describe it.
    static func venue(
        _ plan: HallPlan, exhibits: [BeaconIdentity], places: [Place], visitors: [BeaconIdentity]
    ) -> Venue {
        var beacons: [BeaconEntry] = []
        for (number, beacon) in exhibits.enumerated() {
            beacons.append(
                entry(
                    beacon, name: "Exhibit \(padded(number + 1))", exhibit: "exhibit-\(padded(number + 1))",
                    kind: .fixed, place: places[number]))
        }
        for (number, beacon) in visitors.enumerated() {
            beacons.append(
                entry(
                    beacon, name: "Visitor \(padded(number + 1))", kind: .carried, group: "G-\(padded(number + 1))"))
        }
        let receiver = ReceiverEntry(
            id: "hall", name: "Simulated receiver", x: plan.receiverX, y: plan.receiverY)
        return Venue(venueId: "simulated-hall", beacons: beacons, receivers: [receiver], settings: plan.settings)
    }

    private static func entry(
        _ beacon: BeaconIdentity, name: String, exhibit: String? = nil, kind: Mobility, group: String? = nil,
        place: Place? = nil
    ) -> BeaconEntry {
        BeaconEntry(
            uuid: beacon.uuid, major: beacon.major, minors: beacon.minor...beacon.minor, name: name, exhibit: exhibit,
            kind: kind, group: group, x: place.map { decimetres($0.x) }, y: place.map { decimetres($0.y) })
    }

    /// Two digits at least, so that lists sort.
    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func decimetres(_ metres: Double) -> Double { (metres * 10).rounded() / 10 }

    /// Exhibits, visitors, strangers, each with the traits that its number draws.
    static func senders(
        _ plan: HallPlan, exhibits: [BeaconIdentity], places: [Place], visitors: [BeaconIdentity], draws: SplitMix64
    ) -> [Sender] {
        let traits = draws.stream(3)
        var senders: [Sender] = []
        func add(_ bearer: Sender.Bearer, _ data: [UInt8], rotatesAddress: Bool) {
            let own = traits.stream(UInt64(senders.count))
            senders.append(
                Sender(
                    bearer: bearer, data: data, rotatesAddress: rotatesAddress, plan: plan,
                    interval: interval(plan, own), draws: own))
        }
        for (beacon, place) in zip(exhibits, places) {
            add(.hangs(at: place), advertisement(of: beacon, plan), rotatesAddress: false)
        }
        for (number, beacon) in visitors.enumerated() {
            // A badge that is a phone changes its address; its identity stays.
            add(.carried(by: number), advertisement(of: beacon, plan), rotatesAddress: number % 3 == 2)
        }
        for number in 0..<plan.strangers {
            let place = Place(
                x: traits.unit(at: Int64(2 * number)) * plan.width,
                y: traits.unit(at: Int64(2 * number + 1)) * plan.depth)
            add(.hangs(at: place), strangeAdvertisement(number, plan), rotatesAddress: number % 2 == 0)
        }
        return senders
    }

    private static func interval(_ plan: HallPlan, _ draws: SplitMix64) -> Duration {
        var ticket = draws.whole(at: 3, below: Int64(plan.intervals.reduce(0) { $0 + $1.weight }))
        for interval in plan.intervals {
            ticket -= Int64(interval.weight)
            if ticket < 0 { return interval.duration }
        }
        return .seconds(1)  // Only of an empty table: what most beacons do.
    }

    private static func advertisement(of beacon: BeaconIdentity, _ plan: HallPlan) -> [UInt8] {
        var data: [UInt8] = []
        AdvertisingEncoder.appendIBeacon(beacon, measuredPower: plan.measuredPower, to: &data)
        return data
    }

    /// What else is in the air of a hall, one kind after the other.
    private static func strangeAdvertisement(_ number: Int, _ plan: HallPlan) -> [UInt8] {
        switch number % 6 {
        case 0:  // A phone: Apple's nearby message.
            [0x02, 0x01, 0x1A, 0x0A, 0xFF, 0x4C, 0x00, 0x10, 0x05, 0x01, 0x18, 0x3C, 0x2F, 0x9A]
        case 1:  // Somebody else's iBeacon.
            advertisement(
                of: BeaconIdentity(
                    uuid: BeaconUUID(high: 0xF7826DA6_4FA24E98, low: 0x8024BC5B_71E0893E), major: 1,
                    minor: UInt16(number + 1)), plan)
        case 2:  // Eddystone-URL.
            [
                0x02, 0x01, 0x06, 0x03, 0x03, 0xAA, 0xFE, 0x0D, 0x16, 0xAA, 0xFE, 0x10, 0xEB, 0x03, 0x65, 0x78, 0x61,
                0x6D, 0x70, 0x6C, 0x65,
            ]
        case 3:  // One of ours that nobody put into the registry.
            advertisement(of: BeaconIdentity(uuid: uuid, major: 9, minor: UInt16(number + 1)), plan)
        case 4:  // An answer to somebody else's scan request, with nothing in it.
            []
        default:  // A device whose structure runs past the end of its data.
            [0x02, 0x01, 0x06, 0x1A, 0xFF, 0x59, 0x00, 0x01]
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing

private let hall = BeaconUUID(high: 0xA1B2_C3D4_E5F6_4708, low: 0x8910_1112_1314_15AB)
private let annex = BeaconUUID(high: 0xA1B2_C3D4_E5F6_4708, low: 0x8910_1112_1314_15AC)

private func beacon(_ major: UInt16, _ minor: UInt16, uuid: BeaconUUID = hall, id: String? = nil) -> BeaconEntry {
    BeaconEntry(uuid: uuid, major: major, minors: minor...minor, exhibit: id)
}

private func badges(_ major: UInt16, _ minors: ClosedRange<UInt16>) -> BeaconEntry {
    BeaconEntry(uuid: hall, major: major, minors: minors, isRange: true)
}

private func region(_ identifier: String, major: UInt16? = nil, minor: UInt16? = nil) -> RegionDefinition {
    RegionDefinition(identifier: identifier, scope: RegionScope(uuid: hall, major: major, minor: minor))
}

struct DerivedRegionsTests {
    @Test func `with one UUID the regions are named by numbers, widest first, and an id replaces its name`() {
        var named = beacon(1001, 2003, id: "whale")
        named.name = "The whale"
        let venue = Venue(
            venueId: "hall-a", beacons: [beacon(1002, 1), named, badges(2000, 1...500), beacon(1001, 7)])
        let regions = venue.effectiveRegions
        #expect(
            regions.map(\.identifier) == [
                "hall-a", "hall-a.1002", "hall-a.1001", "hall-a.2000", "hall-a.1002.1", "whale", "hall-a.1001.7",
            ])
        #expect(regions[5].name == "The whale")
        #expect(regions[5].scope == RegionScope(uuid: hall, major: 1001, minor: 2003))
        #expect(regions.map(\.wake) == [.first, .first, .first, .first, .each, .each, .each])
    }

    @Test func `with several UUIDs each name holds its UUID`() {
        let venue = Venue(venueId: "h", beacons: [beacon(1, 2), beacon(1, 2, uuid: annex)])
        #expect(
            venue.effectiveRegions.map(\.identifier) == [
                "h.\(hall)", "h.\(annex)", "h.\(hall).1", "h.\(annex).1", "h.\(hall).1.2", "h.\(annex).1.2",
            ])
        #expect(VenueRules.faults(in: venue).isEmpty, "derived names may be longer than 64 bytes")
    }

    @Test func `regions of the file stand alone, an empty list too`() {
        #expect(Venue(venueId: "h", beacons: [beacon(1, 2)], regions: []).effectiveRegions.isEmpty)
        #expect(Venue(venueId: "h", beacons: []).effectiveRegions.isEmpty)
    }
}

struct VenueRulesTests {
    @Test func `a sound venue has no faults`() {
        let venue = Venue(
            venueId: "hall-a", beacons: [badges(1, 1...2000), beacon(1, 2001, id: "whale"), beacon(2, 5)],
            regions: [region("hall-a"), region("one", major: 1), region("five", major: 2, minor: 5)],
            receivers: [ReceiverEntry(id: "gate"), ReceiverEntry(id: "one")])
        #expect(VenueRules.faults(in: venue).isEmpty)
    }

    @Test func `an identity that stands twice is told at the later entry`() {
        let venue = Venue(venueId: "h", beacons: [beacon(7, 1), beacon(1, 2), beacon(1, 2, uuid: annex), beacon(1, 2)])
        #expect(
            VenueRules.faults(in: venue) == [
                VenueFault(
                    place: .beacon(3, .minor), other: .beacon(1, .minor),
                    problem: .sameIdentity(BeaconIdentity(uuid: hall, major: 1, minor: 2)))
            ])
    }

    @Test func `ranges overlap with numbers in them, with each other, and at their ends`() {
        let venue = Venue(
            venueId: "h",
            beacons: [
                badges(1, 10...20), beacon(1, 9), beacon(1, 15), badges(1, 20...30), badges(1, 25...26), beacon(1, 31),
            ])
        let pairs = VenueRules.faults(in: venue).map { [$0.place, $0.other] }
        #expect(
            pairs == [
                [.beacon(2, .minor), .beacon(0, .minors)], [.beacon(3, .minors), .beacon(0, .minors)],
                [.beacon(4, .minors), .beacon(3, .minors)],
            ])
    }

    @Test func `a million identities are kept, one more is not`() {
        let boxes = (0..<15).map { badges($0, 0...65_535) }
        let rest = badges(15, 0...UInt16(VenueRules.mostIdentities - 15 * 65_536 - 1))
        #expect(VenueRules.faults(in: Venue(venueId: "h", beacons: boxes + [rest])).isEmpty)
        let faults = VenueRules.faults(in: Venue(venueId: "h", beacons: boxes + [rest, beacon(99, 1)]))
        #expect(faults.map(\.problem) == [.tooManyIdentities(1_000_001)])
    }

    @Test func `two hundred thousand entries of one beacon are not compared each with each`() {
        let venue = Venue(venueId: "h", beacons: Array(repeating: beacon(1, 2), count: 200_000))
        #expect(VenueRules.faults(in: venue).count == 199_999)
    }

    @Test(
        arguments: [
            ("", .identifierLength(0)), ("hall/a", .identifierCharacter), ("a\u{0}", .identifierCharacter),
            ("a\u{7F}", .identifierCharacter), ("a\u{85}", .identifierCharacter),
            (String(repeating: "é", count: 32), nil),
            (String(repeating: "é", count: 33), .identifierLength(66)), ("序厅 1", nil),
        ] as [(String, VenueFault.Problem?)])
    func `identifiers have 1 to 64 bytes, no control characters and no slash`(
        text: String, problem: VenueFault.Problem?
    ) {
        let venue = Venue(
            venueId: text, beacons: [beacon(1, 1, id: text + text)], regions: [region(text)],
            receivers: [ReceiverEntry(id: text)])
        let faults = VenueRules.faults(in: venue).filter { $0.place != .beacon(0, .id) }
        #expect(faults.map(\.problem) == (problem.map { [$0, $0, $0] } ?? []))
    }

    @Test func `an id is no other identifier, derived ones included`() {
        let ids = ["h.1", "whale", "whale", "h", "h.2.5", "h.1.1"]
        let beacons = ids.enumerated().map { beacon(1, UInt16($0.offset), id: $0.element) } + [beacon(2, 5)]
        let faults = VenueRules.faults(in: Venue(venueId: "h", beacons: beacons))
        #expect(
            Set(faults.map { [$0.place, $0.other] }) == [
                [.beacon(0, .id), .beacon(0, .major)], [.beacon(2, .id), .beacon(1, .id)],
                [.beacon(3, .id), .venue(.venueId)], [.beacon(4, .id), .beacon(6, .minor)],
            ])
        #expect(faults.contains { $0.problem == .derivedIdentifierTaken("h.1") })
    }

    @Test func `two regions of one name, and an id that is a region's name, are told`() {
        let venue = Venue(
            venueId: "h", beacons: [beacon(1, 2, id: "b")], regions: [region("a"), region("b", major: 1), region("a")])
        #expect(
            Set(VenueRules.faults(in: venue).map { [$0.place, $0.other] }) == [
                [.region(2, .identifier), .region(0, .identifier)], [.beacon(0, .id), .region(1, .identifier)],
            ])
    }

    @Test func `a minor needs a major`() {
        let faults = VenueRules.faults(in: Venue(venueId: "h", beacons: [], regions: [region("a", minor: 1)]))
        #expect(faults == [VenueFault(place: .region(0, .minor), other: nil, problem: .minorWithoutMajor)])
    }

    @Test func `receivers are at most 32, and each once`() {
        let many = (0..<33).map { ReceiverEntry(id: "r\($0 % 32)") }
        let faults = VenueRules.faults(in: Venue(venueId: "h", beacons: [], receivers: many))
        #expect(
            faults == [
                VenueFault(place: .venue(.receivers), other: nil, problem: .tooManyReceivers(33)),
                VenueFault(place: .receiver(32, .id), other: .receiver(0, .id), problem: .sameReceiver("r0")),
            ])
    }

    @Test(
        arguments: [
            (nil, nil, nil, nil, nil), (-70, -70, nil, nil, nil), (-70, -69, nil, nil, .venue(.exitRSSI)),
            (nil, -60, nil, nil, nil), (-70, -74, -80, nil, .region(0, .enterRSSI)),
            (-70, nil, nil, -69, .region(0, .exitRSSI)), (-70, -74, -80, -84, nil), (-70, nil, -80, nil, nil),
        ] as [(Double?, Double?, Double?, Double?, VenuePlace?)])
    func `exitRSSI is never above enterRSSI where both hold`(
        enter: Double?, exit: Double?, regionEnter: Double?, regionExit: Double?, place: VenuePlace?
    ) {
        var venue = Venue(venueId: "h", beacons: [], regions: [region("a")])
        venue.settings[.enterRSSI] = enter
        venue.settings[.exitRSSI] = exit
        venue.regions?[0].settings[.enterRSSI] = regionEnter
        venue.regions?[0].settings[.exitRSSI] = regionExit
        #expect(VenueRules.faults(in: venue).map(\.place) == (place.map { [$0] } ?? []))
    }

    @Test(
        arguments: [
            (-1, nil, nil, nil, nil), (0, nil, nil, nil, .venue(.enterRSSI)), (0, 1, nil, nil, nil),
            (0, 0, nil, nil, .venue(.enterRSSI)), (nil, 1, 5, nil, nil), (nil, nil, 5, 1, nil),
            (nil, nil, 5, nil, .region(0, .enterRSSI)), (nil, 1, 5, 0, .region(0, .enterRSSI)),
            (5, 1, nil, 0, .region(0, .relativeRSSI)), (5, nil, nil, 0, .venue(.enterRSSI)),
            (5, 1, nil, nil, nil), (5, nil, -3, nil, .venue(.enterRSSI)), (-70, 1, nil, 0, nil),
        ] as [(Double?, Double?, Double?, Double?, VenuePlace?)])
    func `a limit of 0 and above needs relativeRSSI where it holds`(
        enter: Double?, relative: Double?, regionEnter: Double?, regionRelative: Double?, place: VenuePlace?
    ) {
        var venue = Venue(venueId: "h", beacons: [], regions: [region("a")])
        venue.settings[.enterRSSI] = enter
        venue.settings[.relativeRSSI] = relative
        venue.regions?[0].settings[.enterRSSI] = regionEnter
        venue.regions?[0].settings[.relativeRSSI] = regionRelative
        #expect(VenueRules.faults(in: venue).map(\.place) == (place.map { [$0] } ?? []))
    }

    @Test func `a region names listed receivers and groups`() {
        let receivers = [ReceiverEntry(id: "a", group: "east"), ReceiverEntry(id: "b")]
        func faults(_ names: [String]?) -> [VenueFault] {
            var region = region("r")
            region.receivers = names
            return VenueRules.faults(
                in: Venue(venueId: "h", beacons: [], regions: [region], receivers: receivers))
        }
        #expect(faults(nil).isEmpty)
        #expect(faults(["a", "east", "b", "b"]).isEmpty)
        #expect(faults([]).map(\.problem) == [.noReceivers])
        #expect(
            faults(["b", "West"]) == [
                VenueFault(place: .receiverOfRegion(0, 1), other: nil, problem: .unknownReceiver("West"))
            ])
    }

    @Test(
        arguments: [
            (["a": "g", "b": "g"], nil), (["a": "a", "b": "a"], nil), (["a": nil, "b": "a"], "a"),
            (["a": "b", "b": "a"], "b"), (["a": "b", "b": "c"], "b"),
        ] as [([String: String?], String?)])
    func `a group is not called after a receiver outside it`(groups: [String: String?], fault: String?) {
        let receivers = groups.sorted { $0.key < $1.key }.map { ReceiverEntry(id: $0.key, group: $0.value) }
        let faults = VenueRules.faults(in: Venue(venueId: "h", beacons: [], receivers: receivers))
        #expect(faults.first?.problem == fault.map { .groupIsReceiver($0) })
    }

    @Test func `a group is told once, however many are in it, and its name is an identifier`() {
        let members = (0..<5).map { ReceiverEntry(id: "r\($0)", group: "gate") }
        let venue = Venue(venueId: "h", beacons: [], receivers: [ReceiverEntry(id: "gate")] + members)
        #expect(
            VenueRules.faults(in: venue) == [
                VenueFault(place: .receiver(1, .group), other: .receiver(0, .id), problem: .groupIsReceiver("gate"))
            ])
        let misspelt = Venue(venueId: "h", beacons: [], receivers: [ReceiverEntry(id: "a", group: "x/y")])
        #expect(
            VenueRules.faults(in: misspelt) == [
                VenueFault(place: .receiver(0, .group), other: nil, problem: .identifierCharacter)
            ])
    }

    @Test func `a region of one beacon takes no unregistered ones`() {
        var regions = [region("a"), region("b", major: 1), region("c", major: 1, minor: 2)]
        for index in regions.indices { regions[index].unregistered = true }
        #expect(
            VenueRules.faults(in: Venue(venueId: "h", beacons: [], regions: regions)) == [
                VenueFault(
                    place: .region(2, .unregistered), other: .region(2, .minor), problem: .unregisteredBeacon)
            ])
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// One visit of one badge, as the store would hand it out: what the documents show, and what is compared with them.
enum EventSamples {
    static let anchor = ClockAnchor(instant: .boot, wallTime: nineOClock, synchronised: true)
    static let nineOClock = WallTime(rfc3339: "2026-11-30T09:00:00Z") ?? .epoch
    static let badge = BeaconDescription(
        identity: BeaconIdentity(
            uuid: BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0), major: 1001, minor: 2003),
        name: "Badge 17", group: "G-12")

    static let enter = committed(
        4711,
        event(
            .enter, .hits, at: 1.25, detectedAt: 3.41,
            regions: [
                RegionChange(region: "hall-a.1001", occupancy: 5, edge: false),
                RegionChange(region: "hall-a", occupancy: 31, edge: false, wake: .told),
            ],
            evidence: Evidence(
                hits: 3, rssi: -67, filteredRSSI: -66.4, tier: .mid, distance: .from2to5, receiver: "gate-north",
                listened: .seconds(decimal: 2.16)), nearest: "gate-north", place: gateNorth))

    /// Where the receiver `gate-north` hangs.
    static let gateNorth = Place(floor: "1", x: 12.4, y: 8.1)
    private static let vitrine = Place(exhibit: "E-4", floor: "1", x: 20, y: 8.125)

    static let nearest = committed(
        4712,
        event(
            .nearest, .moved, at: 12.5, detectedAt: 12.5, regions: [], evidence: heardByVitrine, nearest: "vitrine",
            change: NearestChange(from: "gate-north", to: "vitrine", fromScore: -14.25, toScore: -8.1),
            place: vitrine))

    static let movedOut = committed(
        4713,
        event(
            .exit, .moved, at: 12.5, detectedAt: 12.5,
            regions: [RegionChange(region: "gate", occupancy: 0, edge: true, wake: .told)],
            endsVisit: false, evidence: heardByVitrine, nearest: "vitrine", place: vitrine))

    static let movedIn = committed(
        4714,
        event(
            .enter, .moved, at: 12.5, detectedAt: 12.5,
            regions: [RegionChange(region: "showcase", occupancy: 2, edge: false)],
            evidence: heardByVitrine, nearest: "vitrine", place: vitrine))

    private static let heardByVitrine = Evidence(
        hits: 0, rssi: -67, filteredRSSI: -67.5, tier: .mid, distance: .from2to5, receiver: "vitrine", listened: .zero)

    static let exit = committed(
        4715,
        event(
            .exit, .silence, at: 31.5, detectedAt: 61.5,
            regions: [
                RegionChange(region: "hall-a.1001", occupancy: 4, edge: false),
                RegionChange(region: "hall-a", occupancy: 30, edge: false, wake: .waiting),
            ], evidence: unheard, nearest: "gate-north", place: gateNorth))

    static let wake = committed(
        4719,
        event(
            .wake, .silence, at: 31.5, detectedAt: 63.41,
            regions: [RegionChange(region: "hall-a", occupancy: 30, edge: false, wake: .told)], evidence: unheard),
        of: 4715)

    private static let unheard = Evidence(
        hits: 0, rssi: -81, filteredRSSI: nil, tier: nil, distance: nil, receiver: "gate-north", listened: .seconds(30))

    static func event(
        _ kind: RegionEvent.Kind, _ reason: RegionEvent.Reason, at: Double, detectedAt: Double,
        beacon: BeaconDescription = badge, regions: [RegionChange], endsVisit: Bool? = nil, uncertain: Bool = false,
        evidence: Evidence, nearest: String? = nil, change: NearestChange? = nil, place: Place? = nil
    ) -> RegionEvent {
        RegionEvent(
            ordinal: 0, kind: kind, reason: reason, at: .boot + .seconds(decimal: at),
            detectedAt: .boot + .seconds(decimal: detectedAt), beacon: beacon, regions: regions, visit: 902,
            enteredAt: .boot + .seconds(decimal: 1.25), endsVisit: endsVisit ?? (kind == .exit), uncertain: uncertain,
            evidence: evidence, nearest: nearest, change: change, place: place)
    }

    static func committed(_ seq: Int64, _ event: RegionEvent, of: Int64? = nil) -> CommittedEvent {
        CommittedEvent(
            seq: seq, id: "hall-a-box-1-9f3c2e-\(seq)", event: event, at: anchor.wallTime(at: event.at),
            detectedAt: anchor.wallTime(at: event.detectedAt), clockSynchronised: true, source: .radio, settings: 12,
            of: of)
    }

    /// The field a minute after nine: the badge inside, another entering, a stranger.
    static var field: FieldState {
        var field = FieldState(asOf: .boot + .seconds(60), receiver: "gate-north", listening: true)
        field.registered = 100
        field.registeredHeard = 97
        field.neverHeard = ["序厅主展项", "Vitrine 4"]
        field.regions = [RegionState(region: "hall-a", occupancy: 31, verified: 30, listening: true, capacity: 250)]
        field.receivers = [
            FieldState.ReceiverRow(
                id: "gate-north", name: "North gate", kind: .fixed, registered: true, listening: true,
                heardUntil: field.asOf, sightings: 65_002),
            FieldState.ReceiverRow(
                id: "trolley", name: nil, kind: .carried, registered: true, listening: false,
                heardUntil: .boot + .seconds(decimal: 21.5), sightings: 98, nearest: "序厅主展项"),
        ]
        field.reports = 65_102
        field.withoutRSSI = 2
        field.discards[.foreign] = 3_402
        var radio = RadioStatus(state: .scanning, since: .boot - .seconds(decimal: 7_199.4))
        radio.adapter = "hci0 00:1A:7D:DA:71:13"
        radio.delivered = 61_244
        radio.restarts = 1
        radio.isFiltered = true
        field.radios = [FieldState.ReceiverRadio(receiver: "gate-north", sourceText: "hci:0", status: radio)]
        var settings = SettingOverrides()
        settings[.exit] = 30
        field.settings = settings.inForce
        field.beacons = [
            FieldState.BeaconRow(
                beacon: badge, advertiser: DeviceAddress(bits: 0xC0FF_EE00_0001), rssi: -67, filteredRSSI: -66.4,
                tier: .mid, distance: .from2to5, measuredPower: -59, implausiblePower: false,
                lastHeard: .boot + .seconds(decimal: 59.6), sightings: 214,
                state: .inside(since: .boot + .seconds(decimal: 1.25), verified: true), missing: nil),
            FieldState.BeaconRow(
                beacon: BeaconDescription(
                    identity: BeaconIdentity(uuid: badge.identity.uuid, major: 1001, minor: 2004)),
                advertiser: nil, rssi: nil, filteredRSSI: nil, tier: nil, distance: nil, measuredPower: 3,
                implausiblePower: true, lastHeard: .boot + .seconds(58), sightings: 2,
                state: .entering(hits: 2, of: 3), missing: "2 of 3 hits"),
        ]
        field.beacons[0].nearest = "gate-north"
        field.beacons[1].severalAdvertisers = true
        field.beacons[0].hint = "heard every 24 s at worst: set exit 75"
        return field
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import RegionCore
import Testing
import Time

struct FieldWriterTests {
    private func document(_ field: FieldState, lastWake: CommittedEvent? = nil) -> String {
        let report = FieldReport(
            field: field, anchor: EventSamples.anchor, gateway: "g", source: .simulated, sourceText: "simulated:hall",
            version: "1", startedAt: .boot, lastWakeOfBox: lastWake)
        return String(decoding: FieldWriter.json(report), as: UTF8.self)
    }

    private func row(_ state: FieldState.State, minor: UInt16 = 1) -> FieldState.BeaconRow {
        FieldState.BeaconRow(
            beacon: BeaconDescription(
                identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: minor)),
            advertiser: nil, rssi: -70, filteredRSSI: nil, tier: nil, distance: nil, measuredPower: nil,
            implausiblePower: false, lastHeard: .boot, sightings: 1, state: state, missing: nil)
    }

    @Test(arguments: [
        (FieldState.State.unregistered, "unregistered"), (.healthy, "healthy"), (.missing, "missing"),
        (.outside, "outside"), (.entering(hits: 2, of: 3), "entering"),
        (.inside(since: .boot, verified: false), "inside"),
    ])
    func `each state has its name, and every key is there in each`(state: FieldState.State, name: String) {
        var field = FieldState(asOf: .boot + .seconds(5), receiver: "r", listening: true)
        field.beacons = [row(state)]
        let text = document(field)
        let isEntering = name == "entering"
        let isInside = name == "inside"
        #expect(
            text.contains(
                #""lastHeardSeconds":5,"sightings":1,"state":"\#(name)","hits":\#(isEntering ? "2" : "null"),"#
                    + #""hitsNeeded":\#(isEntering ? "3" : "null"),"insideSeconds":\#(isInside ? "5" : "null"),"#
                    + #""verified":\#(isInside ? "false" : "null"),"missing":null,"nearest":null,"#
                    + #""severalAdvertisers":false,"hint":null,"lastWake":null"#))
    }

    @Test func `a flood of beacons is cut off and the rest counted`() {
        var field = FieldState(asOf: .boot, receiver: "r", listening: true)
        field.beacons = (0..<UInt16(FieldLimit.beacons + 7)).map { row(.unregistered, minor: $0) }
        let text = document(field)
        #expect(text.contains(#""omitted":7"#))
        #expect(text.count(of: #""minor":"#) == FieldLimit.beacons)
    }

    @Test func `a wake is told as the exit it is about, and its age never lies in the future`() {
        let field = FieldState(asOf: .boot, receiver: "r", listening: false)
        let text = document(field, lastWake: EventSamples.wake)
        #expect(text.contains(#""lastWake":{"seq":4719,"direction":"exit","ageSeconds":0,"regions":["hall-a"],"#))
    }

    @Test func `settings are written as the registry has them, flags as true or false`() {
        var field = FieldState(asOf: .boot, receiver: "r", listening: true)
        field.settings = SettingOverrides().inForce
        #expect(document(field).contains(#""relativeRSSI":false,"#))
        field.settings[.relativeRSSI] = 1
        #expect(
            document(field).contains(#""exitDeficit":20.0,"relativeRSSI":true,"belowLoudest":false,"cooldown":60.0,"#))
    }

    @Test func `without beacons, wakes or trouble the document is whole`() {
        let text = document(FieldState(asOf: .boot, receiver: "r", listening: false))
        for part in [
            #""listening":false"#, #""trouble":[]"#, #""neverHeard":[]"#, #""lastWake":null"#, #""receivers":[]"#,
            #""regions":[]"#,
            #""beacons":[]"#, #""omitted":0"#, #""source":"simulated""#,
        ] {
            #expect(text.contains(part))
        }
    }
}

extension String {
    fileprivate func count(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}

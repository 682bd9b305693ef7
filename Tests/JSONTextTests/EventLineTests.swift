// SPDX-License-Identifier: GPL-2.0-or-later

import EventJSON
import RegionCore
import Testing
import Time

struct EventLineTests {
    static let nothing = Evidence(
        hits: 0, rssi: nil, filteredRSSI: nil, tier: nil, distance: nil, receiver: "r", listened: .zero)

    @Test func `an enter says when, who, where and why`() {
        #expect(
            EventLine.text(EventSamples.enter)
                == "09:00:03  → enter  Badge 17 (…/1001/2003)  hall-a.1001 5 · hall-a 31 told   3 hits, −67 dBm mid 2–5 m"
        )
    }

    @Test func `an uncertain exit of a beacon without a name says so`() {
        var beacon = EventSamples.badge
        beacon.name = nil
        let event = EventSamples.event(
            .exit, .gap, at: 31.5, detectedAt: 3_700, beacon: beacon,
            regions: [RegionChange(region: "hall-a", occupancy: 0, edge: true, wake: .told)], uncertain: true,
            evidence: Self.nothing)
        #expect(
            EventLine.text(EventSamples.committed(9, event))
                == "10:01:40  ← exit   E2C56DB5-DFFB-48D2-B060-D0F5A71096E0/1001/2003  hall-a 0 told   "
                + "gap, after 30 s, no RSSI, uncertain")
    }

    @Test func `a wake names the exit it is about, or says that it was lost`() {
        #expect(EventLine.text(EventSamples.wake).hasSuffix("hall-a told   of 4715, silence"))
        let orphan = EventSamples.committed(4719, EventSamples.wake.event)
        #expect(EventLine.text(orphan).hasSuffix("of a lost exit, silence"))
    }

    private static let takeovers: [(Double?, Double?, String)] = [
        (-14.25, -8.1, "(was Room201, +6.2 dB)"), (-8, -9.04, "(was Room201, −1.0 dB)"),
        (nil, -9, "(was Room201, not heard any more)"), (-9, nil, "(was Room201)"),
    ]

    @Test(arguments: takeovers)
    func `a nearest event says what took over from what, and by how much`(from: Double?, to: Double?, told: String) {
        let event = EventSamples.event(
            .nearest, .moved, at: 12.5, detectedAt: 12.5, regions: [], evidence: Self.nothing, nearest: "Room202",
            change: NearestChange(from: "Room201", to: "Room202", fromScore: from, toScore: to))
        #expect(
            EventLine.text(EventSamples.committed(1, event))
                == "09:00:12  ~ near   Badge 17 (…/1001/2003)  is nearest to Room202 now \(told)")
    }

    @Test func `a carried receiver is what the beacon came nearest to`() {
        let event = EventSamples.event(
            .nearest, .moved, at: 12.5, detectedAt: 12.5, regions: [], evidence: Self.nothing, nearest: "trolley",
            change: NearestChange(from: "Vitrine 3", to: "Vitrine 4", fromScore: nil, toScore: -9))
        #expect(
            EventLine.text(EventSamples.committed(1, event)).hasSuffix(
                "is nearest to trolley now (was Vitrine 3, not heard any more)"))
    }

    @Test func `a move says where to`() {
        #expect(EventLine.text(EventSamples.movedOut).contains("gate 0 told   moved to vitrine, after 11 s, "))
        #expect(EventLine.text(EventSamples.movedIn).contains("showcase 2   moved to vitrine, −67 dBm"))
    }

    @Test(arguments: [
        ("a\u{1B}[2Jb", "a[2Jb"), ("a\nb\tc\r\u{0}", "abc"), ("\u{9B}31m", "31m"), ("x\u{202E}gpj.exe", "xgpj.exe"),
        ("\u{2066}y\u{2069}\u{2028}", "y"), ("序厅主展项", "序厅主展项"), ("👩‍🔬", "👩‍🔬"), ("", ""),
    ])
    func `a name cannot move the cursor or turn the writing round`(name: String, shown: String) {
        #expect(name.printable == shown)
        var beacon = EventSamples.badge
        beacon.name = name
        let event = EventSamples.event(
            .enter, .hits, at: 1, detectedAt: 1, beacon: beacon, regions: [], evidence: Self.nothing)
        #expect(EventLine.text(EventSamples.committed(1, event)).contains("  \(shown) (…/1001/2003)  "))
    }
}

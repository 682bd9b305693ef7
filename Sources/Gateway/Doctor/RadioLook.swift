// SPDX-License-Identifier: GPL-2.0-or-later

import RadioHCI
import RegionCore
import Time

/// What of the radio is asked through its own sockets. Nothing here sends a command or changes an adapter.
struct RadioLook: Sendable {
    /// The adapters with what they say of themselves; nil: they cannot be asked, and the kernel's folders have to do.
    var adapters: @Sendable () -> AdapterFacts? = Self.listed
    /// Counts what others' scans give on an adapter's raw channel for so long; nil: this process may not, or cannot.
    var overhear: @Sendable (AdapterChoice, Duration) -> HeardReports? = Self.heardBesides

    @Sendable private static func listed() -> AdapterFacts? {
        guard let found = try? AdapterList.read() else { return nil }
        return AdapterFacts(
            adapters: found.map { .init(name: "hci\($0.index)", address: "\($0.address)", isUp: $0.isUp) })
    }

    @Sendable private static func heardBesides(on choice: AdapterChoice, for span: Duration) -> HeardReports? {
        let adapters = (try? AdapterList.read()) ?? []
        guard let adapter = choice.pick(from: adapters, known: nil, avoided: nil), adapter.isUp else { return nil }
        var heard = HeardReports(reports: 0, withoutRSSI: 0)
        let end = BoxClock.now() + span
        guard let ear = Overhearing(adapter: adapter) else { return nil }
        while BoxClock.now() < end {
            ear.frames(within: end - BoxClock.now()) { frame in
                heard.reports += Int64(
                    AdvertisingParser.parse(frame) { reading in
                        if case .sighting(let sighting) = reading, sighting.rssi == Sighting.noRSSI {
                            heard.withoutRSSI += 1
                        }
                    })
            }
        }
        return heard
    }
}

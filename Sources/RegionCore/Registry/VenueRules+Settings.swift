// SPDX-License-Identifier: GPL-2.0-or-later

/// Limits as they hold in each region: its own settings over the venue's.
extension VenueRules {
    static func settingFaults(in venue: Venue) -> [VenueFault] {
        let ofVenue = SettingsInPlace(venue: venue.settings)
        var faults = ofVenue.faults
        for (index, region) in (venue.regions ?? []).enumerated() {
            faults += SettingsInPlace(venue: venue.settings, own: region.settings, region: index).faults
        }
        return faults
    }
}

/// The limits in force at one place, and where each is written.
private struct SettingsInPlace {
    var venue: SettingOverrides
    /// What the region itself sets; nothing for the venue as a whole.
    var own = SettingOverrides()
    /// The region's place; nil: the venue as a whole.
    var region: Int?

    private static let limits: [(setting: Setting, field: VenueField)] = [
        (.enterRSSI, .enterRSSI), (.exitRSSI, .exitRSSI),
    ]

    var faults: [VenueFault] { orderFaults + reachFaults + referenceFaults }

    private var merged: SettingOverrides { venue.overridden(by: own) }

    private func isOwn(_ setting: Setting) -> Bool { region == nil || own[setting] != nil }

    private func place(_ setting: Setting, _ field: VenueField) -> VenuePlace {
        guard let region, own[setting] != nil else { return .venue(field) }
        return .region(region, field)
    }

    /// Where `exitRSSI` is not set it follows `enterRSSI` from below, and nothing can be wrong.
    private var orderFaults: [VenueFault] {
        // A region that sets neither has the venue's fault, which is told once.
        guard isOwn(.enterRSSI) || isOwn(.exitRSSI), let enter = merged[.enterRSSI], let exit = merged[.exitRSSI],
            exit > enter
        else { return [] }
        let places = [place(.exitRSSI, .exitRSSI), place(.enterRSSI, .enterRSSI)]
        let (place, other) = isOwn(.exitRSSI) ? (places[0], places[1]) : (places[1], places[0])
        return [VenueFault(place: place, other: other, problem: .exitAboveEnter)]
    }

    private var referenceFaults: [VenueFault] {
        guard isOwn(.relativeRSSI) || isOwn(.belowLoudest), merged[.relativeRSSI] == 1, merged[.belowLoudest] == 1
        else { return [] }
        let places = [place(.belowLoudest, .belowLoudest), place(.relativeRSSI, .relativeRSSI)]
        let (place, other) = isOwn(.belowLoudest) ? (places[0], places[1]) : (places[1], places[0])
        return [VenueFault(place: place, other: other, problem: .twoReferences)]
    }

    /// A limit from 0 up makes sense only beside `relativeRSSI`.
    private var reachFaults: [VenueFault] {
        Self.limits.compactMap { setting, field in
            guard let limit = merged[setting], limit >= 0, merged[.relativeRSSI] != 1 else { return nil }
            let relative = merged[.relativeRSSI] == nil ? nil : place(.relativeRSSI, .relativeRSSI)
            let problem = VenueFault.Problem.limitNeverReached(limit)
            if isOwn(setting) { return VenueFault(place: place(setting, field), other: relative, problem: problem) }
            // The venue's limit: what makes it unreachable here is that this region turned `relativeRSSI` off.
            guard let relative, isOwn(.relativeRSSI), venue[.relativeRSSI] == 1 else { return nil }
            return VenueFault(place: relative, other: .venue(field), problem: problem)
        }
    }
}

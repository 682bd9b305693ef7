// SPDX-License-Identifier: GPL-2.0-or-later

import Time

// What the field page shows: everything heard, and what each beacon lacks to enter.
extension RegionEngine {
    /// A fixed beacon not heard for this long is missing, nanoseconds.
    private static let missingAfter: Int64 = 15 * 60 * 1_000_000_000
    /// Identities named as never heard; the rest is a number.
    private static let neverHeardShown = 20

    /// What is known at an instant, which is not earlier than the last input.
    public func field(at instant: Instant) -> FieldState {
        let moment = max(now, instant.nanoseconds)
        var field = FieldState(
            asOf: Instant(nanoseconds: moment), receiver: receivers[0].entry.id, listening: listening.isListening)
        field.registered = registry.count
        field.registeredHeard = heardBeacons
        field.forgotten = unregistered.forgotten + admitted.forgotten
        field.refused = admitted.refused
        field.settings = registry.settings
        for beacon in trackNumbers.prefix(registry.count).indices {
            if trackNumbers[beacon] >= 0 {
                field.beacons.append(row(of: Int(trackNumbers[beacon]), at: moment))
            } else if registry.kind(of: beacon) == .fixed, field.neverHeard.count < Self.neverHeardShown {
                field.neverHeard.append(shownName(of: beacon))
            }
        }
        field.beacons += (admittedRows(at: moment) + unregisteredRows(at: moment)).sorted { $0.comesBefore($1) }
        field.regions = regionStates()
        field.receivers = receiverRows()
        return field
    }

    func shownName(of beacon: Int) -> String {
        let name = registry.entry(of: beacon).name ?? ""
        return name.isEmpty ? registry.identity(at: beacon).description : name
    }

    private func row(of track: Int, at moment: Int64) -> FieldState.BeaconRow {
        let state = tracks[track]
        let isImplausible = state.measuredPower.map { !ReferencePower.plausible.contains($0) } ?? false
        let signal = state.firstSignal >= 0 ? signals[shownSignal(of: track, at: moment)] : nil
        var row = FieldState.BeaconRow(
            beacon: registry.description(of: Int(state.beacon)), advertiser: lastAdvertiser(of: track),
            rssi: signal.flatMap { $0.lastRSSI(offset: receivers[Int($0.receiver)].entry.rssiOffset) },
            filteredRSSI: signal.flatMap {
                $0.filteredRSSI(at: moment, offset: receivers[Int($0.receiver)].entry.rssiOffset)
            },
            tier: signal?.tier(at: moment), distance: distance(of: track),
            measuredPower: state.measuredPower, implausiblePower: isImplausible,
            lastHeard: Instant(nanoseconds: state.lastHeard), sightings: UInt64(state.sightings),
            state: shownState(of: track, at: moment), missing: missing(of: track, at: moment))
        row.nearest = state.isNear ? receivers[Int(state.witness)].entry.station : nil
        row.severalAdvertisers = Int64(state.severalUntil) * 1_000_000_000 > moment
        row.hint = hint(of: track)
        return row
    }

    /// Which settings would suit a beacon better. The gaps that a duty cycle makes are none of the beacon's.
    private func hint(of track: Int) -> String? {
        guard canVisit(Int(tracks[track].beacon)), !receivers[Int(tracks[track].witness)].windows.areUsed else {
            return nil
        }
        return tracks[track].recent.hint(under: policy(of: track))
    }

    /// The device address that it was last heard from.
    private func lastAdvertiser(of track: Int) -> DeviceAddress? {
        var (latest, number) = (-1, Int(tracks[track].firstSignal))
        while number >= 0 {
            if latest < 0 || signals[number].lastHeard > signals[latest].lastHeard { latest = number }
            number = Int(signals[number].next)
        }
        return latest >= 0 ? signals[latest].origin.advertiser : nil
    }

    private func shownState(of track: Int, at moment: Int64) -> FieldState.State {
        guard canVisit(Int(tracks[track].beacon)) else {
            let witness = receivers[Int(tracks[track].witness)]
            let silence =
                witness.listening.time(at: min(moment, witness.horizon)) - tracks[track].lastHeardListening
            return silence > Self.missingAfter ? .missing : .healthy
        }
        switch tracks[track].presence {
        case .outside: return .outside
        case .entering(let run): return .entering(hits: Int(run.count), of: policy(of: track).enterHits)
        case .inside(let visit):
            return .inside(since: Instant(nanoseconds: visit.enteredAt), verified: visit.isVerified)
        case .held(let visit, let isHeard):
            return .inside(since: Instant(nanoseconds: visit.enteredAt), verified: isHeard)
        }
    }

    /// The first limit that keeps a beacon outside, in words.
    private func missing(of track: Int, at moment: Int64) -> String? {
        guard canVisit(Int(tracks[track].beacon)) else { return nil }
        let policy = policy(of: track)
        let hits: Int
        switch tracks[track].presence {
        case .inside, .held: return nil
        case .outside: hits = 0
        case .entering(let run): hits = Int(run.count)
        }
        if moment - tracks[track].lastHeard > policy.enterWindow { return "not heard lately" }
        if let limit = policy.enterRSSI {
            let signal = tracks[track].firstSignal >= 0 ? shownSignal(of: track, at: moment) : -1
            guard signal >= 0, let filtered = filteredRSSI(of: signal, at: moment) else {
                return "no RSSI from the adapter"
            }
            let reference = reference(of: signal, policy: policy)
            if reference == nil, policy.reference == .power { return "its power is not known" }
            if let reference, filtered - reference < limit {
                return policy.reference.told(tenths(filtered - reference)) + " is below enterRSSI \(tenths(limit))"
            }
        }
        return "\(hits) of \(policy.enterHits) hits in \(tenths(Double(policy.enterWindow) / 1e9)) s"
    }

    /// One decimal, or none where it is zero.
    private func tenths(_ value: Double) -> String {
        let scaled = Int64((value * 10).rounded())
        let sign = scaled < 0 ? "−" : ""
        let (whole, tenth) = abs(scaled).quotientAndRemainder(dividingBy: 10)
        return tenth == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(tenth)"
    }

    private func admittedRows(at moment: Int64) -> [FieldState.BeaconRow] {
        trackNumbers.dropFirst(registry.count).filter { $0 >= 0 }.map { row(of: Int($0), at: moment) }
    }

    /// Those that no region takes; one that was refused for a while may have been admitted since.
    private func unregisteredRows(at moment: Int64) -> [FieldState.BeaconRow] {
        unregistered.rows.filter { registry.number(of: $0.identity) == nil }.map { row in
            let filtered = row.signal.filteredRSSI(at: moment, offset: row.offset)
            let power = ReferencePower.choose(calibrated: nil, measured: row.measuredPower)
            return FieldState.BeaconRow(
                beacon: BeaconDescription(identity: row.identity, registered: false), advertiser: row.advertiser,
                rssi: row.signal.lastRSSI(offset: row.offset), filteredRSSI: filtered,
                tier: row.signal.tier(at: moment),
                distance: filtered.flatMap { rssi in
                    power.map { DistanceBand(rssi: rssi, power: $0, pathLoss: Self.plainPolicy.pathLoss) }
                },
                measuredPower: row.measuredPower,
                implausiblePower: row.measuredPower.map { !ReferencePower.plausible.contains($0) } ?? false,
                lastHeard: Instant(nanoseconds: row.lastHeard), sightings: row.sightings, state: .unregistered,
                missing: "not in the registry")
        }
    }

    private func receiverRows() -> [FieldState.ReceiverRow] {
        receivers.enumerated().filter { $1.isListed || $1.sightings > 0 || $0 == 0 }.map { number, receiver in
            let isKnown = receiver.horizon > ReceiverState.never
            let guide = Int(receiver.guide.nearest)
            return FieldState.ReceiverRow(
                id: receiver.entry.id, name: receiver.entry.name, kind: receiver.entry.kind,
                registered: receiver.isListed, listening: isListening(number),
                heardUntil: isKnown ? Instant(nanoseconds: reach(of: number)) : nil, sightings: receiver.sightings,
                nearest: guide >= 0 ? shownName(of: Int(tracks[Int(signals[guide].track)].beacon)) : nil)
        }
    }
}

extension RegionPolicy.Reference {
    /// A level told from it.
    fileprivate func told(_ level: String) -> String {
        switch self {
        case .none: "\(level) dBm"
        case .power: "RSSI less power, \(level) dB,"
        case .loudest: "RSSI less the loudest here, \(level) dB,"
        }
    }
}

extension FieldState.BeaconRow {
    /// Who is inside first, then the loudest.
    fileprivate func comesBefore(_ other: Self) -> Bool {
        if isInside != other.isInside { return isInside }
        return (other.filteredRSSI ?? -200, beacon.identity) < (filteredRSSI ?? -200, other.beacon.identity)
    }

    private var isInside: Bool { if case .inside = state { true } else { false } }
}

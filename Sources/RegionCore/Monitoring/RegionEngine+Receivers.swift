// SPDX-License-Identifier: GPL-2.0-or-later

import Time

// Several receivers: each with its own listening, its own windows and its own horizon.
extension RegionEngine {
    /// Those of a registry, and as many that it does not list.
    static let mostReceivers = 2 * VenueRules.mostReceivers

    /// The number of a receiver that an input names. One that the registry does not list is taken in while there is
    /// room; beyond that its sightings count as the source's own.
    ///
    /// Of a receiver that is named nothing is known but its messages, where the registry lists several.
    public mutating func receiver(named id: String) -> Int {
        var number = receivers.firstIndex { $0.entry.id == id }
        if number == nil, receivers.count < Self.mostReceivers {
            number = receivers.count
            receivers.append(ReceiverState(ReceiverEntry(id: id), isListed: false, number: receivers.count))
        }
        guard let number else { return 0 }
        if registry.venue.receivers.count > 1, !receivers[number].followsMessages {
            receivers[number].followsMessages = true
            receivers[number].horizon = ReceiverState.never
        }
        return number
    }

    /// Receivers that were heard though the registry does not list them, with their sightings.
    public var strangers: [(receiver: String, sightings: UInt64)] {
        receivers.filter { !$0.isListed && $0.sightings > 0 }.map { ($0.entry.id, $0.sightings) }
    }

    /// The loudest that each receiver hears carried beacons, where limits are told from it.
    public var loudest: [ReceiverLevel] {
        receivers.compactMap { receiver in
            receiver.loudest.level.map { ReceiverLevel(receiver: receiver.entry.id, level: $0) }
        }
    }

    /// The number of one more source's own receiver: like number 0, it is known to listen unless it is said not to.
    public mutating func receiver(own entry: ReceiverEntry) -> Int {
        if let number = receivers.firstIndex(where: { $0.entry.id == entry.id }) { return number }
        receivers.append(ReceiverState(entry, isListed: false, number: receivers.count))
        enroll()
        return receivers.count - 1
    }

    /// The number of a receiver, or of one that hears for a group; nil: nobody knows it any more.
    func receiver(hearingFor station: String) -> Int? {
        receivers.firstIndex { $0.entry.id == station } ?? receivers.firstIndex { $0.entry.station == station }
    }

    /// Takes the registry's word on receivers: entries, groups, and which regions they make members of.
    mutating func enroll() {
        for number in receivers.indices where receivers[number].isListed {
            receivers[number].isListed = false
            receivers[number].entry = ReceiverEntry(id: receivers[number].entry.id)
        }
        for entry in registry.venue.receivers {
            if let number = receivers.firstIndex(where: { $0.entry.id == entry.id }) {
                receivers[number].entry = entry
                receivers[number].isListed = true
            } else if receivers.count < Self.mostReceivers {
                receivers.append(ReceiverState(entry, isListed: true, number: receivers.count))
            }
        }
        for number in receivers.indices {
            let station = receivers[number].entry.station
            receivers[number].station = receivers.firstIndex { $0.entry.station == station } ?? number
        }
        regionReceivers = registry.regions.map { members(of: $0) }
    }

    /// The receivers that make a beacon a member: those named, and all of their groups.
    private func members(of region: RegionDefinition) -> UInt64 {
        guard let names = region.receivers else { return .max }
        let stations = receivers.indices.filter {
            names.contains(receivers[$0].entry.id) || names.contains(receivers[$0].entry.station)
        }.map { receivers[$0].station }
        return receivers.indices.reduce(0) { stations.contains(receivers[$1].station) ? $0 | 1 << UInt64($1) : $0 }
    }

    /// People are counted by receivers on the wall; where all are carried, the exhibits that they are carried past.
    var countedKind: Mobility { receivers.contains { $0.entry.kind == .fixed } ? .carried : .fixed }

    /// Inputs of a receiver are read at this instant from now on; where it is later than theirs, they waited in a queue.
    /// What a stalled reader finds there proves the past, not the present: it moves last-heard times, and is no hit.
    public mutating func arrival(at instant: Instant, of receiver: Int = 0) {
        receivers[receiver].arrivedAt = instant.nanoseconds
    }

    // MARK: Horizon

    /// Up to when a receiver is known to have listened.
    func reach(of receiver: Int) -> Int64 { min(now, receivers[receiver].horizon) }

    /// A message of a receiver came, before what it says is observed: it has listened up to here. What that proves due
    /// is decided, detected now.
    public mutating func heard(by receiver: Int = 0, at instant: Instant, into decisions: inout Decisions) {
        let moment = instant.nanoseconds
        advance(to: moment, into: &decisions)
        if receivers[receiver].followsMessages { follow(receiver, to: moment, into: &decisions) }
        if receivers[receiver].horizon < moment { move(horizonOf: receiver, to: moment) }
        if now >= nextLagLook { lookForLag(into: &decisions) }
        if isAnythingDue(before: now) { decideDue(before: now, into: &decisions) }
    }

    /// Up to when a receiver is known to have listened, until a report says otherwise; nil: up to the present. What
    /// becomes due by that is decided at the next input.
    public mutating func bound(horizon instant: Instant?, of receiver: Int = 0) {
        move(horizonOf: receiver, to: instant?.nanoseconds ?? .max)
    }

    /// No more input will come: every receiver is taken to have listened to the end.
    public mutating func endOfInput() {
        for receiver in receivers.indices { bound(horizon: nil, of: receiver) }
    }

    @inline(__always)
    private mutating func move(horizonOf receiver: Int, to moment: Int64) {
        receivers[receiver].horizon = moment
        if receivers[receiver].waitingFrom < moment { stopWaiting(for: receiver) }
    }

    /// What waited for a receiver's horizon has its turn again.
    private mutating func stopWaiting(for receiver: Int) {
        let waiting = receivers[receiver].waiting
        receivers[receiver].waiting.removeAll(keepingCapacity: true)
        receivers[receiver].waitingFrom = .max
        for track in waiting where Int(tracks[Int(track)].witness) == receiver {
            tracks[Int(track)].isAside = false
            scheduleAgain(Int(track))
        }
    }

    // MARK: Messages

    /// A message of a receiver that only its messages tell of. A long pause between two of them is no listening.
    private mutating func follow(_ receiver: Int, to moment: Int64, into decisions: inout Decisions) {
        let before = receivers[receiver].horizon
        nextLagLook = min(nextLagLook, max(before, moment) + ReceiverState.longestLag + 1)
        guard before > ReceiverState.never else { return }
        if moment - before > ReceiverState.longestLag, receivers[receiver].listening.isListening {
            loseHearing(of: receiver, at: before)
            regainHearing(of: receiver, at: moment)
        }
        if receivers[receiver].isBehind, now - moment <= ReceiverState.longestLag {
            receivers[receiver].isBehind = false
            note(receiver, isBack: true, since: before, into: &decisions)
        }
    }

    /// Looks which receivers have fallen behind, and when one can next.
    private mutating func lookForLag(into decisions: inout Decisions) {
        nextLagLook = .max
        for receiver in receivers.indices where receivers[receiver].followsMessages && !receivers[receiver].isBehind {
            let horizon = receivers[receiver].horizon
            guard horizon > ReceiverState.never else { continue }
            if now - horizon > ReceiverState.longestLag {
                fallBehind(receiver, into: &decisions)
            } else {
                nextLagLook = min(nextLagLook, horizon + ReceiverState.longestLag + 1)
            }
        }
    }

    /// Nothing is known of a receiver while others are heard: what it witnesses is held, and no longer verified.
    private mutating func fallBehind(_ receiver: Int, into decisions: inout Decisions) {
        receivers[receiver].isBehind = true
        beginStaleness(of: receiver)
        for track in tracks.indices where Int(tracks[track].witness) == receiver {
            guard case .inside(var visit) = tracks[track].presence else { continue }
            visit.isVerified = false
            tracks[track].presence = .inside(visit)
        }
        note(receiver, isBack: false, since: receivers[receiver].horizon, into: &decisions)
    }

    private func note(_ receiver: Int, isBack: Bool, since: Int64, into decisions: inout Decisions) {
        decisions.receivers.append(
            ReceiverChange(
                receiver: receivers[receiver].entry.id, isBack: isBack, since: Instant(nanoseconds: since),
                at: Instant(nanoseconds: now)))
    }

    // MARK: Listening

    /// A receiver ceased or began to hear, unplanned. The exit times of what it witnesses stand still meanwhile, and
    /// from the horizon on: what followed the last report was no silence of the beacons. The horizon is the present
    /// then.
    public mutating func listening(
        _ on: Bool, of receiver: Int = 0, at instant: Instant, into decisions: inout Decisions
    ) {
        advance(to: instant.nanoseconds, into: &decisions)
        guard on != receivers[receiver].listening.isListening else { return }
        if on {
            regainHearing(of: receiver, at: now)
        } else {
            loseHearing(of: receiver, at: reach(of: receiver))
            if !receivers[receiver].followsMessages { receivers[receiver].horizon = .max }
        }
    }

    private mutating func loseHearing(of receiver: Int, at moment: Int64) {
        receivers[receiver].windows.spoil(since: moment)
        receivers[receiver].listening.stop(at: moment)
        beginStaleness(of: receiver)
        if listening.isListening, !receivers.contains(where: \.listening.isListening) { listening.stop(at: moment) }
    }

    private mutating func regainHearing(of receiver: Int, at moment: Int64) {
        if !listening.isListening { _ = listening.resume(at: moment) }
        receivers[receiver].windows.spoil(since: moment)
        let lost = receivers[receiver].listening.resume(at: moment)
        for track in tracks.indices where Int(tracks[track].witness) == receiver {
            startAgain(track, at: moment, lost: lost)
            scheduleAgain(track)
        }
    }

    /// Once for each loss since it was heard the exit time starts anew, so that a flickering radio cannot hold a beacon
    /// for ever.
    private mutating func startAgain(_ track: Int, at moment: Int64, lost: Int64) {
        guard case .inside(var visit) = tracks[track].presence else { return }
        if !visit.lossSpent {
            visit.exitTimeFrom = receivers[Int(tracks[track].witness)].listening.time(at: moment)
            visit.lossSpent = true
        }
        if lost > policy(of: track).exit { visit.isVerified = false }
        tracks[track].presence = .inside(visit)
    }

    /// A planned window of a receiver's duty cycle opened or closed.
    public mutating func window(
        open: Bool, of receiver: Int = 0, at instant: Instant, into decisions: inout Decisions
    ) {
        advance(to: instant.nanoseconds, into: &decisions)
        guard receivers[receiver].listening.isListening else { return }
        if open {
            receivers[receiver].windows.open(at: receivers[receiver].listening.time(at: now))
        } else {
            receivers[receiver].windows.close(at: receivers[receiver].listening.time(at: now), instant: now)
            for track in tracks.indices where Int(tracks[track].witness) == receiver { scheduleAgain(track) }
        }
    }
}

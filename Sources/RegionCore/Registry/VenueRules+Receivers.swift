// SPDX-License-Identifier: GPL-2.0-or-later

/// Receivers, their groups, and the regions that name them.
extension VenueRules {
    static func regionFaults(in venue: Venue) -> [VenueFault] {
        let stations = Set(venue.receivers.flatMap { [$0.id, $0.station] })
        var faults: [VenueFault] = []
        for (index, region) in (venue.regions ?? []).enumerated() {
            func add(_ field: VenueField, _ problem: VenueFault.Problem, other: VenuePlace? = nil) {
                faults.append(VenueFault(place: .region(index, field), other: other, problem: problem))
            }
            if region.scope.minor != nil {
                if region.scope.major == nil { add(.minor, .minorWithoutMajor) }
                if region.unregistered { add(.unregistered, .unregisteredBeacon, other: .region(index, .minor)) }
            }
            guard let receivers = region.receivers else { continue }
            if receivers.isEmpty { add(.receivers, .noReceivers) }
            for (number, receiver) in receivers.enumerated() where !stations.contains(receiver) {
                faults.append(
                    VenueFault(
                        place: .receiverOfRegion(index, number), other: nil, problem: .unknownReceiver(receiver)))
            }
        }
        return faults
    }

    static func receiverFaults(in venue: Venue) -> [VenueFault] {
        let receivers = venue.receivers
        var faults: [VenueFault] = []
        if receivers.count > mostReceivers {
            let problem = VenueFault.Problem.tooManyReceivers(receivers.count)
            faults.append(VenueFault(place: .venue(.receivers), other: nil, problem: problem))
        }
        let order = receivers.indices.sorted { (receivers[$0].id, $0) < (receivers[$1].id, $1) }
        for (earlier, later) in zip(order, order.dropFirst())
        where receivers[earlier].id == receivers[later].id && problem(of: receivers[later].id) == nil {
            faults.append(
                VenueFault(
                    place: .receiver(later, .id), other: .receiver(earlier, .id),
                    problem: .sameReceiver(receivers[later].id)))
        }
        return faults + groupFaults(in: receivers)
    }

    /// A name in a region means one receiver or one group. A group may be called after a receiver in it: either name
    /// then stands for the whole group. Each group is told once.
    private static func groupFaults(in receivers: [ReceiverEntry]) -> [VenueFault] {
        var outside: [String: Int] = [:]
        for (index, receiver) in receivers.enumerated() where receiver.group != receiver.id {
            if outside[receiver.id] == nil { outside[receiver.id] = index }
        }
        var told: Set<String> = []
        return receivers.enumerated().compactMap { index, receiver in
            guard let group = receiver.group, let other = outside[group], told.insert(group).inserted else {
                return nil
            }
            return VenueFault(
                place: .receiver(index, .group), other: .receiver(other, .id), problem: .groupIsReceiver(group))
        }
    }
}

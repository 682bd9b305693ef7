// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// How many sources one run takes.
enum SourceLimit {
    /// A box with a hub carries four adapters. More: refused; that is a second box.
    static let sources = 8
}

/// What a run listens to: sources of one kind, each of them a receiver.
struct SourceList: Equatable {
    /// One at least.
    let sources: [SourceText]

    /// Reads source texts; none: any Bluetooth adapter.
    init(_ texts: [String]) throws(GatewayError) {
        var sources: [SourceText] = []
        for text in texts.isEmpty ? [SourceText.usual] : texts { sources.append(try SourceText(text)) }
        self.sources = sources
        if let problem { throw GatewayError(.usage, problem) }
    }

    /// The first of them.
    var first: SourceText { sources[0] }
    /// Which store they belong to.
    var sourceKind: SourceKind { first.sourceKind }
    /// For people.
    var text: String { sources.map(\.text).joined(separator: " ") }

    /// Why the registry's exit times do not fit a duty cycle.
    func dutyProblem(with registry: Registry) -> String? {
        sources.lazy.compactMap { $0.dutyProblem(with: registry) }.first
    }

    // MARK: What does not go together

    private var problem: String? {
        guard sources.count > 1 else { return nil }
        if sources.count > SourceLimit.sources {
            return "\(sources.count) sources are too many for one box; there may be \(SourceLimit.sources)"
        }
        if let other = sources.first(where: { $0.sourceKind != sourceKind }) {
            return "\(first.text) and \(other.text) are of different kinds: the sources of a run are all radios, all "
                + "captures or all simulated"
        }
        if let other = sources.first(where: { $0.speed != first.speed || $0.from != first.from }) {
            return "\(first.text) and \(other.text) are played on one clock: give all the same ?speed= and ?from="
        }
        if let any = sources.first(where: { $0.kind == .radio(.any) }) {
            return "\(any.text) is any adapter: with several sources name each by number or address, as hci:0 hci:1"
        }
        return pair(where: Self.areOneReceiver).map { "\($0.text) and \($1.text) are one receiver: name two" }
    }

    private static func areOneReceiver(_ one: SourceText, _ other: SourceText) -> Bool {
        if let receiver = one.receiver, receiver == other.receiver { return true }
        guard case .radio = one.kind else { return false }
        return one.kind == other.kind
    }

    /// Why two sources are one adapter under two names, among those that are there; nil: they are not.
    func sharedAdapter(among adapters: [Adapter]) -> String? {
        func address(_ source: SourceText) -> DeviceAddress? {
            guard case .radio(let choice) = source.kind else { return nil }
            return choice.pick(from: adapters, known: nil, avoided: nil)?.address
        }
        let pair = pair { one, other in address(one).map { $0 == address(other) } ?? false }
        return pair.map { "\($0.text) and \($1.text) are one adapter: name two" }
    }

    private func pair(where fits: (SourceText, SourceText) -> Bool) -> (SourceText, SourceText)? {
        for (place, source) in sources.enumerated() {
            if let earlier = sources[..<place].first(where: { fits($0, source) }) { return (earlier, source) }
        }
        return nil
    }
}

extension SourceText {
    /// What of a source tells it from others of its box, as `hci1`.
    fileprivate var ownName: String {
        switch kind {
        case .radio(.any): "hci"
        case .radio(.index(let index)): "hci\(index)"
        case .radio(.address(let address)): "\(address)"
        case .radio(.socket(let path)), .capture(let path): path.split(separator: "/").last.map(String.init) ?? path
        case .hall(let plan, _): plan
        }
    }
}

extension LoadedRegistry {
    /// The receivers that sources are, in their order. Of several, one that names none is named after the box, where it
    /// is the first, else after box and adapter; where the registry lists receivers nobody but the person knows which.
    func receivers(of list: SourceList, gateway: String) throws(GatewayError) -> [ReceiverEntry] {
        guard list.sources.count > 1 else { return [try receiver(of: list.first, gateway: gateway)] }
        let listed = registry.venue.receivers
        var entries: [ReceiverEntry] = []
        for (place, source) in list.sources.enumerated() {
            let entry: ReceiverEntry
            if source.receiver != nil {
                entry = try receiver(of: source, gateway: gateway)
            } else if listed.isEmpty {
                entry = ReceiverEntry(id: place == 0 ? gateway : "\(gateway)-\(source.ownName)")
            } else {
                throw GatewayError(
                    .usage,
                    "\(source.text) does not say which receiver it is: add ?receiver= to each source, one of "
                        + listed.map(\.id).joined(separator: ", "))
            }
            if let earlier = entries.firstIndex(where: { $0.id == entry.id }) {
                throw GatewayError(
                    .usage,
                    "\(list.sources[earlier].text) and \(source.text) would both be receiver '\(entry.id)': tell them "
                        + "apart with ?receiver=")
            }
            entries.append(entry)
        }
        return entries
    }
}

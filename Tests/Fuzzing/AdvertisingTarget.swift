// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// Radio bytes: anyone nearby can send any of them.
enum AdvertisingTarget {
    static func checkEvent(_ frame: [UInt8]) {
        check(frame) { bytes in
            var parsed = ParsedFrame()
            AdvertisingParser.parse(bytes.span, into: &parsed)
            return parsed
        }
    }

    static func checkData(_ data: [UInt8]) {
        check(data) { bytes in
            var parsed = ParsedFrame()
            AdvertisingParser.parse(advertisingData: bytes.span, into: &parsed)
            return parsed
        }
    }

    /// A row of pieces: sender, data status, milliseconds since the piece before, length, data.
    static func checkChains(_ script: [UInt8]) {
        var chains = ReportChains()
        var now = Instant.boot
        var said: [DeviceAddress: [UInt8]] = [:]
        var rest = script[...]
        while rest.count >= 4 {
            let head = rest.prefix(4)
            let data = Array(rest.dropFirst(4).prefix(Int(head[head.startIndex + 3]) % 230))
            rest = rest.dropFirst(4 + data.count)
            let sender = DeviceAddress(bits: UInt64(head[head.startIndex]))
            let status = head[head.startIndex + 1] & 0x60
            now = now + .milliseconds(Int(head[head.startIndex + 2]) * 4)
            said[sender, default: []] += data
            var frame: [UInt8] = []
            AdvertisingEncoder.appendExtendedEvent(
                AdvertisingEncoder.Report(eventType: status, address: sender, data: data, rssi: -60), to: &frame)
            let reports = AdvertisingParser.parse(frame.span, joining: &chains, at: now) { reading in
                guard case .sighting(let sighting) = reading else { return }
                precondition(sighting.advertiser == sender, "a piece completed somebody else's chain")
                precondition(occurs(sighting, in: said[sender] ?? []), "a sighting stands nowhere in the pieces")
            }
            precondition(reports == 1, "a piece is a report")
            precondition(chains.count <= ReportChains.mostOpen, "more chains are open than may be")
        }
    }

    /// Any frames, a byte of length before each, while chains may be open.
    static func checkStream(_ bytes: [UInt8]) {
        var chains = ReportChains()
        var rest = bytes[...]
        while let length = rest.popFirst() {
            let frame = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(frame.count)
            _ = AdvertisingParser.parse(frame.span, joining: &chains, at: .boot) { _ in }
        }
    }

    /// No sighting is made up, and none comes from cutting bytes off.
    private static func check(_ bytes: [UInt8], parse: ([UInt8]) -> ParsedFrame) {
        let whole = parse(bytes)
        precondition(whole.sightings.count * 27 <= bytes.count, "there are more sightings than bytes for them")
        precondition(!whole.sightings.isEmpty || !whole.discards.isEmpty, "something came of nothing said")
        for sighting in whole.sightings {
            precondition(occurs(sighting, in: bytes), "a sighting stands nowhere in the bytes")
        }
        // Two places of many, other ones for other inputs.
        let mixed = bytes.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        for length in [bytes.count - 1, mixed % (bytes.count + 1)] where length >= 0 {
            let cut = parse(Array(bytes[..<length]))
            precondition(whole.sightings.starts(with: cut.sightings), "cutting bytes off made a sighting")
        }
    }

    private static func occurs(_ sighting: Sighting, in bytes: [UInt8]) -> Bool {
        let beacon = sighting.beacon
        var said: [UInt8] = [0x4C, 0x00, 0x02, 0x15]
        for word in [beacon.uuid.high, beacon.uuid.low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) { said.append(UInt8(word >> shift & 0xFF)) }
        }
        for number in [beacon.major, beacon.minor] { said += [UInt8(number >> 8), UInt8(number & 0xFF)] }
        guard let power = sighting.measuredPower else { return false }
        said.append(UInt8(bitPattern: power))
        return bytes.indices.contains { bytes[$0...].starts(with: said) }
    }
}

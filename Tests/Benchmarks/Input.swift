// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import JSONText
import RegionCore
import Time

/// Why a benchmark cannot run.
struct InputError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Every byte of a file.
func contents(of path: String) throws -> [UInt8] {
    guard let file = unsafe fopen(path, "rb") else {
        throw InputError("\(path) cannot be opened; gen_corpus.py and gen_stream.py make it")
    }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while true {
        let count = unsafe fread(&chunk, 1, chunk.count, file)
        if count == 0 { return bytes }
        bytes.append(contentsOf: chunk[..<count])
    }
}

/// H4 frames behind each other.
struct FrameRow {
    let bytes: [UInt8]

    /// Calls for each whole frame.
    func forEach(_ body: (Span<UInt8>) -> Void) {
        let all = bytes.span
        var start = 0
        while start + 3 <= all.count {
            let next = start + 3 + Int(all[start + 2])
            guard next <= all.count else { return }
            body(all.extracting(start..<next))
            start = next
        }
    }

    /// How many there are.
    var count: Int {
        var count = 0
        forEach { _ in count += 1 }
        return count
    }

    /// The identities in it, in order of appearance.
    var identities: [BeaconIdentity] {
        var seen: Set<BeaconIdentity> = []
        var identities: [BeaconIdentity] = []
        var parsed = ParsedFrame()
        forEach { frame in
            AdvertisingParser.parse(frame, into: &parsed)
            for sighting in parsed.sightings where seen.insert(sighting.beacon).inserted {
                identities.append(sighting.beacon)
            }
        }
        return identities
    }
}

/// The walkers of gen_stream.py: who they carry, and each time one was heard.
struct WalkerStream {
    /// `u32 milliseconds, u16 beacon, i8 rssi, i8 power`, as the C reference reads them.
    let records: [UInt8]
    let identities: [BeaconIdentity]
    let sightings: [(sighting: Sighting, instant: Instant)]

    init(folder: String) throws {
        records = try contents(of: folder + "/stream.bin")
        let description = try JSONReader.read(contents(of: folder + "/stream.json"))
        let identities = (description["ids"]?.arrayValue ?? []).compactMap(BeaconIdentity.init)
        guard !identities.isEmpty else { throw InputError("\(folder)/stream.json lists no beacons") }
        self.identities = identities
        let bytes = records
        sightings = try stride(from: 0, to: bytes.count - 7, by: 8).map { at in
            let time = (0..<4).reduce(Int64(0)) { $0 | Int64(bytes[at + $1]) << (8 * Int64($1)) }
            let beacon = Int(bytes[at + 4]) | Int(bytes[at + 5]) << 8
            guard beacon < identities.count else { throw InputError("\(folder)/stream.bin names beacon \(beacon)") }
            return (
                Sighting(
                    beacon: identities[beacon], measuredPower: Int8(bitPattern: bytes[at + 7]),
                    rssi: Int8(bitPattern: bytes[at + 6]), advertiser: DeviceAddress(bits: UInt64(beacon))),
                Instant(nanoseconds: time * 1_000_000)
            )
        }
    }
}

extension BeaconIdentity {
    /// One entry of `ids` in stream.json.
    fileprivate init?(_ node: JSONNode) {
        guard let text = node["uuid"]?.stringValue, let uuid = BeaconUUID(text),
            let major = node["major"]?.integerValue.flatMap({ UInt16(exactly: $0) }),
            let minor = node["minor"]?.integerValue.flatMap({ UInt16(exactly: $0) })
        else { return nil }
        self.init(uuid: uuid, major: major, minor: minor)
    }
}

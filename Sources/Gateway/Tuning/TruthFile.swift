// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore

/// Reads a truth file: one object a line, in any order. Lines of white space are stepped over.
enum TruthFile {
    /// Half a million stays; more is no walk.
    private static let limit = 64 << 20

    /// One line and where it stands.
    struct Line: Equatable {
        /// From 1.
        let number: Int
        let said: TruthLine
    }

    /// Reads a file whose names must be those of a registry.
    static func read(_ path: String, names: TruthNames) throws(GatewayError) -> [Line] {
        try lines(of: try TextFile.read(path, limit: limit), path: path, names: names)
    }

    /// The lines of a file's content.
    static func lines(of content: [UInt8], path: String, names: TruthNames) throws(GatewayError) -> [Line] {
        var lines: [Line] = []
        var number = 0
        for slice in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if slice.allSatisfy(isWhiteSpace) { continue }
            let bytes = Array(slice)
            do throws(JSONFault) {
                let line = try TruthLine(bytes)
                try names.check(line, in: bytes)
                lines.append(Line(number: number, said: line))
            } catch {
                let place = JSONPosition(line: number, column: error.position.column)
                throw GatewayError(.refused, "\(path): \(place): \(error.message)")
            }
        }
        guard !lines.isEmpty else {
            throw GatewayError(.refused, "\(path) holds no line: nothing is known to be right or wrong")
        }
        return lines
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}

/// The names a truth file may use: those of a registry. A misspelt one would pass for a stay that was missed.
struct TruthNames {
    private let registry: Registry
    private let regions: Set<String>
    /// What each receiver, and each group of them, hears for.
    private let stations: [String: String]

    /// The names of a registry.
    init(_ registry: Registry) {
        self.registry = registry
        regions = Set(registry.regions.map(\.identifier))
        let receivers = registry.venue.receivers
        stations = Dictionary(
            receivers.map { ($0.id, $0.station) } + receivers.map { ($0.station, $0.station) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The station that events call a receiver by. A registry that lists no receivers takes any.
    func station(of receiver: String) -> String { stations[receiver] ?? receiver }

    /// Refuses names that the registry does not have.
    func check(_ line: TruthLine, in bytes: [UInt8]) throws(JSONFault) {
        func fault(_ offset: Int, _ message: String) -> JSONFault {
            JSONFault(message: message, position: JSONReader.position(of: offset, in: bytes))
        }
        guard registry.takes(line.beacon) else {
            throw fault(line.beaconOffset, "the registry does not list this beacon")
        }
        switch line.place {
        case .region(let region):
            guard regions.contains(region) else {
                throw fault(line.placeOffset, "the registry has no region \(region.quotedExcerpt)")
            }
        case .nearest(let receiver):
            guard stations.isEmpty || stations[receiver] != nil else {
                throw fault(line.placeOffset, "the registry has no receiver or group \(receiver.quotedExcerpt)")
            }
        case .nowhere: break
        }
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

/// The map: what each target may import. The manifest holds the directions between our own targets; this holds them to
/// what the architecture allows, and keeps the pure targets pure.
struct DirectionTests {
    private static let pure: [String: Set<String>] = [
        "Time": [],
        "RegionCore": ["Time"],
        "HallSimulator": ["RegionCore", "Time"],
        "JSONText": [],
        "EventJSON": ["RegionCore", "JSONText", "Time"],
    ]
    private static let adapters: [String: Set<String>] = [
        "RadioHCI": ["RegionCore", "Time", "CBluetooth", "CShim", "Glibc"],
        "RadioCapture": ["RegionCore", "JSONText", "Time", "CZlib", "Glibc"],
        "RegistryJSON": ["RegionCore", "JSONText", "Time", "Glibc"],
        "StoreSQLite": ["RegionCore", "Time", "CSQLite", "CShim", "Glibc"],
        "FeedHTTP": [
            "RegionCore", "EventJSON", "JSONText", "Time", "CMicroHTTPD", "CShim", "Glibc", "Synchronization",
        ],
    ]
    private static let gateway = Set(pure.keys).union(adapters.keys).union(["CShim", "Glibc", "Synchronization"])
    private static let map = pure.merging(adapters) { old, _ in old }
        .merging(["Gateway": gateway, "regiond": ["Gateway", "Glibc"]]) { old, _ in old }

    @Test func `each target imports what the map allows, and nothing else`() throws {
        let importLine =
            #/^\s*(?:@\w+\s+|public\s+|internal\s+|private\s+)*import\s+(?:(?:struct|class|enum|func)\s+)?(\w+)/#
        for file in try SourceTree.files(in: "Sources", ".swift") {
            let allowed = try #require(Self.map[file.target], "\(file): the map does not know its target")
            for line in file.code {
                guard let name = line.firstMatch(of: importLine)?.output.1 else { continue }
                #expect(allowed.contains(String(name)), "\(file) imports \(name)")
            }
        }
    }

    /// No I/O, no clock, no concurrency, no unsafe memory: the compiler cannot hold all of that, so words do.
    @Test func `pure targets use no word that reaches outside`() throws {
        let banned = [
            #/\b(?:await|async|Task|actor|print|debugPrint|readLine)\b/#,
            #/\b(?:Foundation|FoundationEssentials|Glibc|Dispatch)\b/#,
            #/\b(?:ContinuousClock|SuspendingClock|Date)\b/#,
            #/Unsafe\w*Pointer|\bunsafe\b|withUnsafe|Unmanaged/#,
        ]
        for file in try SourceTree.files(in: "Sources", ".swift") where Self.pure.keys.contains(file.target) {
            for pattern in banned { #expect(file.places(of: pattern) == []) }
        }
    }

    @Test func `lanes are threads: nothing in the product awaits`() throws {
        let banned = #/\b(?:await|async|Task|actor|AsyncStream|DispatchQueue)\b/#
        for file in try SourceTree.files(in: "Sources", ".swift") { #expect(file.places(of: banned) == []) }
    }

    @Test func `only the store makes a committed event`() throws {
        for file in try SourceTree.files(in: "Sources", ".swift") where file.target != "StoreSQLite" {
            #expect(file.places(of: #/\bCommittedEvent\(/#) == [])
        }
    }
}

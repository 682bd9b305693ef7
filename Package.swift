// swift-tools-version: 6.2
// SPDX-License-Identifier: GPL-2.0-or-later
import PackageDescription

// This file reads as the architecture: what a target may import is what it lists here.
// Pure targets decide and know no I/O; adapters carry bytes in and answers out; Gateway alone joins them.

let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// No I/O, no clock, no Foundation, no Glibc, no unsafe pointers.
func pure(_ name: String, _ imports: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: imports, swiftSettings: strict)
}

/// Owns one kind of outside resource; adapters never import each other.
func adapter(_ name: String, _ imports: [Target.Dependency], embedding files: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: imports, resources: files, swiftSettings: strict)
}

func tests(_ name: String, _ imports: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: imports, swiftSettings: strict)
}

/// What several tests and tools share.
func aid(_ name: String, _ imports: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: imports, path: "Tests/\(name)", swiftSettings: strict)
}

/// A program that is built beside the product and never shipped.
func tool(_ name: String, _ imports: [Target.Dependency], scripts: [String] = []) -> Target {
    .executableTarget(
        name: name, dependencies: imports, path: "Tests/\(name)", exclude: scripts, swiftSettings: strict)
}

let pureCore: [Target] = [
    // Rounding a Double is a call into libm where the compiler does not inline it.
    .target(name: "Time", swiftSettings: strict, linkerSettings: [.linkedLibrary("m")]),
    pure("RegionCore", ["Time"]),
    pure("HallSimulator", ["RegionCore", "Time"]),
    pure("JSONText"),
    pure("EventJSON", ["RegionCore", "JSONText", "Time"]),
]

let adapters: [Target] = [
    adapter("RadioHCI", ["RegionCore", "Time", "CBluetooth", "CShim"]),
    adapter("RadioCapture", ["RegionCore", "JSONText", "Time", "CZlib"]),
    adapter("RegistryJSON", ["RegionCore", "JSONText", "Time"]),
    adapter("StoreSQLite", ["RegionCore", "Time", "CSQLite", "CShim"]),
    // The page's files become byte arrays in the program: one binary, no bundle to find at run time.
    adapter(
        "FeedHTTP", ["RegionCore", "EventJSON", "JSONText", "Time", "CMicroHTTPD", "CShim"],
        embedding: [.embedInCode("Page/field.html"), .embedInCode("Page/field.css"), .embedInCode("Page/field.js")]),
]

let joined: [Target] = [
    .target(
        name: "Gateway",
        dependencies: [
            "Time", "RegionCore", "HallSimulator", "JSONText", "EventJSON",
            "RadioHCI", "RadioCapture", "RegistryJSON", "StoreSQLite", "FeedHTTP", "CShim",
        ],
        swiftSettings: strict),
    .executableTarget(name: "regiond", dependencies: ["Gateway"], swiftSettings: strict),
]

let cLibraries: [Target] = [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
    .target(name: "CShim", dependencies: ["CSQLite", "CMicroHTTPD", "CBluetooth"]),
]

let testing: [Target] = [
    .target(name: "CMallocCount", path: "Tests/CMallocCount"),
    aid("TestKit", []),
    aid("EngineProperties", ["RegionCore", "Time"]),
    tests("RegionCoreTests", ["RegionCore", "Time"]),
    tests("JSONTextTests", ["JSONText", "EventJSON", "RegionCore", "Time"]),
    tests("RegistryJSONTests", ["RegistryJSON", "RegionCore", "JSONText", "Time"]),
    tests("VectorTests", ["RadioCapture", "EventJSON", "JSONText", "RegionCore", "Time", "CMallocCount"]),
    tests(
        "SimulationTests", ["HallSimulator", "RegionCore", "Time", "EngineProperties", "CMallocCount"]),
    tests("StoreSQLiteTests", ["StoreSQLite", "RegionCore", "Time", "CSQLite"]),
    tests("FeedHTTPTests", ["FeedHTTP", "EventJSON", "JSONText", "RegionCore", "Time", "TestKit"]),
    tests(
        "GatewayTests",
        [
            "Gateway", "FeedHTTP", "HallSimulator", "RadioCapture", "RegistryJSON", "RegionCore", "StoreSQLite", "Time",
            "TestKit",
        ]),
    tests(
        "EndToEndTests",
        [
            "regiond", "HallSimulator", "RadioCapture", "RegistryJSON", "RegionCore", "JSONText", "Time", "TestKit",
        ]),
    tests("TidyTests", []),
    .target(name: "CReference", path: "Tests/CReference", linkerSettings: [.linkedLibrary("m")]),
    tool(
        "Benchmarks", ["RegionCore", "RadioCapture", "JSONText", "Time", "CReference", "CMallocCount"],
        scripts: ["gates", "gen_corpus.py", "gen_stream.py", "radio_load.py"]),
    tool(
        "CrashTest",
        [
            "HallSimulator", "RegionCore", "StoreSQLite", "EventJSON", "Time", "EngineProperties", "TestKit", "CSQLite",
        ],
        scripts: ["crash"]),
    tool("FieldProbe", ["RadioCapture", "RegistryJSON", "RegionCore", "JSONText", "Time"]),
    tool("GuestTest", ["JSONText", "TestKit", "CSQLite"]),
]

/// Links libFuzzer, so it is in the package only when asked for; `Tests/Fuzzing/fuzz` does.
let fuzzing: [Target] =
    Context.environment["REGIOND_FUZZ"] == nil
    ? []
    : [
        .target(name: "CFuzzDriver", path: "Tests/CFuzzDriver"),
        tool(
            "Fuzzing", ["RegionCore", "RadioCapture", "RegistryJSON", "JSONText", "Time", "CFuzzDriver"],
            scripts: ["fuzz"]),
    ]

let package = Package(
    name: "regiond",
    products: [.executable(name: "regiond", targets: ["regiond"])],
    targets: cLibraries + pureCore + adapters + joined + testing + fuzzing
)

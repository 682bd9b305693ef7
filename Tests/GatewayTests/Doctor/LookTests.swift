// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import RegionCore
import Testing
import Time

@testable import Gateway
@testable import StoreSQLite

/// What the looks are given.
private enum Given {
    static let gateway = GatewayFacts(
        gateway: "hall-a-box-1", version: "0.1.0", sourceText: "hci:0", source: "radio", reports: 100, withoutRSSI: 0,
        radios: [radio(.scanning)])

    static func radio(_ state: RadioState) -> GatewayFacts.Radio {
        GatewayFacts.Radio(
            state: state, message: state.sentence, remedy: state.remedy, adapter: "hci0 00:1A:7D:DA:71:13", taken: 0,
            delivered: 100, receiver: "hall-a-box-1", sourceText: "hci:0")
    }

    static let all: UInt64 = 0x1FF_FFFF_FFFF
    static let allButRaw = all & ~RightsFacts.netRaw

    static func disk(
        _ folder: DiskFacts.Folder, isReadOnly: Bool = false, free: Int64 = 1_000_000_000
    ) -> DiskFacts {
        DiskFacts(path: "/var/lib/regiond", folder: folder, isReadOnly: isReadOnly, free: free)
    }

    static func summary(how: String?, lost: Int64 = 0) -> StoreSummary {
        StoreSummary(
            version: 1, bytes: 20_480, newest: .init(seq: 4_711, detectedAt: .epoch),
            lastRun: .init(started: .epoch, ended: how == nil ? nil : .epoch, how: how), lostEvents: lost)
    }

    static var troubled: GatewayFacts {
        var facts = gateway
        facts.trouble = [.init(message: "The disk is full.", remedy: "Make room."), .init(message: "b", remedy: "c")]
        return facts
    }
}

/// Every verdict of every layer, without the machine.
struct LookTests {
    private static func check(_ finding: Finding, _ verdict: Verdict, _ part: String) {
        #expect(finding.verdict == verdict, "\(finding)")
        #expect(finding.message.contains(part), "\(finding)")
        #expect(finding.message.hasSuffix(".") || finding.message.contains("more"), "\(finding)")
        #expect((finding.remedy == nil) == (verdict == .fine), "\(finding)")
    }

    @Test(arguments: [
        (KernelLook.opened, Verdict.fine, "has Bluetooth sockets"),
        (.refused(EAFNOSUPPORT), .wrong, "AF_BLUETOOTH"), (.refused(EPROTONOSUPPORT), .wrong, "no HCI sockets"),
        (.refused(EPERM), .couldNotLook, "Operation not permitted"),
    ])
    func `kernel`(look: KernelLook, verdict: Verdict, part: String) { Self.check(look.finding, verdict, part) }

    @Test(
        arguments: [
            (nil, Verdict.couldNotLook, "no Bluetooth"), ([], .wrong, "no Bluetooth adapter"),
            ([AdapterFacts.Adapter(name: "hci0", isUp: true, hasLE: false)], .wrong, "hci0 (up, no LE)"),
            ([AdapterFacts.Adapter(name: "hci0")], .fine, "There is hci0."),
            (
                [
                    AdapterFacts.Adapter(name: "hci0", address: "00:1A:7D:DA:71:13", isUp: false, hasLE: true),
                    AdapterFacts.Adapter(name: "hci1", hasLE: false),
                ], .fine, "There are hci0 00:1A:7D:DA:71:13 (down, LE), hci1 (no LE)."
            ),
        ] as [([AdapterFacts.Adapter]?, Verdict, String)])
    func `adapter`(adapters: [AdapterFacts.Adapter]?, verdict: Verdict, part: String) {
        Self.check(AdapterFacts(adapters: adapters).adapterFinding, verdict, part)
    }

    @Test(
        arguments: [
            (nil, nil, Verdict.couldNotLook, "no adapter"), ([], nil, .couldNotLook, "no adapter"),
            ([AdapterFacts.Adapter(name: "hci0")], nil, .couldNotLook, "cannot be told"),
            ([AdapterFacts.Adapter(name: "hci0", isUp: false)], nil, .wrong, "No adapter is powered"),
            (
                [AdapterFacts.Adapter(name: "hci0", isUp: false), AdapterFacts.Adapter(name: "hci1", isUp: true)], nil,
                .fine, "hci1 is powered"
            ),
            ([AdapterFacts.Adapter(name: "hci0")], .scanning, .fine, "hci0 00:1A:7D:DA:71:13 is powered"),
            (
                [AdapterFacts.Adapter(name: "hci0", isUp: true)], .poweredOff, .wrong,
                "gateway's adapter hci0 00:1A:7D:DA:71:13 is powered off"
            ),
            ([AdapterFacts.Adapter(name: "hci0", isUp: true)], .unauthorised, .fine, "hci0 is powered"),
        ] as [([AdapterFacts.Adapter]?, RadioState?, Verdict, String)])
    func `power`(adapters: [AdapterFacts.Adapter]?, state: RadioState?, verdict: Verdict, part: String) {
        Self.check(AdapterFacts(adapters: adapters).powerFinding(state.map(Given.radio)), verdict, part)
    }

    @Test func `each radio of a gateway is looked at for power`() {
        var off = Given.radio(.poweredOff)
        off.adapter = "hci1"
        let facts = AdapterFacts(adapters: [.init(name: "hci0", isUp: true), .init(name: "hci1", isUp: false)])
        #expect(facts.powerFindings([Given.radio(.scanning), off]).map(\.verdict) == [.fine, .wrong])
        #expect(facts.powerFindings([]).map(\.message) == ["hci0 is powered."])
    }

    @Test(arguments: [
        ("hci:0", true), ("hci:00:1A:7D:DA:71:13", true), ("hci", true), ("simulated:hall", true), ("hci:1", false),
        ("hci:00:1A:7D:DA:71:14", false),
    ])
    func `a configured adapter that is not there is named`(source: String, isThere: Bool) throws {
        let facts = AdapterFacts(adapters: [.init(name: "hci0", address: "00:1A:7D:DA:71:13")])
        let finding = try facts.absence(of: SourceText(source))
        #expect((finding == nil) == isThere)
        if let finding { Self.check(finding, .wrong, "\(source) is not there; there is hci0") }
    }

    @Test func `a radio that gives nothing beside one that does is named`() {
        var before = Given.gateway
        before.radios.append(before.radios[0])
        before.radios[1].receiver = "gate-south"
        var after = before
        after.radios[0].delivered += 7
        #expect(after.silentRadios(since: before).map(\.receiver) == ["gate-south"])
        after.radios.removeFirst()
        #expect(after.silentRadios(since: before).isEmpty)
    }

    @Test(
        arguments: [
            (nil, Verdict.fine, "no rfkill"), ([], .fine, "No switch"),
            ([.init(name: "hci0", isSoftBlocked: false, isHardBlocked: false)], .fine, "Not switched off"),
            ([.init(name: "hci0", isSoftBlocked: true, isHardBlocked: false)], .wrong, "by software"),
            ([.init(name: "hci0", isSoftBlocked: true, isHardBlocked: true)], .wrong, "by hardware"),
            ([.init(name: "hci0", isSoftBlocked: false, isHardBlocked: nil)], .couldNotLook, "cannot be read"),
        ] as [([RfkillFacts.Switch]?, Verdict, String)])
    func `rfkill`(switches: [RfkillFacts.Switch]?, verdict: Verdict, part: String) {
        Self.check(RfkillFacts(switches: switches).finding, verdict, part)
    }

    @Test(arguments: [
        (RightsFacts(own: Given.all), Verdict.fine, "This process has CAP_NET_RAW"),
        (RightsFacts(own: Given.allButRaw), .couldNotLook, "no gateway runs"),
        (RightsFacts(own: nil), .couldNotLook, "cannot be read"),
        (RightsFacts(own: 0, gateways: [.init(pid: 7, effective: 0x2000)]), .fine, "(process 7) has"),
        (
            RightsFacts(own: Given.all, gateways: [.init(pid: 7, effective: 0)], wantsRadio: true), .wrong,
            "has no CAP_NET_RAW"
        ),
        (RightsFacts(own: Given.all, gateways: [.init(pid: 7, effective: 0)]), .wrong, "has no CAP_NET_RAW"),
        (RightsFacts(own: 0, gateways: [.init(pid: 7, effective: 0)], wantsRadio: false), .couldNotLook, "needs none"),
        (
            RightsFacts(own: Given.all, gateways: [.init(pid: 7, effective: 0)], wantsRadio: false), .fine,
            "This process"
        ),
        (RightsFacts(own: Given.all, gateways: [.init(pid: 7, effective: nil)]), .couldNotLook, "hidden"),
    ])
    func `rights`(facts: RightsFacts, verdict: Verdict, part: String) { Self.check(facts.finding, verdict, part) }

    @Test(arguments: [
        (ScannersFacts(programs: []), Verdict.fine, "No other program"),
        (ScannersFacts(programs: nil), .couldNotLook, "cannot be listed"),
        (ScannersFacts(programs: [.init(name: "bluetoothd", pid: 5)]), .couldNotLook, "bluetoothd (process 5) runs"),
        (
            ScannersFacts(programs: [.init(name: "bluetoothd", pid: 5)], taken: 0), .fine,
            "left the gateway's scan alone"
        ),
        (ScannersFacts(programs: [.init(name: "bluetoothd", pid: 5)], taken: 3), .wrong, "3 times"),
        (ScannersFacts(programs: [], taken: 1), .wrong, "a program that is not running now"),
        (ScannersFacts(programs: [.init(name: "hcitool", pid: 5)], hearsScan: true), .wrong, "hcitool (process 5)"),
        (ScannersFacts(programs: [.init(name: "hcitool", pid: 5)], hearsScan: false), .couldNotLook, "whether it"),
        (ScannersFacts(programs: [.init(name: "regiond", pid: 5)], hearsScan: true), .couldNotLook, "does not answer"),
        (ScannersFacts(programs: [], hearsScan: true), .couldNotLook, "left a scan on"),
        (ScannersFacts(programs: [], hearsScan: false), .fine, "No other program"),
    ])
    func `scanners`(facts: ScannersFacts, verdict: Verdict, part: String) { Self.check(facts.finding, verdict, part) }

    @Test(
        arguments: [
            (
                ReportsLook.gateway(.init(reports: 100, withoutRSSI: 5), seconds: 10, sourceText: "hci:0"),
                Verdict.fine,
                "95 reports with RSSI and 5 without in 10 s"
            ),
            (.gateway(.init(reports: 100, withoutRSSI: 6), seconds: 10, sourceText: "hci:0"), .wrong, "6 without"),
            (.gateway(.init(reports: 0, withoutRSSI: 0), seconds: 10, sourceText: "hci:0"), .wrong, "gave no report"),
            (.gateway(.init(reports: -9, withoutRSSI: 0), seconds: 10, sourceText: "hci:0"), .couldNotLook, "anew"),
            (.overheard(.init(reports: 9, withoutRSSI: 0), seconds: 10), .fine, "9 reports with RSSI"),
            (.overheard(.init(reports: 0, withoutRSSI: 0), seconds: 10), .couldNotLook, "Nobody scans"),
            (.nobody(why: "No gateway answers."), .couldNotLook, "No gateway answers"),
        ] as [(ReportsLook, Verdict, String)])
    func `reports`(look: ReportsLook, verdict: Verdict, part: String) { Self.check(look.finding, verdict, part) }

    @Test(
        arguments: [
            ("2026-11-30T09:00:00Z", true, 5, Verdict.fine, "synchronised: 2026-11-30"),
            ("2026-11-30T09:00:00Z", false, 5, .wrong, "nothing keeps it right"),
            ("1970-01-01T00:03:00Z", true, 5, .wrong, "which cannot be"),
            ("2100-01-01T00:00:00Z", true, 5, .wrong, "which cannot be"),
            ("2026-11-30T09:00:00Z", true, 0, .couldNotLook, "boot clock"),
        ] as [(String, Bool, Int64, Verdict, String)])
    func `clock`(time: String, isSynchronised: Bool, boot: Int64, verdict: Verdict, part: String) throws {
        let facts = ClockFacts(
            wallTime: try #require(WallTime(rfc3339: time)), isSynchronised: isSynchronised,
            boot: .boot + .seconds(boot))
        Self.check(facts.finding, verdict, part)
    }

    @Test(arguments: [
        (Given.disk(.there(isWritable: true, isOwn: true)), Verdict.fine, "is writable, with 1000 MB free"),
        (Given.disk(.missing), .fine, "a start makes it"),
        (Given.disk(.hidden("Permission denied")), .couldNotLook, "denied"),
        (Given.disk(.there(isWritable: false, isOwn: false)), .couldNotLook, "another user"),
        (Given.disk(.there(isWritable: false, isOwn: true)), .wrong, "may not be written"),
        (Given.disk(.there(isWritable: true, isOwn: true), isReadOnly: true), .wrong, "read-only"),
        (Given.disk(.there(isWritable: true, isOwn: true), free: 199_999_999), .wrong, "199 MB are free"),
    ])
    func `disk`(facts: DiskFacts, verdict: Verdict, part: String) { Self.check(facts.finding, verdict, part) }

    @Test(
        arguments: [
            (StoreLook.missing("/x.db"), Verdict.couldNotLook, "no store at /x.db"),
            (.unnamed("none"), .couldNotLook, "No store was found"),
            (.read(path: "/x.db", Given.summary(how: "clean")), .fine, "20 kB, version 1, newest event 4711 of 1970"),
            (.read(path: "/x.db", Given.summary(how: nil)), .fine, "goes on, or was broken off"),
            (.read(path: "/x.db", Given.summary(how: "clean", lost: 7)), .wrong, "7 events were lost"),
            (
                .failed(StoreError(.damaged, doing: "open /x.db", message: "malformed")), .wrong,
                "Cannot open /x.db: malformed"
            ),
            (.failed(StoreError(.newerVersion, doing: "open /x.db", message: "version 9")), .wrong, "version 9"),
            (.failed(StoreError(.unreachable, doing: "open /x.db", message: "denied")), .couldNotLook, "denied"),
            (.failed(StoreError(.busy, doing: "open /x.db", message: "locked")), .couldNotLook, "locked"),
        ] as [(StoreLook, Verdict, String)])
    func `store`(look: StoreLook, verdict: Verdict, part: String) { Self.check(look.finding, verdict, part) }

    @Test(
        arguments: [
            (RegistryLook.unnamed, Verdict.couldNotLook, "No registry is named"),
            (.refused("hall.json is refused: line 3."), .wrong, "line 3"),
            (.empty(path: "hall.json"), .wrong, "lists no beacons"),
            (.loaded(path: "hall.json", identities: 9, warnings: []), .fine, "9 identities."),
            (.loaded(path: "hall.json", identities: 9, warnings: ["odd"]), .fine, "; warning: odd."),
        ] as [(RegistryLook, Verdict, String)])
    func `registry`(look: RegistryLook, verdict: Verdict, part: String) { Self.check(look.finding, verdict, part) }

    @Test(
        arguments: [
            (
                PortLook.gateway(Given.gateway), Verdict.fine,
                "Gateway hall-a-box-1 (0.1.0, hci:0) answers on 127.0.0.1:8420"
            ),
            (.gateway(Given.troubled), .wrong, "The disk is full. (and 1 more)"), (.starting, .fine, "is starting"),
            (.nobody, .fine, "is free"), (.foreign("it does not speak HTTP"), .wrong, "taken by something else"),
            (.silent, .wrong, "does not answer"), (.refused("no"), .couldNotLook, "cannot be asked"),
            (.unnamed, .couldNotLook, "left to the system"),
        ] as [(PortLook, Verdict, String)])
    func `port`(look: PortLook, verdict: Verdict, part: String) {
        Self.check(look.finding(port: 8420), verdict, part)
    }

    @Test func `a finding is one JSON object, and rows of a table that fit`() {
        let wrong = Finding.wrong(.rights, "The right is missing\u{1B}[2J.", remedy: "Give it to the unit, please.")
        #expect(
            String(decoding: wrong.json, as: UTF8.self)
                == #"{"layer":"rights","verdict":"wrong","message":"The right is missing\u001b[2J.","#
                + #""remedy":"Give it to the unit, please."}"#)
        let fine = Finding.fine(.port, "Free.")
        #expect(String(decoding: fine.json, as: UTF8.self).hasSuffix(#""message":"Free.","remedy":null}"#))
        #expect(Finding.couldNotLook(.disk, "a", remedy: "b").json.contains(UInt8(ascii: "?")) == false)
        #expect(fine.lines(width: nil, ink: Ink(isOn: false)) == ["✓ port      Free."])
        #expect(
            wrong.lines(width: 38, ink: Ink(isOn: false)) == [
                "✕ rights    The right is", "            missing␛[2J.", "            → Give it to the unit,",
                "              please.",
            ])
        #expect(wrong.lines(width: nil, ink: Ink(isOn: true))[0].hasPrefix("\u{1B}[31m✕\u{1B}[0m rights"))
    }
}

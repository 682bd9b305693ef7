// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Testing
import Time

struct ScanControlTests {
    private func scanning(_ choice: AdapterChoice = .index(0), duty: Duty = .continuous) -> FakeAdapters {
        var radio = FakeAdapters(choice, duty: duty)
        radio.run(for: .milliseconds(10))
        return radio
    }

    // MARK: Which adapter

    @Test func `an adapter that is another scan's is left alone, under whatever number it comes`() {
        var radio = scanning()
        radio.unplug()
        radio.control.othersAdapters = [FakeAdapters.other]
        radio.adapters = [Adapter(index: 0, address: FakeAdapters.other, isUp: true, isBlocked: false)]
        radio.run(for: .seconds(30))
        #expect(radio.state == .lost && !radio.isScanning)
        radio.adapters.append(Adapter(index: 1, address: FakeAdapters.address, isUp: true, isBlocked: false))
        radio.run(for: .seconds(5))
        #expect(radio.state == .scanning && radio.open == 1)
        #expect(radio.control.ownAdapter == FakeAdapters.address)
    }

    // MARK: Begin

    @Test func `it begins deaf, reads what the controller can, and begins an extended passive scan`() {
        let radio = scanning()
        #expect(radio.inputs.map(\.input) == [.listening(false), .listening(true)])
        #expect(radio.state == .scanning)
        #expect(radio.isScanning)
        #expect(
            radio.commands.map(\.packet) == [
                [0x01, 0x02, 0x10, 0],
                [0x01, 0x42, 0x20, 6, 0, 0, 0, 0, 0, 0],
                // Own address public, everybody, 1M PHY, passive, interval and window 60 ms each.
                [0x01, 0x41, 0x20, 8, 0, 0, 1, 0, 0x60, 0, 0x60, 0],
                [0x01, 0x42, 0x20, 6, 1, 0, 0, 0, 0, 0],
            ])
        #expect(radio.control.status.message.contains("hci0 00:1A:7D:DA:71:13: extended scan, continuous."))
        #expect(
            radio.notes.map(\.text) == [
                "poweredOn: The adapter is on; the scan begins.",
                "scanning: hci0 00:1A:7D:DA:71:13: extended scan, continuous.",
            ])
    }

    @Test func `without extended commands it takes the legacy ones, window as long as the interval`() {
        var radio = FakeAdapters()
        radio.supportsExtended = false
        radio.run(for: .milliseconds(10))
        #expect(
            radio.commands.dropFirst().map(\.packet) == [
                [0x01, 0x0C, 0x20, 2, 0, 0], [0x01, 0x0B, 0x20, 7, 0, 0x60, 0, 0x60, 0, 0, 0],
                [0x01, 0x0C, 0x20, 2, 1, 0],
            ])
        #expect(radio.state == .scanning)
    }

    @Test func `a scan left on by a killed process is no obstacle`() {
        var radio = FakeAdapters()
        radio.foreign(.setExtendedScanEnable, scans: true)
        radio.run(for: .milliseconds(10))
        #expect(radio.state == .scanning)
        #expect(radio.steps == [])
    }

    @Test func `a controller that refuses to switch off what is off is commanded on`() {
        var radio = FakeAdapters()
        radio.refusesOff = 0x0C
        radio.run(for: .milliseconds(10))
        #expect(radio.state == .scanning)
    }

    @Test func `a refusal is named with command and status, is never called scanning, and a reset mends it`() {
        var radio = FakeAdapters()
        radio.refusals[.setExtendedScanParameters] = 0x0C
        radio.run(for: .milliseconds(500))
        #expect(radio.state == .lost)
        #expect(!radio.hears)
        #expect(
            radio.control.status.message.contains(
                "LE Set Extended Scan Parameters was answered with 0x0C (Command Disallowed)."))
        radio.refusals = [:]
        radio.run(for: .seconds(1))
        #expect(radio.steps == ["recovery: reset"])
        #expect(radio.state == .scanning)
        // A reset takes LE events away: they are asked for again.
        let afterReset = radio.commands.drop { $0.opcode != .reset }.map(\.opcode)
        #expect(
            Array(afterReset.prefix(4)) == [.reset, .setEventMask, .setLEEventMask, .setExtendedScanEnable])
    }

    @Test func `a controller on which others used legacy commands is reset`() {
        var radio = FakeAdapters()
        radio.refusals[.setExtendedScanParameters] = 0x0C
        radio.refusals[.setExtendedScanEnable] = 0x0C
        radio.run(for: .milliseconds(500))
        radio.refusals = [:]
        radio.run(for: .seconds(3))
        #expect(radio.state == .scanning)
        #expect(radio.control.status.resets == 1)
    }

    @Test func `a controller that never answers is tried again with growing pauses, and taken when it answers`() {
        var radio = FakeAdapters()
        radio.isStalled = true
        radio.run(for: .seconds(3))
        #expect(radio.state == .lost)
        #expect(radio.control.status.message.contains("Read Local Supported Commands was not answered."))
        radio.run(for: .seconds(3_600))
        #expect(radio.state == .lost)
        #expect(radio.commands.count < 60)
        radio.isStalled = false
        radio.run(for: .seconds(310))
        #expect(radio.state == .scanning)
    }

    // MARK: Missing

    @Test func `no adapter at the start is waited for, and taken within five seconds`() {
        var radio = FakeAdapters()
        let adapter = radio.adapters
        radio.adapters = []
        radio.run(for: .seconds(20))
        #expect(radio.state == .noAdapter)
        #expect(radio.notes.count == 1)
        #expect(radio.looks < 15)
        radio.adapters = adapter
        radio.run(for: .seconds(5))
        #expect(radio.state == .scanning)
    }

    @Test func `without the right one sentence says so, and it goes on trying, seldom`() {
        var radio = FakeAdapters()
        radio.sendFault = .notPermitted
        radio.run(for: .seconds(3_600))
        #expect(radio.state == .unauthorised)
        #expect(radio.notes.map(\.text) == ["unauthorised: The right to command the radio is missing."])
        #expect(radio.commands.count < 80)
        radio.sendFault = nil
        radio.run(for: .seconds(61))
        #expect(radio.state == .scanning)
    }

    @Test func `a system without Bluetooth is said to be one`() {
        var radio = FakeAdapters()
        radio.openFault = .unsupported("No socket of the family AF_BLUETOOTH can be made.")
        radio.run(for: .seconds(3_600))
        #expect(radio.state == .unsupported)
        #expect(radio.notes.count == 1)
    }

    @Test func `powered off and on again, and held off by rfkill`() {
        var radio = scanning()
        radio.run(for: .seconds(10))
        radio.powerOff()
        radio.run(for: .seconds(2))
        #expect(radio.state == .poweredOff)
        #expect(!radio.hears)
        radio.adapters[0].isBlocked = true
        radio.run(for: .seconds(5))
        #expect(radio.state == .blocked)
        radio.adapters[0].isBlocked = false
        radio.adapters[0].isUp = true
        radio.run(for: .seconds(5))
        #expect(radio.state == .scanning)
        #expect(radio.hears)
    }

    @Test func `unplugged it is lost at once, and found by its address under another number`() {
        var radio = scanning()
        radio.run(for: .seconds(60))
        radio.unplug()
        radio.run(for: .zero)
        #expect(radio.state == .lost)
        // Deaf since it was last known to work: the engine must not take what came after for silence.
        #expect(radio.inputs.last?.instant == radio.now - .milliseconds(300))
        #expect(!radio.hears)
        radio.run(for: .seconds(8))
        radio.adapters = [
            Adapter(index: 0, address: FakeAdapters.other, isUp: true, isBlocked: false),
            Adapter(index: 2, address: FakeAdapters.address, isUp: true, isBlocked: false),
        ]
        radio.run(for: .seconds(5))
        #expect(radio.state == .scanning)
        #expect(radio.open == 2)
        #expect(radio.notes.filter { $0.text.hasPrefix("lost: ") }.count == 1)
    }

    @Test func `an adapter named by its address is never replaced by another`() {
        var radio = FakeAdapters(.address(FakeAdapters.address))
        radio.adapters = [Adapter(index: 0, address: FakeAdapters.other, isUp: true, isBlocked: false)]
        radio.run(for: .seconds(60))
        #expect(radio.state == .noAdapter)
        #expect(radio.control.status.message.contains("There are others: hci0 00:1A:7D:DA:71:14."))
    }

    // MARK: Others

    @Test func `somebody else's scan is noticed at once, and ours is put back after two seconds`() {
        var radio = scanning()
        radio.run(for: .seconds(10))
        radio.foreign(.setExtendedScanEnable, scans: false)
        radio.run(for: .zero)
        #expect(radio.state == .paused)
        #expect(!radio.hears)
        radio.run(for: .milliseconds(2_100))
        #expect(radio.state == .scanning)
        #expect(radio.isScanning)
        #expect(radio.hears)
        #expect(radio.control.status.taken == 1)
        #expect(radio.notes.contains { $0.text.hasPrefix("taken: ") })
    }

    @Test func `who takes it again and again is given longer each time`() {
        var radio = scanning()
        var pauses: [Duration] = []
        for _ in 0..<5 {
            radio.run(for: .seconds(1))
            radio.foreign(.setExtendedScanEnable, scans: false)
            let taken = radio.now
            while radio.state != .scanning || radio.now == taken { radio.run(for: .seconds(1)) }
            pauses.append(radio.now - taken)
        }
        #expect(pauses == [.seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30)])
    }

    @Test func `a hardware error is a fresh start, and no exit`() {
        var radio = scanning()
        radio.run(for: .seconds(10))
        radio.breakDown()
        #expect(radio.state == .resetting)
        #expect(!radio.hears)
        radio.run(for: .seconds(4))
        #expect(radio.state == .scanning)
        #expect(radio.hears)
    }

    // MARK: Silence

    @Test func `silence climbs the ladder with growing pauses, and a report ends it`() {
        var radio = FakeAdapters(.any)
        radio.run(for: .seconds(20))
        radio.control.heard(at: radio.now)
        radio.control.silent(at: radio.now)
        radio.run(for: .seconds(600))
        #expect(radio.state == .silent)
        #expect(
            radio.steps.prefix(6) == [
                "recovery: toggle", "recovery: parameters", "recovery: reset", "recovery: next adapter",
                "recovery: reset", "recovery: next adapter",
            ])
        let times = radio.notes.filter { $0.text.hasPrefix("recovery: ") }.map { $0.instant }
        let pauses = zip(times.dropFirst(), times).map { ($0 - $1).inSeconds.rounded() }
        #expect(pauses.prefix(4) == [5, 10, 20, 40])
        // What was heard before the silence does not end it.
        radio.control.heard(at: radio.now - .seconds(600))
        #expect(radio.state == .silent)
        radio.control.heard(at: radio.now)
        #expect(radio.state == .scanning)
        let steps = radio.steps.count
        radio.run(for: .seconds(20))
        #expect(radio.steps.count == steps)
    }

    @Test func `where the source leaves the choice the next adapter is taken`() {
        var radio = FakeAdapters(.any)
        radio.adapters.append(Adapter(index: 1, address: FakeAdapters.other, isUp: true, isBlocked: false))
        radio.run(for: .seconds(10))
        #expect(radio.open == 0)
        radio.control.silent(at: radio.now)
        radio.run(for: .seconds(40))
        #expect(radio.open == 1)
    }

    @Test func `in a quiet hall the scan is begun anew now and then, and listening goes on`() {
        var radio = scanning()
        radio.run(for: .seconds(1))
        radio.control.heard(at: radio.now)
        radio.run(for: .seconds(32))
        #expect(radio.steps.count == 1)
        #expect(radio.state == .scanning)
        #expect(radio.hears)
        radio.run(for: .seconds(3_600))
        #expect(radio.steps.count < 12)
        #expect(radio.inputs.count == 2)
        radio.control.heard(at: radio.now)
        let steps = radio.steps.count
        radio.run(for: .seconds(32))
        #expect(radio.steps.count == steps + 1)
    }

    @Test func `when the scan cannot be begun anew the quiet is deafness`() {
        var radio = scanning()
        radio.isStalled = true
        radio.run(for: .seconds(40))
        #expect(radio.state == .lost)
        #expect(!radio.hears)
    }

    // MARK: Duty

    @Test func `a duty cycle opens and closes windows, and its pauses are not deafness`() {
        var radio = FakeAdapters(duty: .saver)
        radio.run(for: .seconds(95))
        let windows = radio.inputs.filter { if case .window = $0.input { true } else { false } }
        #expect(windows.count >= 6)
        for (window, before) in zip(windows.dropFirst(), windows) { #expect(window.input != before.input) }
        #expect(radio.hears)
        #expect(radio.control.status.state == .scanning)
        #expect(radio.isScanning == (windows.last?.input == .window(open: true)))
    }

    @Test func `it leaves the adapter as it was found`() {
        var radio = scanning()
        #expect(radio.control.farewell?.packet == [0x01, 0x42, 0x20, 6, 0, 0, 0, 0, 0, 0])
        radio.powerOff()
        radio.run(for: .seconds(2))
        #expect(radio.control.farewell == nil)
    }

    // MARK: Anything

    /// Whatever happens, it is never said to listen while it does not, for longer than it takes to notice; and when
    /// everything works again, it listens again.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `whatever fails, it comes back, and says that it listens only when it does`(seed: UInt64) {
        var random = SystemRandom(seed: seed)
        var radio = scanning(.any, duty: seed % 3 == 0 ? .gate : .continuous)
        for _ in 0..<40 {
            switch Int.random(in: 0..<9, using: &random) {
            case 0: radio.foreign(.setExtendedScanEnable, scans: Bool.random(using: &random))
            case 1: radio.breakDown()
            case 2: if !radio.adapters.isEmpty { radio.powerOff() }
            case 3: radio.unplug()
            case 4: radio.isStalled.toggle()
            case 5: radio.refusals = radio.refusals.isEmpty ? [.setExtendedScanEnable: 0x1F] : [:]
            case 6: radio.control.silent(at: radio.now)
            case 7: radio.sendFault = radio.sendFault == nil ? .notPermitted : nil
            default:
                let index = Int.random(in: 0..<3, using: &random)
                radio.adapters = [
                    Adapter(index: index, address: FakeAdapters.address, isUp: true, isBlocked: false)
                ]
            }
            radio.run(for: .milliseconds(Int.random(in: 0..<20_000, using: &random)))
            // Power and presence are looked at each second.
            radio.run(for: .milliseconds(1_100))
            if radio.hears, seed % 3 != 0 { #expect(radio.isScanning || radio.state == .silent) }
            #expect(radio.hears == (radio.state == .scanning || radio.state == .silent) || radio.state == .silent)
        }
        (radio.isStalled, radio.sendFault, radio.refusals) = (false, nil, [:])
        radio.adapters = [Adapter(index: 1, address: FakeAdapters.address, isUp: true, isBlocked: false)]
        radio.run(for: .seconds(900))
        radio.control.heard(at: radio.now)
        #expect(radio.state == .scanning)
        #expect(radio.hears)
    }
}

/// A row of numbers from a seed.
private struct SystemRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

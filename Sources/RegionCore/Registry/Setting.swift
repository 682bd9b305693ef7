// SPDX-License-Identifier: GPL-2.0-or-later

/// The numbers people may change, for the venue or for a region. Every other number of the engine is fixed.
///
/// This table is the one source of names, defaults, ranges and reasons: the registry reader, `--set`,
/// `check --print-defaults` and the schema all come from it.
public enum Setting: String, CaseIterable, Sendable {
    case enterHits, enterWindow, enterRSSI, exit, exitRSSI, exitDeficit, relativeRSSI, belowLoudest, cooldown,
        filterSamples,
        filterSeconds, pathLoss, margin, leadEvidence

    /// What stands in the table for one setting.
    public struct Row: Sendable {
        /// What holds where nothing is set; nil: the rule it belongs to is off.
        public let defaultValue: Double?
        /// What is accepted, in `unit`.
        public let range: ClosedRange<Double>
        /// How it is written.
        public let form: Form
        /// The unit of the number.
        public let unit: String
        /// Why the default is what it is.
        public let reason: String
    }

    /// How a setting is written.
    public enum Form: Sendable {
        /// Any number in its range.
        case decimal
        /// A whole number.
        case whole
        /// `true` or `false`; kept as 1 or 0.
        case flag
    }

    /// This setting's row.
    public var row: Row {
        switch self {
        case .enterHits:
            Row(
                defaultValue: 3, range: 1...20, form: .whole, unit: "hits",
                reason: "one stray packet is no visit; three are seldom stray")
        case .enterWindow:
            Row(
                defaultValue: 10, range: 1...600, form: .decimal, unit: "s",
                reason:
                    "a tag at 1 Hz in a full hall, half its packets lost, gives three hits in it; slower tags: three intervals"
            )
        case .enterRSSI:
            Row(
                defaultValue: nil, range: -127...40, form: .decimal, unit: "dBm",
                reason: "off: levels differ by 20 dB between beacons, so a limit is for a place someone has measured")
        case .exit:
            Row(
                defaultValue: 60, range: 1...86_400, form: .decimal, unit: "s",
                reason:
                    "no false exit at rest in any recorded hall; costs latency of the live count, never accuracy of the record"
            )
        case .exitRSSI:
            Row(
                defaultValue: nil, range: -131...40, form: .decimal, unit: "dBm",
                reason: "4 dB below enterRSSI where that is set: the gap is the hysteresis")
        case .exitDeficit:
            Row(
                defaultValue: 20, range: 0...10_000, form: .decimal, unit: "dB·s",
                reason: "2.5 s of a clear loss or 20 s of a slight one")
        case .relativeRSSI:
            Row(
                defaultValue: 0, range: 0...1, form: .flag, unit: "",
                reason:
                    "the two limits are plain dBm; true compares them with RSSI less the power at 1 m, so that one serves all beacons"
            )
        case .belowLoudest:
            Row(
                defaultValue: 0, range: 0...1, form: .flag, unit: "",
                reason:
                    "the two limits are plain dBm; true tells them from the loudest that the receiver hears: one box, one room, beacons of unknown power"
            )
        case .cooldown:
            Row(
                defaultValue: 60, range: 0...86_400, form: .decimal, unit: "s",
                reason: "who comes and goes within a minute wakes nobody twice")
        case .filterSamples:
            Row(
                defaultValue: 10, range: 1...100, form: .whole, unit: "samples",
                reason: "a second at 10 Hz; caps filterSeconds, so raise both together")
        case .filterSeconds:
            Row(
                defaultValue: 10, range: 1...600, form: .decimal, unit: "s",
                reason: "ten samples of a 1 Hz tag; older ones tell where it was")
        case .pathLoss:
            Row(
                defaultValue: 2.7, range: 1...6, form: .decimal, unit: "",
                reason: "between an open hall (2.0) and a crowded one (3.0); display only")
        case .margin:
            Row(
                defaultValue: 2.75, range: 0...40, form: .decimal, unit: "dB",
                reason: "two receivers at the same distance differ by that much most of the time")
        case .leadEvidence:
            Row(
                defaultValue: 4, range: 0...1_000, form: .decimal, unit: "dB·s",
                reason: "a clear lead takes a second or two, a wobble at dead centre seldom gets there")
        }
    }

    /// Why a value cannot be taken, or nil when it can.
    public func refusal(of value: Double) -> String? {
        let row = row
        guard value.isFinite, row.range.contains(value) else {
            return row.form == .flag ? "\(rawValue) is \(expected)" : "\(rawValue) must lie in \(rangeInWords)"
        }
        switch row.form {
        case .decimal: return nil
        case .whole: return value == value.rounded() ? nil : "\(rawValue) must be a whole number"
        case .flag: return value == value.rounded() ? nil : "\(rawValue) is \(expected)"
        }
    }

    /// A value of a flag as what it stands for; nil where the setting is a number.
    public func flag(_ value: Double) -> Bool? { row.form == .flag ? value != 0 : nil }

    /// A value as people and files write it.
    public func text(of value: Double) -> String { flag(value).map { "\($0)" } ?? plain(value) }

    /// What a value is, for messages.
    public var expected: String { row.form == .flag ? "true or false" : "a number" }

    /// What is accepted, with its unit: `1…600 s`.
    public var rangeInWords: String {
        let row = row
        guard row.form != .flag else { return expected }
        let unit = row.unit.isEmpty ? "" : " \(row.unit)"
        return "\(plain(row.range.lowerBound))…\(plain(row.range.upperBound))\(unit)"
    }
}

/// Which settings a venue or a region changes.
public struct SettingOverrides: Equatable, Sendable {
    private var values: [Setting: Double] = [:]

    /// Nothing changed.
    public init() {}

    /// The changed value, or nil.
    public subscript(setting: Setting) -> Double? {
        get { values[setting] }
        set { values[setting] = newValue }
    }

    /// What holds with these changes: the default of each setting that none of them changes.
    public var inForce: SettingOverrides {
        var complete = self
        for setting in Setting.allCases { complete[setting] = self[setting] ?? setting.row.defaultValue }
        return complete
    }

    /// Whether nothing is changed.
    public var isEmpty: Bool { values.isEmpty }

    /// These, with another's values winning.
    public func overridden(by others: SettingOverrides) -> SettingOverrides {
        var merged = self
        for setting in Setting.allCases { merged[setting] = others[setting] ?? self[setting] }
        return merged
    }
}

/// A number without a needless `.0`.
func plain(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
}

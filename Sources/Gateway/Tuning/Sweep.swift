// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore

/// What `tune` tries at most.
enum SweepLimit {
    /// 100,000 sightings, an hour of one box, replay in 15 ms: this many take a good minute on two cores. More: fewer
    /// values first, then closer ones around the best.
    static let combinations = 10_000
}

/// The values to be tried for each setting; every value of one with every value of the others.
struct Sweep: Equatable {
    /// One setting and its values, in the order of the command line.
    struct Axis: Equatable {
        let setting: Setting
        let values: [Double]
    }

    /// The settings that are swept.
    let axes: [Axis]
    /// How many combinations there are; 1 where nothing is swept.
    let count: Int

    /// Reads `exit=20,30,60` and the like.
    init(_ texts: [String]) throws(GatewayError) {
        var axes: [Axis] = []
        var count = 1
        for text in texts {
            let axis = try Axis(text)
            guard !axes.contains(where: { $0.setting == axis.setting }) else {
                throw GatewayError(
                    .usage, "--sweep \(axis.setting.rawValue) is given twice: name all its values in one")
            }
            axes.append(axis)
            count *= axis.values.count
            guard count <= SweepLimit.combinations else {
                throw GatewayError(
                    .usage,
                    "--sweep gives more than \(SweepLimit.combinations) combinations: try fewer values, then closer "
                        + "ones around the best")
            }
        }
        self.axes = axes
        self.count = count
    }

    /// The settings of a combination: the last axis changes first.
    func settings(of combination: Int) -> SettingOverrides {
        var settings = SettingOverrides()
        var rest = combination
        for axis in axes.reversed() {
            settings[axis.setting] = axis.values[rest % axis.values.count]
            rest /= axis.values.count
        }
        return settings
    }
}

extension Sweep.Axis {
    /// Reads `exit=20,30,60`.
    fileprivate init(_ text: String) throws(GatewayError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let setting = Setting(rawValue: parts[0]) else {
            let known = Setting.allCases.map(\.rawValue).joined(separator: ", ")
            throw GatewayError(.usage, "--sweep takes a setting and its values, as exit=20,30,60; there are \(known)")
        }
        var values: [Double] = []
        for word in parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            guard let value = setting.value(written: word) else {
                throw GatewayError(.usage, "--sweep \(text): \(setting.rawValue) is \(setting.expected), not '\(word)'")
            }
            if let refusal = setting.refusal(of: value) { throw GatewayError(.usage, "--sweep \(text): \(refusal)") }
            guard !values.contains(value) else {
                throw GatewayError(.usage, "--sweep \(text): \(word) stands there twice")
            }
            values.append(value)
        }
        self.init(setting: setting, values: values)
    }
}

extension SettingOverrides {
    /// The settings as a member `settings` of a registry.
    func write(into writer: inout JSONWriter) {
        writer.key("settings")
        writer.beginObject()
        for setting in Setting.allCases {
            guard let value = self[setting] else { continue }
            writer.key(setting.rawValue)
            if let flag = setting.flag(value) { writer.bool(flag) } else { writer.number(value, decimals: 6) }
        }
        writer.endObject()
    }
}

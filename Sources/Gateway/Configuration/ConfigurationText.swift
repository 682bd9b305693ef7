// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore

extension Configuration {
    /// A configuration file with every key at its default, and what each is for: what `--print-defaults` prints and
    /// `--config` reads back.
    static func defaultsText() -> String {
        var lines = ["{"]
        for key in ConfigurationKey.allCases {
            let value = key == .port ? "\(Configuration().port)" : "null"
            lines += ["    // \(key.reason)", "    \"\(key.rawValue)\": \(value),"]
        }
        lines += ["", "    // Settings of the engine, for every venue; a registry's own win over these."]
        for setting in Setting.allCases {
            let row = setting.row
            let range = "\(plain(row.range.lowerBound))…\(plain(row.range.upperBound))"
            let unit = row.unit.isEmpty ? "" : " \(row.unit)"
            lines += [
                "    // \(range)\(unit): \(row.reason)",
                "    \"\(setting.rawValue)\": \(row.defaultValue.map(plain) ?? "null"),",
            ]
        }
        lines += [
            "",
            "    // Two places want other numbers. A gate where people pass close by a receiver at their waist:",
            "    //     \"enterRSSI\": -75, \"exit\": 30",
            "    // Slow tags, here one packet in 10 s: three intervals to enter, six to leave.",
            "    //     \"enterWindow\": 30, \"exit\": 75",
            "}",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The values in force as one line of JSON: kept in the store with each settings version.
    var text: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("gateway", gateway)
        writer.member("port", Int(port))
        for (name, settings) in [("defaults", defaults), ("set", overrides)] where !settings.isEmpty {
            writer.key(name)
            writer.beginObject()
            for setting in Setting.allCases {
                guard let value = settings[setting] else { continue }
                writer.member(setting.rawValue, value)
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.text
    }

    private static func plain(_ value: Double) -> String {
        value == value.rounded() ? "\(Int64(value))" : "\(value)"
    }
}

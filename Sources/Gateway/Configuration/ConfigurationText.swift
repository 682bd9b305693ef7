// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore
import RegistryJSON

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
            lines += [
                "    // \(setting.rangeInWords): \(row.reason)",
                "    \"\(setting.rawValue)\": \(row.defaultValue.map(setting.text) ?? "null"),",
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
        RegistryWriter.write(defaults, as: "defaults", to: &writer)
        RegistryWriter.write(overrides, as: "set", to: &writer)
        writer.endObject()
        return writer.text
    }
}

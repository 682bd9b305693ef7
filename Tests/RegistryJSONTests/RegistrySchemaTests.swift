// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import JSONText
import RegionCore
import RegistryJSON
import Testing

private let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

/// The reader and the schema beside the example say the same, each in its own way.
struct RegistrySchemaTests {
    private static func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).appending(path: "../../../registry").standardized
        return Array(try Data(contentsOf: folder.appending(path: name)))
    }

    private static func schema() throws -> JSONNode { try JSONReader.read(bytes("registry.schema.json")) }

    /// A registry with these fields in one object of the kind, its required ones added where they are missing.
    private static func registry(with fields: String, in kind: String) -> String {
        let array: (String, String)? =
            switch kind {
            case "beacon": ("beacons", "\"uuid\":\"\(uuid)\",\"major\":1,\"minor\":2")
            case "region": ("regions", "\"uuid\":\"\(uuid)\",\"major\":1,\"identifier\":\"a\"")
            case "receiver": ("receivers", "\"id\":\"a\"")
            default: nil
            }
        guard let (name, required) = array else {
            // Limits go up to what only relative ones may be.
            let relative = kind == "settings" && !fields.contains("relativeRSSI") ? ",\"relativeRSSI\":true" : ""
            return "{\"venueId\":\"h\",\"beacons\":[],\"\(kind)\":{\(fields)\(relative)}}"
        }
        let key = fields.prefix { $0 != ":" }
        let kept = required.split(separator: ",").filter { !$0.hasPrefix(key + ":") }
        let beacons = name == "beacons" ? "" : "\"beacons\":[],"
        return "{\"venueId\":\"h\",\(beacons)\"\(name)\":[{\((kept + [Substring(fields)]).joined(separator: ","))}]}"
    }

    @Test func `the example is read, and shows what there is`() throws {
        let venue = try RegistryReader.read(Self.bytes("example-hall.json"))
        #expect(venue.beacons.count { $0.kind == .fixed && $0.exhibit != nil && $0.x != nil } == 12)
        #expect(venue.beacons.contains { $0.isRange })
        #expect(venue.beacons.contains { $0.group != nil })
        #expect(venue.regions?.isEmpty == false)
        #expect(venue.receivers.count == 1)
        #expect(!venue.settings.isEmpty)
    }

    @Test(arguments: ["beacon", "region", "receiver", "settings", "shadow"])
    func `each object has the same keys in both`(kind: String) throws {
        let properties = try #require(try Self.schema()["$defs"]?[kind]?["properties"]?.objectValue?.map(\.key))
        let found = faults(in: Self.registry(with: "\"zzzzzzzzzzzz\":1", in: kind))
        let list = try #require(found.first?.split(separator: "there are: ").last)
        #expect(Set(list.split(separator: ", ").map(String.init)) == Set(properties))
        #expect(try Self.schema()["$defs"]?[kind]?["additionalProperties"]?.boolValue == false)
    }

    @Test(arguments: ["beacon", "region", "receiver", "settings"])
    func `each range ends at the same numbers in both`(kind: String) throws {
        let properties = try #require(try Self.schema()["$defs"]?[kind]?["properties"]?.objectValue)
        for property in properties {
            let limits = (property.value["minimum"]?.doubleValue, property.value["maximum"]?.doubleValue)
            guard case (let minimum?, let maximum?) = limits else { continue }
            for (value, isGood) in [(minimum, true), (maximum, true), (minimum - 1, false), (maximum + 1, false)] {
                let text = Self.registry(with: "\"\(property.key)\":\(Int(value))", in: kind)
                #expect(faults(in: text).isEmpty == isGood, "\(property.key): \(Int(value))")
            }
        }
    }

    @Test(arguments: ["beacon", "region", "receiver"])
    func `each choice has the same words in both`(kind: String) throws {
        let properties = try #require(try Self.schema()["$defs"]?[kind]?["properties"]?.objectValue)
        for property in properties {
            guard let words = property.value["enum"]?.arrayValue?.compactMap(\.stringValue) else { continue }
            let found = faults(in: Self.registry(with: "\"\(property.key)\":\"zzz\"", in: kind))
            let list = try #require(found.first?.split(separator: "is one of ").last)
            #expect(Set(list.split(separator: ", ").map { $0.filter { $0 != "\"" } }) == Set(words))
        }
    }

    @Test(arguments: Setting.allCases)
    func `each setting stands in the schema as in its table`(setting: Setting) throws {
        let property = try #require(try Self.schema()["$defs"]?["settings"]?["properties"]?[setting.rawValue])
        let row = setting.row
        if row.form != .flag {
            #expect(property["minimum"]?.doubleValue == row.range.lowerBound)
            #expect(property["maximum"]?.doubleValue == row.range.upperBound)
        }
        #expect(property["type"]?.arrayValue?.first?.stringValue == Self.type(of: row.form))
        #expect(property["default"].flatMap { setting.value(of: $0) } == row.defaultValue)
        let description = try #require(property["description"]?.stringValue)
        #expect(description.hasSuffix(". Default: \(row.reason)."))
        #expect(row.unit.isEmpty || description.contains("(\(row.unit))"))
    }

    private static func type(of form: Setting.Form) -> String {
        switch form {
        case .decimal: "number"
        case .whole: "integer"
        case .flag: "boolean"
        }
    }

    @Test(arguments: ["receivers", "unregistered"])
    func `the schema says of a region's receivers what the reader does`(key: String) throws {
        let property = try #require(try Self.schema()["$defs"]?["region"]?["properties"]?[key])
        let isArray = property["type"]?.arrayValue?.first?.stringValue == "array"
        #expect(isArray == (key == "receivers"))
        #expect(property["minItems"]?.integerValue == (isArray ? 1 : nil))
    }

    @Test(arguments: RegistrySchemaTests.shadowSettings)
    func `a setting of the shadow is in the schema what it is in the settings`(setting: Setting) throws {
        let property = try #require(try Self.schema()["$defs"]?["shadow"]?["properties"]?[setting.rawValue])
        #expect(property["$ref"]?.stringValue == "#/$defs/settings/properties/\(setting.rawValue)")
    }

    private static let shadowSettings: [Setting] = [.margin, .leadEvidence]

    @Test func `the venue has the same keys and the same required ones in both`() throws {
        let schema = try Self.schema()
        let properties = try #require(schema["properties"]?.objectValue?.map(\.key))
        let found = faults(in: "{\"venueId\":\"h\",\"beacons\":[],\"zzzzzzzzzzzz\":1}")
        let list = try #require(found.first?.split(separator: "there are: ").last)
        #expect(Set(list.split(separator: ", ").map(String.init)) == Set(properties))
        #expect(schema["required"]?.arrayValue?.compactMap(\.stringValue) == ["venueId", "beacons"])
        #expect(schema["properties"]?["receivers"]?["maxItems"]?.integerValue == Int64(VenueRules.mostReceivers))
        #expect(schema["$defs"]?["identifier"]?["maxLength"]?.integerValue == Int64(VenueRules.mostIdentifierBytes))
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore

/// Writes a venue as a registry file that `RegistryReader` reads back as the same venue: for venues that come from no
/// file, so that the store can keep what was in force.
public enum RegistryWriter {
    /// The file's text, without needless blanks.
    public static func text(of venue: Venue) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("venueId", venue.venueId)
        write(venue.settings, as: "settings", to: &writer)
        if let shadow = venue.shadow { write(shadow, to: &writer) }
        list("beacons", venue.beacons, to: &writer, write)
        if let regions = venue.regions { list("regions", regions, to: &writer, write) }
        if !venue.receivers.isEmpty { list("receivers", venue.receivers, to: &writer, write) }
        writer.endObject()
        return writer.text
    }

    private static func list<Element>(
        _ key: String, _ elements: [Element], to writer: inout JSONWriter,
        _ write: (Element, inout JSONWriter) -> Void
    ) {
        writer.key(key)
        writer.beginArray()
        for element in elements {
            writer.beginObject()
            write(element, &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func write(_ beacon: BeaconEntry, to writer: inout JSONWriter) {
        writer.member("uuid", beacon.uuid.description)
        writer.member("major", beacon.major)
        if beacon.isRange {
            writer.member("minors", "\(beacon.minors.lowerBound)-\(beacon.minors.upperBound)")
        } else {
            writer.member("minor", beacon.minors.lowerBound)
        }
        if let name = beacon.name { writer.member("name", name) }
        if let exhibit = beacon.exhibit { writer.member("id", exhibit) }
        if beacon.kind == .fixed { writer.member("kind", beacon.kind.rawValue) }
        if let group = beacon.group { writer.member("group", group) }
        place(floor: beacon.floor, x: beacon.x, y: beacon.y, to: &writer)
        if let power = beacon.calibratedPower { writer.member("txPower", power) }
        if beacon.canary { writer.member("canary", true) }
    }

    private static func write(_ region: RegionDefinition, to writer: inout JSONWriter) {
        writer.member("identifier", region.identifier)
        if let name = region.name { writer.member("name", name) }
        writer.member("uuid", region.scope.uuid.description)
        if let major = region.scope.major { writer.member("major", major) }
        if let minor = region.scope.minor { writer.member("minor", minor) }
        if let receivers = region.receivers {
            writer.key("receivers")
            writer.beginArray()
            for receiver in receivers { writer.string(receiver) }
            writer.endArray()
        }
        if region.unregistered { writer.member("unregistered", true) }
        writer.member("wake", region.wake.rawValue)
        if !region.notifyOnEntry { writer.member("notifyOnEntry", false) }
        if !region.notifyOnExit { writer.member("notifyOnExit", false) }
        if region.notifyEntryStateOnDisplay { writer.member("notifyEntryStateOnDisplay", true) }
        if let capacity = region.capacity { writer.member("capacity", capacity) }
        write(region.settings, as: "settings", to: &writer)
    }

    private static func write(_ receiver: ReceiverEntry, to writer: inout JSONWriter) {
        writer.member("id", receiver.id)
        if let name = receiver.name { writer.member("name", name) }
        if receiver.kind == .carried { writer.member("kind", receiver.kind.rawValue) }
        place(floor: receiver.floor, x: receiver.x, y: receiver.y, to: &writer)
        if receiver.rssiOffset != 0 { writer.member("rssiOffset", receiver.rssiOffset) }
        if let group = receiver.group { writer.member("group", group) }
    }

    private static func place(floor: String?, x: Double?, y: Double?, to writer: inout JSONWriter) {
        if let floor { writer.member("floor", floor) }
        if let x { writer.member("x", x) }
        if let y { writer.member("y", y) }
    }

    private static func write(_ shadow: NearestRule, to writer: inout JSONWriter) {
        var values = SettingOverrides()
        values[.margin] = shadow.margin
        values[.leadEvidence] = shadow.leadEvidence
        write(values, as: "shadow", to: &writer)
    }

    /// Writes what is set as a member that is an object; nothing where nothing is.
    public static func write(_ settings: SettingOverrides, as key: String, to writer: inout JSONWriter) {
        guard !settings.isEmpty else { return }
        writer.key(key)
        writer.beginObject()
        for setting in Setting.allCases {
            guard let value = settings[setting] else { continue }
            if let flag = setting.flag(value) {
                writer.member(setting.rawValue, flag)
            } else {
                writer.member(setting.rawValue, value)
            }
        }
        writer.endObject()
    }
}

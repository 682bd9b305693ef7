// SPDX-License-Identifier: GPL-2.0-or-later

/// How strongly a beacon is heard: by filtered RSSI alone, so it says nothing of metres.
///
/// Not Apple's immediate, near and far, which are estimates of distance.
public enum ProximityTier: String, CaseIterable, Sendable {
    /// From −60 dBm up.
    case near
    /// From −80 dBm up.
    case mid
    /// Weaker.
    case far
}

/// A distance as people are shown it: a band, since half of all single estimates are off by more than a factor of two.
/// Nothing is ever decided on it.
public enum DistanceBand: String, CaseIterable, Sendable {
    case under1 = "< 1 m"
    case from1to2 = "1–2 m"
    case from2to5 = "2–5 m"
    case from5to10 = "5–10 m"
    case from10to20 = "10–20 m"
    case over20 = "> 20 m"
}

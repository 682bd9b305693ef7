// SPDX-License-Identifier: GPL-2.0-or-later

/// Which program this is.
public enum Version {
    /// The version as `--version` prints it.
    public static let text = "0.1.0"
}

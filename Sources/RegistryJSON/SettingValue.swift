// SPDX-License-Identifier: GPL-2.0-or-later

import JSONText
import RegionCore

extension Setting {
    /// The value that a file writes for it; nil where that is not of its kind. Its range is another question.
    public func value(of node: JSONNode) -> Double? {
        switch row.form {
        case .decimal, .whole: node.doubleValue
        case .flag: node.boolValue.map { $0 ? 1 : 0 }
        }
    }
}

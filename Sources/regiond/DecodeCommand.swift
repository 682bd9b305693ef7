// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway

/// `regiond decode`.
enum DecodeCommand {
    static let command = Command(
        name: "decode", summary: "decode hex lines on standard input, one answer a line",
        options: [
            Option(name: "--hci", summary: "take every line as an HCI event (or hcidump -R text)"),
            Option(name: "--ad", summary: "take every line as advertising data"), .json,
        ],
        notes: """
            Told apart by themselves otherwise: an HCI event, advertising data, one AD structure with or without its
            length byte (27, 26 bytes), manufacturer data (25, from 4C00), Apple's part (23, from 0215), the bare 21.
            Spaces, dashes, colons and 0x are ignored.
            """
    ) { arguments throws(GatewayError) in
        var options = DecodeOptions()
        options.asHCI = arguments.has("--hci")
        options.asAD = arguments.has("--ad")
        options.json = arguments.has("--json")
        try Decode.run(options)
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Gateway

struct SecretTextTests {
    private func removed(_ text: String) -> String {
        String(decoding: SecretText.removed(from: Array(text.utf8)), as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"port": 8420, "readToken": "abc", "x": 1}"#, #"{"port": 8420, "readToken": "left out", "x": 1}"#),
        (#"{"mqtt_password" : 12, "b": 2}"#, #"{"mqtt_password" : "left out", "b": 2}"#),
        (#"{"api-key":{"a":["}",{"b":"]"}]},"c":3}"#, #"{"api-key":"left out","c":3}"#),
        (#"{"secrets":["a","b"]}"#, #"{"secrets":"left out"}"#),
        (#"{"token": "with \" a quote", "d": 4}"#, #"{"token": "left out", "d": 4}"#),
        (#"{"url": "mqtt://name:word@host:1883/x"}"#, #"{"url": "mqtt://left-out@host:1883/x"}"#),
        (#"{"url": "https://host/a@b"}"#, #"{"url": "https://host/a@b"}"#),
        ("{\"token\": abc\n \"e\": 5", "{\"token\": \"left out\"\n \"e\": 5"),
        (#"{"token"#, #"{"token"#), (#"{"token":"#, #"{"token":"#), (#"{"token": "cut off"#, #"{"token": "left out""#),
        (#"{"name": "the token is not a key"}"#, #"{"name": "the token is not a key"}"#),
    ])
    func `what looks like a secret is left out, all else stays as it was`(text: String, expected: String) {
        #expect(removed(text) == expected)
    }

    @Test func `the printed defaults stay whole, being no secrets`() {
        #expect(removed(Configuration.defaultsText()) == Configuration.defaultsText())
    }
}

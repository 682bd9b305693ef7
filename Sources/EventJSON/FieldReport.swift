// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore
import Time

/// What the field page shows: the engine's state and what the gateway knows besides.
public struct FieldReport: Sendable {
    /// What the engine knows.
    public var field: FieldState
    /// Labels its instants with calendar time.
    public var anchor: ClockAnchor
    /// The gateway's name.
    public var gateway: String
    /// What kind of source it listens to.
    public var source: SourceKind
    /// The source as the command line named it.
    public var sourceText: String
    /// The version of the program.
    public var version: String
    /// When this run began.
    public var startedAt: Instant
    /// The last told event of each beacon.
    public var lastWakes: [BeaconIdentity: CommittedEvent]
    /// The last told event of the box.
    public var lastWakeOfBox: CommittedEvent?
    /// What is wrong, the worst first; empty: nothing.
    public var trouble: [Trouble]
    /// Whether what is heard is being recorded, so that marks belong to something.
    public var recording = false

    /// A report of these parts.
    public init(
        field: FieldState, anchor: ClockAnchor, gateway: String, source: SourceKind, sourceText: String,
        version: String, startedAt: Instant, lastWakes: [BeaconIdentity: CommittedEvent] = [:],
        lastWakeOfBox: CommittedEvent? = nil, trouble: [Trouble] = []
    ) {
        self.field = field
        self.anchor = anchor
        self.gateway = gateway
        self.source = source
        self.sourceText = sourceText
        self.version = version
        self.startedAt = startedAt
        self.lastWakes = lastWakes
        self.lastWakeOfBox = lastWakeOfBox
        self.trouble = trouble
    }

    /// Something that is wrong with the box.
    public struct Trouble: Equatable, Sendable {
        /// What is wrong.
        public enum Kind: String, CaseIterable, Sendable {
            /// The receiver cannot hear, or hears nothing.
            case silent
            /// The live radio cannot be used.
            case radio
            /// A new registry was refused; the old one stays in force.
            case registryRefused
            /// Events cannot be stored, and so are not told.
            case storeInTrouble
            /// Events were lost.
            case lost
        }

        /// What is wrong.
        public var kind: Kind
        /// One sentence that says it.
        public var message: String
        /// One sentence that says what to do.
        public var remedy: String

        /// A trouble of these parts.
        public init(kind: Kind, message: String, remedy: String) {
            self.kind = kind
            self.message = message
            self.remedy = remedy
        }
    }
}

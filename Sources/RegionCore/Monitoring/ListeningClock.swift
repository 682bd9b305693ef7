// SPDX-License-Identifier: GPL-2.0-or-later

/// A clock that stands still while the receiver cannot hear for a reason nobody planned: a deaf radio is not an
/// empty hall. Exit times run on it. All values are nanoseconds.
struct ListeningClock: Sendable {
    /// Whether the receiver can hear.
    private(set) var isListening = true
    /// When it last began to hear again after a loss.
    private(set) var heardAgainAt = Int64.min
    /// Deaf time that has ended.
    private var deafBefore: Int64 = 0
    private var deafSince: Int64 = 0
    private var lastDeafSpan: Int64 = 0

    /// What this clock shows at an instant of the boot clock. Exact from the last change of listening on.
    func time(at instant: Int64) -> Int64 {
        isListening ? max(instant, heardAgainAt) - deafBefore : deafSince - deafBefore
    }

    /// When this clock will show a time; nil while it stands still.
    func instant(of time: Int64) -> Int64? { isListening ? time + deafBefore : nil }

    /// How long the receiver could hear since an instant, at most one loss in between.
    func listened(since start: Int64, until now: Int64) -> Int64 {
        let present = isListening ? now : max(deafSince, start)
        return present - start - (start < heardAgainAt ? min(lastDeafSpan, present - start) : 0)
    }

    /// Listening ceased.
    mutating func stop(at instant: Int64) {
        isListening = false
        deafSince = instant
    }

    /// Listening began again. Gives how long it was lost.
    mutating func resume(at instant: Int64) -> Int64 {
        lastDeafSpan = instant - deafSince
        deafBefore += lastDeafSpan
        heardAgainAt = instant
        isListening = true
        return lastDeafSpan
    }
}

/// The planned windows of a duty cycle. Its off-phases count as time, so silence also needs two whole windows
/// without the beacon. A receiver that listens all the time sends none, and then this asks for nothing.
struct DutyWindows: Sendable {
    /// Whether any window was announced.
    private(set) var areUsed = false
    /// When the last whole window closed, on the boot clock.
    private(set) var lastClosedAt = Int64.min
    /// When the window before the last whole one opened, on the listening clock.
    private var previousOpened = Int64.min
    private var lastOpened = Int64.min
    private var opened: Int64?

    /// A window opened, at this time of the listening clock.
    mutating func open(at time: Int64) {
        areUsed = true
        opened = time
    }

    /// The open window closed. One that was not heard through does not count.
    mutating func close(at time: Int64, instant: Int64) {
        areUsed = true
        guard let start = opened else { return }
        opened = nil
        previousOpened = lastOpened
        lastOpened = start
        lastClosedAt = instant
    }

    /// Hearing was lost at an instant: the open window is no whole one, nor are those that closed since. Of the last two
    /// whole ones that may leave fewer; then two more are waited for.
    mutating func spoil(since instant: Int64) {
        opened = nil
        guard lastClosedAt > instant else { return }
        lastOpened = .min
        previousOpened = .min
        lastClosedAt = .min
    }

    /// Whether two whole windows passed since a time of the listening clock.
    func twoPassed(since time: Int64) -> Bool { previousOpened > time }
}

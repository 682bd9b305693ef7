// SPDX-License-Identifier: GPL-2.0-or-later

import CShim
import Glibc
import RadioHCI
import Time

/// The box's clocks: the only place where the product reads one.
enum BoxClock {
    /// The boot clock, which counts on through suspend.
    static func now() -> Instant { Instant(nanoseconds: read(CLOCK_BOOTTIME)) }

    /// The wall clock: for labels.
    static func wallNow() -> WallTime { WallTime(microseconds: read(CLOCK_REALTIME) / 1_000) }

    /// Both clocks at one moment, and whether the kernel says that the wall clock is disciplined.
    static func anchor() -> ClockAnchor {
        ClockAnchor(instant: now(), wallTime: wallNow(), synchronised: shim_clock_is_synchronised() == 1)
    }

    /// The clocks as a radio needs them.
    static var forRadio: HCIRadio.Clocks { HCIRadio.Clocks(boot: now) { read(CLOCK_REALTIME) } }

    /// Lets real time pass.
    static func pause(_ span: Duration) {
        let nanoseconds = span.wholeNanoseconds
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        _ = unsafe nanosleep(&time, nil)  // A signal may cut it short; no caller minds.
    }

    /// Names this boot; the same text until the next one.
    static func bootId() -> String {
        let text = (try? TextFile.read("/proc/sys/kernel/random/boot_id", limit: 64)) ?? []
        let id = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return id.isEmpty ? "unknown" : id
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

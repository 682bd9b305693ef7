// The same work as the hot path, in the smallest C that does it: what the benchmark's ratios are ratios to.
// One thread, one table; strict about lengths like the product.
#ifndef REGIOND_CREFERENCE_H
#define REGIOND_CREFERENCE_H
#include <stddef.h>
#include <stdint.h>

/// What one pass found; two programs that did the same work agree on it.
typedef struct {
    uint64_t frames, beacons;
    int64_t major, minor, power, rssi;
    uint64_t uuid_high, uuid_low;
    uint64_t matched, enters, exits;
} reference_sums;

/// Forgets the table, then gives every iBeacon in a row of H4 frames a number, in order of appearance.
void reference_register(const uint8_t *frames, size_t bytes);
/// Decodes a row of H4 frames.
reference_sums reference_decode(const uint8_t *frames, size_t bytes);
/// Decodes, and looks each iBeacon up.
reference_sums reference_match(const uint8_t *frames, size_t bytes);
/// Decodes, looks up, and runs the smallest region engine: frame n is heard at n milliseconds.
reference_sums reference_regions(const uint8_t *frames, size_t bytes);
/// Runs that engine on records of `u32 milliseconds, u16 beacon, i8 rssi, i8 power`, little-endian.
reference_sums reference_stream(const uint8_t *records, size_t bytes, size_t beacons);
#endif

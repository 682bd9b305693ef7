#include "CReference.h"

#include <math.h>
#include <string.h>

typedef struct {
    uint8_t uuid[16];
    uint16_t major, minor;
    int8_t power, rssi;
} beacon;

// MARK: Decode

/// One legacy report in one H4 frame, whole or not at all.
static inline int decode(const uint8_t *frame, size_t bytes, beacon *out) {
    static const uint8_t prefix[5] = {0xff, 0x4c, 0, 2, 0x15};
    if (bytes < 15 || frame[1] != 0x3E || frame[3] != 2 || frame[4] != 1) return 0;
    size_t end = 14 + frame[13], at = 14;
    if (end + 1 > bytes) return 0;
    while (at < end) {
        size_t length = frame[at];
        if (!length || at + 1 + length > end) return 0;
        if (length == 0x1A && !memcmp(frame + at + 1, prefix, 5)) {
            memcpy(out->uuid, frame + at + 6, 16);
            out->major = (uint16_t)(frame[at + 22] << 8 | frame[at + 23]);
            out->minor = (uint16_t)(frame[at + 24] << 8 | frame[at + 25]);
            out->power = (int8_t)frame[at + 26];
            out->rssi = (int8_t)frame[end];
            return 1;
        }
        at += 1 + length;
    }
    return 0;
}

static inline void add(reference_sums *sums, const beacon *found) {
    uint64_t word;
    sums->beacons++;
    sums->major += found->major;
    sums->minor += found->minor;
    sums->power += found->power;
    sums->rssi += found->rssi;
    memcpy(&word, found->uuid, 8);
    sums->uuid_high ^= word;
    memcpy(&word, found->uuid + 8, 8);
    sums->uuid_low ^= word;
}

static inline reference_sums host_order(reference_sums sums) {
    sums.uuid_high = __builtin_bswap64(sums.uuid_high);
    sums.uuid_low = __builtin_bswap64(sums.uuid_low);
    return sums;
}

/// Calls for each frame; `body` sees `frame`, `bytes_of_frame` and `sums`.
#define FOR_EACH_FRAME(body)                                            \
    for (size_t at = 0; at + 3 <= bytes;) {                             \
        const uint8_t *frame = frames + at;                             \
        size_t frame_bytes = 3 + (size_t)frame[2];                      \
        if (at + frame_bytes > bytes) break;                            \
        body;                                                           \
        sums.frames++;                                                  \
        at += frame_bytes;                                              \
    }

reference_sums reference_decode(const uint8_t *frames, size_t bytes) {
    reference_sums sums = {0};
    beacon found;
    FOR_EACH_FRAME(if (decode(frame, frame_bytes, &found)) add(&sums, &found))
    return host_order(sums);
}

// MARK: Match

enum { slots = 8192 };
static struct {
    uint64_t high, low;
    uint32_t numbers, id;
} table[slots];
static uint32_t registered;

/// The number of a beacon from 1 up; 0: not there, and no room or no wish to add it.
static inline uint32_t look_up(const beacon *found, int adds) {
    uint64_t high, low;
    memcpy(&high, found->uuid, 8);
    memcpy(&low, found->uuid + 8, 8);
    uint32_t numbers = (uint32_t)found->major << 16 | found->minor;
    uint64_t hash = (high ^ low * 0x9E3779B97F4A7C15ull ^ numbers) * 0xBF58476D1CE4E5B9ull;
    hash ^= hash >> 32;
    for (size_t slot = hash & (slots - 1);; slot = (slot + 1) & (slots - 1)) {
        if (!table[slot].id) {
            if (!adds || registered > slots / 2) return 0;
            table[slot].high = high;
            table[slot].low = low;
            table[slot].numbers = numbers;
            return table[slot].id = ++registered;
        }
        if (table[slot].high == high && table[slot].low == low && table[slot].numbers == numbers)
            return table[slot].id;
    }
}

void reference_register(const uint8_t *frames, size_t bytes) {
    reference_sums sums = {0};
    beacon found;
    memset(table, 0, sizeof table);
    registered = 0;
    FOR_EACH_FRAME(if (decode(frame, frame_bytes, &found)) look_up(&found, 1))
}

reference_sums reference_match(const uint8_t *frames, size_t bytes) {
    reference_sums sums = {0};
    beacon found;
    FOR_EACH_FRAME(if (decode(frame, frame_bytes, &found)) {
        add(&sums, &found);
        sums.matched += look_up(&found, 0) != 0;
    })
    return host_order(sums);
}

// MARK: Regions

/// An exponential mean of the RSSI; in after three levels at or above that of 8 m, out after 10 s unheard or below.
typedef struct {
    float mean;
    uint32_t last, below;
    uint16_t hits;
    uint8_t inside;
} state;

enum { most_states = 65536, exit_ms = 10000, second = 1000 };
static state states[most_states];

static inline void end_silent(reference_sums *sums, uint32_t *next, uint32_t now, size_t count) {
    while (now >= *next) {
        for (size_t i = 0; i < count; i++)
            if (states[i].inside && *next - states[i].last > exit_ms) {
                states[i].inside = 0;
                states[i].hits = 0;
                sums->exits++;
            }
        *next += second;
    }
}

static inline void hear(reference_sums *sums, state *of, uint32_t now, int8_t rssi, int8_t power, float offset) {
    float limit = power - offset;
    of->mean = of->last && now - of->last < 3000 ? of->mean + 0.15f * (rssi - of->mean) : rssi;
    of->last = now;
    if (!of->inside) {
        if (of->mean < limit) {
            of->hits = 0;
        } else if (++of->hits >= 3) {
            of->inside = 1;
            of->below = 0;
            sums->enters++;
        }
    } else if (of->mean >= limit - 6) {
        of->below = 0;
    } else if (!of->below) {
        of->below = now;
    } else if (now - of->below > exit_ms) {
        of->inside = 0;
        of->hits = 0;
        sums->exits++;
    }
}

static float offset_at_8_metres(void) { return 22 * log10f(8); }

reference_sums reference_regions(const uint8_t *frames, size_t bytes) {
    reference_sums sums = {0};
    beacon found;
    uint32_t next = second;
    float offset = offset_at_8_metres();
    memset(states, 0, sizeof states[0] * (registered + 1));
    FOR_EACH_FRAME(if (decode(frame, frame_bytes, &found)) {
        add(&sums, &found);
        uint32_t id = look_up(&found, 0);
        if (id) {
            uint32_t now = (uint32_t)sums.frames;
            sums.matched++;
            end_silent(&sums, &next, now, registered + 1);
            hear(&sums, states + id, now, found.rssi, found.power, offset);
        }
    })
    return host_order(sums);
}

reference_sums reference_stream(const uint8_t *records, size_t bytes, size_t beacons) {
    reference_sums sums = {0};
    uint32_t next = second;
    float offset = offset_at_8_metres();
    if (beacons > most_states) beacons = most_states;
    memset(states, 0, sizeof states[0] * beacons);
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        uint32_t now;
        uint16_t id;
        memcpy(&now, records + at, 4);
        memcpy(&id, records + at + 4, 2);
        sums.frames++;
        if (id >= beacons) continue;
        sums.matched++;
        end_silent(&sums, &next, now, beacons);
        hear(&sums, states + id, now, (int8_t)records[at + 6], (int8_t)records[at + 7], offset);
    }
    return sums;
}

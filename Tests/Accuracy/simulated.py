# SPDX-License-Identifier: GPL-2.0-or-later
"""Simulated air, seeded: false exits, how soon one enters, and two receivers between which somebody stands or walks.

Levels: power at 1 m less 22 dB a decade of distance, shadowing that is drawn anew every 2 s (3 dB), fading that is
drawn for every packet (4 dB), both independent at each receiver. A beacon sends every interval and up to 10 ms more."""
import math
import random

from replay import Venue, numbered, seconds, sighting
from table import at_most
from timeline import changes, exits, nearest, percentile, presence, total

POWER = -59  # dBm at 1 m
PATH_LOSS = 2.2
SHADOWING, SHADOWED = 3, 2_000  # dB, ms
FADING = 4  # dB
LONGEST_DELAY = 10  # ms of chance after each interval

RATES = {"350 ms, 50 %": (350, 0.5), "1 s, 50 %": (1_000, 0.5), "1 s, 20 %": (1_000, 0.2)}
MOST_HAND_OVER = {"350 ms, 50 %": 8, "1 s, 50 %": 12, "1 s, 20 %": 25}  # s


def packets(draw, interval, begin, end):
    """Instants (ms) at which a beacon sends."""
    instant = begin + draw.random() * interval
    while instant < end:
        yield instant
        instant += interval + draw.random() * LONGEST_DELAY


class Path:
    """What a receiver hears of a beacon over a path."""

    def __init__(self, draw, offset=0):
        self.draw = draw
        self.offset = offset
        self.block = None
        self.shadow = 0

    def rssi(self, ms, distance):
        block = int(ms // SHADOWED)
        if block != self.block:
            self.block, self.shadow = block, self.draw.gauss(0, SHADOWING)
        level = POWER - 10 * PATH_LOSS * math.log10(max(distance, 0.5))
        return round(level + self.offset + self.shadow + self.draw.gauss(0, FADING))


def air(seed, beacons, interval, reception, end, hear, begin=lambda number: 0):
    """Lines in the order of time. `hear(number, ms)` gives (receiver, distance, offset) for those in range."""
    heard = []
    for number in range(beacons):
        draw = random.Random(f"{seed}/{number}")
        paths = {}
        for ms in packets(draw, interval, begin(number), end):
            for receiver, distance, offset in hear(number, ms):
                if draw.random() < reception:
                    path = paths.setdefault(receiver, Path(draw, offset))
                    heard.append((ms, number, receiver, path.rssi(ms, distance)))
    heard.sort(key=lambda one: one[0])
    return (sighting(ms, numbered(number), rssi, receiver, POWER) for ms, number, receiver, rssi in heard)


def replayed(program, name, beacons, lines, receivers=()):
    venue = Venue([numbered(number) for number in range(beacons)], list(receivers))
    answer, _ = program.replay_lines(name, venue, lines)
    return answer.events


def blocked(program):
    """A beacon that stays, one packet in five received, and a body before it for 8 s of every minute."""
    beacons, hours = 60, 2
    for interval, title in (350, "350 ms"), (1_000, "1 s"):
        def hear(number, ms):
            return () if ms % 60_000 < 8_000 else ((None, 4, 0),)
        lines = air(f"block {interval}", beacons, interval, 0.2, hours * 3_600_000, hear)
        count = sum(map(len, exits(replayed(program, f"block-{interval}", beacons, lines)).values()))
        yield at_most(f"sim false exits a beacon-hour, {title}, 20 %, body 8 s a minute", count / beacons / hours, 0.1,
                      f"{count} in {beacons * hours} h")


def arrivals(program):
    """From when a beacon is in range until its enter is decided."""
    beacons = 2_000
    lines = air("arrive", beacons, 350, 0.5, 100_000, lambda number, ms: ((None, 4, 0),), lambda number: number * 37)
    lines_of = presence(replayed(program, "arrive", beacons, lines))
    delays = [line.instants[0] - number * 0.037 for number, line in
              ((number, lines_of.get(numbered(number))) for number in range(beacons)) if line]
    yield at_most("sim enter p95, 350 ms, 50 %, s", percentile(delays, 0.95) if len(delays) == beacons else None, 4,
                  f"{len(delays)} of {beacons} arrivals; median {percentile(delays, 0.5):.1f} s")


def dead_centre(program):
    """A beacon at the same distance from two receivers, and one 20 dB nearer to one of them."""
    beacons, hours = 20, 1
    centre = ("A", 5, 0), ("B", 5, 0)
    yield at_most("S4 dead centre, 350 ms, 80 %: changes an hour",
                  changes_an_hour(program, "centre", beacons, hours, 350, 0.8, centre), 20,
                  f"mean of {beacons} beacons")
    apart = ("A", 5, 0), ("B", 5, -20)
    yield at_most("S4 receivers 20 dB apart, 1 s, 20 %: changes an hour",
                  changes_an_hour(program, "apart", beacons, hours, 1_000, 0.2, apart), 4, f"mean of {beacons} beacons")


def changes_an_hour(program, name, beacons, hours, interval, reception, receivers):
    """Mean of all beacons; None where nobody says who is nearest."""
    lines = air(name, beacons, interval, reception, hours * 3_600_000, lambda number, ms: receivers)
    answers = nearest(replayed(program, name, beacons, lines, ["A", "B"])).values()
    count = total(changes(line.answers) for line in answers)
    return None if count is None else count / beacons / hours


STANDS, WALK, SPEED = 30, 10, 1.2  # s at the first receiver, m to the second, m/s
STANDS_THERE = 60  # s at the second


def place(second):
    """How far a walker is from the first receiver, m."""
    return min(max((second - STANDS) * SPEED, 0), WALK)


def hand_over(program):
    """From passing the middle until the other receiver is nearest for ten seconds in a row."""
    beacons = 400
    middle = STANDS + WALK / 2 / SPEED
    end = STANDS + WALK / SPEED + STANDS_THERE
    for title, (interval, reception) in RATES.items():
        def hear(number, ms):
            at = place(ms / 1000)
            return ("A", math.hypot(at, 1), 0), ("B", math.hypot(WALK - at, 1), 0)
        lines = air(f"walk {title}", beacons, interval, reception, end * 1000, hear)
        answers = nearest(replayed(program, f"walk-{interval}-{reception}", beacons, lines, ["A", "B"]))
        spans = [taken_over(answers.get(numbered(number)), middle, end) for number in range(beacons)]
        missed = spans.count(math.inf)
        late = percentile(spans, 0.95)
        yield at_most(f"sim hand-over p95, 10 m at 1.2 m/s, {title}, s", late, MOST_HAND_OVER[title],
                      f"{missed} of {beacons} never; median {percentile(spans, 0.5):.1f} s after the middle")


def taken_over(line, middle, end, step=0.1, lasting=10):
    """Seconds from the middle until B is nearest and stays so for a while; negative where it was before."""
    if line is None:
        return math.inf
    since = None
    for count in range(round(end / step)):
        instant = count * step
        if line.at(instant) != "B":
            since = None
        elif since is None:
            since = instant
        elif instant - since >= lasting and instant > middle:
            return since - middle
    return math.inf

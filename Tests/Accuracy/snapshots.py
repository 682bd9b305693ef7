# SPDX-License-Identifier: GPL-2.0-or-later
"""S9: single readings. A row of levels is heard ten times, once a second, in an order drawn anew; the nearest station
must then be no worse than the strongest. In the library the phone hears beacons; a pair's level is the same both
ways, so that the beacons stand as receivers and the phone as the beacon."""
import math
import random

from recorded import rows
from replay import Venue, numbered, sighting
from table import at_least
from timeline import Timeline, nearest, ratio

ROUNDS = 10
LEAST = -127  # dBm that a radio can report; -200 stands for unheard, and fifteen readings of -198 and -199 too.
# Of two levels within the margin the one heard first stays nearest, and the louder one is a little more often right:
# calm costs a point on readings that nobody moved between.
SLACK = 0.015


def in_library(data):
    """(levels by station, nearest station) of each row; places are pixels of a plan."""
    folder = data, "uci435-library"
    beacons = {row["beacon"]: (int(row["x_px"]), int(row["y_px"])) for row in rows(*folder, "beacons_px.csv")}
    grid = {(row["axis"], row["label"]): int(row["px"]) for row in rows(*folder, "grid_px.csv")}
    for row in rows(*folder, "labelled.csv.gz"):
        cell = grid["col", row["location"][0]], grid["row", str(int(row["location"][1:]))]
        levels = {beacon: int(row[beacon]) for beacon in beacons if int(row[beacon]) >= LEAST}
        yield levels, min(beacons, key=lambda beacon: math.dist(beacons[beacon], cell))


def flat(data, name):
    """The same of the flat: a tag and six anchors, places in metres on the floor."""
    folder = data, "wut-flat"
    anchors = {f"rssi_{row['id']}": (float(row["x"]), float(row["y"])) for row in rows(*folder, "anchors.csv")}
    for row in rows(*folder, name):
        levels = {anchor: float(row[anchor]) for anchor in anchors if row[anchor]}
        place = float(row["x"]), float(row["y"])
        yield levels, min(anchors, key=lambda anchor: math.dist(anchors[anchor], place))


def strongest(levels):
    return max(levels, key=levels.get) if levels else None


def lines(readings):
    """Every reading is a beacon of its own, and all are heard at once."""
    draw = random.Random(9)
    for second in range(ROUNDS):
        for number, (levels, _) in enumerate(readings):
            stations = sorted(levels)
            draw.shuffle(stations)
            for place, station in enumerate(stations):
                yield sighting(second * 1000 + place * 10, numbered(number), round(levels[station]), station)


def ordered(readings):
    """The same in the order of time, as one air would be."""
    return sorted(lines(readings), key=lambda line: float(line[5:line.index(",")]))


def single(program, data):
    cases = {
        "library, 13 beacons": list(in_library(data)),
        "flat, 6 anchors, robot's path": list(flat(data, "robot.csv.gz")),
        "flat, 6 anchors, calibration": list(flat(data, "calibration.csv.gz")),
    }
    for name, readings in cases.items():
        stations = sorted({station for levels, _ in readings for station in levels})
        venue = Venue([numbered(number) for number in range(len(readings))], stations)
        answer, _ = program.replay_lines(f"single-{len(readings)}", venue, ordered(readings))
        answers = nearest(answer.events)
        right = sum(
            answers.get(numbered(number), Timeline()).at(ROUNDS) == true for number, (_, true) in enumerate(readings))
        plain = ratio(sum(strongest(levels) == true for levels, true in readings), len(readings))
        yield at_least(f"S9 {name}: nearest right, share", ratio(right, len(readings)), round(plain - SLACK, 3),
                       f"strongest {plain:.3f} of {len(readings):,} readings")

# SPDX-License-Identifier: GPL-2.0-or-later
"""S4: which of four stations of three sensors each is nearest, along walks; each run replayed by itself."""
import math
from bisect import bisect_right
from collections import namedtuple

from recorded import stations, tracks
from replay import Venue, numbered, sighting
from table import at_least, at_most
from timeline import Timeline, changes, nearest, ratio, total

STEP = 0.5  # s
FROM = 5  # s after the start of a run

Score = namedtuple("Score", "accuracy samples changes moves")


def samples(walk, begin=FROM):
    """Instants (s since the Unix epoch) at which a walk is scored."""
    first, last = min(heard.s for heard in walk), max(heard.s for heard in walk)
    return [first + begin + STEP * index for index in range(int((last - first - begin) / STEP) + 1)]


def truth(walk, sensors, instants):
    """The station of the sensor that is nearest to the true place, at each instant."""
    ordered = sorted(walk, key=lambda heard: heard.s)
    times = [heard.s for heard in ordered]
    for instant in instants:
        place = ordered[bisect_right(times, instant) - 1].place
        yield min(sensors.values(), key=lambda sensor: math.dist(sensor[1], place))[0]


def score(walks, sensors, answers, begin=FROM):
    """`answers` gives for each run what has `at(instant)`, instants as in the walks."""
    right = scored = 0
    counts, moves = [], []
    for name, walk in walks.items():
        instants = samples(walk, begin)
        true = list(truth(walk, sensors, instants))
        said = [answers[name].at(instant) for instant in instants]
        right += sum(one == other for one, other in zip(said, true))
        scored += len(instants)
        counts.append(changes(said))
        moves.append(changes(true))
    return Score(ratio(right, scored), scored, total(counts), total(moves))


def replayed(program, walks, sensors):
    beacon = numbered(1)
    venue = Venue([beacon], [(sensor, station) for sensor, (station, _) in sorted(sensors.items())])
    answers = {}
    for name, walk in walks.items():
        start = math.floor(min(heard.s for heard in walk))
        lines = (sighting((heard.s - start) * 1000, beacon, heard.rssi, heard.sensor) for heard in walk)
        answer, _ = program.replay_lines(f"track-{name}", venue, lines)
        line = nearest(answer.events).get(beacon, Timeline())
        line.instants = [instant + start for instant in line.instants]
        answers[name] = line
    return answers


def walks(program, data):
    sensors, runs = stations(data), tracks(data)
    result = score(runs, sensors, replayed(program, runs, sensors))
    yield at_least("S4 open walks: nearest station, share of samples", result.accuracy, 0.80,
                   f"{result.samples} samples")
    yield at_most("S4 open walks: changes of station", result.changes, 13, f"{result.moves} true ones")

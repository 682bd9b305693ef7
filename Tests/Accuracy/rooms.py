# SPDX-License-Identifier: GPL-2.0-or-later
"""S1: which room a badge is in, by what scanners in the rooms hear. Also the same with one clock set back (of S5)."""
from collections import namedtuple

from recorded import ScannerRun
from replay import Venue
from table import at_least, at_most, info, skip
from timeline import Timeline, changes, nearest, percentile, ratio, total

FULL_POWER, LOW_POWER, SEVEN = "four-2015-03-10", "four-2015-03-07", "seven-2015-05-11"
MINORS = 1, 2, 5, 6, 7, 8
SECONDS_IN_A_ROW = 10  # That long the destination is reported before a move counts as found.

# `changes` are those while somebody noted where the badges were: before that one scanner had not begun to listen.
# `all_changes` are those of the whole recording.
Score = namedtuple("Score", "accuracy seconds changes all_changes latencies missed")


def venue(run):
    """Beacons and receivers, and no setting."""
    return Venue(run.beacons(), run.scanners, fixed=run.heartbeats())


def latency(answers, stay, seconds):
    """Seconds from the noted end of a move to the first of ten in a row that give its destination; None: missed."""
    row = 0
    for second in range(stay.begin, seconds[-1] + 1):
        row = row + 1 if answers.at(second) == stay.room else 0
        if row == SECONDS_IN_A_ROW:
            return second - SECONDS_IN_A_ROW + 1 - stay.end
    return None


def score(run, stays, answers):
    """`answers` gives for each minor what has `at(second)`."""
    seconds = run.whole_seconds()
    scored = right = 0
    latencies = []
    for stay in stays:
        line = answers[stay.minor]
        if stay.settled:
            scored += stay.end - stay.begin
            right += sum(line.at(second) == stay.room for second in range(stay.begin, stay.end))
        else:
            latencies.append(latency(line, stay, seconds))
    noted = range(min(stay.begin for stay in stays), max(stay.end for stay in stays) + 1) if stays else seconds
    count, everywhere = (
        total(changes(answers[minor].at(second) for second in span) for minor in MINORS) for span in (noted, seconds))
    found = [value for value in latencies if value is not None]
    return Score(ratio(right, scored), scored, count, everywhere, found, len(latencies) - len(found))


def replayed(program, run, shift={}):
    """The answers of the program, by minor; instants from the start of the run as it was recorded."""
    name = run.name + ("-shifted" if shift else "")
    answer, _ = program.replay_lines(name, venue(run), run.lines(shift))
    lines = nearest(answer.events)
    moved = -min([0, *shift.values()]) / 1000
    answers = {minor: lines.get(run.badge(minor), Timeline()) for minor in MINORS}
    for line in answers.values():
        line.instants = [instant - moved for instant in line.instants]
    return answers


def full_power(program, data):
    run = ScannerRun(data, FULL_POWER)
    result = score(run, run.truth(data), replayed(program, run))
    yield at_least("S1 open run: right rooms, share of settled seconds", result.accuracy, 0.998,
                   f"{result.seconds:,} badge-seconds")
    yield at_most("S1 open run: changes of room", result.changes, 17,
                  f"while rooms were noted; {result.all_changes} in the whole recording")
    yield info("S1 open run: latency, median s", percentile(result.latencies, 0.5))
    yield at_most("S1 open run: latency, p90 s", percentile(result.latencies, 0.9), 0)
    yield at_most("S1 open run: missed moves", result.missed, 0)


def low_power(program, data):
    run = ScannerRun(data, LOW_POWER)
    result = score(run, run.truth(data), replayed(program, run))
    if result.seconds:
        yield at_least("S1 low power: right rooms, share of settled seconds", result.accuracy, 0.992)
        yield info("S1 low power: latency, p90 s", percentile(result.latencies, 0.9), f"missed {result.missed}")
    else:
        yield skip("S1 low power: right rooms", "no truth of this run in the folder")
    yield at_most("S1 low power: changes of room", result.changes, 16)


def stability(program, data):
    """Changes a badge-minute where nobody noted who moved: what moves little should change little."""
    run = ScannerRun(data, SEVEN)
    answer, _ = program.replay_lines(run.name, venue(run), run.lines())
    lines = nearest(answer.events)
    seconds = run.whole_seconds()
    badges = [beacon for beacon in run.beacons() if beacon not in run.heartbeats()]
    count = sum(changes(lines[beacon].at(second) for second in seconds) or 0 for beacon in badges if beacon in lines)
    yield info("S1 seven scanners: changes a badge-minute", count / (len(badges) * len(seconds) / 60),
               f"{len(badges)} badges; the aim is 0.5")


def shifted(program, data):
    """The open run with the clock set back that runs 1.8 s ahead."""
    run = ScannerRun(data, FULL_POWER)
    stays = run.truth(data)
    plain = score(run, stays, replayed(program, run))
    set_back = score(run, stays, replayed(program, run, {"Room204": -1800}))
    known = None not in (plain.changes, set_back.changes)
    difference = abs(set_back.changes - plain.changes) if known else None
    yield at_most("S5 one clock shifted by 1.8 s: changes more or fewer", difference, 1,
                  f"right {plain.accuracy:.3f} and {set_back.accuracy:.3f}")

# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the scorers against what naive rules are known to reach on these data: a scorer that gives something else is
wrong, whatever the program does."""
from collections import defaultdict

import boxes
import gateways
import rest
import rooms
import snapshots
import stations
import walkers
from naive import StrongestMean, Timeout, silences
from recorded import ScannerRun, resting, stations as sensors_of, tracks, vestibule
from table import FAILED, PASSED, Row, shown, skip
from timeline import percentile, ratio


def near(figure, value, known, tolerance=0.0):
    good = value is not None and abs(value - known) <= tolerance + 1e-9
    note = f"± {tolerance:g}" if tolerance else ""
    return Row(figure, shown(value), f"= {known:,g}", PASSED if good else FAILED, note)


def check(table, data):
    table.section("What naive rules reach, as these scorers see it")
    for row in states():
        table.add(row)
    if not data:
        table.add(skip("recorded halls", "REGIOND_DATA names none"))
        return
    for part in strongest_room, one_box, at_rest, strongest_station, in_front, single:
        for row in part(data):
            table.add(row)


def streams(run, badge):
    """What each scanner heard of a badge: (scanner, [(s, rssi)…])."""
    found = defaultdict(list)
    for heard in run.heard:
        if heard.beacon == badge:
            found[heard.scanner].append(((heard.ms - run.start) / 1000, heard.rssi))
    return found


def strongest_room(data):
    run = ScannerRun(data, rooms.FULL_POWER)
    for window, accuracy, count in (5, 0.952, 90), (10, 0.950, 57):
        answers = {minor: StrongestMean(streams(run, run.badge(minor)).items(), window) for minor in rooms.MINORS}
        score = rooms.score(run, run.truth(data), answers)
        title = f"S1 strongest mean of {window} s"
        yield near(f"{title}: settled badge-seconds", score.seconds, 5_237)
        yield near(f"{title}: accuracy", score.accuracy, accuracy, 0.0005)
        yield near(f"{title}: changes", score.all_changes, count)
        if window == 10:
            yield near(f"{title}: latency, median s", percentile(score.latencies, 0.5), -34)
            yield near(f"{title}: latency, p90 s", percentile(score.latencies, 0.9), -11)


def one_box(data):
    run = ScannerRun(data, rooms.FULL_POWER)
    heard = {minor: streams(run, run.badge(minor)) for minor in rooms.MINORS}
    for least, hits, exit, f1, count in (
        (-128, 1, 10, 0.60, 93), (-128, 1, 30, 0.58, 46), (-80, 3, 10, 0.91, 37), (-80, 3, 30, 0.92, 30)
    ):
        answers = {
            (scanner, minor): Timeout(heard[minor].get(scanner, []), exit, hits, least)
            for scanner in run.scanners for minor in rooms.MINORS}
        score = boxes.score(run, run.truth(data), answers, sum(line.enters for line in answers.values()))
        title = f"S2 at least {least} dBm, {hits} hits, exit {exit} s"
        yield near(f"{title}: F1", score.f1, f1, 0.005)
        yield near(f"{title}: enters", score.enters, count)


def at_rest(data):
    run = ScannerRun(data, "two-2015-03-03")
    cases = {
        "a weak badge": (rest.streams_of(run, [("Room201", run.badge(2))]), {5: 11.3, 10: 2.3, 30: 0}),
        "sensors": (list(resting(data).values()), {1: 238, 5: 0.33, 10: 0}),
        "tags": (list(vestibule(data).values()), {5: 40.5, 10: 7.4, 30: 0.5, 60: 0}),
    }
    for name, (found, figures) in cases.items():
        for exit, known in figures.items():
            count = sum(silences([ms / 1000 for ms, _ in stream], exit) for stream in found)
            rounding = max(0.02 * known, 0.05)
            yield near(f"S3 {name}: exits an hour at {exit} s", count / rest.hours(found), known, rounding)


def strongest_station(data):
    sensors, walks = sensors_of(data), tracks(data)
    answers = {}
    for name, walk in walks.items():
        heard = defaultdict(list)
        for one in walk:
            heard[one.sensor].append((one.s, one.rssi))
        answers[name] = StrongestMean([(sensors[sensor][0], samples) for sensor, samples in heard.items()], 5)
    score = stations.score(walks, sensors, answers)
    yield near("S4 strongest mean of 5 s: accuracy", score.accuracy, 0.819, 0.0005)
    yield near("S4 strongest mean of 5 s: changes", score.changes, 45)
    yield near("S4 true changes", score.moves, 10)


def in_front(data):
    run = ScannerRun(data, gateways.SIX)
    last = gateways.last_events(run)
    for scanner, instant, count in ("Room201", 17, 42), ("Room205", 105, 69), ("Room202", 1_285, 33):
        yield near(f"S5 {scanner}: its last event, s", last.get(scanner), instant, 1)
        front = gateways.in_front(run, scanner, last[scanner])
        yield near(f"S5 {scanner}: beacons in its last half minute", front, count)


def single(data):
    # In 39 rows of the library two beacons are equally strong; either may be taken.
    for name, readings, known, tolerance in (
        ("library", snapshots.in_library(data), 0.735, 0.007),
        ("flat, robot", snapshots.flat(data, "robot.csv.gz"), 0.698, 0.001),
        ("flat, calibration", snapshots.flat(data, "calibration.csv.gz"), 0.523, 0.001),
    ):
        readings = list(readings)
        right = sum(snapshots.strongest(levels) == true for levels, true in readings)
        yield near(f"S9 {name}: strongest is nearest, share", ratio(right, len(readings)), known, tolerance)


def states():
    """Work B's score of a case that can be counted by hand: split, false, merged, missed."""
    truth = [[(10.0, 20.0), (30.0, 40.0)], [(10.0, 20.0)], [(5.0, 15.0), (18.0, 30.0)]]
    said = [[(11.0, 13.0), (14.0, 22.0), (32.0, 41.0), (50.0, 55.0)], [], [(6.0, 31.0)]]
    score = walkers.score(truth, said, 100.0)
    yield near("Work B by hand: extra", score.extra, 2)
    yield near("Work B by hand: missed", score.missed, 1)
    yield near("Work B by hand: merged", score.merged, 1)
    yield near("Work B by hand: sum of enter delays, s", sum(score.enter_delays), 4)
    yield near("Work B by hand: sum of exit delays, s", sum(score.exit_delays), 4)
    yield near("Work B by hand: wrong, share of time", score.wrong, (1 + 1 + 2 + 2 + 1 + 5 + 10 + 1 + 3 + 1) / 300)

# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers over time: what the program would have said at any instant, as it stood at `detectedAt`."""
import math
from bisect import bisect_right
from collections import defaultdict

from replay import identity, seconds


class Timeline:
    """An answer that changes at instants (s); None before the first."""

    def __init__(self):
        self.instants = []
        self.answers = []

    def set(self, instant, answer):
        self.instants.append(instant)
        self.answers.append(answer)

    def at(self, instant):
        index = bisect_right(self.instants, instant)
        return self.answers[index - 1] if index else None


def nearest(events):
    """Per beacon the nearest station; None while the beacon is not inside."""
    lines = defaultdict(Timeline)
    for event in events:
        if event["type"] == "wake":
            continue
        answer = None
        if event["type"] == "nearest":
            answer = event["to"]
        elif event["type"] == "enter" or event["reason"] == "moved":
            answer = event["nearest"]
        lines[identity(event)].set(seconds(event["detectedAt"]), answer)
    return lines


def presence(events):
    """Per beacon whether it is inside."""
    lines = defaultdict(Timeline)
    for event in events:
        if event["type"] in ("enter", "exit"):
            lines[identity(event)].set(seconds(event["detectedAt"]), event["type"] == "enter")
    return lines


def exits(events):
    """Per beacon its exits as (at, detectedAt), s."""
    found = defaultdict(list)
    for event in events:
        if event["type"] == "exit":
            found[identity(event)].append((seconds(event["at"]), seconds(event["detectedAt"])))
    return found


def changes(answers):
    """How many answers differ from the one before, where there was one; None where none was ever given."""
    count, last, answered = 0, None, False
    for answer in answers:
        count += last is not None and answer != last
        last = answer
        answered = answered or answer is not None
    return count if answered else None


def total(counts):
    """The sum; None where one of them is not known."""
    counts = list(counts)
    return None if None in counts else sum(counts)


def percentile(values, share):
    """The value below which that share lies, of sorted values the one at that place; None of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def ratio(part, whole):
    return part / whole if whole else math.nan

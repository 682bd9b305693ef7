# SPDX-License-Identifier: GPL-2.0-or-later
"""The simplest rules there are. What they reach is published for these data: a scorer that gives other figures for
them is wrong, and `accuracy --self-check` says so."""
from bisect import bisect_right


class StrongestMean:
    """The station whose loudest receiver has the strongest mean of the last `window` seconds."""

    def __init__(self, streams, window):
        """`streams`: (station, [(s, rssi)…]) for each receiver."""
        self.window = window
        self.streams = []
        for station, samples in streams:
            samples = sorted(samples)
            sums = [0]
            for _, rssi in samples:
                sums.append(sums[-1] + rssi)
            self.streams.append((station, [instant for instant, _ in samples], sums))

    def at(self, instant):
        best = None
        for station, instants, sums in self.streams:
            end = bisect_right(instants, instant)
            begin = bisect_right(instants, instant - self.window, 0, end)
            if end > begin:
                level = (sums[end] - sums[begin]) / (end - begin)
                if best is None or level > best[0]:
                    best = level, station
        return best and best[1]


class Timeout:
    """Inside from one sighting, or the `hits`-th within 5 s, until `exit` seconds of silence."""

    def __init__(self, samples, exit, hits=1, least=-128):
        """`samples`: [(s, rssi)…]; weaker ones than `least` do not count."""
        self.visits = []  # [enter, exit], s
        instants = sorted(instant for instant, rssi in samples if rssi >= least)
        for index, instant in enumerate(instants):
            if self.visits and instant <= self.visits[-1][1]:
                self.visits[-1][1] = instant + exit
            elif index + 1 >= hits and instant - instants[index + 1 - hits] <= 5:
                self.visits.append([instant, instant + exit])

    @property
    def enters(self):
        return len(self.visits)

    def at(self, instant):
        return any(enter <= instant < leave for enter, leave in self.visits)


def silences(instants, exit):
    """How often a stream is silent for longer than `exit` and then heard again: a false exit where nothing moves."""
    return sum(later - earlier > exit for earlier, later in zip(instants, instants[1:]))

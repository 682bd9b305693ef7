# SPDX-License-Identifier: GPL-2.0-or-later
"""The settings that are declared, one for each place where a person would set one. All else runs on the defaults."""

# S2: one box in one room, for beacons of any strength.
ONE_BOX = {"belowLoudest": True, "enterRSSI": -12, "exitRSSI": -18, "enterHits": 5, "exit": 30}
# Work B: near is within 8 m of the box, for beacons of any strength.
NEAR_8_M = {"relativeRSSI": True, "enterRSSI": -19.4, "exitRSSI": -23.4}
# Work B: within hearing.
PRESENCE = {"exit": 30}

"""How long a robot is watched, and how often it is looked at."""

from __future__ import annotations

STEP = 1 / 60               # s
DURATION = 5.0              # s, after which a robot is expected to be where its targets are
STEPS_PER_SAMPLE = 4        # reading a state costs as much as some steps do
# Samples of the last second, in which a joint is at rest, swings or still moves.
LAST_SECOND = round(1.0 / (STEP * STEPS_PER_SAMPLE))
# Samples in which contacts are read: those that start inside each other part or jam in the first half second.
CONTACT_SAMPLES = LAST_SECOND // 2
# The start, the first step, and every few from there.
SAMPLES = 2 + round(DURATION / (STEP * STEPS_PER_SAMPLE))
# Where energies are compared with those at the end: what grows did so for some seconds.
GROWING_SECONDS = 3
MIDDLE_SAMPLE = SAMPLES - 1 - GROWING_SECONDS * LAST_SECOND

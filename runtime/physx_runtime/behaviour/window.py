"""The duration of the observed motion, and the times of its samples."""

from __future__ import annotations

STEP = 1 / 60               # s
DURATION = 5.0              # s, after which joints should be at their targets
STEPS_PER_SAMPLE = 4        # reading a state costs as much as some steps do
# Samples of the last second. They show whether a joint rests, swings or still moves.
LAST_SECOND = round(1.0 / (STEP * STEPS_PER_SAMPLE))
# Samples with contacts: overlapping bodies separate or jam in the first half second.
CONTACT_SAMPLES = LAST_SECOND // 2
# The start, the first step, and then every STEPS_PER_SAMPLE steps.
SAMPLES = 2 + round(DURATION / (STEP * STEPS_PER_SAMPLE))
# Time before the end at which energies are compared: a growing motion grew for some seconds.
GROWING_SECONDS = 3
MIDDLE_SAMPLE = SAMPLES - 1 - GROWING_SECONDS * LAST_SECOND

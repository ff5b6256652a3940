"""Every stage that this project authored for the comparison of the reader with PhysX, by theme."""

from __future__ import annotations

from support import reading_stages_bodies, reading_stages_joints, reading_stages_trees, reading_stages_unusual
from support.reading_run import Stage


def _stages(texts: dict[str, str]) -> tuple[Stage, ...]:
    return tuple(Stage(name, text, name in reading_stages_trees.MOVING) for name, text in texts.items())


THEMES = {
    "joints": _stages(reading_stages_joints.STAGES),
    "bodies": _stages(reading_stages_bodies.STAGES),
    "trees": _stages(reading_stages_trees.STAGES),
    "unusual": _stages(reading_stages_unusual.STAGES),
}
STAGES = tuple(stage for stages in THEMES.values() for stage in stages)

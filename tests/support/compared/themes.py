"""Every stage that this project authored for the comparison of the reader with PhysX, by theme."""

from __future__ import annotations

from support.compared import body_stages, joint_stages, tree_stages, unusual_stages
from support.physx.readings import Stage


def _stages(texts: dict[str, str]) -> tuple[Stage, ...]:
    return tuple(Stage(name, text, name in tree_stages.MOVING) for name, text in texts.items())


THEMES = {
    "joints": _stages(joint_stages.STAGES),
    "bodies": _stages(body_stages.STAGES),
    "trees": _stages(tree_stages.STAGES),
    "unusual": _stages(unusual_stages.STAGES),
}
STAGES = tuple(stage for stages in THEMES.values() for stage in stages)

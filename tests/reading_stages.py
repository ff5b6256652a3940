"""Every stage that this project authored for the comparison of the reader with PhysX, by name."""

from __future__ import annotations

import reading_stages_bodies
import reading_stages_joints
import reading_stages_trees
from reading_run import Stage

_THEMES = (reading_stages_joints, reading_stages_bodies, reading_stages_trees)

STAGES = tuple(Stage(name, text, name in reading_stages_trees.MOVING)
               for theme in _THEMES for name, text in theme.STAGES.items())

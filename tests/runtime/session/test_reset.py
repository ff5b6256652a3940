"""Reset leaves the layers as they were, whatever was edited while a session ran."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from physx_runtime import Session
from pxr import Gf, Sdf, UsdGeom
from support.stages.session_edits import ELBOW, SHOULDER, VALUES, edited
from support.stages.session_stages import DT, arm, opened, texts

STATE_EDITS: dict[str, Callable[[Any], Any]] = {
    **VALUES,
    "state": edited(f"{SHOULDER}.state:angular:physics:position", 12.0),
    "velocity": lambda stage: stage.GetPrimAtPath("/Robot/lower").CreateAttribute(
        "physics:velocity", Sdf.ValueTypeNames.Vector3f).Set(Gf.Vec3f(1, 2, 3)),
    "place": edited("/Robot/base.xformOp:translate", Gf.Vec3d(1, 2, 3)),
    "scale": edited("/Robot/lower.xformOp:scale", Gf.Vec3f(2, 2, 2)),
    "off": lambda stage: stage.GetPrimAtPath("/Robot/lower").SetActive(False),
    "on": lambda stage: stage.GetPrimAtPath("/Robot/lower").SetActive(True),
    "above": lambda stage: UsdGeom.XformCommonAPI(stage.GetPrimAtPath("/Robot")).SetTranslate((0, 0, 2)),
    "instance": lambda stage: stage.GetPrimAtPath("/Robot").SetInstanceable(True),
    "no instance": lambda stage: stage.GetPrimAtPath("/Robot").SetInstanceable(False),
    "new prim": lambda stage: stage.DefinePrim("/Robot/new", "Cube"),
    "mute": lambda stage: stage.MuteLayer(stage.GetSessionLayer().identifier),
    "unmute": lambda stage: stage.UnmuteLayer(stage.GetSessionLayer().identifier),
    "remove": lambda stage: stage.RemovePrim("/Robot"),
}


@pytest.mark.parametrize("seed", range(4))
def test_after_any_edits_reset_leaves_the_layers_as_if_no_session_had_been_there(seed: int) -> None:
    random = np.random.default_rng(seed)
    stage, plain = opened(arm()), opened(arm())
    session = Session(stage)
    names = [*random.choice([name for name in STATE_EDITS if name != "remove"], 12), "remove"]
    for name in names:
        for each in (stage, plain):
            if name not in ("state", "place", "target", "scale") or each.GetPrimAtPath(ELBOW).IsActive():
                STATE_EDITS[name](each)
        session.step(DT)
    session.reset()
    assert texts(stage) == texts(plain), names

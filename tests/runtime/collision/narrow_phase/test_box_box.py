"""Boxes that meet by their edges hold each other up as they do in PhysX."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import NotSimulatedWarning, simulate
from support.chance.meetings import APPLIED, BODY, STAGE

DT, STEPS = 1 / 60, 60
# metres, and parts of a quaternion: normals of edge contacts part from PhysX's by 2e-5, by last bits of poses, and what
# stands on an edge tips over and multiplies that
APART = 1e-4
BALANCE = 3e-4      # of beams that balance on each other: they lean by what last bits make of their normal, 1e-4 in 1 s
EIGHTH, QUARTER = (0.9238795, 0.3826834, 0.0, 0.0), (0.6532815, 0.2705981, 0.2705981, 0.6532815)
# Of two boxes, the lower kinematic: sizes, rotations w x y z; how far the upper is dropped and put aside, tolerance.
STAGES = {
    "a box on an edge": (((2.0, 0.5, 0.5), EIGHTH), ((0.5, 0.5, 0.5), QUARTER), 0.05, 0.01, APART),
    "crosswise beams": (((3.0, 0.2, 0.2), EIGHTH), ((3.0, 0.2, 0.2), QUARTER), 0.01, 0.0, BALANCE),
}


def stage(name: str) -> str:
    (low, low_turn), (high, high_turn), drop, aside, _ = STAGES[name]
    height = (low[2] + high[2]) / 2**0.5 + drop
    prims = []
    for path, size, turn, position in (("low", low, low_turn, (0.0, 0.0, 0.0)),
                                       ("high", high, high_turn, (aside, aside, height))):
        cube = (f'Cube "shape" {APPLIED} {{\n            double size = 1\n            double3 xformOp:scale = {size}\n'
                '            uniform token[] xformOpOrder = ["xformOp:scale"]\n        }')
        prims.append(BODY.format(name=path, position=position, rotation=turn, velocity=(0, 0, 0), spin=(0, 0, 0),
                                 geometry=cube))
    kinematic = prims[0].replace("float physxRigidBody", "bool physics:kinematicEnabled = true\n        "
                                 "float physxRigidBody", 1)
    return STAGE.format(gravity=9.81, prims=kinematic + prims[1])


@pytest.mark.parametrize("name", STAGES)
def test_boxes_on_edges_move_as_in_physx(name: str, oracle_folder: Path, tmp_path: Path) -> None:
    from scene_recorder import record

    text = stage(name)
    real = record([{"usd": text, "dt": DT, "steps": STEPS, "contacts": []}])[0]
    file = tmp_path / "stage.usda"
    file.write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotSimulatedWarning)
        ours = simulate(file, DT, STEPS)
    column, own = list(real["paths"]).index("/World/high"), list(ours.body_names).index("/World/high")
    found, expected = ours.body_pose[:, 0, own], np.concatenate([real["pos"], real["quat"]], axis=-1)[:, column]
    free_fall = expected[0, 2] - 9.81 * (STEPS * DT) ** 2 / 2
    assert expected[-1, 2] > free_fall + 0.5
    sign = np.sign((found[:, 3:] * expected[:, 3:]).sum(axis=1, keepdims=True))
    assert np.abs(found[:, :3] - expected[:, :3]).max() < STAGES[name][-1]
    assert np.abs(found[:, 3:] * sign - expected[:, 3:]).max() < STAGES[name][-1]

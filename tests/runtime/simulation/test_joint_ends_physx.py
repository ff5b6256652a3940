"""Joints outside articulations whose ends are doubtful hold a body as in PhysX, or are made by neither."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from physx_runtime import simulate
from support.recorded.transform_stages import instanced
from support.stages.robots import joint, link, placed, prim, robot

from physx_schema import describe

DT, STEPS = 1 / 60, 30
ROUNDING = 2e-5     # length units after half a second, of falls of 1.2 m
BODY = link("a")
PLACE = (2.0, 0.0, 1.0)
ROCK, BARE = link("rock", PLACE), prim("Xform", "rock", (), placed(PLACE))
OFF = {"bool physics:rigidBodyEnabled": False}
KINEMATIC = {"bool physics:kinematicEnabled": True}


def held(other: str, frame: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> str:
    """A body that a fixed joint holds 2 beside another thing, by a frame that PhysX has where the joint is closed."""
    weld = joint("Fixed", "j", "rock", "a", (), {
        "point3f physics:localPos0": frame, "point3f physics:localPos1": PLACE})
    return robot(other, BODY, weld, schemas=())


def owned(name: str, scene: str) -> str:
    return link(name, (2.0 * (name == "rock"), 0, 0), more={"rel physics:simulationOwner": f"</{scene}>"})


SCENE_PRIMS = "".join(prim("PhysicsScene", name) for name in ("one", "two"))
MADE = {
    "to a body": held(ROCK),
    "to a kinematic body": held(link("rock", PLACE, more=KINEMATIC)),
    "to a disabled body": held(link("rock", PLACE, more=OFF)),
    "to a body that no scene owns": held(link("rock", PLACE, more={"rel physics:simulationOwner": "</none>"}), PLACE),
    "to an Xform": held(BARE),
    "to an inactive Xform": held(BARE.replace('"rock"', '"rock" (active = false)'), PLACE),
    "to an Xform inside an instance": instanced(BARE, BODY + joint("Fixed", "j", "I/rock", "a")),
}
NOT_MADE = {
    "from a body to itself": robot(BODY, joint("Fixed", "j", "a", "a"), schemas=()),
    "between bodies that do not move": robot(
        BODY, link("rock", (2, 0, 0), more=KINEMATIC), joint("Fixed", "j", "", "rock"), schemas=()),
    "between scenes": robot(owned("a", "one"), owned("rock", "two"), joint("Fixed", "j", "rock", "a"), schemas=(),
                            outside=SCENE_PRIMS),
    "switched off": robot(BODY, joint("Fixed", "j", "", "a", (), {"bool physics:jointEnabled": False}), schemas=()),
}


def test_bodies_move_as_in_physx_whatever_is_at_the_other_end(oracle_folder: Path, tmp_path: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    paths = []
    for number, text in enumerate((*MADE.values(), *NOT_MADE.values())):
        paths.append(tmp_path / f"{number}.usda")
        paths[-1].write_text(text)
    for name, path, real in zip((*MADE, *NOT_MADE), paths, run_jobs([sim_job(path, DT, STEPS) for path in paths]),
                                strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = simulate(path, dt=DT, steps=STEPS)
        assert len(describe(path).joints) == (name in MADE), name
        order = [list(found.body_names).index(str(body)) for body in real["rigid_paths"]]
        error = np.abs(found.body_pose[:, 0, order, :3] - real["rigid_pose"][..., :3]).max()
        assert error < ROUNDING, f"{name}: {error:.1e}"

"""A rest length below 0 stands for the length between the authored link poses, as PhysX measures it once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Session, simulate
from pxr import Gf, Usd
from support.chance.reading_stages import cable_stage
from support.stages.robots import joint, link, opened, robot
from support.stages.session_stages import world_poses

from physx_schema.description import Attachment, describe

FOUND = ("rest_length_from_pose", "rest_length_off_joint")
SEEDS = range(60)
DT, STEPS = 1 / 60, 6
POSITION, SPEED = 2e-5, 2e-4        # float32 over six steps of motion of a few units, as the recorded cases allow
MOVES = 1e-1                        # the typical speed that the random tendons must cause to say anything
ROOT = {"float physxTendon:r:stiffness": 10.0}
LEAF = {"rel physxTendon:f:parentLink": "</Robot/base>", "token physxTendon:f:parentAttachment": "r"}


def cable(posed: float, state: float, **leaf: float) -> str:
    """A slider along x at 2 + `state`, its link posed at `posed`, pulled to the base."""
    values = LEAF | {f"float physxTendon:f:{name}": value for name, value in leaf.items()}
    return robot(
        link("base", schemas=("PhysxTendonAttachmentRootAPI:r",), more=ROOT), joint("Fixed", "anchor", "", "base"),
        link("tip", (posed, 0, 0), ("PhysxTendonAttachmentLeafAPI:f",), more=values),
        joint("Prismatic", "slide", "base", "tip", ("PhysicsJointStateAPI:linear",), {
            "point3f physics:localPos0": (2, 0, 0), "uniform token physics:axis": "X",
            "float state:linear:physics:position": state}))


def rested(stage: Any) -> Attachment:
    return describe(stage).articulations[0].spatial_tendons[0].attachments[-1]


@pytest.mark.parametrize(("posed", "state", "values", "length"), [
    (2.5, 0.5, {}, 2.5), (3.0, 0.0, {}, 3.0), (3.0, 0.5, {"restLength": -1e-6}, 3.0),
    (3.0, 0.0, {"gearing": -2.0}, -6.0), (3.0, 0.5, {"restLength": 0.0}, 0.0)])
def test_a_rest_length_below_0_is_the_geared_length_between_authored_poses(
        posed: float, state: float, values: dict[str, float], length: float) -> None:
    found = rested(opened(cable(posed, state, **values)))
    assert (found.rest_length, found.rest_from_poses) == (length, values.get("restLength") != 0.0)


@pytest.mark.parametrize("name", FOUND)
def test_recorded_motion_is_that_of_a_rest_length_from_poses(shared_cases: Path, name: str) -> None:
    folder = shared_cases / "found" / name
    case, expected = json.loads((folder / "case.json").read_text()), np.load(folder / "expected.npz")
    stage = Usd.Stage.Open(str(folder / "stage.usda"))
    bodies = tuple(map(str, expected["bodies"]))
    recording = simulate(stage, case["dt"], case["steps"], articulation="/R")
    order = [recording.link_names.index(body) for body in bodies]
    bar = case["tolerance"]["position"][str(case["steps"])]
    np.testing.assert_allclose(recording.link_pose[expected["step"], 0][:, order, :3], expected["pose"][..., :3],
                               rtol=0, atol=bar)
    session = Session(stage)
    for _ in range(case["steps"]):
        session.step(case["dt"])
    np.testing.assert_allclose(world_poses(stage, bodies)[:, :3], expected["pose"][-1, :, :3], rtol=0, atol=bar)


def edit(path: str, name: str, value: object) -> Callable[[Any], None]:
    return lambda stage: stage.GetPrimAtPath(path).GetAttribute(name).Set(value)


@pytest.mark.parametrize("change", [
    edit("/Robot/base", "xformOp:translate", Gf.Vec3d(0, 7, 0)), edit("/Robot/tip", "physxTendon:f:gearing", 3.0),
    edit("/Robot/tip", "physxTendon:f:restLength", -2.0), edit("/Robot/tip", "physics:mass", 3.0)])
def test_edits_while_a_session_runs_leave_the_measured_length(change: Callable[[Any], None]) -> None:
    stage = opened(cable(3.0, 0.2, restLength=-1.0, gearing=1.0))
    session = Session(stage)
    session.step(DT)
    change(stage)
    session.step(DT)
    assert session.simulation().get("spatial_tendon_rest_length")[0, 0] == 3.0


def test_reset_measures_what_is_authored_then() -> None:
    stage = opened(cable(3.0, 0.2))
    session = Session(stage)
    session.step(DT)
    edit("/Robot/tip", "xformOp:translate", Gf.Vec3d(4, 0, 0))(stage)
    session.step(DT)
    assert session.simulation().get("spatial_tendon_rest_length")[0, 0] == 3.0
    session.reset()
    assert session.simulation().get("spatial_tendon_rest_length")[0, 0] == 4.0



@pytest.mark.sweep
@pytest.mark.parametrize("sheared", [False, True])
def test_random_branching_tendons_move_as_in_physx(oracle_folder: Path, sheared: bool) -> None:
    from scene_recorder import record

    stages = [cable_stage(seed, sheared) for seed in SEEDS]
    found = record([{"usd": text, "dt": DT, "steps": STEPS} for text in stages])
    for seed, text, theirs in zip(SEEDS, stages, found, strict=True):
        stage = opened(text)
        ours = simulate(stage, DT, STEPS, articulation=describe(stage).articulations[0].path)
        order = [ours.link_names.index(path) for path in theirs["paths"]]
        assert np.abs(ours.link_pose[:, 0][:, order, :3] - theirs["pos"]).max() < POSITION, seed
        assert np.abs(ours.link_velocity[:, 0][:, order, :3] - theirs["vel"]).max() < SPEED, seed
    assert np.median([np.abs(item["vel"]).max() for item in found]) > MOVES

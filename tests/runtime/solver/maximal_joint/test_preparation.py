"""Every recorded stage with joints outside articulations moves as in real PhysX, in both precisions.

Joints outside articulations whose ends are doubtful hold a body as in PhysX, or are made by neither.

An articulation that is switched off moves as bodies on joints, as recorded of PhysX.

Random stages with joints outside articulations move as in real PhysX.

A short sweep of the stages that `experiments/survey_joints.py` takes all 200 of.

Every property that acts on joints outside articulations moves bodies as it moves them in PhysX, or is refused.

Bodies on joints leave a first step with PhysX's velocities to the last bits, where a joint has much to take back.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import NotSimulatedWarning, simulate
from physx_runtime.worlds.store import SCHEDULED
from support.chance.jointed_scenes import FAMILIES
from support.compared.outside_joint_features import ACTS, FEATURES, REFUSED, Feature
from support.physx.beside_physx import compared
from support.physx.recorded_scenes import ROUNDED, Recorded, apart, recorded
from support.recorded.transform_stages import instanced
from support.stages.robots import base, joint, link, opened, placed, prim, robot

from physx_schema import describe
from physx_schema.errors import UnsupportedError

SCENES = (
    "break_force", "bridge", "chain3", "chain3_names", "d6_drives_limits", "d6_pyramid", "d6_universal",
    "distance_kinds", "fixed_snap", "forces_once", "gear_rack", "islands_share_iterations", "kinematic_pose",
    "kinematic_target", "locked_axes", "loop_ancestor", "loop_floating", "loop_fourbar_base", "loop_fourbar_world",
    "loop_gear", "loop_hub", "loop_rack", "loop_tree_free_body", "prismatic_drive_soft_limit", "random_bodies",
    "revolute_drive_limit", "revolute_world", "spherical_cone", "spherical_cone_soft", "star_order",
)
FOUND = ("fourbar", "iterations_beside_body", "iterations_beside_robot", "iterations_two_robots",
         "rest_length_from_pose", "rest_length_off_joint", "root_held_by_fixed_joint", "single_link",
         "three_hinges_same_bodies", "two_hinges_same_bodies", "welded_pair")
# Stages of contacts, which simulation/test_simulate.py steps.
FOUND_IN_CONTACT = ("box_on_hull_centimetres", "cylinder_on_hull_links", "mirrored_legs", "moving_mesh_none",
                    "plane_contact_gap_0", "plane_contact_gap_1e-3", "self_contact_order")


def differences(real: Recorded, dtype: str, least: float) -> list[str]:
    """Where our motion of a stage is beyond the tolerance, or why there is none."""
    given: dict[str, Any] = {"joint_position": real.joint_position} if real.joint_position else {}
    if real.kinematic:
        given["kinematic_pose" if real.teleports else "kinematic_target"] = dict(real.kinematic)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", NotSimulatedWarning)
            ours = simulate(real.stage, real.dt, int(real.steps[-1]), dtype=dtype, path=SCHEDULED, **given)
    except (UnsupportedError, NotSimulatedWarning, TypeError) as error:
        return [str(error)]
    return apart(real, ours, least=least)


def test_every_recorded_stage_of_joints_is_listed(shared_cases: Path) -> None:
    cases = {path.parent for path in shared_cases.glob("*/*/case.json") if path.parts[-3] in ("scenes", "found")}
    groups = {folder.name: json.loads((folder / "case.json").read_text()).get("group", "found") for folder in cases}
    assert {name for name, group in groups.items() if group != "contact"} == {*SCENES, *FOUND, *FOUND_IN_CONTACT}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [*SCENES, *FOUND])
def test_joints_move_as_recorded(name: str, dtype: str, shared_cases: Path) -> None:
    folder = shared_cases / ("scenes" if name in SCENES else "found") / name
    least = ROUNDED[name].float64 if dtype == "float64" and name in ROUNDED else 0.0
    found = differences(recorded(folder), dtype, least)
    assert not found, "\n".join(found)


# --- joint ends in PhysX ---------------------------------------------------------------------------------------------

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


# --- switched off ----------------------------------------------------------------------------------------------------

# Positions of two links after 20 and 40 steps of 1/60 s, ovphysx on the CPU, and what was recorded of them.
RECORDED = {20: ((0.9511, 0.0, -0.3092), (1.9264, 0.0, -0.4802)), 40: ((0.3906, 0.0, -0.9208), (1.0642, 0.0, -1.5272))}
DIGITS = 1e-4


def test_a_switched_off_articulation_moves_as_in_physx() -> None:
    hinge = {"uniform token physics:axis": "Y", "point3f physics:localPos1": (-1, 0, 0)}
    text = robot(
        base(), link("a", (1, 0, 0)), link("b", (2, 0, 0)), joint("Revolute", "j", "base", "a", (), hinge),
        joint("Revolute", "k", "a", "b", ("PhysicsJointStateAPI:angular", "PhysxJointAxisAPI:angular"), {
            "uniform token physics:axis": "Y", "point3f physics:localPos0": (0.5, 0, 0),
            "point3f physics:localPos1": (-0.5, 0, 0), "float state:angular:physics:position": 30.0,
            "float physxJointAxis:angular:armature": 5.0}),
        schemas=("PhysicsArticulationRootAPI", "PhysxArticulationAPI"))
    text = text.replace('def Xform "base"', 'bool physxArticulation:articulationEnabled = 0\ndef Xform "base"', 1)
    found = simulate(opened(text), dt=1 / 60, steps=40)
    assert found.link_names == ("/Robot/base", "/Robot/a", "/Robot/b")
    for step, places in RECORDED.items():
        np.testing.assert_allclose(found.link_pose[step, 0, 1:, :3], places, atol=DIGITS)


# --- random joints in PhysX ------------------------------------------------------------------------------------------

STAGES = 4      # of each family
MISSES = 0      # of them


@pytest.mark.sweep
@pytest.mark.parametrize("family", FAMILIES)
def test_jointed_stages_move_as_in_physx(family: str, oracle_folder: Path) -> None:
    first = FAMILIES[family][0]
    missing = [row for row in compared(range(first, first + STAGES)) if not row.agrees]
    assert len(missing) <= MISSES, "\n".join(map(str, missing))


# --- outside joint features in PhysX ---------------------------------------------------------------------------------

# Length units after half a second of swinging; all but the rack's 3e-5 stay below 1e-5.
FEATURE_ROUNDING = 1e-4


def author(folder: Path, number: int, feature: Feature) -> Path:
    path = folder / f"{number}.usda"
    path.write_text(feature.stage(feature.value))
    return path


def test_what_acts_moves_bodies_as_in_physx(oracle_folder: Path, tmp_path: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    features = [feature for feature in FEATURES if feature.effect == ACTS]
    paths = [author(tmp_path, number, feature) for number, feature in enumerate(features)]
    for feature, path, real in zip(features, paths, run_jobs([sim_job(path, DT, STEPS) for path in paths]),
                                   strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")     # contact
            found = simulate(path, dt=DT, steps=STEPS)
        order = [list(found.body_names).index(str(name)) for name in real["rigid_paths"]]
        error = np.abs(found.body_pose[:, 0, order, :3] - real["rigid_pose"][..., :3]).max()
        assert error < FEATURE_ROUNDING, f"{feature.kind} {feature.property}: {error:.1e}"


@pytest.mark.parametrize("feature", [x for x in FEATURES if x.effect == REFUSED], ids=lambda f: f.property)
def test_what_is_not_stepped_is_refused_in_one_line(feature: Feature, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"^/World/j: .*") as refused:
        simulate(author(tmp_path, 0, feature), dt=DT, steps=1)
    assert "\n" not in str(refused.value)


# --- first steps in PhysX --------------------------------------------------------------------------------------------

# Of float32 velocities below 0.5 after 32 substeps. An anchor turned by other operations than PhysX's makes 3e-5.
LAST_BITS = 1e-6
STAGE = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "World"
{{
    def PhysicsScene "scene"
    {{
        vector3f physics:gravityDirection = (0, 0, -1)
        float physics:gravityMagnitude = 9.81
    }}
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"])
    {{
        float physics:mass = 1.5
        float3 physics:diagonalInertia = (0.05, 0.08, 0.1)
        double3 xformOp:translate = (0.5, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        int physxRigidBody:solverPositionIterationCount = {iterations}
        int physxRigidBody:lockedPosAxis = {locked}
    }}
    def PhysicsSphericalJoint "j"
    {{
        rel physics:body1 = </World/b>
        point3f physics:localPos0 = {anchor}
        point3f physics:localPos1 = (-0.3, 0.2, 0.1)
    }}
}}
"""
# A lock that works against the joint, and an anchor that starts off: in both the joint pulls in every substep.
FIRST_STEP_STAGES = {f"{name}, {iterations}": STAGE.format(iterations=iterations, locked=locked, anchor=anchor)
                     for name, locked, anchor in (("locked x", 1, "(0.2, 0.2, 0.1)"),
                                                  ("locked y", 2, "(0.2, 0.2, 0.1)"),
                                                  ("1 cm off", 0, "(0.21, 0.2, 0.1)"))
                     for iterations in (1, 2, 8, 32)}


@pytest.fixture(scope="module")
def first_steps(oracle_folder: Path) -> Mapping[str, dict[str, Any]]:
    from scene_recorder import record

    jobs = [{"usd": text, "dt": DT, "steps": 1} for text in FIRST_STEP_STAGES.values()]
    return dict(zip(FIRST_STEP_STAGES, record(jobs), strict=True))


@pytest.mark.parametrize("name", FIRST_STEP_STAGES)
def test_a_joint_that_pulls_leaves_physxs_velocity(name: str, first_steps: Mapping[str, dict[str, Any]]) -> None:
    ours, real = simulate(opened(FIRST_STEP_STAGES[name]), DT, 1).body_velocity[1, 0, 0], first_steps[name]
    assert np.abs(ours - np.concatenate([real["vel"][1, 0], real["ang"][1, 0]])).max() < LAST_BITS

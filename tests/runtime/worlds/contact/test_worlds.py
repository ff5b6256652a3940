"""Rigid bodies and links that touch move as recorded from real PhysX, and touch where they did there.

Scenes of shapes that touch move as recorded from real PhysX, within ten times what PhysX itself makes of 1e-7.

What touches and what joints hold in a PGS scene moves as recorded from real PhysX.

Random stages of links and bodies on the ground move as in real PhysX.

A short sweep of the mixed stages that `experiments/survey_contacts.py` takes all 200 of, of plainer ones, and of every
pair of shapes in other units of length.

Random robots that touch themselves move as in real PhysX: mirrored legs, and fingers that close on each other.

The bar is ten times what PhysX parts from itself by when the whole robot is turned by 3e-7 rad. A short sweep of the
stages that `experiments/survey_self_contacts.py` takes all 60 of.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import NotSimulatedWarning, Recording, Scene, simulate
from support.chance import touching_scenes
from support.chance.self_touching_robots import FAMILIES as ROBOT_FAMILIES
from support.chance.self_touching_robots import self_touching_robot
from support.chance.touching_scenes import FAMILIES, touching_scene
from support.physx.beside_physx import DT, STEPS, Motion, compared
from support.physx.beside_physx import apart as motion_difference
from support.physx.contact_scenes import GROWTHS, is_of, kept
from support.physx.recorded_scenes import CLIPPED, LINKS_TOUCHING, TOUCHING, apart, elsewhere, recorded
from support.recorded.link_poses import EVERY, MOTIONS
from support.stages.contact_scenes import SCENES
from support.stages.contact_scenes.shapes import SHAPES
from support.stages.iteration_stages import opened
from support.stages.pgs_scenes import STAGES, text

from physx_schema.description import describe

IMPULSE = 1e-3      # of the largest impulse of a step
PLACE = elsewhere(1e-5, CLIPPED)    # m
EDGES = {"box_on_static_box": elsewhere(1.0, 3.0)}      # times its tolerance, of what stands on clipped edges


def motion(stage: Path, dt: float, steps: int, dtype: str = "float32") -> Recording:
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotSimulatedWarning)
        return simulate(stage, dt, steps, dtype=dtype)


@pytest.mark.parametrize("name", TOUCHING)
def test_bodies_that_touch_move_as_recorded(name: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "scenes" / name, EDGES.get(name, 1.0))
    ours = motion(real.stage, real.dt, int(real.steps[-1]))
    found = apart(real, ours)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("dtype", ["float32", pytest.param("float64", marks=pytest.mark.sweep)])
@pytest.mark.parametrize("name", LINKS_TOUCHING)
def test_links_that_touch_move_as_recorded(name: str, dtype: str, shared_cases: Path) -> None:
    real = recorded(shared_cases / "scenes" / name)
    found = apart(real, motion(real.stage, real.dt, int(real.steps[-1]), dtype))
    assert not found, "\n".join(found)


def test_contacts_of_a_step_are_those_of_physx(shared_cases: Path) -> None:
    folder = shared_cases / "scenes" / "stack_3_equal"
    real, expected = recorded(folder), np.load(folder / "expected.npz")
    ours = motion(real.stage, real.dt, 10).contacts
    assert len(ours[0]) == 0
    for step in range(10):
        rows = expected["contact_step"] == step
        bodies = list(zip(expected["contact_body"][rows], expected["contact_other"][rows], strict=True))
        points, impulses = expected["contact_point"][rows], expected["contact_impulse"][rows]
        found = ours[step + 1]
        for i, pair in enumerate(found.bodies):
            own = [k for k, other in enumerate(bodies) if other == pair]
            nearest = min(own, key=lambda k: float(np.abs(points[k] - found.points[i]).max()))
            assert np.abs(points[nearest] - found.points[i]).max() < PLACE
            assert abs(abs(impulses[nearest]) - found.impulses[i]) <= IMPULSE * np.abs(impulses).max()


def test_automatic_contact_offsets_are_those_of_physx(shared_cases: Path) -> None:
    for name in TOUCHING:
        folder = shared_cases / "scenes" / name
        expected = np.load(folder / "expected.npz")
        known = dict(zip(map(str, expected["bodies"]), expected["contact_offset"], strict=True))
        for body in describe(folder / "stage.usda").bodies:
            offsets = np.float32([shape.contact_offset for shape in body.colliders])
            np.testing.assert_allclose(offsets, known[body.path][:len(offsets)], rtol=1e-6)


def test_a_reset_world_repeats_bit_for_bit(shared_cases: Path) -> None:
    scene = Scene(shared_cases / "scenes" / "stack_3_equal" / "stage.usda", 2)
    scene.step(20)
    first = scene.body_pose.copy()
    scene.reset()
    scene.step(20)
    np.testing.assert_array_equal(scene.body_pose, first)
    np.testing.assert_array_equal(scene.body_pose[0], scene.body_pose[1])


def test_a_world_does_not_depend_on_its_neighbours(shared_cases: Path) -> None:
    stage = shared_cases / "scenes" / "sphere_on_box" / "stage.usda"
    alone, several = Scene(stage), Scene(stage, 3)
    moved = several["/World/b1"].get("root_position")
    moved[1, 0] += 0.1
    several["/World/b1"].set("root_position", moved)
    for scene in (alone, several):
        scene.step(30)
    np.testing.assert_array_equal(several.body_pose[[0, 2]], np.repeat(alone.body_pose, 2, axis=0))
    assert np.abs(several.body_pose[1] - several.body_pose[0]).max() > 0.05


# --- contact scenes --------------------------------------------------------------------------------------------------

# Of kinds of pairs and of couplings one each, soon compiled and stepped.
SOON = ("ball in a corner", "bounce threshold", "box slides into a corner", "cone falls on its rim",
        "cylinders and cones meet", "hulls meet", "mimic joint of a robot that lands",
        "tendon of a robot that lands")
# Times PhysX's growth where it is not GROWTHS, each with its reason and the error in growths.
WIDER = {
    # 13: it comes to rest along an edge of two boxes, where last bits decide whether a point is there twice
    ("capsule in a corner", "float64"): 15.0,
    # 45 and 11, from the 41st step on: chaos, in which five moved starts say little of what others grow to
    ("pile of balls", "float32"): 60.0,
    ("pile of capsules", "float32"): 20.0,
    # 26 of a velocity in the 40th step, as the first stones meet; from the 60th step on within ten
    ("pile of stones", "float32"): 30.0,
    # 11 of a velocity in the step in which two balls of each link land
    ("links of several shapes", "float32"): 15.0,
}


def misses(name: str, dtype: str) -> list[str]:
    """Where a scene is beyond its tolerance."""
    scene, real = SCENES[name], kept(name, dtype, WIDER.get((name, dtype), GROWTHS))
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotSimulatedWarning)
        ours = simulate(real.stage, scene.dt, scene.steps, dtype=dtype, kinematic_target=dict(scene.targets) or None)
    return apart(real, ours)


@pytest.mark.parametrize("name", SOON)
def test_a_contact_scene_moves_as_recorded(name: str) -> None:
    assert misses(name, "float32") == []


@pytest.mark.sweep
@pytest.mark.parametrize("name", SCENES)
def test_every_contact_scene_moves_as_recorded(name: str) -> None:
    assert misses(name, "float32") == []


@pytest.mark.sweep
@pytest.mark.parametrize("name", SHAPES)
def test_shapes_that_touch_move_as_recorded_in_float64_too(name: str) -> None:
    assert misses(name, "float64") == []


@pytest.mark.parametrize("name", SCENES)
def test_a_recording_is_of_the_scene_as_it_is_written(name: str) -> None:
    assert is_of(name), f"record it anew: python experiments/record_contact_scenes.py '{name}'"


# --- pgs scenes ------------------------------------------------------------------------------------------------------

# More than ten times PhysX's growth, by which factor: what float32 rounds to 1e-7 m or rad at a start, an anchor or a
# limit becomes a speed of 1e-5 by division by dt, which no moved start shows where a joint takes that back at once.
ROUNDED = {"a box that slips": 2.0, "a ball that spins on the spot": 2.0, "a chain of bodies": 2.0,
           "a robot on joints": 2.5, "limits": 5.0, "a body with locked axes that is hit": 1.5}

# Piles that part by 2e-3 m from steps 37 and 39 on: a body that touches the ground meets another one, and with friction
# PhysX solves that otherwise than from a start in this very state, which this step comes to. Not yet found why.
PARTING = (0, 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", STAGES)
def test_a_pgs_scene_moves_as_recorded_from_physx(name: str, dtype: str) -> None:
    real = MOTIONS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotSimulatedWarning)
        ours = simulate(opened(text(name)), DT, STEPS, dtype=dtype, every=EVERY)
    own = Motion(ours.body_names, np.concatenate([ours.body_pose[:, 0], ours.body_velocity[:, 0]], axis=2))
    errors = motion_difference(Motion(tuple(real["paths"]), np.array(real["values"])), own)
    beyond = errors / np.array(real["bars"])
    most = ROUNDED.get(name, 1.0)
    assert beyond.max() <= most, f"{errors[:, -1]} of {[bar[-1] for bar in real['bars']]}, {beyond.max(axis=0)}"


def touching_pgs_scene(seed: int, move: int | None = None) -> str:
    """A random stage of links and bodies on the ground, its scene solved by PGS."""
    plain = touching_scene(seed, move)
    found = plain.replace('def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])\n{\n',
                          'def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])\n{\n'
                          'uniform token physxScene:solverType = "PGS"\n')
    assert found != plain
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("family", FAMILIES)
def test_random_pgs_stages_move_as_in_physx(family: str, oracle_folder: Path) -> None:
    first = FAMILIES[family][0]
    seeds = [seed for seed in range(first, first + 4) if seed not in PARTING]
    missing = [row for row in compared(seeds, scene=touching_pgs_scene) if not row.agrees]
    assert not missing, "\n".join(map(str, missing))


# --- random contacts in PhysX ----------------------------------------------------------------------------------------

STAGES_OF_FAMILY = 4      # of each family
MISSES = 0      # of them


@pytest.mark.sweep
@pytest.mark.parametrize("family", FAMILIES)
def test_touching_stages_move_as_in_physx(family: str, oracle_folder: Path) -> None:
    first = FAMILIES[family][0]
    missing = [row for row in compared(range(first, first + STAGES_OF_FAMILY), scene=touching_scene) if not row.agrees]
    assert len(missing) <= MISSES, "\n".join(map(str, missing))


MIXED = 5       # of each family
# Of them, those that part from PhysX sooner than it does from itself.
PARTING_SEEDS = {10000: "two colliders of a body on one box, solved in another order in their second step",
                 12000: "a quaternion at 1.04 of its bar from the 34th step on",
                 12003: "3.4e-3 m off; PhysX parts from itself by 3.3e-3 m from one of nine starts moved by 1e-7"}


@pytest.mark.sweep
@pytest.mark.parametrize("family", touching_scenes.MIXED_FAMILIES)
def test_mixed_stages_move_as_in_physx(family: str, oracle_folder: Path) -> None:
    first = touching_scenes.MIXED_FAMILIES[family][0]
    rows = list(compared(range(first, first + MIXED), scene=touching_scenes.mixed_scene))
    missing = [row for row in rows if not row.agrees and row.seed not in PARTING_SEEDS]
    assert not missing, "\n".join(map(str, missing))
    assert not any(row.refused for row in rows)


# Of the stages in other units, those that part from PhysX sooner than it does from itself.
PARTING_IN_UNITS = {7: "9.2e-4 m off; PhysX parts from itself by 9.8e-4 m in 4 of 16 starts turned by 3e-7 rad"}


@pytest.mark.sweep
def test_every_pair_of_shapes_moves_as_in_physx_in_centimetres_millimetres_and_inches(oracle_folder: Path) -> None:
    rows = list(compared(range(touching_scenes.COUNT), scene=touching_scenes.unit_scene))
    missing = [row for row in rows if not row.agrees and row.seed not in PARTING_IN_UNITS]
    assert not missing, "\n".join(map(str, missing))
    assert not any(row.refused for row in rows)


# --- self touching in PhysX ------------------------------------------------------------------------------------------

ROBOT_STAGES = 12     # of each family
# And these: quaternions of thighs change their sign in the second step; jointed links part as others meet.
ALSO = {"mirrored legs": (16, 24), "closing fingers": (1012,)}


@pytest.mark.parametrize("family", ROBOT_FAMILIES)
def test_robots_that_touch_themselves_move_as_in_physx(family: str, oracle_folder: Path) -> None:
    first = ROBOT_FAMILIES[family][0]
    rows = list(compared([*range(first, first + ROBOT_STAGES), *ALSO[family]], scene=self_touching_robot))
    missing = [row for row in rows if not row.agrees]
    assert not missing, "\n".join(map(str, missing))

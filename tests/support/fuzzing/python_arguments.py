"""Arguments of Python calls: right ones by the name of the parameter, and wrong ones of every kind.

The stage of the calls has an arm, a crate on the ground, a kinematic tray and a block that hangs from it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import physx_runtime
from numpy.typing import NDArray
from pxr import Sdf, Usd, UsdPhysics

import physx_schema
from support.places import FINGER
from support.stages.robots import opened, prim
from support.stages.session_stages import arm, link

WORLDS, DOFS = 3, 2
CUBE = prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": 0.4})
BODIES = (
    prim("Plane", "ground", ("PhysicsCollisionAPI",), {"uniform token axis": "Z"})
    + link("crate", (5, 0, 0.2), children=CUBE)
    + link("tray", (8, 0, 3), more={"bool physics:kinematicEnabled": True}) + link("block", (8, 0, 2))
    + prim("PhysicsSphericalJoint", "rope", (), {"rel physics:body0": "</tray>", "rel physics:body1": "</block>",
                                                 "point3f physics:localPos1": (0, 0, 1)}))
JOINTS = ("/Robot/shoulder", "/Robot/elbow")
ACTORS = ("/Robot", "/crate", "/block")


@cache
def stage_text() -> str:
    """The stage as USDA."""
    return arm() + BODIES


def new_stage() -> Usd.Stage:
    """A stage of its own."""
    return opened(stage_text())


@cache
def shared_stage() -> Usd.Stage:
    """The stage that no call writes to."""
    return new_stage()


@cache
def description() -> physx_schema.Description:
    """What the reader makes of it."""
    return physx_schema.describe(shared_stage())


@cache
def masked() -> NDArray[Any]:
    """Joint positions, one of them missing."""
    return np.ma.masked_array(np.zeros(DOFS), mask=[True, False])


class Hostile:
    """What cannot be printed in one line, and fails as an array."""

    def __repr__(self) -> str:
        return "<two\nlines>"

    def __array__(self, *_: object, **__: object) -> Any:
        raise RuntimeError("no array here")


def given(value: Any) -> Any:
    """A value as it is."""
    return value


VALUES: tuple[Any, ...] = (
    None, "", "spam", "/nowhere", "two\nlines", "\0", "\ud800", b"bytes", True, False, 0, 1, -1, -7, 2**70, -2**70,
    0.5, -0.5, 0.0, 1e300, -1e-300, float("nan"), float("inf"), -float("inf"), 1j, int, Hostile, Path("/nowhere"),
    Path("/"), Path("/dev/null"), [], (), {}, set(), [[1.0, 2.0], [3.0]], ["a", "b"], [None], [object], {"a": 1},
    {1: "a"}, {"/Robot/shoulder": "x"}, {"/Robot/shuolder": 0.1}, {"mass": None}, [[]], [1, "a"], [2**70],
    ("/crate", 3), 10**400, Ellipsis, slice(0, 1), range(3), frozenset({1}), Usd.Prim, Sdf.Path, ["x" * 5000],
    "y" * 100_000, np, np.float32("nan"), np.ma.masked, np.str_("spam"), np.bool_(True))
MADE: tuple[Callable[[], Any], ...] = (
    object, Hostile, lambda: (lambda x: x), lambda: (i for i in range(2)), masked, lambda: iter(["/crate"]),
    lambda: np.zeros(DOFS, np.complex64), lambda: np.array([True, False]), lambda: np.array(["a", "b"]),
    lambda: np.array([1, "a", None], dtype=object), lambda: np.zeros((0,)), lambda: np.zeros((7, 7)),
    lambda: np.array(0.3), lambda: np.full(DOFS, np.nan), lambda: np.full(DOFS, np.inf),
    lambda: np.zeros((WORLDS, DOFS, 2)), lambda: np.array(["2020-01-01"], dtype="datetime64[D]"),
    lambda: np.zeros(2, dtype=[("x", "f4")]), lambda: bytearray(b"x"),
    lambda: np.ma.masked_array([0, 1], [False, True]),
    lambda: Sdf.Path("/Robot"), lambda: shared_stage().GetPrimAtPath("/Robot"), lambda: UsdPhysics.Scene(),
    lambda: ValueError("x"), lambda: memoryview(b"ab"), lambda: np.arange(1000.0), lambda: np.full((40, 40), np.nan))
WRONG: tuple[Callable[[], Any], ...] = (*(partial(given, value) for value in VALUES), *MADE)


def right(name: str, rng: random.Random) -> Any:
    """A value that a parameter of this name takes, mostly."""
    return rng.choice(RIGHT[name])() if name in RIGHT else None


def numbers(*shape: int) -> Callable[[], NDArray[Any]]:
    """An array of this shape."""
    return lambda: np.full(shape, 0.1)


def one_of(values: Sequence[Any]) -> list[Callable[[], Any]]:
    """Any of some values."""
    return [partial(given, value) for value in values]


JOINT_VALUES = [numbers(DOFS), numbers(WORLDS, DOFS), numbers(), lambda: [0.1, 0.2], lambda: {JOINTS[0]: 0.3}]
POSES = [lambda: [8.0, 0.0, 3.0, 0.0, 0.0, 0.0, 1.0], numbers(WORLDS, 7), lambda: np.full((4, 7), 0.5)]
VECTORS = [lambda: (0.0, 0.0, 1.0), numbers(3), numbers(WORLDS, 3)]
STAGES: list[Callable[[], Any]] = [shared_stage, description, shared_stage, lambda: str(FINGER), lambda: FINGER]
GAINS = one_of((0.0, 1.0, 0.5, -1.0, float("inf"), 3))
RIGHT: dict[str, list[Callable[[], Any]]] = {
    "stage": STAGES, "source": STAGES, "worlds": [*one_of((None, 1, 2, [0, 2], [True, False, True])), numbers(WORLDS)],
    "dt": one_of((0.01, 1 / 60, 0.002)), "device": one_of(("cpu", "auto")), "dtype": one_of(("float32", "float64")),
    "solver": one_of(("physx", "ideal", "sapien-3.0")), "path": one_of(("auto", "generic", "/rope", "/block", "/new")),
    "sleeping": one_of((True, False)), "articulation": one_of(("/Robot", "/crate", None)),
    "randomize": one_of((("static_friction",), ["stiffness"], ())), "count": one_of((0, 1, 2)),
    "name": one_of(("q", "v", "joint_effort", "mass", "stiffness", "target_position", "link_force", "link_pose",
                    "flexor", "root_position", "upper_limit")),
    "values": [*JOINT_VALUES, numbers(WORLDS, 9), numbers(9), lambda: {"mass": 2.0}, lambda: {"stiffness": [1.0, 2.0]}],
    "force": VECTORS, "torque": VECTORS, "point": VECTORS, "link": one_of(("/Robot/upper", "/Robot/lower", "/crate")),
    "mode": one_of(("force", "impulse", "acceleration", "velocity_change")), "local": one_of((True, False)),
    "joint_position": JOINT_VALUES, "joint_velocity": JOINT_VALUES, "joint_effort": JOINT_VALUES,
    "joint_target": JOINT_VALUES, "root_pose": POSES, "root_velocity": [numbers(6)],
    "body": one_of(("/tray", "/crate")),
    "poses": POSES, "bodies": one_of(("/crate", ["/crate", "/Robot/upper"], "/ground")),
    "partners": one_of((["/ground"], None, ("/crate",))), "actor": one_of(ACTORS), "origin": VECTORS,
    "direction": VECTORS, "distance": one_of((1.0, 5, float("inf"))), "position": VECTORS, "world": one_of((0, 1, 2)),
    "rotation": [lambda: (0.0, 0.0, 0.0, 1.0)],
    "shape": [lambda: physx_runtime.Ball(0.2), lambda: physx_runtime.Block((0.1, 0.2, 0.3))],
    "before": [lambda: physx_runtime.Scene(shared_stage())], "steps": one_of((0, 1, 4)), "every": one_of((1, 2)),
    "link_force": [numbers(6, 3), lambda: {"/crate": (0.0, 0.0, 1.0)}], "link_torque": [numbers(6, 3)],
    "kinematic_target": [lambda: {"/tray": np.full((4, 7), 0.5)}],
    "kinematic_pose": [lambda: {"/tray": np.full((4, 7), 0.5)}], "joint_forces": one_of((True, False)),
    "variation": [lambda: None, lambda: physx_runtime.Variation(2, {"mass": physx_runtime.Spread(0.5, 2.0, True)})],
    "q": [numbers(DOFS), numbers(4, DOFS)], "qd": [numbers(DOFS), numbers(4, DOFS)],
    "root": [lambda: None, lambda: {"position": (0.0, 0.0, 1.0)}], "transforms": one_of((True, False)),
    "velocities": one_of((True, False)), "joint_states": one_of((True, False)),
    "into": one_of(("session", "edit_target")), "engines": one_of((("builtin",),)), "engine_release": one_of(("0.7",)),
    "targets": [lambda: {JOINTS[0]: {"stiffness": 2.0}}, lambda: {"/Robot/elbow": {"damping": 0.1}}],
    "radius": one_of((0.5,)), "half_extents": one_of(((0.1, 0.2, 0.3),)), "low": one_of((0.5,)), "high": one_of((2.0,)),
    "relative": one_of((True,)), "of": one_of(((), ("/Robot/upper",))), "seed": one_of((0, 4)),
    "parameters": [lambda: {"mass": physx_runtime.Spread(0.5, 2.0, True)}], "file": one_of((Path("/nowhere.yaml"),)),
    "kind": one_of(("mass_matrix", "jacobian", "eJOINT_POSITION", "eMASS_MATRICES", "gravity_compensation")),
    "data": [lambda: np.zeros(WORLDS * DOFS, np.float32)], "indices": one_of((None, [0, 1, 2])),
    "array": [numbers(WORLDS, DOFS)], "reported": [lambda: {"joint_position": [0.0, 0.0]}], "enabled": one_of((True,)),
    "trusted": one_of((True,)), "profile": one_of(("physx", "physx+simready", "newton")), "select": one_of((("DJ",),)),
    "ignore": one_of((("DJ",),)), "waivers": one_of(((),)), "severity": one_of(("error", "warning")),
    "strict": one_of((True, False)), "fail_on": one_of(("error", "warning")), "limit": one_of((1, None)),
    "family": one_of(("joints",)), "schema": one_of(("PhysxJointAxisAPI", physx_schema.PhysxJointAxisAPI)),
    "prims": one_of((["/Robot/elbow"], "/Robot/elbow")), "instance": one_of(("angular", None, "flexor")),
    "joint": one_of(JOINTS), "prim": one_of(JOINTS), "reference": one_of(JOINTS), "gearing": GAINS, "offset": GAINS,
    "stiffness": GAINS, "damping": GAINS, "mass": GAINS, "parent": one_of(("/Robot/upper", None)),
    "child": one_of(("/Robot/lower", "/crate")), "inertia": one_of(((1.0, 1.0, 1.0),)), "axis": one_of(("X", "Z")),
    "anchor": one_of(((0.0, 0.0, 0.0), None)), "lower": GAINS, "upper": GAINS, "max_force": GAINS, "target": GAINS,
    "axes": one_of(([("/Robot/elbow", 1.0, 1.0)], [("/Robot/shoulder", 1.0)])), "attachments": [
        lambda: [physx_schema.authoring.Attachment("/Robot/lower", (0.0, 0.0, 0.0))], lambda: [("/crate", (0, 0, 1))]],
    "position_iterations": one_of((4, 8)), "velocity_iterations": one_of((1, 0)), "armature": GAINS,
    "acceleration": [numbers(DOFS), numbers(WORLDS, DOFS)], "actions": [numbers(WORLDS, DOFS)],
    "act": one_of(("joint_effort", "target_position")), "action_range": one_of(((-1.0, 1.0),)),
    "joints": one_of((["elbow"], None)), "robot": one_of(("/Robot",)), "observe": one_of((("joint_position",), ["q"])),
    "reward": [lambda: lambda env: np.ones(env.num_envs)], "done": one_of((None,)), "start": one_of((None,)),
    "steps_per_action": one_of((1, 2)), "max_episode_steps": one_of((None, 3)), "arrays": one_of(("numpy",)),
    "options": one_of((None, {"reset_mask": [True, False, True]})),
    "center_of_mass": VECTORS, "type": one_of(("force", "acceleration")), "rest_length": GAINS,
}

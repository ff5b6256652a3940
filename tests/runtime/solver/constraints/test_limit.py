"""One number decides whether a limit has anything to do, and takes nothing from what limits do.

Hinges that turn on and on: PhysX brings positions back by two turns, but not those of joints with limits.

Bodies and links come back from limits with a restitution as they do in PhysX, and only above the threshold.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import simulate
from physx_runtime.solver.constraints.limit import ALWAYS_TRIGGERED, SolvedDof, limit_trigger, solve_limit
from support.compared.outside_joint_features import ACTS, Feature
from support.places import DOUBLE_PENDULUM
from support.stages.robots import opened

H, ROUNDS = 1e-3, 200
TOTALS = ("lower_total", "upper_total")


def rows_of(lower: float, upper: float) -> dict[str, Any]:
    """A joint at 0 between two limits, before its first iteration."""
    return {"h": [H], "erp": [0.9], "lower_start": [lower], "upper_start": [upper], "lower_total": [0.0],
            "upper_total": [0.0]}


@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize("limits", [(-1e-3, 1e-3), (-2e-3, -1e-3), (1e-3, -1e-3), (-np.inf, 1e-3), (-1e-3, np.inf)])
def test_impulses_are_those_of_a_joint_that_asks_for_every_total(limits: tuple[float, float], final: bool) -> None:
    chance, plain = np.random.default_rng(0), rows_of(*limits)
    triggered = {**plain, "limit_trigger": [limit_trigger(plain, limits[0])]}
    gave = 0
    for _ in range(ROUNDS):
        v, travel = chance.normal(scale=2.0), chance.normal(scale=1e-3)
        ends = []
        for rows in (plain, triggered):
            joint = SolvedDof(1.5, 0.6, v, travel)
            made = {name: list(values) for name, values in rows.items()}
            solve_limit(rows, 0, joint, made, final)
            rows |= {name: made[name] for name in (*TOTALS, "limit_trigger") if name in rows}
            ends.append((joint.v, joint.impulse, *(rows[name][0] for name in TOTALS)))
        assert ends[0] == ends[1]
        gave += plain["lower_total"][0] - plain["upper_total"][0] > 0.0
    assert gave > 0


def test_a_limit_that_has_given_an_impulse_is_looked_at_until_it_has_taken_it_back() -> None:
    rows = rows_of(-1e-3, 1e-3)
    rows["limit_trigger"] = [limit_trigger(rows, -1e-3)]
    at_start = rows["limit_trigger"][0]
    speeds, triggers = (-0.5, -3.0, 0.0, 0.9, 0.9, 0.9), (at_start, *[ALWAYS_TRIGGERED] * 4, at_start)
    for v, expected in zip(speeds, triggers, strict=True):
        solve_limit(rows, 0, SolvedDof(1.0, 1.0, v, 0.0), rows, final=False)
        assert rows["limit_trigger"] == [expected]
    assert rows["lower_total"] == [0.0]


# --- turns -----------------------------------------------------------------------------------------------------------

WIDE = "\n    float physics:lowerLimit = -1000\n    float physics:upperLimit = 1000\n"


# The first hinge from 6 rad; velocity, steps and what ovphysx 0.7.0 gives, rounded to a thousandth.
@pytest.mark.parametrize(("limits", "velocity", "steps", "position"), [
    ("", 3.0, 6, -6.254), ("", 3.0, 9, -6.097), (WIDE, 3.0, 6, 6.312), (WIDE, 3.0, 9, 6.469),
    ("", 500.0, 3, -4.0 * math.pi),
])
def test_a_hinge_comes_back_by_two_turns_unless_it_has_limits(limits: str, velocity: float, steps: int,
                                                             position: float) -> None:
    text = DOUBLE_PENDULUM.read_text()
    start = text.index("{", text.index("PhysicsRevoluteJoint")) + 1
    ours = simulate(opened(text[:start] + limits + text[start:]), 1 / 60, steps, joint_position=[6.0, 0.0],
                    joint_velocity=[velocity, 0.0])
    assert ours.joint_position[-1, 0, 0] == pytest.approx(position, abs=6e-4)


# --- bouncing limits in PhysX ----------------------------------------------------------------------------------------

DT, STEPS = 1 / 60, 60
# Length units over a second: a hinge at its limit is seen by a float32 cosine, which alone makes 6e-6.
ROUNDING = 2e-5
# Far above ROUNDING: what a bounce changes of the way, 7e-4 within a cone and 2e-2 at other limits.
SHOWN = 2e-4

LIMITS = {
    "revolute": ("angular", (), (("float physics:lowerLimit", "-5"), ("float physics:upperLimit", "5"))),
    "spherical": ("cone", (), (("float physics:coneAngle0Limit", "10"), ("float physics:coneAngle1Limit", "20"))),
    "generic": ("rotY", ("PhysicsLimitAPI:rotY",), (("float limit:rotY:physics:low", "-5"),
                                                    ("float limit:rotY:physics:high", "5"))),
}
# Beyond its limit a revolute joint and a swing start with 0.2 rad/s and less: the second threshold lets some bounce.
BOUNCES = {"never": (1.0, 100.0), "at once": (1.0, 0.01), "when fast": (1.0, 0.15), "half": (0.5, 0.01)}
CHILD = """    def Xform "c" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        double3 xformOp:translate = (2, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        float physics:mass = 1
        float3 physics:diagonalInertia = (0.1, 0.2, 0.3)
    }
    def PhysicsRevoluteJoint "inner"
    {
        rel physics:body0 = </World/b>
        rel physics:body1 = </World/c>
        uniform token physics:axis = "Y"
        point3f physics:localPos0 = (0.5, 0, 0)
        point3f physics:localPos1 = (-0.5, 0, 0)
    }
"""


def stage(kind: str, restitution: float, threshold: float, *more: tuple[str, str]) -> str:
    instance, schemas, limits = LIMITS[kind]
    besides = (*limits, (f"float physxLimit:{instance}:bounceThreshold", str(threshold)), *more)
    feature = Feature(kind, f"float physxLimit:{instance}:restitution", str(restitution), ACTS,
                      (f"PhysxLimitAPI:{instance}", *schemas), besides)
    return feature.stage(feature.value)


def of_link(text: str) -> str:
    """The stage with its body as the base of an articulation of two links."""
    text = text.replace('["PhysicsRigidBodyAPI", "PhysicsMassAPI"]',
                        '["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsArticulationRootAPI"]')
    head, found, joint = text.rpartition('    def PhysicsRevoluteJoint "j"')
    return head + CHILD + found + joint.replace("{\n", "{\n        bool physics:excludeFromArticulation = true\n", 1)


STAGES = {f"{kind} {name}": stage(kind, *values) for kind in LIMITS for name, values in BOUNCES.items()}
# A hinge of TGS comes to rest on its limit: whether the next step starts beyond it, and bounces, the last bits decide.
UNDECIDED = ((0.6, 0.01), (0.6, 0.05), (0.8, 0.01))
MOVES = (0.0, *(sign * x * 1e-7 for x in (0.5, 1.0, 2.0, 3.0, 6.0, 10.0) for sign in (1.0, -1.0)))
STAGES |= {f"link {name}": of_link(STAGES[f"revolute {name}"]) for name in ("never", "half")}


def ours(path: Path, names: list[str]) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")     # contact
        found = simulate(path, dt=DT, steps=STEPS)
    if not names:
        return found.link_pose[:, 0, :, :3]
    order = [list(found.body_names).index(name) for name in names]
    return found.body_pose[:, 0, order, :3]


def theirs(recorded: Mapping[str, Any]) -> np.ndarray:
    return recorded["rigid_pose" if len(recorded["rigid_paths"]) else "link_pose"][..., :3]


def test_limits_bounce_as_in_physx(oracle_folder: Path, tmp_path: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    paths = {name: tmp_path / f"{number}.usda" for number, name in enumerate(STAGES)}
    for name, path in paths.items():
        path.write_text(STAGES[name])
    recorded = dict(zip(STAGES, run_jobs([sim_job(path, DT, STEPS) for path in paths.values()]), strict=True))
    for name, real in recorded.items():
        way, still = theirs(real), theirs(recorded[f"{name.split()[0]} never"])
        if not name.endswith("never") and name != "spherical when fast":
            assert np.abs(way - still).max() > SHOWN, name
        error = np.abs(ours(paths[name], [str(body) for body in real["rigid_paths"]]) - way).max()
        assert error < ROUNDING, f"{name}: {error:.1e}"


def moved_by(text: str, way: float) -> str:
    """The stage of a link with its second link moved, m and kg m^2."""
    moved = text.replace("(2, 0, 0)", f"({2.0 + way!r}, 0, 0)")
    return moved.replace("(0.1, 0.2, 0.3)", f"(0.1, {0.2 * (1.0 + way)!r}, 0.3)")


@pytest.mark.parametrize("bounce", UNDECIDED)
def test_a_link_that_the_last_bits_send_back_moves_as_physxs_own_does_under_moves_of_last_bits(
        bounce: tuple[float, float], oracle_folder: Path, tmp_path: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    text = of_link(stage("revolute", *bounce))
    paths = [tmp_path / f"{i}.usda" for i in range(len(MOVES))]
    for path, way in zip(paths, MOVES, strict=True):
        path.write_text(moved_by(text, way))
    motions = [theirs(real) for real in run_jobs([sim_job(path, DT, STEPS) for path in paths])]
    assert max(np.abs(motion - motions[0]).max() for motion in motions) > SHOWN     # PhysX's own spread
    found = [ours(path, []) for path in paths]
    assert min(np.abs(one - motion).max() for one in found for motion in motions) < ROUNDING

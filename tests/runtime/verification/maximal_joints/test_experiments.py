"""A body on a joint outside articulations, pushed in real PhysX, shows the numbers that verification reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from physx_runtime.verification import verify
from support.stages.iteration_stages import opened, prim, slider, stage
from support.stages.verified_robots import row_of

pytestmark = pytest.mark.sweep

DT, STEPS = 1 / 60, 400
MASS, INERTIA = 2.0, 0.5
# PhysX has poses in float32: 1e-7 of 1 m or 1 rad, of displacements from 0.02 on.
DIGITS = 3e-5
TORQUE, FORCE, AT_LINK = 0.2, 3.0, 20.0
Result = Mapping[str, Any]


class Case(NamedTuple):
    """A stage, the property looked at, and what real PhysX makes of that."""

    text: str
    property: str
    seen: Callable[[Result], float]
    digits: float = DIGITS


def body(force: float = 0.0, torque: float = 0.0, place: str = "(0, 0, 0)") -> str:
    """A body that is pushed along z or turned about it, and knows no gravity, damping and sleep."""
    numbers = {"angularDamping": "0", "linearDamping": "0", "sleepThreshold": "0", "disableGravity": "1",
               "solverPositionIterationCount": "4", "solverVelocityIterationCount": "1"}
    kinds = {"disableGravity": "bool"} | dict.fromkeys(
        ("solverPositionIterationCount", "solverVelocityIterationCount"), "int")
    return prim("Xform", "B", "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI PhysxForceAPI", {
        "float physics:mass": str(MASS), "float3 physics:diagonalInertia": f"({INERTIA}, {INERTIA}, {INERTIA})",
        "double3 xformOp:translate": place, "uniform token[] xformOpOrder": '["xformOp:translate"]',
        **{f"{kinds.get(name, 'float')} physxRigidBody:{name}": value for name, value in numbers.items()},
        'uniform token physxForce:mode': '"force"', "bool physxForce:worldFrameEnabled": "1",
        "vector3f physxForce:force": f"(0, 0, {force})", "vector3f physxForce:torque": f"(0, 0, {torque})"})


def joint(kind: str, schemas: str, values: Mapping[str, object], axis: str = "Z", body0: str = "") -> str:
    """A joint of the body B, to the world or another body."""
    return prim(f"Physics{kind}Joint", "J", schemas, {
        **({"rel physics:body0": f"<{body0}>"} if body0 else {}), "rel physics:body1": "</B>",
        "uniform token physics:axis": f'"{axis}"', **{name: str(value) for name, value in values.items()}})


def driven(kind: str, gains: Mapping[str, float], type_: str = "force", body0: str = "") -> str:
    """A revolute or prismatic joint with a drive."""
    instance = "angular" if kind == "Revolute" else "linear"
    values: dict[str, object] = {f"float drive:{instance}:physics:{name}": value for name, value in gains.items()}
    values[f"uniform token drive:{instance}:physics:type"] = f'"{type_}"'
    return joint(kind, f"PhysicsDriveAPI:{instance}", values, body0=body0)


def last(found: Result, row: str) -> Any:
    """A row of the body B after the last step."""
    return found[row][-1, list(map(str, found["paths"])).index("/B")]


def height(found: Result) -> float:
    return float(last(found, "pos")[2])


def turned(found: Result) -> float:
    """Degrees about z."""
    _, _, z, w = map(float, last(found, "quat"))
    return 2.0 * math.degrees(math.atan2(z, w))


def speed(found: Result) -> float:
    return float(last(found, "vel")[2])


def spin(found: Result) -> float:
    return math.degrees(float(last(found, "ang")[2]))


def cases() -> dict[str, Case]:
    made = {}
    for type_, by_inertia, by_mass in (("force", 1.0, 1.0), ("acceleration", INERTIA, MASS)):
        for name, gain, angle, length in (("stiffness", 0.5, turned, height), ("damping", 0.2, spin, speed)):
            gains = {"stiffness": 0.0, "damping": 0.2} | {name: gain}
            made[f"angular {name}, {type_}"] = Case(
                stage(body(torque=TORQUE), driven("Revolute", gains, type_)), f"drive:angular:physics:{name}",
                lambda found, see=angle, per=by_inertia: TORQUE / per / see(found))
            linear = {"stiffness": 0.0, "damping": 30.0} | ({name: 60.0} if name == "stiffness" else {})
            made[f"linear {name}, {type_}"] = Case(
                stage(body(force=FORCE), driven("Prismatic", linear, type_)), f"drive:linear:physics:{name}",
                lambda found, see=length, per=by_mass: FORCE / per / see(found))
    targets = {"stiffness": 60.0, "damping": 30.0}
    made["maxForce"] = Case(
        stage(body(force=FORCE), driven("Prismatic", targets | {"maxForce": 1.25})), "drive:linear:physics:maxForce",
        lambda found: FORCE - MASS * float(found["vel"][-1, 0, 2] - found["vel"][-61, 0, 2]) / (60 * DT), 1e-4)
    made["targetPosition"] = Case(
        stage(body(), driven("Revolute", {"stiffness": 0.5, "damping": 0.2, "targetPosition": 35.0})),
        "drive:angular:physics:targetPosition", turned)
    made["targetVelocity"] = Case(
        stage(body(), driven("Revolute", {"stiffness": 0.0, "damping": 0.2, "targetVelocity": 35.0})),
        "drive:angular:physics:targetVelocity", spin)
    limits = {"float physics:lowerLimit": -0.2, "float physics:upperLimit": 0.3}
    made["limit of a translation"] = Case(
        stage(body(force=FORCE), joint("Prismatic", "", limits)), "physics:upperLimit", height)
    angles = {"float physics:lowerLimit": -20, "float physics:upperLimit": 30}
    made["limit of a rotation"] = Case(
        stage(body(torque=TORQUE), joint("Revolute", "", angles)), "physics:upperLimit", turned)
    soft = {"float physxLimit:linear:stiffness": 50, "float physxLimit:linear:damping": 20}
    made["soft limit"] = Case(
        stage(body(force=FORCE), joint("Prismatic", "PhysxLimitAPI:linear", limits | soft)),
        "physxLimit:linear:stiffness", lambda found: FORCE / (height(found) - 0.3))
    cone = {"float physics:coneAngle0Limit": 25, "float physics:coneAngle1Limit": 40}
    made["cone"] = Case(stage(body(torque=TORQUE), joint("Spherical", "", cone, axis="X")), "physics:coneAngle1Limit",
                        turned)
    most = {"float physics:maxDistance": 0.5}
    made["distance"] = Case(stage(body(force=FORCE, place="(0, 0, 0.4)"), joint("Distance", "", most)),
                            "physics:maxDistance", height)
    made["drive at a link"] = Case(
        stage(slider("R", (4, 1), more={"bool physxArticulation:enabledSelfCollisions": "0"}), body(torque=AT_LINK),
              driven("Revolute", {"stiffness": 3.0, "damping": 0.5}, body0="/R/tip"),
              scene={"float physics:gravityMagnitude": "0"}),
        "drive:angular:physics:stiffness", lambda found: AT_LINK / turned(found))
    return made


CASES = cases()


@pytest.fixture(scope="module")
def recorded(oracle_folder: Path) -> dict[str, Result]:
    """What real PhysX makes of every stage."""
    from scene_recorder import record

    found = record([{"usd": case.text, "dt": DT, "steps": STEPS} for case in CASES.values()])
    return dict(zip(CASES, found, strict=True))


@pytest.mark.parametrize("name", CASES)
def test_a_number_comes_to_what_it_does_in_physx(recorded: dict[str, Result], name: str) -> None:
    case = CASES[name]
    row = row_of(verify(opened(case.text), dt=DT), case.property, "/J")
    assert row.effective == pytest.approx(case.seen(recorded[name]), rel=case.digits)


@pytest.mark.parametrize(("prop", "push"), [("breakForce", "force"), ("breakTorque", "torque")])
def test_a_joint_breaks_at_the_load_that_is_reported(oracle_folder: Path, prop: str, push: str) -> None:
    from scene_recorder import record

    held = joint("Fixed", "", {f"float physics:{prop}": 7})
    row = row_of(verify(opened(stage(body(), held)), dt=DT), f"physics:{prop}", "/J")
    assert isinstance(row.effective, float)
    below, above = record([{"usd": stage(body(**{push: share * row.effective}), held), "dt": DT, "steps": 60}
                           for share in (0.99, 1.01)])
    moved = [float(np.abs(found["pos"][-1, 0]).max() + np.abs(found["quat"][-1, 0, :3]).max())
             for found in (below, above)]
    assert moved[0] < 1e-3 < moved[1]

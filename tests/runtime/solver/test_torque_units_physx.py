"""Joints of tiny and of huge bodies move as in real PhysX: its step has no least inertia and no least response."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from physx_runtime import simulate
from support.stages.robots import base, joint, link, opened, prim, robot

TORQUE_DT, TORQUE_STEPS, START = 0.01, 20, 0.5
# Of the largest velocity, over 20 steps in float32.
ROUNDING = 2e-5
# Inertias and masses, from a dust grain's in kilogram metres to a ship's in gram millimetres.
SIZES = (1e-18, 1e-14, 1e-11, 1e-9, 1.0, 1e9, 1e13, 1e16)
SCENE = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {"float physics:gravityMagnitude": 0.0})
FEATURES = ("drive", "limit", "friction", "maximum velocity")


def lone(kind: str, feature: str, size: float) -> str:
    """One joint whose inertia or mass is `size`, with a feature in proportion."""
    axis, unit = ("angular", np.pi / 180.0) if kind == "Revolute" else ("linear", 1.0)
    drive, own = f"float drive:{axis}:physics", f"float physxJointAxis:{axis}"
    schemas, values = {
        "drive": ((f"PhysicsDriveAPI:{axis}",), {
            f"{drive}:stiffness": 100.0 * size * unit, f"{drive}:damping": 5.0 * size * unit,
            f"{drive}:targetPosition": 0.5 / unit}),
        "limit": ((), {"float physics:lowerLimit": -0.005 / unit, "float physics:upperLimit": 0.005 / unit}),
        "friction": ((f"PhysxJointAxisAPI:{axis}",), {
            f"{own}:staticFrictionEffort": 2.0 * size, f"{own}:dynamicFrictionEffort": size}),
        "maximum velocity": ((f"PhysxJointAxisAPI:{axis}",), {f"{own}:maxJointVelocity": 0.3 / unit}),
    }[feature]
    mass, moment = (1.0, size) if kind == "Revolute" else (size, 1.0)
    return robot(base(), weighing("l", mass, moment), joint(kind, "j", "base", "l", schemas, along("X", values)),
                 outside=SCENE)


def carried(kinds: tuple[str, str], size: float) -> str:
    """A link of mass 1 on a tiny one, as importers make joints of several axes."""
    return robot(base(), weighing("a", size, size), link("b", (0, 0.3, 0)),
                 joint(kinds[0], "j0", "base", "a", (), along("X", {})),
                 joint(kinds[1], "j1", "a", "b", (), along("Y", {"point3f physics:localPos1": (0, -0.3, 0)})),
                 outside=SCENE)


def weighing(name: str, mass: float, moment: float) -> str:
    """A link with one moment of inertia about all axes."""
    return link(name, mass=mass, more={"float3 physics:diagonalInertia": (moment, moment, moment)})


def along(axis: str, values: Mapping[str, object]) -> dict[str, object]:
    """Attributes of a joint about or along an axis."""
    return {"uniform token physics:axis": axis, **{name: float(value) if isinstance(value, float) else value
                                                   for name, value in values.items()}}


def test_joints_of_any_size_move_as_in_physx(oracle_folder: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    cases = {f"{kind}, {feature}, {size:g}": lone(kind, feature, size)
             for kind in ("Revolute", "Prismatic") for feature in FEATURES for size in SIZES}
    pairs = (("Revolute", "Revolute"), ("Prismatic", "Revolute"), ("Revolute", "Prismatic"))
    cases |= {f"{kinds} over {size:g}": carried(kinds, size) for kinds in pairs for size in SIZES if size < 1.0}
    counts = [1 if "over" not in name else 2 for name in cases]
    jobs = [sim_job(text, TORQUE_DT, TORQUE_STEPS, [0.0] * n, [START] * n)
            for text, n in zip(cases.values(), counts, strict=True)]
    wrong = []
    for (name, text), n, real in zip(cases.items(), counts, run_jobs(jobs), strict=True):
        for path in ("specialised", "generic"):
            found = simulate(opened(text), TORQUE_DT, TORQUE_STEPS, joint_velocity=[START] * n, path=path)
            error = np.abs(found.joint_velocity[:, 0] - real["qd"]).max() / np.abs(real["qd"]).max()
            if not error < ROUNDING:
                wrong.append(f"{name}, {path}: {error:.1e}")
    assert not wrong, "\n".join(wrong)

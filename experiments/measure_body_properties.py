"""Measure in real PhysX which properties of a rigid body act on bodies, kinematic and disabled bodies, roots and links.

Needs the environment that `oracle.py` describes. Every property is set on the subject of a stage, a cube that
falls onto the ground where it moves and another cube onto it, and the motion of everything compared with that of the
stage without it. Prints the table of docs/reference/body_properties.md, and where a description says something else.
"""

from __future__ import annotations

import importlib
import math
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from oracle import load_oracle
from rule_stages import BODY, CUBE, MASS, ROOT, at, collider, joint, physics_scene, prim, world

from physx_schema import describe

STEP, STEPS = 1 / 60, 60
PATIENCE = 1800         # s, for all runs
# length and radians: what runs of one stage do not differ by, as PhysX repeats itself to the bit.
SEEN = 1e-6
UNEVEN = {**MASS, "float3 physics:diagonalInertia": "(0.1, 0.2, 0.25)"}
SPIN = {"vector3f physics:angularVelocity": "(60, 200, 30)"}
SPEED = {"vector3f physics:velocity": "(0.5, 0, 0)"}


@dataclass(frozen=True)
class Trial:
    """A property's value, and the circumstances in which it could show."""

    attribute: str                      # type and name
    value: str
    height: float = 0.7                 # of the subject above the ground, whose top is at 0
    gravity: str = "10"
    of_scene: Mapping[str, str] | None = None
    own: Mapping[str, str] | None = None    # what the subject has in both runs; an empty value takes away
    beside: str = ""

    @property
    def title(self) -> str:
        """The property, and what stands beside it."""
        return f"`{self.attribute.partition(' ')[2]}`{self.beside}"


TRIALS = (
    Trial("vector3f physics:velocity", "(0, 0.5, 0)"),
    Trial("vector3f physics:angularVelocity", "(0, 100, 0)"),
    Trial("bool physics:startsAsleep", "1"),
    Trial("bool physics:kinematicEnabled", "1"),
    Trial("float physics:mass", "3"),
    Trial("float physics:density", "3000", own={"float physics:mass": ""}),
    Trial("float physics:density", "3000", beside=" if mass is authored"),
    Trial("point3f physics:centerOfMass", "(0.2, 0.1, 0)"),
    Trial("float3 physics:diagonalInertia", "(0.3, 0.4, 0.5)"),
    Trial("quatf physics:principalAxes", "(0.8, 0.6, 0, 0)"),
    Trial("float physxRigidBody:linearDamping", "2"),
    Trial("float physxRigidBody:angularDamping", "2"),
    Trial("float physxRigidBody:maxLinearVelocity", "0.3"),
    Trial("float physxRigidBody:maxAngularVelocity", "20"),
    Trial("float physxRigidBody:cfmScale", "0.9"),
    Trial("bool physxRigidBody:disableGravity", "1"),
    Trial("bool physxRigidBody:enableGyroscopicForces", "0"),
    Trial("int physxRigidBody:lockedPosAxis", "7"),
    Trial("int physxRigidBody:lockedRotAxis", "7"),
    Trial("int physxRigidBody:solverPositionIterationCount", "64"),
    Trial("int physxRigidBody:solverVelocityIterationCount", "9"),
    Trial("float physxRigidBody:sleepThreshold", "1e6", height=30.0),
    Trial("float physxRigidBody:stabilizationThreshold", "1e6", of_scene={"bool physxScene:enableStabilization": "1"}),
    Trial("bool physxRigidBody:retainAccelerations", "1"),
    Trial("bool physxRigidBody:solveContact", "0"),
    Trial("bool physxRigidBody:enableCCD", "1", height=20.0, gravity="1000",
          of_scene={"bool physxScene:enableCCD": "1"}),
    Trial("bool physxRigidBody:enableSpeculativeCCD", "1", height=20.0, gravity="1000"),
    Trial("float physxRigidBody:maxDepenetrationVelocity", "0.5", height=0.3),
    Trial("float physxRigidBody:maxContactImpulse", "0.001"),
    Trial("float physxRigidBody:contactSlopCoefficient", "10"),
)


def subject(trial: Trial, active: bool, more: Mapping[str, str], name: str = "thing") -> str:
    """The cube that has the property, or lacks it."""
    values = {**UNEVEN, **at(trial.height), **SPIN, **SPEED, **more, **(trial.own or {})}
    if active:
        values = {key: value for key, value in values.items() if key != trial.attribute}
        values[trial.attribute] = trial.value
    kept = {key: value for key, value in values.items() if value}
    return prim("Xform", name, kept, *BODY, "PhysxRigidBodyAPI", children=collider("Cube", "shape", CUBE))


def arm(inner: str, fixed: bool, at_root: bool) -> str:
    """The subject and a link without colliders on a hinge beside it; of two alike the first by path is the root."""
    name = "wing" if at_root else "frame"
    plain = prim("Xform", name, {**UNEVEN, **at(inner_height(inner), 0.0)}, *BODY)
    first, second = ("thing", name) if at_root else (name, "thing")
    hinge = joint("Revolute", "hinge", f"/robot/{first}", f"/robot/{second}", {
        "uniform token physics:axis": '"Y"', "point3f physics:localPos0": "(1, 0, 0)",
        "point3f physics:localPos1": "(1, 0, 0)"})
    held = joint("Fixed", "anchor", "", f"/robot/{first}", {
        "point3f physics:localPos0": f"(0, 0, {inner_height(inner)})"}) if fixed else ""
    below = inner + plain if at_root else plain + inner
    return prim("Xform", "robot", {}, ROOT, children=below + hinge + held)


def inner_height(text: str) -> float:
    """The height of a subject from its text."""
    return float(text.partition("xformOp:translate = (")[2].partition(")")[0].split(",")[2])


ROLES = ("body", "kinematic body", "disabled body", "floating root", "fixed root", "inner link")


def stage(trial: Trial, role: str, active: bool) -> str:
    """A subject in a role, the ground, and a cube that falls onto it."""
    more = {"kinematic body": {"bool physics:kinematicEnabled": "1"},
            "disabled body": {"bool physics:rigidBodyEnabled": "0"}}.get(role, {})
    made = subject(trial, active, more)
    if role in ("floating root", "fixed root", "inner link"):
        made = arm(made, role == "fixed root", role != "inner link")
    other = prim("Xform", "other", {**UNEVEN, **at(trial.height + 1.3, 0.2)}, *BODY,
                 children=collider("Cube", "shape", CUBE))
    ground = collider("Cube", "ground", at(-0.05, scale="(100, 100, 0.1)"))
    return world(made, other, ground, scenes=physics_scene(trial.gravity, "scene", trial.of_scene))


def differences() -> Iterator[tuple[Trial, str, float]]:
    """Trial, role, and how far the motions part; infinite where other objects are made."""
    load_oracle()
    recorder = importlib.import_module("scene_recorder")
    cases = [(trial, role, active) for trial in TRIALS for role in ROLES for active in (False, True)]
    texts = [stage(*case) for case in cases]
    different = list(dict.fromkeys(texts))
    results = dict(zip(different, recorder.record(
        [{"usd": text, "dt": STEP, "steps": STEPS, "every": STEPS // 6} for text in different], timeout=PATIENCE),
        strict=True))
    for (trial, role, _), unset, active in zip(cases[::2], texts[::2], texts[1::2], strict=True):
        before, after = results[unset], results[active]
        same = before["paths"] == after["paths"]
        yield trial, role, max(float(np.abs(before[key] - after[key]).max()) for key in ("pos", "quat")
                              ) if same else math.inf


def said(trial: Trial, role: str) -> str:
    """What the description of the stage says of the property."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "stage.usda")
        file.write_text(stage(trial, role, True))
        description = describe(file)
    name = trial.attribute.partition(" ")[2]

    def about(items: Iterable[Any]) -> bool:
        return any(item.path.endswith("/thing") and item.property == name for item in items)

    places = {"unused": description.unused, "reported": description.problems,
              "not evaluated": description.not_evaluated}
    return next((word for word, items in places.items() if about(items)), "")


def main() -> None:
    """The table, and where the description differs."""
    rows: dict[str, list[str]] = {}
    wrong = []
    for trial, role, parted in differences():
        acts, word = parted > SEEN, said(trial, role)
        rows.setdefault(trial.title, []).append("?" if math.isnan(parted) else "yes" if acts else "")
        if acts == (word == "unused") or (not acts and not word):
            wrong.append(f"{trial.title} on {role}: PhysX {parted:.3g}, said: {word or 'used'}")
    print(f"| property | {' | '.join(ROLES)} |")
    print("|---|" + "---|" * len(ROLES))
    for title, cells in rows.items():
        print(f"| {title} | {' | '.join(cells)} |")
    print("\n".join(wrong))


if __name__ == "__main__":
    main()

"""Random stages of several objects with iteration counts of their own, as USDA text, for comparisons with real PhysX.

Chains on fixed and floating bases and free bodies, some of which fall asleep early, start asleep or are kinematic.
Nothing can touch. A stage is a function of its seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from support.stages.iteration_stages import ASLEEP, KINEMATIC, WEIGHTLESS, Counts, stage
from support.stages.iteration_stages import prim as authored_prim

GRAVITY = 9.81
LENGTH = 0.5        # of a link


@dataclass(frozen=True, slots=True)
class Company:
    """A stage and its objects."""

    seed: int
    articulations: tuple[str, ...]      # prim paths
    bodies: tuple[str, ...]             # of free bodies that are not kinematic
    objects: tuple[str, ...]            # prims as USDA

    def text(self, gravity: float = GRAVITY) -> str:
        """The stage, under a gravity that may be another one."""
        return stage(*self.objects, scene={"float physics:gravityMagnitude": repr(float(gravity))})


def random_company(seed: int) -> Company:
    """One to three chains and none to three free bodies, at least two objects in all."""
    random = np.random.default_rng([seed, 77])
    robots = int(random.integers(1, 4))
    others = int(random.integers(1 if robots == 1 else 0, 4))
    chains = {f"R{i}": _chain(random, f"R{i}", 5.0 * i) for i in range(robots)}
    kinds = {f"F{i}": str(random.choice(["falling", "resting", "drifting", "asleep", "kinematic"], p=[
        0.3, 0.3, 0.2, 0.1, 0.1])) for i in range(others)}
    loose = {name: _free(random, name, kind, 30.0 + 3.0 * i) for i, (name, kind) in enumerate(kinds.items())}
    objects = [*chains.values(), *loose.values()]
    random.shuffle(objects)
    return Company(seed, tuple(f"/{name}" for name in chains),
                   tuple(f"/{name}" for name, kind in kinds.items() if kind != "kinematic"), tuple(objects))


def _counts(random: np.random.Generator) -> Counts | None:
    if random.random() < 0.2:
        return None
    return int(random.choice([1, 2, 3, 4, 8, 16, 24, 32])), int(random.choice([0, 0, 1, 2, 4]))


def _authored(schema: str, counts: Counts | None) -> dict[str, str]:
    return {} if counts is None else {f"int {schema}:solverPositionIterationCount": str(counts[0]),
                                      f"int {schema}:solverVelocityIterationCount": str(counts[1])}


def _weight(random: np.random.Generator) -> dict[str, str]:
    a, b = random.uniform(0.02, 0.1, 2)
    c = random.uniform(abs(a - b) + 0.01, a + b)
    return {"float physics:mass": f"{random.uniform(0.3, 2.0):.4f}",
            "float3 physics:diagonalInertia": f"({a:.5f}, {b:.5f}, {c:.5f})"}


def _place(x: float) -> dict[str, str]:
    return {"double3 xformOp:translate": f"({x}, 0, 0)", "uniform token[] xformOpOrder": '["xformOp:translate"]'}


def _free(random: np.random.Generator, name: str, kind: str, x: float) -> str:
    """A body that falls and turns, rests until it sleeps, drifts slowly until it sleeps, sleeps, or is kinematic."""
    turn = random.uniform(-60.0, 60.0, 3)
    more = {"falling": {"vector3f physics:angularVelocity": "({:.3f}, {:.3f}, {:.3f})".format(*turn)},
            "resting": WEIGHTLESS, "drifting": {**WEIGHTLESS, "vector3f physics:velocity": "(0.002, 0, 0)"},
            "asleep": ASLEEP, "kinematic": KINEMATIC}[kind]
    return authored_prim("Xform", name, "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
        **_weight(random), **_place(x), **_authored("physxRigidBody", _counts(random)), **more})


def _chain(random: np.random.Generator, name: str, x: float) -> str:
    """One to four links on hinges and sliders; without gravity and with damping it falls asleep early."""
    still, fixed, count = random.random() < 0.35, random.random() < 0.7, int(random.integers(1, 5))
    links, joints = "", ""
    if fixed:
        joints += authored_prim("PhysicsFixedJoint", "anchor", "", {"rel physics:body1": f"</{name}/l0>"})
    for i in range(count + 1):
        speed = {} if fixed or i or still else {
            "vector3f physics:angularVelocity": "({:.2f}, {:.2f}, {:.2f})".format(*random.uniform(-40.0, 40.0, 3))}
        links += authored_prim("Xform", f"l{i}", "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
            **_weight(random), **_place(LENGTH * i), **(WEIGHTLESS if still else {}), **speed,
            "float physxRigidBody:angularDamping": f"{random.uniform(0.0, 0.3):.3f}"})
    for i in range(count):
        joints += _joint(random, name, i, still)
    return authored_prim("Xform", name, "PhysicsArticulationRootAPI PhysxArticulationAPI", {
        **_place(x), **_authored("physxArticulation", _counts(random))}, links + joints)


def _joint(random: np.random.Generator, robot: str, i: int, still: bool) -> str:
    """A hinge or a slider, driven or free, some with a tendon of their own."""
    kind, axis = str(random.choice(["Revolute", "Prismatic"], p=[0.7, 0.3])), str(random.choice(["X", "Y", "Z"]))
    instance = "angular" if kind == "Revolute" else "linear"
    values = {"rel physics:body0": f"</{robot}/l{i}>", "rel physics:body1": f"</{robot}/l{i + 1}>",
              "uniform token physics:axis": f'"{axis}"', "point3f physics:localPos0": f"({LENGTH}, 0, 0)"}
    schemas = []
    if still or random.random() < 0.5:
        schemas.append(f"PhysicsDriveAPI:{instance}")
        scale = 0.02 if kind == "Revolute" else 1.0
        target = 0.0 if still else random.uniform(-20.0, 20.0) * (1.0 if kind == "Revolute" else 0.01)
        values |= {f"float drive:{instance}:physics:{key}": f"{value:.5f}" for key, value in (
            ("stiffness", random.uniform(5.0, 40.0) * scale), ("damping", random.uniform(1.0, 4.0) * scale),
            ("targetPosition", target))}
    if not still and random.random() < 0.25:
        schemas.append("PhysxTendonAxisRootAPI:t")
        values |= {"float physxTendon:t:stiffness": f"{random.uniform(1.0, 10.0):.3f}",
                   "float physxTendon:t:damping": "0.1", "float physxTendon:t:restLength": "0.1",
                   "float[] physxTendon:t:gearing": "[0.01]" if kind == "Revolute" else "[1]",
                   "float[] physxTendon:t:forceCoefficient": "[1]"}
    return authored_prim(f"Physics{kind}Joint", f"j{i}", " ".join(schemas), values)

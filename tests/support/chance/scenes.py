"""Random stages of several objects: of everything that users combine, and of iteration counts of their own.

Random stages of several objects, with what users combine: robots and bodies of different iteration counts, in files
referenced with opinions over them, scaled, mirrored, in instances, in other units, in several scenes, by other solvers.

A stage is a function of its seed; nothing on it touches anything.

Random stages of several objects with iteration counts of their own, as USDA text, for comparisons with real PhysX.

Chains on fixed and floating bases and free bodies, some of which fall asleep early, start asleep or are kinematic.
Nothing can touch. A stage is a function of its seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from support.chance.robots import Random, RobotWriter, Traits, Units, free_body, scales, transform, vector
from support.stages.iteration_stages import ASLEEP, KINEMATIC, WEIGHTLESS, Counts, stage
from support.stages.iteration_stages import prim as authored_prim
from support.stages.parts import Attributes
from support.stages.robots import prim

SEVERAL = Traits()
# first seed -> what its stages may have
FAMILIES: Mapping[str, tuple[int, Traits]] = {
    "several objects": (0, SEVERAL),
    "references and instances": (1000, replace(SEVERAL, referenced=0.9, instances=0.6, colliders=0.6, nested=0.5)),
    "scales and reversed joints": (2000, replace(SEVERAL, scale=0.35, swapped=0.5, folder=0.4, colliders=0.5)),
    "tendons, mimic joints, envelopes, units": (3000, replace(SEVERAL, coupled=1.0, envelope=0.7, units=0.7,
                                                              balls=0.05)),
    "scenes and solvers": (4000, replace(SEVERAL, scenes=0.4, settings=0.35, steps=0.8, balls=0.25)),
}
USUAL_STEP = 1 / 60
PART = """#usda 1.0
(
    defaultPrim = "part"
)
def Xform "part"
{
    def Sphere "solid" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        bool physics:collisionEnabled = 0
        double radius = 0.15
        double3 xformOp:translate = (0.05, 0, 0.1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
"""


@dataclass(frozen=True, slots=True)
class RandomScene:
    """A stage in files, and the time step it is stepped by."""

    files: Mapping[str, str]    # by name; the stage is scene.usda
    dt: float                   # s

    def write(self, folder: Path) -> Path:
        """Write the files into a new folder; the path of the stage."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder / "scene.usda"


def random_scene(seed: int, traits: Traits) -> RandomScene:
    """The stage of a seed."""
    random = np.random.default_rng(seed)
    strange = random.random() < traits.units
    sizes = (float(random.choice(x)) for x in ([1.0, 100.0, 1000.0], [1.0, 1000.0]))
    units = Units(*sizes) if strange else Units()
    owners = ["/Scene", "/Second"] if random.random() < traits.scenes else [""]
    files = {"part.usda": PART.replace("0.15", str(0.15 * units.length)).replace(
        "(0.05, 0, 0.1)", str(tuple(x * units.length for x in (0.05, 0.0, 0.1))))}
    text = head(units, str(random.choice(["Y", "Z"])) if strange else "Z", "Scene")
    text += scene(random, "Scene", traits, units)
    text += scene(random, "Second", traits, units) if len(owners) > 1 else ""
    for n in range(int(random.integers(1, 4))):
        text += _robot(random, f"R{n}", traits, units, str(random.choice(owners)), files)
    text += "".join(free_body(random, f"B{n}", traits, units, str(random.choice(owners)))
                    for n in range(int(random.integers(0, 4))))
    dt = float(random.choice([1 / 30, 1 / 50, 1 / 120, 1 / 240])) if random.random() < traits.steps else USUAL_STEP
    return RandomScene(files | {"scene.usda": text}, dt)


def head(units: Units, up: str, first: str) -> str:
    """The head of a layer."""
    return (f'#usda 1.0\n(\n    defaultPrim = "{first}"\n    metersPerUnit = {1.0 / units.length!r}\n'
            f'    kilogramsPerUnit = {1.0 / units.mass!r}\n    upAxis = "{up}"\n)\n')


def scene(random: Random, name: str, traits: Traits, units: Units) -> str:
    """A scene that is solved on the CPU."""
    def chance() -> bool:
        return bool(random.random() < traits.settings)

    values: Attributes = {"bool physxScene:enableGPUDynamics": False, "uniform token physxScene:broadphaseType": "MBP"}
    if chance():
        values["uniform token physxScene:solverType"] = "PGS"
    if chance():
        values["bool physxScene:enableExternalForcesEveryIteration"] = False
    if chance():
        values |= {"vector3f physics:gravityDirection": vector(random, 1.0),
                   "float physics:gravityMagnitude": random.uniform(0, 10) * units.length}
    if chance():
        values["uint physxScene:minPositionIterationCount"] = int(random.choice([2, 6]))
    if chance():
        values["uint physxScene:maxPositionIterationCount"] = int(random.choice([6, 20]))
    if chance():
        values["uint physxScene:minVelocityIterationCount"] = 2
    return prim("PhysicsScene", name, ("PhysxSceneAPI",), values)


def _robot(random: Random, name: str, traits: Traits, units: Units, owner: str, files: dict[str, str]) -> str:
    """A robot, below a placed prim; where it is referenced once or twice, with opinions over it."""
    writer = RobotWriter(random, name, traits, units, owner)
    text = writer.write()
    if random.random() >= traits.referenced:
        # relationships are authored as if the robot were at the top: a prim above is a transform of its own
        return text.replace("{\n", "{\n" + _placing(random, traits, units), 1)
    files[f"{name}.usda"] = head(units, "Z", name) + text
    arc = str(random.choice(["references", "payload"]))
    return "".join(_reference(random, f"{name}{letter}", f"{name}.usda", arc, writer, traits, units)
                   for letter in "ab"[:int(random.integers(1, 3))])


def _placing(random: Random, traits: Traits, units: Units) -> str:
    at = tuple(x * units.length for x in vector(random, 2.0))
    scale = scales(random, ("uniform", "uniform", "mirrored")) if random.random() < traits.scale else None
    return prim("", "x", (), transform(random, at, scale)).partition("{\n")[2].rpartition("}")[0]


def _reference(random: Random, name: str, file: str, arc: str, writer: RobotWriter, traits: Traits, units: Units
               ) -> str:
    over = _placing(random, traits, units)
    if not writer.floating and random.random() < 0.5:
        over += f"int physxArticulation:solverPositionIterationCount = {int(random.choice([2, 8, 24]))}\n"
    joints = ""
    for i, (kind, schemas, _) in enumerate(writer.joints, 1):
        token = {"Revolute": "angular", "Prismatic": "linear"}.get(kind, "")
        if f"PhysicsDriveAPI:{token}" in schemas and random.random() < 0.5:
            target = random.uniform(-0.5, 0.5) * units.coordinate(token == "angular")
            joints += f'over "{writer.name}_j{i}"\n{{\nfloat drive:{token}:physics:targetPosition = {target!r}\n}}\n'
    below = f'over "joints"\n{{\n{joints}}}\n' if joints else ""
    return f'def "{name}" (prepend {arc} = @{file}@)\n{{\n{over}{below}}}\n'


# --- companies -------------------------------------------------------------------------------------------------------

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

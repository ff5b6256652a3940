"""One quantity authored for two engines with different values: each engine simulates another robot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.dofs import every_axis
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.numbers import flat
from physx_schema.checking.engine.profile import PROFILES
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Description, Dof, JointAxis

_AGREE = 1e-3       # relative: authored single floats, some of them converted between degrees and radians

# What it is, and the properties that say it with the power of degrees per radian in their unit on an angular axis.
# {axis} is angular or linear. Newton's and PhysX's values are per degree, MuJoCo's per radian.
_JOINT: Sequence[tuple[str, Mapping[str, int]]] = (
    ("armature", {"physxJointAxis:{axis}:armature": 0, "newton:armature": 0, "mjc:armature": 0}),
    ("friction", {"physxJointAxis:{axis}:staticFrictionEffort": 0, "newton:friction": 0, "mjc:frictionloss": 0}),
    ("damping", {"physxJointAxis:{axis}:viscousFrictionCoefficient": 1, "newton:damping": 1, "mjc:damping": 0}),
    ("velocity limit", {"physxJointAxis:{axis}:maxJointVelocity": 0, "newton:velocityLimit": 0}),
)

# The same of any prim, in units that need no conversion; negative and infinite values stand for an engine's default.
_PRIM: Sequence[tuple[str, tuple[str, ...]]] = (
    ("rest offset", ("physxCollision:restOffset", "newton:contactMargin")),
    ("corners of a convex hull", ("physxConvexHullCollision:hullVertexLimit", "newton:maxHullVertices",
                                  "mjc:maxhullvert")),
    ("collisions of a robot with itself", ("physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled")),
)

_OTHERS = ("newton:", "mjc:")
_RATES = ("physxScene:timeStepsPerSecond", "newton:timeStepsPerSecond")
_TIMESTEP = "mjc:option:timestep"
_Values = Mapping[str, float]        # property name to its number

DISAGREE = Rule("engine/disagree", "warning", """
    Two engines told different things

    Properties of PhysX, Newton and MuJoCo that say the same thing have different values, after conversion of their
    units: PhysX and Newton count per degree, MuJoCo per radian. Each engine simulates another robot.

    Measured: PhysX takes its own armature 3 beside newton:armature 1 and does not read mjc:armature: a driven slider
    gets 0.416 in a step, 1.658 beside mjc:armature 5 alone. Where its own is 0 it takes Newton's, and the two agree.
    (`benchmarks/measure_unused.py`)
    """,
    why="each engine simulates another robot",
    fix="make the values agree, in the unit of each engine, or remove one",
    profiles=PROFILES,
    example=usda.driven({"float physxJointAxis:angular:armature": "0.1", "float mjc:armature": "0.2"}),
    remedy=usda.driven({"float physxJointAxis:angular:armature": "0.1", "float mjc:armature": "0.1"}),
)


@finder("other-engines", DISAGREE)
def disagreements(description: Description) -> Iterator[Finding]:
    """Prims on which physx, newton and mjc properties of one meaning differ."""
    told = {item.path for item in description.authored if item.property.startswith(_OTHERS)}
    if not told:
        return
    authored: dict[str, dict[str, float]] = {}
    for item in description.authored:
        if item.path not in told:
            continue
        numbers = (float(item.value),) if isinstance(item.value, bool) else flat(item.value)
        if len(numbers) == 1:
            authored.setdefault(item.path, {})[item.property] = numbers[0]
    for dof in every_axis(description):
        if dof.name == dof.path and dof.path in authored:
            yield from _joint(dof, authored.get(dof.path, {}))
    for scene in description.scenes:
        yield from _scene(scene.path, authored.get(scene.path, {}))
    for path, values in authored.items():
        for meaning, names in _PRIM:
            said = {name: values[name] for name in names if 0.0 <= values.get(name, -1.0) < math.inf}
            yield from _differing(path, meaning, said, values)


def _joint(dof: Dof | JointAxis, values: _Values) -> Iterator[Finding]:
    axis = "angular" if dof.angular else "linear"
    # of Newton, which PhysX takes in place of its own
    taken = {name for _, name in dof.sources} if isinstance(dof, Dof) else set[str]()
    for meaning, names in _JOINT:
        said = {}
        for pattern, power in names.items():
            name = pattern.format(axis=axis)
            if name in values and not (name.startswith("physx") and taken.intersection(names)):
                said[name] = values[name] * (math.degrees(1.0) ** power if dof.angular else 1.0)
        yield from _differing(dof.path, meaning, said, values)


def _scene(path: str, values: _Values) -> Iterator[Finding]:
    said = {name: values[name] for name in _RATES if name in values}
    if values.get(_TIMESTEP, 0.0) > 0.0:
        said[_TIMESTEP] = 1.0 / values[_TIMESTEP]
    yield from _differing(path, "time step", said, values)


def _differing(path: str, meaning: str, said: _Values, values: _Values) -> Iterator[Finding]:
    """One finding where the properties that say one thing do not all say the same."""
    if len(said) < 2 or max(said.values()) - min(said.values()) <= _AGREE * max(map(abs, said.values())):
        return
    spelt = ", ".join(f"{name} {values[name]:g}" for name in said)
    found = f"two engines are told different things about the {meaning}: {spelt}"
    yield DISAGREE.at(path, next(iter(said)), found)

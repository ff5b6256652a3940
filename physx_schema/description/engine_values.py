"""Values of other engines whose effect differs from what PhysX works with on the same prim.

PhysX reads little of what other engines are given. Where a value of theirs says the same as one that PhysX works with,
nothing is lost; where the two differ, each engine simulates another robot.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from physx_schema.description.model import Description, Opinion
from physx_schema.description.model.joint import Dof, JointAxis
from physx_schema.description.opinions.inactive import engine_of
from physx_schema.description.units import as_numbers

_TOLERANCE = 1e-3       # relative: authored single floats, some of them converted between degrees and radians
_Values = Mapping[str, float]        # property name to its number


@dataclass(frozen=True, slots=True)
class EngineDifference:
    """One quantity that engines are given different values of."""

    path: str                           # prim
    quantity: str                       # what it is: "armature"
    values: tuple[tuple[str, float], ...]   # properties with their authored numbers, PhysX's own first
    in_physx: float | None = None       # what PhysX works with where it has no property of its own authored, in the
                                        # unit of the first property; None where one of `values` is PhysX's

    @property
    def name(self) -> str:
        """The property that a reader looks for first."""
        return self.values[0][0]

    @property
    def text(self) -> str:
        """All values, each with its property."""
        texts = [f"{name} {value:g}" for name, value in self.values]
        return ", ".join(texts if self.in_physx is None else [*texts, f"PhysX uses {self.in_physx:g}"])


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A quantity of a joint axis, by the properties that say it.

    Each has the power of degrees per radian in its unit on an angular axis: Newton's and PhysX's values are per degree,
    MuJoCo's and URDF's per radian.
    """

    name: str
    properties: Mapping[str, int]       # {axis} is angular or linear

    def in_physx(self, axis: Dof | JointAxis) -> float | None:
        """What PhysX works with, in radians; None where that says nothing about the properties."""
        dof = axis if isinstance(axis, Dof) else None
        drive = axis.drive if axis.drive is not None and (axis.drive.stiffness or axis.drive.damping) else None
        match self.name:
            case "armature":
                return dof.armature if dof else 0.0
            case "friction":
                return dof.static_friction if dof else 0.0
            case "damping":
                return dof.viscous_friction if dof else 0.0
            case "velocity limit":
                return dof.max_velocity if dof else math.inf
            case "spring":      # an axis has one drive, which may stand for an actuator too
                return None if drive is not None and drive.stiffness else 0.0
            case _:
                return drive.max_force if drive is not None else None


_JOINT: Sequence[_Quantity] = (
    _Quantity("armature", {"physxJointAxis:{axis}:armature": 0, "newton:armature": 0, "mjc:armature": 0}),
    _Quantity("friction", {
        "physxJointAxis:{axis}:staticFrictionEffort": 0, "newton:friction": 0, "mjc:frictionloss": 0}),
    _Quantity("damping", {
        "physxJointAxis:{axis}:viscousFrictionCoefficient": 1, "newton:damping": 1, "mjc:damping": 0}),
    _Quantity("velocity limit", {
        "physxJointAxis:{axis}:maxJointVelocity": -1, "newton:velocityLimit": -1, "urdf:limit:velocity": 0}),
    _Quantity("spring", {"mjc:stiffness": 0}),
    _Quantity("effort of the drive", {
        "drive:{axis}:physics:maxForce": 0, "mjc:actuatorfrcrange:max": 0, "urdf:limit:effort": 0}),
)

# The same of any prim, in units that need no conversion; negative and infinite values stand for an engine's default.
_PRIM: Sequence[tuple[str, tuple[str, ...]]] = (
    ("rest offset", ("physxCollision:restOffset", "newton:contactMargin")),
    ("corners of a convex hull", ("physxConvexHullCollision:hullVertexLimit", "newton:maxHullVertices",
                                  "mjc:maxhullvert")),
    ("collisions of a robot with itself", ("physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled")),
)
_RATES = ("physxScene:timeStepsPerSecond", "newton:timeStepsPerSecond")
_TIMESTEP = "mjc:option:timestep"


def opinion_engine(opinion: Opinion) -> str:
    """The other engine that an unused opinion is for, "" where it is for PhysX."""
    return engine_of(opinion.reason if opinion.property in ("", "apiSchemas") else opinion.property)


def engine_differences(description: Description) -> Iterator[EngineDifference]:
    """Quantities that other engines are given other values of than PhysX, or than one another."""
    authored = _numbers(description)
    unread = {(item.path, item.property) for item in description.unused}
    for axis in _axes(description):
        if axis.path in authored:
            yield from _of_axis(axis, authored[axis.path], unread)
    for scene in description.scenes:
        yield from _of_scene(scene.path, authored.get(scene.path, {}))
    for path, values in authored.items():
        for quantity, names in _PRIM:
            scaled = {name: values[name] for name in names if 0.0 <= values.get(name, -1.0) < math.inf}
            yield from _differing(path, quantity, scaled, values)


def _numbers(description: Description) -> dict[str, dict[str, float]]:
    """Authored numbers by prim and property, of prims with a property of another engine."""
    paths = {item.path for item in description.authored if engine_of(item.property)}
    result: dict[str, dict[str, float]] = {}
    for item in description.authored if paths else ():
        numbers = as_numbers(item.value) if item.path in paths else None
        if numbers is not None and len(numbers) == 1:
            result.setdefault(item.path, {})[item.property] = numbers[0]
    return result


def _axes(description: Description) -> Iterator[Dof | JointAxis]:
    """The axes of joints with a single one."""
    yield from (dof for item in description.articulations for dof in item.dofs if dof.name == dof.path)
    yield from (axis for joint in description.joints for axis in joint.axes if axis.name == axis.path)


def _of_axis(axis: Dof | JointAxis, values: _Values, unread: Set[tuple[str, str]]) -> Iterator[EngineDifference]:
    """What differs of one axis: between authored properties, or from what PhysX works with."""
    instance = "angular" if axis.angular else "linear"
    newton = {name for _, name in axis.sources} if isinstance(axis, Dof) else set[str]()    # taken in place of its own
    for quantity in _JOINT:
        own = newton.intersection(quantity.properties)
        scaled, factors = {}, {}
        for pattern, power in quantity.properties.items():
            name = pattern.format(axis=instance)
            if name in values and not (name != pattern and own):
                factors[name] = math.degrees(1.0) ** power if axis.angular else 1.0
                scaled[name] = values[name] * factors[name]
        read = [name for name in scaled if (axis.path, name) not in unread]
        in_physx = quantity.in_physx(axis) if scaled and not read else None
        if in_physx is None:
            yield from _differing(axis.path, quantity.name, scaled, values)
        elif any(not _agree(value, in_physx) for value in scaled.values()):
            pairs = tuple((name, values[name]) for name in scaled)
            yield EngineDifference(axis.path, quantity.name, pairs, in_physx / factors[pairs[0][0]])


def _of_scene(path: str, values: _Values) -> Iterator[EngineDifference]:
    scaled = {name: values[name] for name in _RATES if name in values}
    if values.get(_TIMESTEP, 0.0) > 0.0:
        scaled[_TIMESTEP] = 1.0 / values[_TIMESTEP]
    yield from _differing(path, "time step", scaled, values)


def _differing(path: str, quantity: str, scaled: _Values, values: _Values) -> Iterator[EngineDifference]:
    """A difference where the properties that say one thing do not all say the same."""
    first = next(iter(scaled.values()), 0.0)
    if any(not _agree(first, value) for value in scaled.values()):
        yield EngineDifference(path, quantity, tuple((name, values[name]) for name in scaled))


def _agree(first: float, second: float) -> bool:
    """Whether two numbers are the same, as far as they can be."""
    return first == second or abs(first - second) <= _TOLERANCE * min(max(abs(first), abs(second)), 1e300)

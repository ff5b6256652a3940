"""Reading opinions, by the roles of prims.

What the parts of the reader share while one stage is being read.

Which properties of bodies PhysX reads on links, roots and bodies, as experiments/measure_body_properties.py finds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pxr import Tf, Usd

from physx_schema.description.frames import Frames
from physx_schema.description.model import Articulation, Link, Problem
from physx_schema.description.opinions.inactive import Reason
from physx_schema.description.opinions.prim import PrimOpinions, read_property
from physx_schema.description.opinions.schemas import SCHEMAS, split_name
from physx_schema.description.units import accepts_unit, as_vector, holds_defaults
from physx_schema.errors import UnreadableError


class ReadContext:
    """One stage being read: its prims with physics in traversal order, its frames, and the problems found."""

    def __init__(self, stage: Any) -> None:
        self.stage = stage
        self.frames = Frames()
        self.problems: list[Problem] = []
        self.meters_per_unit = self._unit("metersPerUnit", 0.01)
        self.kilograms_per_unit = self._unit("kilogramsPerUnit", 1.0)
        self._check_units()
        self._check_up_axis()
        self.prims: dict[str, PrimOpinions] = {}
        self.copies: dict[str, str] = {}        # prim with physics to the instance or instancer that repeats it
        self.instancers: list[Any] = []
        self.varied: list[Any] = []             # prims with variant sets, outside instances
        inside = ""
        has_instances = bool(stage.GetPrototypes())
        for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
            opinions = PrimOpinions(prim, self.problems)
            if prim.HasVariantSets() and not prim.IsInstanceProxy():
                self.varied.append(prim)
            if opinions.type_name == "PointInstancer":
                self.instancers.append(prim)
                inside = opinions.path
            if opinions.kind.physical:
                self.prims[opinions.path] = opinions
                if inside and opinions.path.startswith(inside + "/"):
                    self.copies[opinions.path] = inside
                elif has_instances and prim.IsInstanceProxy():
                    self.copies[opinions.path] = _instance(prim)
        self._by_schema: dict[str, list[PrimOpinions]] = {}
        for opinions in self.prims.values():
            for schema in opinions.kind.schemas:
                self._by_schema.setdefault(schema, []).append(opinions)
        self._schemas = frozenset(split_name(applied)[0] for applied in self._by_schema)
        self._paths = tuple(self.prims)
        self._path_index = {path: index for index, path in enumerate(self._paths)}
        self._bodies = {opinions.path: opinions.path for opinions in self.prims_with("PhysicsRigidBodyAPI")
                        if not self.is_proxy(opinions.path)}

    def _unit(self, name: str, default: float) -> float:
        """A unit of the stage's metadata, USD's default where none is authored or the value makes no sense."""
        value = float(self._metadata(name, default))
        if accepts_unit(name, value):
            return value
        self.problem(
            "stage/units", "/", name, f"{name} is {value:g}",
            f"PhysX refuses the whole stage; this library uses {default:g} instead",
            "author a number above 0 that fits single precision",
        )
        return default

    def _metadata(self, name: str, default: Any) -> Any:
        """What is authored for the stage as a whole. Raises UnreadableError for a value of another type."""
        try:
            return self.stage.GetMetadata(name) if self.stage.HasAuthoredMetadata(name) else default
        except Tf.ErrorException:
            kind = "a number" if isinstance(default, float) else "a token"
            raise UnreadableError(f"{self.stage.GetRootLayer().identifier}: {name} has another type; author {kind} "
                                  f"such as {default}") from None

    def _check_units(self) -> None:
        """Units that PhysX takes and in which its own numbers overflow or vanish."""
        if not holds_defaults(self.meters_per_unit, self.kilograms_per_unit):
            self.problem(
                "stage/units-extreme", "/", "metersPerUnit",
                f"metersPerUnit is {self.meters_per_unit:g} and kilogramsPerUnit {self.kilograms_per_unit:g}",
                "in these units the density of water or PhysX's own thresholds do not fit into single precision; "
                "bodies with colliders and without an authored mass get mass 1 or 0, without a message",
                "author units that match the numbers on the stage",
                "warning",
            )

    def _check_up_axis(self) -> None:
        axis = self._metadata("upAxis", "Z")
        if axis not in ("Y", "Z"):
            self.problem(
                "stage/up-axis", "/", "upAxis", f"upAxis is {axis!r}",
                "PhysX uses Z as the up axis; gravity without an authored direction points along -Z", "author Y or Z",
            )

    def prims_with(self, schema: str) -> Iterator[PrimOpinions]:
        """Prims with a single-apply schema, in traversal order."""
        return iter(self._by_schema.get(schema, ()))

    def has_schema(self, schema: str) -> bool:
        """Whether any prim has a schema, under whatever instance names."""
        return schema in self._schemas

    def below(self, path: str) -> Iterator[str]:
        """Paths of the prims with physics under one of them, in traversal order."""
        prefix = path + "/"
        for index in range(self._path_index[path] + 1, len(self._paths)):
            if not self._paths[index].startswith(prefix):
                return
            yield self._paths[index]

    def problem(self, code: str, path: str, name: str, message: str, why: str, fix: str,
                severity: str = "error") -> None:
        """Record something that could not become a fact."""
        self.problems.append(Problem(code, path, name, message, why, fix, severity))

    def targets(self, prim: Any, name: str) -> tuple[str, ...]:
        """The targets of a relationship that concerns more than physics; an attribute in its place is reported."""
        prop = read_property(prim, name)
        if prop.type_name != "rel":
            self.problem(
                "value/wrong-type", str(prim.GetPath()), name,
                f"{name} is authored as {prop.type_name}, but is a relationship in USD",
                "USD and PhysX find no targets", "author the property as a relationship",
            )
        return prop.value if isinstance(prop.value, tuple) else ()

    def on_collider(self, path: str) -> bool:
        """Whether a prim is a collider or below one."""
        while path not in ("", "/"):
            opinions = self.prims.get(path)
            if opinions is not None and opinions.has("PhysicsCollisionAPI"):
                return True
            path = path.rpartition("/")[0]
        return False

    def body_of(self, path: str) -> str:
        """The nearest prim with PhysicsRigidBodyAPI at or above a path, "" where there is none.

        A body inside an instance is none: PhysX has no object for it.
        """
        body = self._bodies.get(path)
        if body is None:
            visited = []
            while path not in self._bodies and path not in ("", "/"):
                visited.append(path)
                path = path.rpartition("/")[0]
            body = self._bodies.get(path, "")
            self._bodies.update(dict.fromkeys(visited, body))
        return body

    def is_proxy(self, path: str) -> bool:
        """Whether a prim with physics is inside an instance, where PhysX sees colliders and nothing else."""
        return path in self.copies and bool(self.prims[path].prim.IsInstanceProxy())


def _instance(prim: Any) -> str:
    """The instance that a proxy belongs to."""
    while prim.IsInstanceProxy():
        prim = prim.GetParent()
    return str(prim.GetPath())


def path_key(path: str) -> tuple[str, ...]:
    """The order of prim paths in PhysX: element by element."""
    return tuple(path.split("/"))


_COUNTS = ("physxRigidBody:solverPositionIterationCount", "physxRigidBody:solverVelocityIterationCount")
_AT_ROOT = "author {name} on {root}"
# Read on bodies outside articulations, and where articulations have the like.
_BODIES_ONLY: Mapping[str, str] = {
    "physics:startsAsleep": "",
    "physxRigidBody:enableGyroscopicForces": "",
    "physxRigidBody:lockedPosAxis": "use joints to restrict the motion of the link",
    "physxRigidBody:lockedRotAxis": "use joints to restrict the motion of the link",
    "physxRigidBody:sleepThreshold": _AT_ROOT,
    "physxRigidBody:stabilizationThreshold": _AT_ROOT,
    **dict.fromkeys(_COUNTS, _AT_ROOT),     # of articulations, which differ
}
_VELOCITIES = ("physics:velocity", "physics:angularVelocity")
_MASS, _DENSITY, _CFM = "physics:mass", "physics:density", "physxRigidBody:cfmScale"
_JUDGED = frozenset({*_BODIES_ONLY, *_VELOCITIES, _DENSITY, _CFM})
_NEAR = 1e-6        # relative, of defaults that tools have written as single floats


@dataclass(frozen=True, slots=True)
class Roles:
    """What PhysX makes of each body."""

    links: Mapping[str, Articulation]   # those that are switched on, by link
    floating: frozenset[str]        # roots among them that nothing fixes
    bodies: frozenset[str]          # outside articulations
    even: frozenset[str]            # bodies and colliders whose density nothing but their mass could show

    def why_unread(self, opinions: PrimOpinions, name: str) -> Reason | None:
        """Why PhysX does not read a property of a body on this one; None where it does, or it is none of these."""
        if name not in _JUDGED:
            return None
        path = opinions.path
        if path in self.links and name in _BODIES_ONLY:
            suggestion = _BODIES_ONLY[name].format(
                name=name.replace("physxRigidBody", "physxArticulation"), root=self.links[path].path)
            return "on-link", "PhysX does not read this property on a link of an articulation", suggestion
        if path in self.links and path not in self.floating and name in _VELOCITIES:
            return ("on-link", "PhysX reads velocities in an articulation only on a floating root",
                    "author the velocity in PhysicsJointStateAPI of the joint")
        if path in self.bodies and name == _CFM and opinions.has("PhysxRigidBodyAPI"):
            return "on-body", "PhysX reads this property only on links of articulations", ""
        massive = name == _DENSITY and path in self.even and opinions.has("PhysicsMassAPI")
        if massive and _above_zero(opinions.peek(_MASS)):
            return "beside-mass", f"{_MASS} is authored too, and PhysX uses {_MASS}", f"remove {_DENSITY} or {_MASS}"
        return None

    def has_default_value(self, opinions: PrimOpinions, name: str) -> bool:
        """Whether a property that is not read has the value that PhysX works with anyway."""
        value = opinions.peek(name)
        if name in _VELOCITIES:
            return as_vector(value) == (0.0, 0.0, 0.0)
        if name == _DENSITY:
            return not _above_zero(value)
        if name in _COUNTS:
            articulation = self.links[opinions.path]
            return value == (articulation.position_iterations, articulation.velocity_iterations)[_COUNTS.index(name)]
        default = _usual(name)
        if isinstance(value, float) and isinstance(default, float):
            return abs(value - default) <= _NEAR * default
        return value == default


def read_roles(context: ReadContext, articulations: Sequence[Articulation], bodies: Sequence[Link]) -> Roles:
    """The roles of all bodies."""
    stepped = [item for item in articulations if item.enabled]
    every = [*bodies, *(link for item in stepped for link in item.links)]
    colliders = {collider.path for body in every for collider in body.colliders}
    return Roles(
        {link.path: item for item in stepped for link in item.links},
        frozenset(item.links[0].path for item in stepped if not item.fixed_base),
        frozenset(body.path for body in bodies),
        frozenset(colliders | {body.path for body in every if _is_even(context, body)}))


def _is_even(context: ReadContext, body: Link) -> bool:
    """Whether a density of the body spreads its mass as any other would, or everything about its mass is authored."""
    def has_density(path: str) -> bool:
        return path in context.prims and context.prims[path].has("PhysicsMassAPI")

    def of_material(path: str) -> bool:
        return path in context.prims and _above_zero(context.prims[path].peek(_DENSITY))

    mass_view = context.prims[body.path].view("PhysicsMassAPI")
    authored = any(mass_view.vector("diagonalInertia")) and all(map(math.isfinite, mass_view.vector("centerOfMass")))
    return authored or len(body.colliders) < 2 or not any(
        has_density(collider.path) or of_material(collider.material) for collider in body.colliders)


def _above_zero(value: object) -> bool:
    return isinstance(value, int | float) and value > 0.0


@cache
def _usual(name: str) -> object:
    """The default of a property of bodies."""
    schema = "PhysicsRigidBodyAPI" if name.startswith("physics:") else "PhysxRigidBodyAPI"
    return SCHEMAS[schema].defaults[name.rpartition(":")[2]]

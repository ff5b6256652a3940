"""Which properties of bodies PhysX reads on links, roots and bodies, as benchmarks/measure_body_properties.py finds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from physx_schema.description.conversions import as_vector
from physx_schema.description.model import Articulation, Link
from physx_schema.description.opinions.idleness import Reason
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.schemas import SCHEMAS

_COUNTS = ("physxRigidBody:solverPositionIterationCount", "physxRigidBody:solverVelocityIterationCount")
_AT_ROOT = "author {name} on {root}"
# Read on bodies outside articulations, and where articulations have the like.
_BODIES_ONLY: Mapping[str, str] = {
    "physics:startsAsleep": "",
    "physxRigidBody:enableGyroscopicForces": "",
    "physxRigidBody:lockedPosAxis": "hold the link by its joints",
    "physxRigidBody:lockedRotAxis": "hold the link by its joints",
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
            instead = _BODIES_ONLY[name].format(
                name=name.replace("physxRigidBody", "physxArticulation"), root=self.links[path].path)
            return "on-link", "PhysX does not read it on a link of an articulation", instead
        if path in self.links and path not in self.floating and name in _VELOCITIES:
            return ("on-link", "of an articulation PhysX reads the velocity of a floating root only",
                    "author the velocity of the joint's PhysicsJointStateAPI")
        if path in self.bodies and name == _CFM and opinions.has("PhysxRigidBodyAPI"):
            return "on-body", "PhysX reads it on links of articulations only", ""
        massive = name == _DENSITY and path in self.even and opinions.has("PhysicsMassAPI")
        if massive and _above_zero(opinions.peek(_MASS)):
            return "beside-mass", f"{_MASS} is authored beside it, which PhysX takes", f"remove it or {_MASS}"
        return None

    def says_nothing(self, opinions: PrimOpinions, name: str) -> bool:
        """Whether a property that is not read has the value that PhysX works with anyway."""
        value = opinions.peek(name)
        if name in _VELOCITIES:
            return as_vector(value) == (0.0, 0.0, 0.0)
        if name == _DENSITY:
            return not _above_zero(value)
        if name in _COUNTS:
            own = self.links[opinions.path]
            return value == (own.position_iterations, own.velocity_iterations)[_COUNTS.index(name)]
        usual = _usual(name)
        if isinstance(value, float) and isinstance(usual, float):
            return abs(value - usual) <= _NEAR * usual
        return value == usual


def read_roles(reading: Reading, articulations: Sequence[Articulation], bodies: Sequence[Link]) -> Roles:
    """The roles of all bodies."""
    stepped = [item for item in articulations if item.enabled]
    every = [*bodies, *(link for item in stepped for link in item.links)]
    colliders = {collider.path for body in every for collider in body.colliders}
    return Roles(
        {link.path: item for item in stepped for link in item.links},
        frozenset(item.links[0].path for item in stepped if not item.fixed_base),
        frozenset(body.path for body in bodies),
        frozenset(colliders | {body.path for body in every if _is_even(reading, body)}))


def _is_even(reading: Reading, body: Link) -> bool:
    """Whether a density of the body spreads its mass as any other would, or everything about its mass is authored."""
    def own_density(path: str) -> bool:
        return path in reading.prims and reading.prims[path].has("PhysicsMassAPI")

    def of_material(path: str) -> bool:
        return path in reading.prims and _above_zero(reading.prims[path].peek(_DENSITY))

    own = reading.prims[body.path].view("PhysicsMassAPI")
    settled = any(own.vector("diagonalInertia")) and all(map(math.isfinite, own.vector("centerOfMass")))
    return settled or len(body.colliders) < 2 or not any(
        own_density(collider.path) or of_material(collider.material) for collider in body.colliders)


def _above_zero(value: object) -> bool:
    return isinstance(value, int | float) and value > 0.0


@cache
def _usual(name: str) -> object:
    """The default of a property of bodies."""
    schema = "PhysicsRigidBodyAPI" if name.startswith("physics:") else "PhysxRigidBodyAPI"
    return SCHEMAS[schema].defaults[name.rpartition(":")[2]]

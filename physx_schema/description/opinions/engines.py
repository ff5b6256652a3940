"""Opinions of other engines: what PhysX reads of them as fallbacks, and what it has instead of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from physx_schema.description.opinions.inactive import Reason
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.schemas import IMPLIED, OTHER_ENGINES, SCHEMAS, SINGLE_AXIS

_NAMESPACES: Mapping[str, str] = {name.lower(): engine for name, engine in OTHER_ENGINES.items()}

_HULLS = "newton:maxHullVertices"

# Properties of other engines that PhysX reads and no fact holds, with what they are about.
_READ: Mapping[str, str] = {
    "newton:timeStepsPerSecond": "the step, which the caller of the simulation chooses",
    "newton:selfCollisionEnabled": "contacts", "newton:contactMargin": "contacts", "newton:contactGap": "contacts",
    _HULLS: "contacts",
}

# The schema of PhysX that, once applied, decides in place of a property: with its default where nothing is authored.
_DECIDING: Mapping[str, tuple[str, str]] = {
    "newton:selfCollisionEnabled": ("PhysxArticulationAPI", "physxArticulation:enabledSelfCollisions"),
    _HULLS: ("PhysxConvexHullCollisionAPI", "physxConvexHullCollision:hullVertexLimit"),
}

# PhysX's own property, of a schema, that hides one on prims on which the schema was read.
_HIDING: Mapping[str, tuple[str, str]] = {
    "newton:contactMargin": ("PhysxCollisionAPI", "physxCollision:restOffset"),
    "newton:contactGap": ("PhysxCollisionAPI", "physxCollision:contactOffset"),
}

# PhysX's counterpart of what it does not read; {axis} is the instance name of the joint.
_COUNTERPARTS: Mapping[str, str] = {
    "newton:inertia": "physics:diagonalInertia, the principal moments, with physics:principalAxes",
    "newton:maxSolverIterations": "physxScene:maxPositionIterationCount",
    "newton:torsionalFriction": "physxCollision:torsionalPatchRadius",
    "newton:kp": "drive:{axis}:physics:stiffness", "newton:kd": "drive:{axis}:physics:damping",
    "newton:maxEffort": "drive:{axis}:physics:maxForce",
    "mjc:armature": "physxJointAxis:{axis}:armature", "mjc:damping": "physxJointAxis:{axis}:viscousFrictionCoefficient",
    "mjc:frictionloss": "physxJointAxis:{axis}:staticFrictionEffort",
    "mjc:stiffness": "drive:{axis}:physics:stiffness", "mjc:springref": "drive:{axis}:physics:targetPosition",
    "mjc:group": "", "mjc:option:timestep": "physxScene:timeStepsPerSecond",
    "mjc:option:iterations": "physxScene:maxPositionIterationCount", "mjc:margin": "physxCollision:contactOffset",
    "mjc:gap": "physxCollision:contactOffset", "mjc:maxhullvert": "physxConvexHullCollision:hullVertexLimit",
}


@lru_cache(4096)
def engine_of(name: str) -> str:
    """The engine whose schema or property a name is, "" for USD's and PhysX's own."""
    head, separator, _ = name.partition(":")
    if separator and head in _NAMESPACES:
        return _NAMESPACES[head]
    return next((engine for start, engine in OTHER_ENGINES.items() if name.startswith(start)), "")


def what_is_read(opinions: PrimOpinions, name: str) -> str:
    """What a property of another engine is about that PhysX reads on the prim; "" where it does not."""
    unread = _is_decided(opinions, name) or _is_hidden(opinions, name) or (name == _HULLS and not _is_split(opinions))
    return "" if unread else _READ.get(name, "")


def _is_decided(opinions: PrimOpinions, name: str) -> bool:
    return name in _DECIDING and opinions.has(_DECIDING[name][0])


def _is_split(opinions: PrimOpinions) -> bool:
    """Whether PhysX makes several hulls of a mesh with limits that Newton's may be."""
    api = "PhysxConvexDecompositionCollisionAPI"
    return opinions.peek("physics:approximation") == "convexDecomposition" and not opinions.has(api)


def _is_hidden(opinions: PrimOpinions, name: str) -> bool:
    return name in _HIDING and _HIDING[name][0] in opinions.used_schemas


def why_schema_unused(opinions: PrimOpinions, name: str) -> Reason | None:
    """Why an applied schema or prim type of another engine has no effect; None where something of it has."""
    if name in IMPLIED:
        return None         # it brings a schema of PhysX with it
    if name in SCHEMAS:
        used = name in opinions.used_schemas
        where = "on the scene it works with" if name == "NewtonSceneAPI" else "on joints of an articulation"
        return None if used else ("idle", f"{name}: PhysX reads it {where}", "")
    return "other-engine", f"{name}: a schema of {engine_of(name)}, of which PhysX reads nothing", ""


def why_property_unused(opinions: PrimOpinions, name: str, inside: bool) -> Reason:
    """Why an unread property of another engine has no effect; `inside` for joints of an articulation."""
    engine = engine_of(name)
    base = name.partition(":")[2]
    if engine == "Newton":
        if base in SCHEMAS["NewtonJointAPI"].defaults:
            if not inside:
                return "idle", "PhysX reads it on joints of an articulation", "author it on a joint of one"
            return "overridden", "PhysX has a value of its own for the axis, which it takes", ""
        if base in SCHEMAS["NewtonMimicAPI"].defaults and opinions.joint_kind is not None:
            return "idle", "the joint has no mimic joint by NewtonMimicAPI that PhysX makes", ""
    if name == _HULLS and not _is_decided(opinions, name):
        return "idle", "PhysX reads it on meshes of which it makes convex hulls", ""
    if name in _DECIDING:
        schema, physx_name = _DECIDING[name]
        return "overridden", f"PhysX takes {physx_name} of {schema}, authored or not", physx_name
    if _is_hidden(opinions, name):
        schema, physx_name = _HIDING[name]
        return "overridden", f"PhysX takes {physx_name} of {schema} in its place", physx_name
    axis = SINGLE_AXIS.get(opinions.joint_kind or "", "angular")
    return ("other-engine", f"a property of {engine} that PhysX does not read",
            _COUNTERPARTS.get(name, "").format(axis=axis))

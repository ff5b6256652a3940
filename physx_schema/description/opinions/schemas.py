"""Schemas that are read: property names, defaults and ranges, what they lack, and which schema a name belongs to.

First come the schemas and properties that PhysX reads and no fact of a Description holds.

The schemas of PhysX that become facts are what the generated definitions say. This is the one table of defaults, so
that a stage reads the same whether or not the schemas are registered with USD. Properties and defaults of UsdPhysics
and of Newton's schemas are not generated here and are written down.

A property name belongs to one of the schemas that become facts, of a prim's, or of all there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from physx_generated import Attribute, Definition, Relationship

from physx_schema.definitions import attribute_range, definitions
from physx_schema.description.model.joint import JointKind

# Properties of evaluated schemas that PhysX reads and no fact holds, with what they are about.
NOT_EVALUATED: Mapping[str, Mapping[str, str]] = {
    "PhysicsRigidBodyAPI": {"startsAsleep": "sleeping"},
    "PhysicsCollisionAPI": {"collisionEnabled": "contacts", "simulationOwner": "several scenes"},
    "PhysicsMaterialAPI": {
        "dynamicFriction": "contacts", "staticFriction": "contacts", "restitution": "contacts",
    },
    "PhysxRigidBodyAPI": {
        # the next four, of bodies outside articulations are facts
        "sleepThreshold": "bodies outside articulations", "lockedPosAxis": "bodies outside articulations",
        "lockedRotAxis": "bodies outside articulations", "enableGyroscopicForces": "bodies outside articulations",
        "stabilizationThreshold": "stabilization", "retainAccelerations": "retained accelerations",
        "enableCCD": "contacts", "enableSpeculativeCCD": "contacts", "contactSlopCoefficient": "contacts",
    },
    "PhysxArticulationAPI": {
        "enabledSelfCollisions": "contacts", "stabilizationThreshold": "stabilization",
    },
    "PhysxSceneAPI": {
        "timeStepsPerSecond": "the time step, which the caller of the simulation sets",
        "enableCCD": "contacts", "collisionSystem": "contacts",
        "enableStabilization": "stabilization", "maxBiasCoefficient": "the bias limit",
    },
}

# Properties that choose how PhysX computes or allocates, not what comes out of it.
WITHOUT_EFFECT: frozenset[str] = frozenset({
    "physxScene:broadphaseType", "physxScene:enableEnhancedDeterminism", "physxScene:enableGPUDynamics",
    "physxScene:enableSceneQuerySupport", "physxScene:frictionType", "physxScene:reportKinematicKinematicPairs",
    "physxScene:reportKinematicStaticPairs", "physxScene:updateType",
    *(name for name in definitions()["PhysxSceneAPI"].attributes if name.startswith("physxScene:gpu")),
})

# What schemas of PhysX without any fact are about, by a word in their names.
_SUBJECTS: Mapping[str, str] = {
    **dict.fromkeys((
        "ConvexDecomposition", "SphereFill", "TriangleMesh", "SDFMesh", "MeshMerge", "Trigger",
        "CookedData", "SurfaceVelocity",
    ), "contacts"),
    "Vehicle": "vehicles", "Particle": "particles", "PBDMaterial": "particles", "Deformable": "deformable bodies",
    "OmniPhysics": "deformable bodies", "Camera": "cameras", "Instancer": "instancers",
    "CharacterController": "character controllers", "SceneQuasistatic": "quasistatic scenes",
}

# Those schemas, and what they are about.
WITHOUT_FACTS: Mapping[str, str] = {
    name: subject for name in definitions() for word, subject in _SUBJECTS.items() if word in name}

# Schemas of PhysX that are not simulated, with facts or without, and what they are about.
OTHER_SCHEMAS: Mapping[str, str] = {
    **WITHOUT_FACTS,
    "PhysicsCollisionGroup": "contacts",
}


def namespace(schema: str) -> str:
    """The property namespace of a schema of OTHER_SCHEMAS: its name in lower camel case without API."""
    name = schema.removesuffix("API")
    return name[:1].lower() + name[1:]


INSTANCE = "{instance}"         # where a prefix has the instance name

Properties = tuple[str, Mapping[str, object]]       # what the property names begin with; base name to default

JOINT: Mapping[str, object] = {
    "body0": (), "body1": (), "localPos0": (0.0, 0.0, 0.0), "localPos1": (0.0, 0.0, 0.0),
    "localRot0": (0.0, 0.0, 0.0, 1.0), "localRot1": (0.0, 0.0, 0.0, 1.0), "jointEnabled": True,
    "collisionEnabled": False, "excludeFromArticulation": False, "breakForce": math.inf, "breakTorque": math.inf,
}
_AXIS: Mapping[str, object] = {"axis": "X", "lowerLimit": -math.inf, "upperLimit": math.inf}

USD_PHYSICS: Mapping[str, Properties] = {
    "PhysicsScene": ("physics:", {"gravityDirection": (0.0, 0.0, 0.0), "gravityMagnitude": -math.inf}),
    "PhysicsRigidBodyAPI": ("physics:", {
        "rigidBodyEnabled": True, "kinematicEnabled": False, "simulationOwner": (), "startsAsleep": False,
        "velocity": (0.0, 0.0, 0.0), "angularVelocity": (0.0, 0.0, 0.0),
    }),
    "PhysicsMassAPI": ("physics:", {
        "mass": 0.0, "density": 0.0, "centerOfMass": (-math.inf, -math.inf, -math.inf),
        "diagonalInertia": (0.0, 0.0, 0.0), "principalAxes": (0.0, 0.0, 0.0, 0.0),
    }),
    "PhysicsCollisionAPI": ("physics:", {"collisionEnabled": True, "simulationOwner": ()}),
    "PhysicsMaterialAPI": ("physics:", {
        "density": 0.0, "dynamicFriction": 0.0, "staticFriction": 0.0, "restitution": 0.0,
    }),
    "PhysicsMeshCollisionAPI": ("physics:", {"approximation": "none"}),
    "PhysicsCollisionGroup": ("physics:", {
        "filteredGroups": (), "invertFilteredGroups": False, "mergeGroup": "",
    }),
    "PhysicsFilteredPairsAPI": ("physics:", {"filteredPairs": ()}),
    "PhysicsArticulationRootAPI": ("physics:", {}),
    "PhysicsJoint": ("physics:", JOINT),
    "PhysicsFixedJoint": ("physics:", JOINT),
    "PhysicsRevoluteJoint": ("physics:", {**JOINT, **_AXIS}),
    "PhysicsPrismaticJoint": ("physics:", {**JOINT, **_AXIS}),
    "PhysicsSphericalJoint": ("physics:", {**JOINT, "axis": "X", "coneAngle0Limit": -1.0, "coneAngle1Limit": -1.0}),
    "PhysicsDistanceJoint": ("physics:", {**JOINT, "minDistance": -1.0, "maxDistance": -1.0}),
    "PhysicsLimitAPI": ("limit:{instance}:physics:", {"low": -math.inf, "high": math.inf}),
    "PhysicsDriveAPI": ("drive:{instance}:physics:", {
        "type": "force", "stiffness": 0.0, "damping": 0.0, "maxForce": math.inf,
        "targetPosition": 0.0, "targetVelocity": 0.0,
    }),
}

NEWTON_SCHEMAS: Mapping[str, Properties] = {
    "NewtonSceneAPI": ("newton:", {"gravityEnabled": True}),
    "NewtonCollisionAPI": ("newton:", {"contactMargin": -math.inf, "contactGap": -math.inf}),
    "NewtonMeshCollisionAPI": ("newton:", {"maxHullVertices": -1}),
    "NewtonJointAPI": ("newton:", {"armature": 0.0, "friction": 0.0, "damping": 0.0, "velocityLimit": math.inf}),
    "NewtonMimicAPI": ("newton:", {"mimicEnabled": True, "mimicJoint": (), "mimicCoef0": 0.0, "mimicCoef1": 1.0}),
}


SINGLE_AXIS: Mapping[str, str] = {"revolute": "angular", "prismatic": "linear"}     # instance name, by kind of joint

JOINT_KINDS: Mapping[str, JointKind] = {
    "PhysicsRevoluteJoint": "revolute",
    "PhysicsPrismaticJoint": "prismatic",
    "PhysicsFixedJoint": "fixed",
    "PhysicsSphericalJoint": "spherical",
    "PhysicsJoint": "d6",
    "PhysicsDistanceJoint": "distance",
    "PhysxPhysicsGearJoint": "gear",
    "PhysxPhysicsRackAndPinionJoint": "rack",
}


@dataclass(frozen=True, slots=True)
class Schema:
    """Properties of a schema by base name, the last part of their name; `prefix` may hold the instance name's place."""

    prefix: str
    defaults: Mapping[str, object]
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)     # of generated ones: least, greatest

    def name(self, base: str, instance: str = "") -> str:
        """The full name of one of the schema's properties."""
        return _full_name(self.prefix, base, instance)

    @property
    def multiple(self) -> bool:
        """Whether the schema is applied under instance names."""
        return INSTANCE in self.prefix


@cache
def _full_name(prefix: str, base: str, instance: str) -> str:
    return prefix.replace(INSTANCE, instance) + base


def _generated(definition: Definition) -> Schema:
    """The schema that a generated definition is, without properties that choose nothing about the simulation."""
    spaces = {name.rpartition(":")[0] for name in definition.by_name}
    space = f"{spaces.pop()}:" if len(spaces) == 1 and spaces != {""} else ""
    defaults = {name.removeprefix(space): _default(item) for name, item in definition.by_name.items()
                if name not in WITHOUT_EFFECT}
    ranges = {base: attribute_range(definition.identifier, base.rpartition(":")[2]) for base in defaults
              if space + base in definition.attributes}
    inherited = JOINT if definition.identifier in JOINT_KINDS else {}
    return Schema(definition.start(INSTANCE) + space, {**inherited, **defaults}, ranges)


def _default(item: Attribute | Relationship) -> object:
    """What stands for a property that nothing is said about; of an array of one, its element, which PhysX takes."""
    if isinstance(item, Relationship) or (item.default is None and item.type.endswith("[]")):
        return ()
    if item.type.endswith("[]") and isinstance(item.default, tuple) and len(item.default) == 1:
        return item.default[0]
    return "" if item.default is None else item.default


SCHEMAS: Mapping[str, Schema] = {
    **{name: Schema(*properties) for name, properties in (*USD_PHYSICS.items(), *NEWTON_SCHEMAS.items())},
    **{name: _generated(item) for name, item in definitions().items() if name not in WITHOUT_FACTS},
}

# Schemas that PhysX reads without their being applied: the property's name on the prim is enough.
UNGATED: frozenset[str] = frozenset({
    "NewtonSceneAPI", "NewtonJointAPI", "NewtonCollisionAPI", "NewtonMeshCollisionAPI",
})

# What the names of other engines' schemas begin with.
OTHER_ENGINES: Mapping[str, str] = {"Newton": "Newton", "Mjc": "MuJoCo", "Urdf": "URDF", "Drake": "Drake"}

# Applied schemas that bring another with them, as their definitions say.
IMPLIED: Mapping[str, str] = {
    "NewtonArticulationRootAPI": "PhysicsArticulationRootAPI",
    "NewtonMassAPI": "PhysicsMassAPI",
    "NewtonCollisionAPI": "PhysicsCollisionAPI",
    "NewtonMeshCollisionAPI": "PhysicsCollisionAPI",
    "NewtonSDFCollisionAPI": "PhysicsCollisionAPI",
    "NewtonMaterialAPI": "PhysicsMaterialAPI",
    "NewtonMPMMaterialAPI": "PhysicsMaterialAPI",
    "NewtonCurvesDeformableMaterialAPI": "PhysicsMaterialAPI",
}


@lru_cache(4096)
def split_name(applied: str) -> tuple[str, str]:
    """Schema name and instance name of an entry of apiSchemas."""
    name, _, instance = applied.partition(":")
    return name, instance


@dataclass(frozen=True, slots=True)
class Owner:
    """A schema whose prefix a property name carries."""

    schema: str
    instance: str
    base: str
    known: bool = True      # whether the schema has a property of this name

    @property
    def applied(self) -> str:
        """The schema as an entry of apiSchemas."""
        return f"{self.schema}:{self.instance}" if self.instance else self.schema


@lru_cache(1 << 14)
def owners(name: str) -> tuple[Owner, ...]:
    """Every schema the name may belong to, those that have such a property first."""
    matches = []
    for schema, facts in SCHEMAS.items():
        head, _, tail = facts.prefix.partition(INSTANCE)
        if not name.startswith(head):
            continue
        remainder = name[len(head):]
        position = remainder.rfind(tail) if tail else 0
        instance, base = (remainder[:position], remainder[position + len(tail):]) if tail else ("", remainder)
        if tail and position < 1:
            continue
        if base and ":" not in base:
            known = base in facts.defaults or base in NOT_EVALUATED.get(schema, {})
            matches.append(Owner(schema, instance, base, known))
    return tuple(sorted(matches, key=lambda owner: not owner.known))


def find_owner(name: str) -> Owner | None:
    """A schema that declares a property of this name, on whatever prim."""
    single, multiple = _index()
    if name in single:
        return single[name]
    head, _, remainder = name.partition(":")
    for schema, bases in multiple.get(head, {}).items():
        base = next((base for base in bases if remainder.endswith(f":{base}")), "")
        if base:
            return Owner(schema, remainder.removesuffix(f":{base}"), base)
    return None


def similar_names(name: str) -> Iterator[str]:
    """Names of properties in the namespace of one, whatever its case; under its instance name where it has one."""
    head, _, suffix = name.partition(":")
    single, multiple = _index()
    yield from (other for other in single if other.partition(":")[0].lower() == head.lower())
    for prefix, schemas in multiple.items():
        if prefix.lower() == head.lower():
            yield from (f"{prefix}:{suffix.partition(':')[0]}:{base}" for bases in schemas.values() for base in bases)


@cache
def _index() -> tuple[Mapping[str, Owner], Mapping[str, Mapping[str, tuple[str, ...]]]]:
    """Full property names of schemas without instances; of the others, prefix to schema to base names."""
    single: dict[str, Owner] = {}
    multiple: dict[str, dict[str, tuple[str, ...]]] = {}
    for schema, definition in definitions().items():
        if definition.kind == "multiple-apply":
            multiple.setdefault(definition.prefix, {})[schema] = tuple(definition.declared)
        else:
            single |= {name: Owner(schema, "", name) for name in definition.declared}
    return single, multiple


def declaring(schemas: Iterable[str], name: str) -> Owner | None:
    """The first of a prim's schemas, given as in apiSchemas, that declares the property."""
    for applied in schemas:
        schema, instance = split_name(applied)
        definition = definitions().get(schema)
        if definition is None:
            continue
        start = definition.start(instance) if instance else definition.start()
        base = name[len(start):]
        if name.startswith(start) and base in definition.by_name:
            return Owner(schema, instance, base)
    return None

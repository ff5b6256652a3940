"""Schemas that are read.

The schemas that become facts: their property names, and the defaults and ranges that PhysX works with.

Those of PhysX's own schemas are what the generated definitions say. The one table of defaults, so that a stage reads
the same whether or not the schemas are registered with USD.

Properties and defaults of UsdPhysics and of Newton's schemas, which are not generated here and stand by themselves.

Written down, so that a stage reads the same whether or not these schemas are registered with USD.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from physx_generated import Attribute, Definition, Relationship

from physx_schema.definitions import attribute_range, definitions
from physx_schema.description.model.joint import JointKind
from physx_schema.description.opinions.coverage import WITHOUT_EFFECT, WITHOUT_FACTS

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
OTHER_ENGINES: Mapping[str, str] = {"Newton": "Newton", "Mjc": "MuJoCo"}

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

"""The schemas that become facts: their property names and the defaults PhysX works with.

The one table of defaults, so that a stage reads the same whether or not the schemas are registered with USD.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

INSTANCE = "{instance}"
JOINT_AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
TRANSLATIONS = ("transX", "transY", "transZ")
ROTATIONS = ("rotX", "rotY", "rotZ")

JOINT_KINDS: Mapping[str, str] = {
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
    """Property names of a schema and PhysX's defaults; `prefix` may hold the instance name's place."""

    prefix: str
    defaults: Mapping[str, object]
    instances: tuple[str, ...] = ()     # the only instance names with a meaning; empty: any

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


_JOINT: Mapping[str, object] = {
    "body0": (), "body1": (), "localPos0": (0.0, 0.0, 0.0), "localPos1": (0.0, 0.0, 0.0),
    "localRot0": (0.0, 0.0, 0.0, 1.0), "localRot1": (0.0, 0.0, 0.0, 1.0), "jointEnabled": True,
    "collisionEnabled": False, "excludeFromArticulation": False, "breakForce": math.inf, "breakTorque": math.inf,
}
_AXIS: Mapping[str, object] = {"axis": "X", "lowerLimit": -math.inf, "upperLimit": math.inf}
_DRIVES = ("linear", "angular", *JOINT_AXES)

SCHEMAS: Mapping[str, Schema] = {
    "PhysicsScene": Schema("physics:", {"gravityDirection": (0.0, 0.0, 0.0), "gravityMagnitude": -math.inf}),
    "NewtonSceneAPI": Schema("newton:", {"gravityEnabled": True}),
    "PhysxSceneAPI": Schema("physxScene:", {
        "solverType": "TGS", "enableExternalForcesEveryIteration": True,
        "minPositionIterationCount": 1, "maxPositionIterationCount": 255,
        "minVelocityIterationCount": 0, "maxVelocityIterationCount": 255, "disableSleeping": False,
    }),
    "PhysicsRigidBodyAPI": Schema("physics:", {
        "rigidBodyEnabled": True, "kinematicEnabled": False, "simulationOwner": (), "startsAsleep": False,
        "velocity": (0.0, 0.0, 0.0), "angularVelocity": (0.0, 0.0, 0.0),
    }),
    "PhysicsMassAPI": Schema("physics:", {
        "mass": 0.0, "density": 0.0, "centerOfMass": (-math.inf, -math.inf, -math.inf),
        "diagonalInertia": (0.0, 0.0, 0.0), "principalAxes": (0.0, 0.0, 0.0, 0.0),
    }),
    "PhysicsCollisionAPI": Schema("physics:", {"collisionEnabled": True, "simulationOwner": ()}),
    "PhysicsMaterialAPI": Schema("physics:", {
        "density": 0.0, "dynamicFriction": 0.0, "staticFriction": 0.0, "restitution": 0.0,
    }),
    "PhysxCollisionAPI": Schema("physxCollision:", {
        "contactOffset": -math.inf, "restOffset": -math.inf, "torsionalPatchRadius": 0.0,
        "minTorsionalPatchRadius": 0.0,
    }),
    "NewtonCollisionAPI": Schema("newton:", {"contactMargin": -math.inf, "contactGap": -math.inf}),
    "PhysicsMeshCollisionAPI": Schema("physics:", {"approximation": "none"}),
    "PhysxConvexHullCollisionAPI": Schema("physxConvexHullCollision:", {"hullVertexLimit": 64, "minThickness": 0.001}),
    "NewtonMeshCollisionAPI": Schema("newton:", {"maxHullVertices": -1}),
    "PhysxMaterialAPI": Schema("physxMaterial:", {
        "frictionCombineMode": "average", "restitutionCombineMode": "average", "dampingCombineMode": "average",
        "compliantContactStiffness": 0.0, "compliantContactDamping": 0.0, "compliantContactAccelerationSpring": False,
    }),
    "PhysicsCollisionGroup": Schema("physics:", {
        "filteredGroups": (), "invertFilteredGroups": False, "mergeGroup": "",
    }),
    "PhysicsFilteredPairsAPI": Schema("physics:", {"filteredPairs": ()}),
    "PhysicsArticulationRootAPI": Schema("physics:", {}),
    "PhysxRigidBodyAPI": Schema("physxRigidBody:", {
        "linearDamping": 0.0, "angularDamping": 0.05, "maxLinearVelocity": math.inf,
        "maxAngularVelocity": 5729.58, "cfmScale": 0.025, "disableGravity": False,
        "solverPositionIterationCount": 16, "solverVelocityIterationCount": 1, "sleepThreshold": 5e-5,
        "enableGyroscopicForces": True, "lockedPosAxis": 0, "lockedRotAxis": 0,
    }),
    "PhysxArticulationAPI": Schema("physxArticulation:", {
        "solverPositionIterationCount": 32, "solverVelocityIterationCount": 1, "articulationEnabled": True,
        "sleepThreshold": 5e-5,
    }),
    "PhysxForceAPI": Schema("physxForce:", {
        "forceEnabled": True, "worldFrameEnabled": False, "mode": "acceleration", "force": (0.0, 0.0, 0.0),
        "torque": (0.0, 0.0, 0.0),
    }),
    "PhysicsJoint": Schema("physics:", _JOINT),
    "PhysicsFixedJoint": Schema("physics:", _JOINT),
    "PhysicsRevoluteJoint": Schema("physics:", {**_JOINT, **_AXIS}),
    "PhysicsPrismaticJoint": Schema("physics:", {**_JOINT, **_AXIS}),
    "PhysicsSphericalJoint": Schema("physics:", {
        **_JOINT, "axis": "X", "coneAngle0Limit": -1.0, "coneAngle1Limit": -1.0,
    }),
    "PhysicsDistanceJoint": Schema("physics:", {**_JOINT, "minDistance": -1.0, "maxDistance": -1.0}),
    "PhysxPhysicsGearJoint": Schema("physics:", {**_JOINT, "gearRatio": 1.0, "hinge0": (), "hinge1": ()}),
    "PhysxPhysicsRackAndPinionJoint": Schema("physics:", {**_JOINT, "ratio": 1.0, "hinge": (), "prismatic": ()}),
    "PhysxPhysicsDistanceJointAPI": Schema("physxPhysicsDistanceJoint:", {
        "springEnabled": False, "springStiffness": 0.0, "springDamping": 0.0,
    }),
    "NewtonJointAPI": Schema("newton:", {
        "armature": 0.0, "friction": 0.0, "damping": 0.0, "velocityLimit": math.inf,
    }),
    "NewtonMimicAPI": Schema("newton:", {
        "mimicEnabled": True, "mimicJoint": (), "mimicCoef0": 0.0, "mimicCoef1": 1.0,
    }),
    "PhysicsLimitAPI": Schema("limit:{instance}:physics:", {"low": -math.inf, "high": math.inf},
                              (*JOINT_AXES, "distance", "linear", "angular")),
    "PhysicsDriveAPI": Schema("drive:{instance}:physics:", {
        "type": "force", "stiffness": 0.0, "damping": 0.0, "maxForce": math.inf,
        "targetPosition": 0.0, "targetVelocity": 0.0,
    }, _DRIVES),
    "PhysicsJointStateAPI": Schema("state:{instance}:physics:", {"position": 0.0, "velocity": 0.0}, _DRIVES),
    "PhysxJointAxisAPI": Schema("physxJointAxis:{instance}:", {
        "armature": 0.0, "staticFrictionEffort": 0.0, "dynamicFrictionEffort": 0.0,
        "viscousFrictionCoefficient": 0.0, "maxJointVelocity": math.inf,
    }, _DRIVES),
    "PhysxDrivePerformanceEnvelopeAPI": Schema("physxDrivePerformanceEnvelope:{instance}:", {
        "maxActuatorVelocity": math.inf, "velocityDependentResistance": 0.0, "speedEffortGradient": 0.0,
    }, _DRIVES),
    "PhysxLimitAPI": Schema("physxLimit:{instance}:", {
        "restitution": 0.0, "bounceThreshold": 0.0, "stiffness": 0.0, "damping": 0.0,
    }, (*_DRIVES, "distance", "cone")),
    "PhysxTendonAxisAPI": Schema("physxTendon:{instance}:", {
        "gearing": 1.0, "forceCoefficient": 1.0, "jointAxis": (),
    }),
    "PhysxTendonAxisRootAPI": Schema("physxTendon:{instance}:", {
        "gearing": 1.0, "forceCoefficient": 1.0, "jointAxis": (),
        "stiffness": 0.0, "damping": 0.0, "limitStiffness": 0.0, "offset": 0.0, "restLength": 0.0,
        "lowerLimit": -math.inf, "upperLimit": math.inf, "tendonEnabled": True,
    }),
    "PhysxTendonAttachmentAPI": Schema("physxTendon:{instance}:", {
        "gearing": 1.0, "localPos": (0.0, 0.0, 0.0), "parentAttachment": "", "parentLink": (),
    }),
    "PhysxTendonAttachmentRootAPI": Schema("physxTendon:{instance}:", {
        "gearing": 1.0, "localPos": (0.0, 0.0, 0.0), "parentAttachment": "", "parentLink": (),
        "stiffness": 0.0, "damping": 0.0, "limitStiffness": 0.0, "offset": 0.0, "tendonEnabled": True,
    }),
    "PhysxTendonAttachmentLeafAPI": Schema("physxTendon:{instance}:", {
        "gearing": 1.0, "localPos": (0.0, 0.0, 0.0), "parentAttachment": "", "parentLink": (),
        "restLength": -math.inf, "lowerLimit": -math.inf, "upperLimit": math.inf,
    }),
    "PhysxMimicJointAPI": Schema("physxMimicJoint:{instance}:", {
        "gearing": 1.0, "offset": 0.0, "naturalFrequency": 0.0, "dampingRatio": 0.0,
        "referenceJoint": (), "referenceJointAxis": "rotX",
    }, ROTATIONS),
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


def default(schema: str, base: str) -> object:
    """PhysX's default of a property."""
    return SCHEMAS[schema].defaults[base]

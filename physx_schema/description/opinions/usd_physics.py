"""Properties and defaults of UsdPhysics and of Newton's schemas, which are not generated here and stand by themselves.

Written down, so that a stage reads the same whether or not these schemas are registered with USD.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

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

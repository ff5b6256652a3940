"""What PhysX knows beyond the facts of a Description: schemas and properties this library does not evaluate."""

from __future__ import annotations

from collections.abc import Mapping

from physx_schema.definitions import definitions

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
        "timeStepsPerSecond": "the step, which the caller of the simulation chooses",
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

"""What PhysX knows beyond the facts of a Description: schemas and properties this library does not evaluate.

Names, so that a stage is judged the same whether or not the schemas are registered with USD.
"""

from __future__ import annotations

from collections.abc import Mapping

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
        "solveContact": "contacts", "enableCCD": "contacts",
        "enableSpeculativeCCD": "contacts", "maxDepenetrationVelocity": "contacts", "maxContactImpulse": "contacts",
        "contactSlopCoefficient": "contacts",
    },
    "PhysxArticulationAPI": {
        "enabledSelfCollisions": "contacts", "stabilizationThreshold": "stabilization",
    },
    "PhysxSceneAPI": {
        "timeStepsPerSecond": "the step, which the caller of the simulation chooses", "bounceThreshold": "contacts",
        "frictionCorrelationDistance": "contacts", "frictionOffsetThreshold": "contacts", "frictionType": "contacts",
        "invertCollisionGroupFilter": "contacts", "enableCCD": "contacts", "collisionSystem": "contacts",
        "enableStabilization": "stabilization", "maxBiasCoefficient": "the bias limit",
        "solveArticulationContactLast": "contacts",
    },
}

# Properties that choose how PhysX computes or allocates, not what comes out of it.
WITHOUT_EFFECT: frozenset[str] = frozenset({
    "physxScene:broadphaseType", "physxScene:enableEnhancedDeterminism", "physxScene:enableGPUDynamics",
    "physxScene:enableSceneQuerySupport", "physxScene:reportKinematicKinematicPairs",
    "physxScene:reportKinematicStaticPairs", "physxScene:updateType", "physxScene:gpuCollisionStackSize",
    "physxScene:gpuFoundLostAggregatePairsCapacity", "physxScene:gpuFoundLostPairsCapacity",
    "physxScene:gpuHeapCapacity", "physxScene:gpuMaxDeformableSurfaceContacts",
    "physxScene:gpuMaxDeformableVolumeContacts", "physxScene:gpuMaxNumPartitions",
    "physxScene:gpuMaxParticleContacts", "physxScene:gpuMaxRigidContactCount", "physxScene:gpuMaxRigidPatchCount",
    "physxScene:gpuTempBufferCapacity", "physxScene:gpuTotalAggregatePairsCapacity",
})

# Applied schemas of PhysX without any fact here, and what they are about.
OTHER_SCHEMAS: Mapping[str, str] = {
    **dict.fromkeys((
        "PhysxConvexDecompositionCollisionAPI", "PhysxSphereFillCollisionAPI",
        "PhysxTriangleMeshSimplificationCollisionAPI", "PhysxTriangleMeshCollisionAPI", "PhysxSDFMeshCollisionAPI",
        "PhysxMeshMergeCollisionAPI", "PhysxContactReportAPI", "PhysxTriggerAPI", "PhysxTriggerStateAPI",
        "PhysxCookedDataAPI", "PhysicsCollisionGroup", "PhysxSurfaceVelocityAPI", "PhysxSplinesSurfaceVelocityAPI",
    ), "contacts"),
    **dict.fromkeys((
        "PhysxVehicleContextAPI", "PhysxVehicleWheelAPI", "PhysxVehicleTireAPI", "PhysxVehicleSuspensionAPI",
        "PhysxVehicleWheelAttachmentAPI", "PhysxVehicleSuspensionComplianceAPI", "PhysxVehicleEngineAPI",
        "PhysxVehicleGearsAPI", "PhysxVehicleAutoGearBoxAPI", "PhysxVehicleClutchAPI", "PhysxVehicleDriveBasicAPI",
        "PhysxVehicleDriveStandardAPI", "PhysxVehicleMultiWheelDifferentialAPI", "PhysxVehicleTankDifferentialAPI",
        "PhysxVehicleBrakesAPI", "PhysxVehicleSteeringAPI", "PhysxVehicleAckermannSteeringAPI", "PhysxVehicleAPI",
        "PhysxVehicleControllerAPI", "PhysxVehicleTankControllerAPI", "PhysxVehicleWheelControllerAPI",
        "PhysxVehicleNonlinearCommandResponseAPI", "PhysxVehicleTireFrictionTable",
    ), "vehicles"),
    **dict.fromkeys((
        "PhysxParticleSystem", "PhysxParticleIsosurfaceAPI", "PhysxParticleSmoothingAPI",
        "PhysxParticleAnisotropyAPI", "PhysxDiffuseParticlesAPI", "PhysxPBDMaterialAPI", "PhysxParticleAPI",
        "PhysxParticleSetAPI", "PhysxParticleSamplingAPI",
    ), "particles"),
    **dict.fromkeys((
        "PhysxBaseDeformableBodyAPI", "PhysxSurfaceDeformableBodyAPI", "PhysxDeformableMaterialAPI",
        "PhysxSurfaceDeformableMaterialAPI", "PhysxAutoDeformableBodyAPI", "PhysxAutoDeformableHexahedralMeshAPI",
        "PhysxAutoDeformableMeshSimplificationAPI", "PhysxAutoDeformableAttachmentAPI",
        "OmniPhysicsBodyAPI", "OmniPhysicsDeformableBodyAPI", "OmniPhysicsDeformablePoseAPI",
        "OmniPhysicsVolumeDeformableSimAPI", "OmniPhysicsSurfaceDeformableSimAPI", "OmniPhysicsCurvesDeformableSimAPI",
        "OmniPhysicsBaseMaterialAPI", "OmniPhysicsDeformableMaterialAPI", "OmniPhysicsSurfaceDeformableMaterialAPI",
        "OmniPhysicsCurvesDeformableMaterialAPI", "OmniPhysicsAttachment", "OmniPhysicsVtxVtxAttachment",
        "OmniPhysicsVtxTriAttachment", "OmniPhysicsVtxTetAttachment", "OmniPhysicsVtxCrvAttachment",
        "OmniPhysicsVtxXformAttachment", "OmniPhysicsTetXformAttachment", "OmniPhysicsTriTriAttachment",
        "OmniPhysicsElementCollisionFilter",
    ), "deformable bodies"),
    **dict.fromkeys((
        "PhysxCameraAPI", "PhysxCameraFollowAPI", "PhysxCameraFollowLookAPI", "PhysxCameraFollowVelocityAPI",
        "PhysxCameraDroneAPI",
    ), "cameras"),
    **dict.fromkeys(("PhysxPhysicsInstancer", "PhysxPhysicsJointInstancer"), "instancers"),
    **dict.fromkeys((
        "PhysxPhysicsGearJoint", "PhysxPhysicsRackAndPinionJoint", "PhysicsDistanceJoint",
        "PhysxPhysicsDistanceJointAPI",
    ), "joints outside articulations"),
    "PhysxCharacterControllerAPI": "character controllers",
    "PhysxSceneQuasistaticAPI": "quasistatic scenes",
}


def namespace(schema: str) -> str:
    """The property namespace of a schema of OTHER_SCHEMAS: its name in lower camel case without API."""
    name = schema.removesuffix("API")
    return name[:1].lower() + name[1:]

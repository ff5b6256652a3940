"""The physics of a stage as frozen facts, shared by rules and runtime.

Units: radians, seconds, and the stage's own units of length and mass, in which PhysX computes. Multiply lengths by
`Scene.meters_per_unit` for metres. Quaternions are (x, y, z, w). Poses are (position, quaternion).

Each fact has the `path` of its prim, and a `prefix` if a USD property belongs to it. For example, the stiffness of a
drive is the property ``prefix + "stiffness"`` of the prim at `path`.
"""

from physx_schema.description.model.articulation import (
    ActorDescription,
    Articulation,
    Attachment,
    BodyContact,
    BodySettings,
    ExternalForce,
    FixedTendon,
    FreeBody,
    Link,
    PoseSample,
    SpatialTendon,
    TendonAxis,
)
from physx_schema.description.model.collision import (
    Collider,
    CollisionGroup,
    ContactReport,
    ConvexHull,
    Cooked,
    FilteredPair,
    PhysicsMaterial,
    TriangleMesh,
)
from physx_schema.description.model.description import (
    AppliedSchema,
    Authored,
    Description,
    IterationBounds,
    Opinion,
    Problem,
    Scene,
    SceneContact,
)
from physx_schema.description.model.joint import (
    Cone,
    Coupling,
    DistanceRange,
    Dof,
    Drive,
    Envelope,
    Joint,
    JointAxis,
    MaximalJoint,
    Mimic,
    MimicDeclaration,
    unlimited,
)

__all__ = [
    "ActorDescription",
    "AppliedSchema",
    "Articulation",
    "Attachment",
    "Authored",
    "BodyContact",
    "BodySettings",
    "Collider",
    "CollisionGroup",
    "Cone",
    "ContactReport",
    "ConvexHull",
    "Cooked",
    "Coupling",
    "Description",
    "DistanceRange",
    "Dof",
    "Drive",
    "Envelope",
    "ExternalForce",
    "FilteredPair",
    "FixedTendon",
    "FreeBody",
    "IterationBounds",
    "Joint",
    "JointAxis",
    "Link",
    "MaximalJoint",
    "Mimic",
    "MimicDeclaration",
    "Opinion",
    "PhysicsMaterial",
    "PoseSample",
    "Problem",
    "Scene",
    "SceneContact",
    "SpatialTendon",
    "TendonAxis",
    "TriangleMesh",
    "unlimited",
]

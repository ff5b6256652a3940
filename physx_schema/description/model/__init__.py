"""What a stage's physics says, read once: frozen facts that rules and runtime share.

Units: radians, seconds, and the stage's own length and mass units (the ones PhysX computes in); multiply lengths by
`Scene.meters_per_unit` for metres. Quaternions are (x, y, z, w). Poses are (position, quaternion).

Every fact names the prim it comes from, and `prefix` where a USD property belongs to it: the authored value of a
drive's stiffness is the property ``prefix + "stiffness"`` of the prim at `path`.
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

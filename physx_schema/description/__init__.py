"""A stage as frozen facts: the one reader that rules and runtime share."""

from physx_schema.description.model import (
    Articulation,
    Attachment,
    Authored,
    Collider,
    CollisionGroup,
    Cone,
    Coupling,
    Description,
    DistanceRange,
    Dof,
    Drive,
    Envelope,
    FilteredPair,
    FixedTendon,
    Joint,
    JointAxis,
    Link,
    Mimic,
    MimicDeclaration,
    Opinion,
    OutsideJoint,
    PhysicsMaterial,
    Problem,
    Scene,
    SpatialTendon,
    TendonAxis,
    unlimited,
)
from physx_schema.description.reader import describe
from physx_schema.description.records import Pose, Quat, Vec3

__all__ = [
    "Articulation", "Attachment", "Authored", "Collider", "CollisionGroup", "Cone", "Coupling", "Description",
    "DistanceRange", "Dof", "Drive", "Envelope", "FilteredPair", "FixedTendon", "Joint", "JointAxis", "Link", "Mimic",
    "MimicDeclaration", "Opinion", "OutsideJoint", "PhysicsMaterial", "Pose", "Problem", "Quat", "Scene",
    "SpatialTendon", "TendonAxis", "Vec3", "describe", "unlimited",
]

"""Helpers that author correct USD physics from joints, links and numbers.

Each helper raises AuthoringError for values that PhysX would ignore, with one line per problem. In that case it writes
nothing.
"""

from physx_schema.authoring.articulations import articulation_root
from physx_schema.authoring.bodies import fixed_joint, prismatic_joint, revolute_joint, rigid_body
from physx_schema.authoring.fixed_tendons import Axis, fixed_tendon
from physx_schema.authoring.mimics import mimic
from physx_schema.authoring.prims import drive, joint_axis
from physx_schema.authoring.spatial_tendons import Attachment, spatial_tendon

__all__ = [
    "Attachment", "Axis", "articulation_root", "drive", "fixed_joint", "fixed_tendon", "joint_axis", "mimic",
    "prismatic_joint", "revolute_joint", "rigid_body", "spatial_tendon",
]

"""From joints, links and numbers to correct USD in one call each.

Every helper refuses, with an AuthoringError that has one line per problem, what PhysX would ignore; nothing has been
written then.
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

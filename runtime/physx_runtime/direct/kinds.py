"""Kinds of data and operations of PhysX's Direct GPU API by PhysX's names (PxDirectGPUAPI.h), and their block sizes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ComputeType(Enum):
    """PxArticulationGPUAPIComputeType: operations of `Direct.compute`."""

    eUPDATE_KINEMATIC = 0
    eDENSE_JACOBIANS = 1
    eGENERALIZED_MASS_MATRICES = 2
    eGENERALIZED_GRAVITY_FORCES = 3
    eCORIOLIS_AND_CENTRIFUGAL_FORCES = 4
    eMASS_MATRICES = 5
    eCORIOLIS_AND_CENTRIFUGAL_COMPENSATION = 6
    eGRAVITY_COMPENSATION = 7
    eARTICULATION_COMS_WORLD_FRAME = 8
    eARTICULATION_COMS_ROOT_FRAME = 9
    eCENTROIDAL_MOMENTUM_MATRICES = 10


class ReadType(Enum):
    """PxArticulationGPUAPIReadType, with the four kinds of tendon data of older releases."""

    eJOINT_POSITION = 0
    eJOINT_VELOCITY = 1
    eJOINT_ACCELERATION = 2
    eJOINT_FORCE = 3
    eJOINT_TARGET_VELOCITY = 4
    eJOINT_TARGET_POSITION = 5
    eROOT_GLOBAL_POSE = 6
    eROOT_LINEAR_VELOCITY = 7
    eROOT_ANGULAR_VELOCITY = 8
    eLINK_GLOBAL_POSE = 9
    eLINK_LINEAR_VELOCITY = 10
    eLINK_ANGULAR_VELOCITY = 11
    eLINK_LINEAR_ACCELERATION = 12
    eLINK_ANGULAR_ACCELERATION = 13
    eLINK_INCOMING_JOINT_FORCE = 14
    eFIXED_TENDON = 15
    eFIXED_TENDON_JOINT = 16
    eSPATIAL_TENDON = 17
    eSPATIAL_TENDON_ATTACHMENT = 18


class WriteType(Enum):
    """PxArticulationGPUAPIWriteType: data that `Direct.set` writes."""

    eJOINT_POSITION = 0
    eJOINT_VELOCITY = 1
    eJOINT_FORCE = 2
    eJOINT_TARGET_VELOCITY = 3
    eJOINT_TARGET_POSITION = 4
    eROOT_GLOBAL_POSE = 5
    eROOT_LINEAR_VELOCITY = 6
    eROOT_ANGULAR_VELOCITY = 7
    eLINK_FORCE = 8
    eLINK_TORQUE = 9
    eFIXED_TENDON = 10
    eFIXED_TENDON_JOINT = 11
    eSPATIAL_TENDON = 12
    eSPATIAL_TENDON_ATTACHMENT = 13


@dataclass(frozen=True, slots=True)
class MaxCounts:
    """PxArticulationGPUAPIMaxCounts: the largest counts of any articulation of the scene."""

    maxDofs: int
    maxLinks: int
    maxFixedTendons: int
    maxFixedTendonJoints: int
    maxSpatialTendons: int
    maxSpatialTendonAttachments: int


# Numbers an element, and what there is one element of.
TRANSFORM_SIZE, VECTOR_SIZE, WRENCH_SIZE = 7, 3, 6
FIXED_TENDON_SIZE, TENDON_JOINT_SIZE, SPATIAL_TENDON_SIZE, ATTACHMENT_SIZE = 8, 4, 4, 8


def block_size(kind: ComputeType | ReadType | WriteType, counts: MaxCounts) -> int:
    """Numbers from one articulation's block to the next; of centroidal momentum, all four sub-blocks together."""
    dofs, links = counts.maxDofs, counts.maxLinks
    wide = dofs + 6
    if isinstance(kind, ComputeType):
        return {
            ComputeType.eUPDATE_KINEMATIC: 0,
            ComputeType.eDENSE_JACOBIANS: wide * (6 + 6 * (links - 1)),
            ComputeType.eMASS_MATRICES: wide * wide,
            ComputeType.eGENERALIZED_MASS_MATRICES: dofs * dofs,
            ComputeType.eGENERALIZED_GRAVITY_FORCES: dofs,
            ComputeType.eCORIOLIS_AND_CENTRIFUGAL_FORCES: dofs,
            ComputeType.eGRAVITY_COMPENSATION: wide,
            ComputeType.eCORIOLIS_AND_CENTRIFUGAL_COMPENSATION: wide,
            ComputeType.eARTICULATION_COMS_WORLD_FRAME: VECTOR_SIZE,
            ComputeType.eARTICULATION_COMS_ROOT_FRAME: VECTOR_SIZE,
            ComputeType.eCENTROIDAL_MOMENTUM_MATRICES: sum(centroidal_blocks(counts)),
        }[kind]
    if kind.name.startswith("eJOINT"):
        return dofs
    if kind.name.startswith("eROOT"):
        return TRANSFORM_SIZE if kind.name == "eROOT_GLOBAL_POSE" else VECTOR_SIZE
    if kind.name.startswith("eLINK"):
        sizes = {"eLINK_GLOBAL_POSE": TRANSFORM_SIZE, "eLINK_INCOMING_JOINT_FORCE": WRENCH_SIZE}
        return links * sizes.get(kind.name, VECTOR_SIZE)
    return {
        "eFIXED_TENDON": counts.maxFixedTendons * FIXED_TENDON_SIZE,
        "eFIXED_TENDON_JOINT": counts.maxFixedTendons * counts.maxFixedTendonJoints * TENDON_JOINT_SIZE,
        "eSPATIAL_TENDON": counts.maxSpatialTendons * SPATIAL_TENDON_SIZE,
        "eSPATIAL_TENDON_ATTACHMENT": counts.maxSpatialTendons * counts.maxSpatialTendonAttachments * ATTACHMENT_SIZE,
    }[kind.name]


def centroidal_blocks(counts: MaxCounts) -> tuple[int, int, int, int]:
    """Sub-blocks of the four regions: mass matrix and Coriolis force (in), momentum matrix and bias (out)."""
    wide = counts.maxDofs + 6
    return wide * wide, wide, 6 * wide, 6

"""PhysX's Direct GPU API for articulations (PxDirectGPUAPI), on many worlds (docs/reference/direct_api.md)."""

from physx_runtime.direct.access import Direct, DirectError
from physx_runtime.direct.kinds import ComputeType, MaxCounts, ReadType, WriteType

__all__ = ["ComputeType", "Direct", "DirectError", "MaxCounts", "ReadType", "WriteType"]

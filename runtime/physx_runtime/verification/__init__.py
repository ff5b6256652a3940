"""Experiments that measure what authored values do in PhysX's step."""

from physx_runtime.verification.report import Change, Remedy, Row, Verification
from physx_runtime.verification.stage import verify
from physx_runtime.verification.tuning.motion import TuningTarget
from physx_runtime.verification.tuning.tune import Tuned, Tuning, tune

__all__ = ["Change", "Remedy", "Row", "Tuned", "Tuning", "TuningTarget", "Verification", "tune", "verify"]

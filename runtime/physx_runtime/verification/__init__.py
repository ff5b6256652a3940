"""Experiments that measure what authored values do."""

from physx_runtime.verification.report import Row, Verification
from physx_runtime.verification.stage import verify

__all__ = ["Row", "Verification", "verify"]

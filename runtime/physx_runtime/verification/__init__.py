"""Experiments that measure what authored values do."""

from physx_runtime.verification.report import Row, Verification

__all__ = ["Row", "Verification"]

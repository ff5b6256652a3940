"""Simulate and verify USD physics: PhysX's own step, compiled for CPU and CUDA.

Names are imported on first use, so that a command line or a pytest run that does not simulate loads no compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from physx_runtime.computing import LinkState, compute
    from physx_runtime.direct import Direct
    from physx_runtime.inspection import dump, dump_step
    from physx_runtime.not_simulated import NotSimulated, NotSimulatedWarning
    from physx_runtime.recording import Recording
    from physx_runtime.session import Session
    from physx_runtime.simulating import simulate
    from physx_runtime.simulation import DivergenceWarning, Simulation
    from physx_runtime.verification import Row, Verification, verify

__all__ = ["Direct", "DivergenceWarning", "LinkState", "NotSimulated", "NotSimulatedWarning", "Recording", "Row",
           "Session", "Simulation", "Verification", "compute", "dump", "dump_step", "simulate", "verify"]

_HOMES = {"compute": "computing", "LinkState": "computing", "Direct": "direct", "dump": "inspection",
          "dump_step": "inspection",
          "DivergenceWarning": "simulation", "NotSimulated": "not_simulated",
          "NotSimulatedWarning": "not_simulated", "Recording": "recording", "Simulation": "simulation",
          "simulate": "simulating", "Session": "session", "Row": "verification", "Verification": "verification",
          "verify": "verification"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

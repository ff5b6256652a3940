"""Simulate and verify USD physics: PhysX's own step, compiled for CPU and CUDA.

Names are imported on first use, so that a command line or a pytest run that does not simulate loads no compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from physx_runtime import envs as envs
    from physx_runtime import fleet as fleet
    from physx_runtime.conversion.robot import Conversion, convert
    from physx_runtime.direct import Direct
    from physx_runtime.identification.identification import identify
    from physx_runtime.identification.log import Log, read_log
    from physx_runtime.identification.result import Delay, Identification, Identified, Prediction
    from physx_runtime.packing.model import NotSimulated
    from physx_runtime.packing.not_simulated import NotSimulatedWarning
    from physx_runtime.quantities.computation import LinkState, compute
    from physx_runtime.session import Session
    from physx_runtime.simulation.divergence import DivergenceWarning
    from physx_runtime.simulation.dump import dump, dump_step
    from physx_runtime.simulation.queries import Ball, Block
    from physx_runtime.simulation.recording import Recording
    from physx_runtime.simulation.scene import Scene
    from physx_runtime.simulation.simulate import simulate
    from physx_runtime.simulation.simulation import Simulation
    from physx_runtime.simulation.variation import Spread, Variation, read_variation
    from physx_runtime.verification import Change, Remedy, Row, Tuned, Tuning, TuningTarget, Verification, tune, verify

__all__ = [
    "Ball",
    "Block",
    "Change",
    "Conversion",
    "Delay",
    "Direct",
    "DivergenceWarning",
    "Identification",
    "Identified",
    "LinkState",
    "Log",
    "NotSimulated",
    "NotSimulatedWarning",
    "Prediction",
    "Recording",
    "Remedy",
    "Row",
    "Scene",
    "Session",
    "Simulation",
    "Spread",
    "Tuned",
    "Tuning",
    "TuningTarget",
    "Variation",
    "Verification",
    "compute",
    "convert",
    "dump",
    "dump_step",
    "identify",
    "read_log",
    "read_variation",
    "simulate",
    "tune",
    "verify",
]

_HOMES = {
    "DivergenceWarning": "simulation.divergence", "Simulation": "simulation.simulation",
    "Recording": "simulation.recording", "Scene": "simulation.scene", "simulate": "simulation.simulate",
    "Ball": "simulation.queries", "Block": "simulation.queries",
    "dump": "simulation.dump", "dump_step": "simulation.dump",
    "NotSimulated": "packing.model", "NotSimulatedWarning": "packing.not_simulated",
    "convert": "conversion.robot", "Conversion": "conversion.robot",
    "identify": "identification.identification", **dict.fromkeys(("Log", "read_log"), "identification.log"),
    **dict.fromkeys(("Delay", "Identification", "Identified", "Prediction"), "identification.result"),
    "compute": "quantities.computation", "LinkState": "quantities.computation",
    "Direct": "direct", "Session": "session",
    **dict.fromkeys(("Spread", "Variation", "read_variation"), "simulation.variation"),
    **dict.fromkeys(("Change", "Remedy", "Row", "Tuned", "Tuning", "Verification", "TuningTarget", "tune", "verify"),
                    "verification")}
_FORMER = {"Wish": "TuningTarget"}      # names of the release before


if not TYPE_CHECKING:       # to type checkers it would mean that every name is there
    def __getattr__(name: str) -> Any:
        if name in ("envs", "fleet"):
            return import_module(f"{__name__}.{name}")
        if name in _FORMER:
            import_module("physx_schema.former_names").warn_renamed(name, _FORMER[name])
            name = _FORMER[name]
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import_module("physx_schema")       # asks for a USD that can be used
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})

"""Simulate and verify USD physics: PhysX's own step, compiled for CPU and CUDA."""

from physx_runtime.recording import Recording
from physx_runtime.simulation import Simulation, simulate

__all__ = ["Recording", "Simulation", "simulate"]

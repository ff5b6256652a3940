"""Simulate and verify USD physics: PhysX's own step, compiled for CPU and CUDA."""

from physx_runtime.simulation import Recording, Simulation, simulate

__all__ = ["Recording", "Simulation", "simulate"]

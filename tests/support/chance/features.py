"""What a random articulation may have, and what one is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Features:
    """What a random articulation may have; every probability is per joint or per articulation."""

    solver: str = "TGS"             # of the scene
    links: tuple[int, int] = (2, 6)
    floating: bool = False
    branching: float = 0.4
    prismatic: float = 0.25
    fixed: float = 0.1
    spherical: float = 0.0
    generic: float = 0.0            # of joints that would be spherical
    swapped: float = 0.0            # body0 is the child
    drive: float = 0.6
    limit: float = 0.4
    friction: float = 0.3
    armature: float = 0.4
    max_velocity: float = 0.1
    damping: float = 0.5
    fixed_tendon: float = 0.4
    spatial_tendon: float = 0.3
    mimic: float = 0.3
    # what follows draws from a random stream of its own, so that a seed stays what it is without it
    envelope: float = 0.0
    tendon_limits: float = 0.0      # of tendons
    leaves: float = 0.0             # of spatial tendons: a second leaf
    units: float = 0.0              # of stages: other units of length and mass, another up axis, gravity unauthored
    scale: float = 0.0              # of links: their prim is scaled
    once: float = 0.0               # of stages: forces once a step
    bodies: float = 0.0             # of links: softening, greatest velocities, no gravity
    disabled: float = 0.0           # of tendons


@dataclass(frozen=True)
class RandomArticulation:
    """A stage with its start and solver counts; joint names are leaf names."""

    text: str
    positions: dict[str, float]     # rad or length
    velocities: dict[str, float]
    efforts: dict[str, float]
    lengths: dict[str, float]       # metres a unit of a slider's position, 1 of angles

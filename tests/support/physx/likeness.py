"""Whether a motion that parted from PhysX's is of its kind: energy over time, and where bodies end and rest.

Measured against PhysX's own motions from starts that are moved, or by a share of what happens where those are close.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from physx_schema.description import describe
from physx_schema.description.model import Link
from support.chance.touching_writer import GRAVITY
from support.physx.beside_physx import MOVES, Motion, Stage, recorded, simulated
from support.stages.robots import opened

Array = NDArray[np.float64]

SPREADS = 3.0           # times what PhysX's own motions from moved starts differ by
ENERGY = 0.02           # of the range of energies, what may differ anyway on average
HEIGHT = 0.01           # m, what heights at the end may differ by anyway on average
RESTING = 0.1           # m/s, below which a body rests
OTHERWISE_RESTING = 1   # bodies that may rest in one motion alone anyway


@dataclass(frozen=True, slots=True)
class Differences:
    """Of two motions."""

    energy: float       # on average over time, of the range of energies
    height: float       # m, on average over bodies at the end
    resting: int        # bodies that rest at the end of one alone

    def within(self, own: Differences) -> bool:
        """Whether they are no larger than PhysX's own, or small."""
        return (self.energy <= max(ENERGY, SPREADS * own.energy) and self.height <= max(HEIGHT, SPREADS * own.height)
                and self.resting <= max(OTHERWISE_RESTING, own.resting))


def likeness(scene: Stage, seed: int, kept: Path | None = None) -> tuple[Differences, Differences]:
    """How our motion of a stage differs from PhysX's, and at most PhysX's own from moved starts."""
    texts = [scene(seed, move) for move in (None, *range(MOVES))]
    description = describe(opened(texts[0]))
    links = {link.path: link for link in (*description.bodies, *(
        link for articulation in description.articulations for link in articulation.links))}
    real, *others = recorded(texts, kept)
    own = [differences(real, other, links) for other in others]
    return differences(real, simulated(texts[0]), links), Differences(
        max(d.energy for d in own), max(d.height for d in own), max(d.resting for d in own))


def differences(real: Motion, other: Motion, links: Mapping[str, Link]) -> Differences:
    """Of a motion from PhysX's of the same bodies."""
    paths = [path for path in real.paths if path in links and not links[path].kinematic]
    first, second = (motion.values[:, [motion.paths.index(path) for path in paths]] for motion in (real, other))
    bodies = [links[path] for path in paths]
    energies = energy(first, bodies), energy(second, bodies)
    rests = [np.linalg.norm(values[-1, :, 7:10], axis=1) < RESTING for values in (first, second)]
    return Differences(float(np.abs(energies[0] - energies[1]).mean() / max(np.ptp(energies[0]), np.finfo(float).tiny)),
                       float(np.abs(first[-1, :, 2] - second[-1, :, 2]).mean()), int((rests[0] != rests[1]).sum()))


def energy(values: Array, bodies: Sequence[Link]) -> Array:
    """(n_step,) kinetic and potential energy, J, of bodies in metres and kilograms."""
    found = np.zeros(len(values))
    for i, body in enumerate(bodies):
        pose, v, w = values[:, i, :7], values[:, i, 7:10], values[:, i, 10:13]
        height = pose[:, 2] + turned(pose[:, 3:], np.array(body.center_of_mass))[:, 2]
        spin = turned(pose[:, 3:] * [-1, -1, -1, 1], w)         # in the axes of the prim
        found += body.mass * (GRAVITY * height + 0.5 * (v * v).sum(axis=1))
        found += 0.5 * np.einsum("ti,ij,tj->t", spin, np.array(body.inertia), spin)
    return found


def turned(q: Array, x: Array) -> Array:
    """Vectors turned by quaternions x y z w, (n, 3)."""
    t = 2.0 * np.cross(q[:, :3], x)
    return np.asarray(x + q[:, 3:] * t + np.cross(q[:, :3], t))

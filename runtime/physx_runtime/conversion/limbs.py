"""The limbs of a robot: the trees of links that move on its base, and which of them it stands on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.conversion.support_function import support
from physx_schema.description.model import Articulation, Link
from physx_schema.description.records import Pose

LEG_JOINTS = 2                  # least number of joint axes of a leg
FREE_RANGE = 4.0 * math.pi      # rad, least range of a hinge that turns on and on
HEIGHT_SHARE = 0.05             # of the robot's height: parts so close above its lowest point reach the ground too


@dataclass(frozen=True, slots=True)
class Limb:
    """A tree of links that a joint connects to the base."""

    links: tuple[int, ...]      # indices, the first one at the joint
    dofs: int
    wheel: bool                 # one hinge that turns on and on, and nothing that moves beyond it
    lowest: float               # length, against gravity


@dataclass(frozen=True, slots=True)
class Stance:
    """The base of a robot and its limbs; heights against gravity at the start, in lengths."""

    limbs: tuple[Limb, ...]
    base_lowest: float          # of the root link and all that is fixed to it
    ground: float               # the height up to which a part counts as on the ground

    @property
    def legs(self) -> tuple[Limb, ...]:
        """The limbs on the ground, if the robot stands on pairs of them and not on its base.

        An odd number of limbs are fingers that reach down to a table.
        """
        standing = tuple(limb for limb in self.limbs if limb.dofs >= LEG_JOINTS and limb.lowest <= self.ground)
        return standing if len(standing) % 2 == 0 and self.base_lowest > self.ground else ()

    @property
    def wheels(self) -> tuple[Limb, ...]:
        """The wheels or rotors, if there are several."""
        wheels = tuple(limb for limb in self.limbs if limb.wheel)
        return wheels if len(wheels) > 1 else ()


def stance_of(articulation: Articulation, poses: Mapping[str, Pose], up: DoubleArray) -> Stance:
    """The stance of an articulation at the start. up: unit vector against gravity, (3,)."""
    links = articulation.links
    limb_of = _limb_indices(articulation)
    members = {first: tuple(i for i, limb in enumerate(limb_of) if limb == first) for first in set(limb_of) - {0}}

    def lowest(indices: tuple[int, ...]) -> float:
        return -support((links[i] for i in indices), poses, -up)

    limbs = tuple(_limb(links, indices, lowest(indices)) for _, indices in sorted(members.items()))
    base_lowest = lowest(tuple(i for i, limb in enumerate(limb_of) if limb == 0))
    bottom, top = -support(links, poses, -up), support(links, poses, up)
    return Stance(limbs, base_lowest, bottom + HEIGHT_SHARE * (top - bottom))


def upward(gravity: tuple[float, float, float], up_axis: str) -> DoubleArray:
    """The unit vector against gravity, along the stage's up axis without gravity."""
    size = math.hypot(*gravity)
    return -np.array(gravity) / size if 0.0 < size < math.inf else np.eye(3)["XYZ".index(up_axis)]


def _limb_indices(articulation: Articulation) -> list[int]:
    """The first link of each link's limb, 0 for the root link and what is fixed to it."""
    first: list[int] = []
    for i, link in enumerate(articulation.links):
        moves = link.joint is not None and bool(link.joint.dofs)
        parent = first[link.parent] if link.joint is not None else 0
        first.append(i if moves and parent == 0 else parent)
    return first


def _limb(links: tuple[Link, ...], indices: tuple[int, ...], lowest: float) -> Limb:
    dofs = [dof for i in indices for joint in [links[i].joint] if joint is not None for dof in joint.dofs]
    wheel = len(dofs) == 1 and dofs[0].angular and dofs[0].upper - dofs[0].lower >= FREE_RANGE
    return Limb(indices, len(dofs), wheel, lowest)

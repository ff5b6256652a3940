"""Drives of a converted robot: servos of its file, or gains by bandwidth.

For the inertia I that a joint moves and w = 2 pi bandwidth, k = I w^2 and d = 2 z I w. A velocity drive has no
stiffness, and d = I w.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pxr import Usd

from physx_runtime.arrays import DoubleArray
from physx_runtime.conversion.limbs import Stance
from physx_runtime.conversion.servos import Servo, damping_of, servos_of
from physx_schema.authoring import drive
from physx_schema.description.frames import composed, rotation_matrix
from physx_schema.description.model import Articulation, Description, Dof, Joint, Link
from physx_schema.description.records import Pose
from physx_schema.description.units import DEGREES_PER_RADIAN

Drives = Literal["file", "none", "position", "velocity"]
DRIVES: tuple[Drives, ...] = ("file", "none", "position", "velocity")
DIGITS = 4              # of authored gains
_EFFORT = "urdf:limit:effort"
_RANGE = "mjc:actuatorfrcrange:max"


@dataclass(frozen=True, slots=True)
class Gains:
    """What drives are to do."""

    kind: Drives
    bandwidth: float            # Hz, the natural frequency of a position drive
    damping_ratio: float = 1.0

    def of(self, inertia: float) -> tuple[float, float]:
        """Stiffness per rad or length, and damping, of a joint that moves an inertia."""
        rate = 2.0 * math.pi * self.bandwidth
        if self.kind == "velocity":
            return 0.0, inertia * rate
        return inertia * rate * rate, 2.0 * self.damping_ratio * inertia * rate


def effective_inertia(articulation: Articulation, poses: Mapping[str, Pose], stance: Stance | None) -> list[float]:
    """The inertia, mass length^2 or mass, that each joint axis moves at the start, (n_dof,).

    It is that of the links beyond the joint, with armature and with the followers of mimic joints. In a leg of a
    floating robot (stance) it is at least the share of the other links that stands on the leg.
    """
    links, values = articulation.links, list[float]()
    beyond = _beyond(articulation)
    legs = stance.legs if stance is not None else ()
    standing = {i for leg in legs for i in leg.links}
    for index, link in enumerate(links):
        if link.joint is None:
            continue
        carried = [item for i, item in enumerate(links) if i not in beyond[index]]
        for dof in link.joint.dofs:
            inertia = _inertia([links[i] for i in beyond[index]], poses, link.joint, dof, links)
            if index in standing:
                inertia = max(inertia, _inertia(carried, poses, link.joint, dof, links) / len(legs))
            values.append(inertia + dof.armature)
    for mimic in articulation.mimics:
        values[mimic.reference] += mimic.gearing ** 2 * values[mimic.follower]
    return values


def author_servos(stage: Usd.Stage, description: Description, articulation: Articulation) -> Iterator[str]:
    """Author a drive for each joint axis that has a servo in the file; what was done, in words."""
    servos = servos_of(stage)
    damping, authored = damping_of(servos, description, articulation), list[Dof]()
    for dof in articulation.dofs:
        servo = servos.get(dof.path)
        if servo is None or dof.name != dof.path:
            continue
        if servo.has_gains:
            _author(stage, dof, (servo.stiffness, damping[dof.path]), _effort(stage, dof.path, servos))
            authored.append(dof)
        elif servo.reason:
            yield f"{dof.path} has no drive: no drive does what its actuator does, because {servo.reason}"
    if authored:
        yield f"{_joints(authored)} as the servos of the file: {', '.join(dof.path for dof in authored)}"


def author_drives(stage: Usd.Stage, articulation: Articulation, inertia: Sequence[float],
                  gains: Gains) -> Iterator[str]:
    """Author a drive for each joint axis that has a motor; what was done, in words."""
    followers = {mimic.follower for mimic in articulation.mimics}
    servos = servos_of(stage)
    driven, unlimited, free = list[Dof](), list[Dof](), list[Dof]()
    for index, dof in enumerate(articulation.dofs):
        if index in followers:
            continue
        if dof.name != dof.path or (servos and dof.path not in servos):
            free.append(dof)
            continue
        effort = _effort(stage, dof.path, servos)
        _author(stage, dof, gains.of(inertia[index]), effort)
        driven.append(dof)
        unlimited += [dof] if math.isinf(effort) else []
    if driven:
        damping = f" and damping ratio {gains.damping_ratio:g}" if gains.kind == "position" else ""
        yield (f"{_joints(driven)} to a target {gains.kind}, with {gains.bandwidth:g} Hz{damping} for the inertia that "
               "each moves at the start")
    if unlimited:
        yield f"{_joints(unlimited)} without a greatest effort, such as {unlimited[0].path}: the file gives none"
    if free:
        yield f"{_joints(free)} without a drive, such as {free[0].path}: no motor of one axis moves it"


def _joints(dofs: Sequence[Dof]) -> str:
    return f"{len(dofs)} joint" + ("" if len(dofs) == 1 else "s")


def _author(stage: Usd.Stage, dof: Dof, gains: tuple[float, float], effort: float) -> None:
    """Author a position drive to where the joint starts, or a velocity drive to rest if it has no stiffness."""
    per = 1.0 / DEGREES_PER_RADIAN if dof.angular else 1.0
    stiffness, damping = (float(f"{gain * per:.{DIGITS}g}") for gain in gains)
    start = math.degrees(dof.position) if dof.angular else dof.position
    drive(stage.GetPrimAtPath(dof.path), stiffness=stiffness, damping=damping, target=start if stiffness else None,
          max_force=effort, target_velocity=None if stiffness else 0.0, type="force")


def _beyond(articulation: Articulation) -> list[set[int]]:
    """The links beyond each link's joint, itself among them."""
    beyond: list[set[int]] = [{i} for i in range(len(articulation.links))]
    for i in range(len(articulation.links) - 1, 0, -1):
        beyond[articulation.links[i].parent] |= beyond[i]
    return beyond


def _inertia(moved: Sequence[Link], poses: Mapping[str, Pose], joint: Joint, dof: Dof, links: Sequence[Link]) -> float:
    """The inertia of links about an axis, n^T (I + m (c^2 - c c^T)) n, or their mass along it."""
    if not dof.angular:
        return sum(link.mass for link in moved)
    frame = composed(poses[links[joint.parent].path], joint.parent_frame)
    axis = np.array(rotation_matrix(frame[1])) @ np.array(dof.axis)
    return float(sum(_about(link, poses[link.path], np.array(frame[0]), axis) for link in moved))


def _about(link: Link, pose: Pose, origin: DoubleArray, axis: DoubleArray) -> float:
    local = np.array(rotation_matrix(pose[1])).T @ axis
    arm = np.cross(np.array(composed(pose, (link.center_of_mass, pose[1]))[0]) - origin, axis)
    return float(local @ np.array(link.inertia) @ local + link.mass * arm @ arm)


def _effort(stage: Usd.Stage, path: str, servos: Mapping[str, Servo]) -> float:
    """The greatest effort of a joint by its file, inf without one. An effort of 0 is one that is left out."""
    prim = stage.GetPrimAtPath(path)
    return min(_positive(prim, _EFFORT), _positive(prim, _RANGE), servos.get(path, Servo()).max_effort)


def _positive(prim: Usd.Prim, name: str) -> float:
    value = prim.GetAttribute(name).Get() if prim.HasAttribute(name) else None
    return float(value) if value and value > 0.0 else math.inf

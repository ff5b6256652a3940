"""The reader's view of a stage held against what PhysX made of it (the facts of `facts`)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from physx_schema.description import Articulation, Description, Dof, Pose
from support.mechanics.kinematics import link_poses
from support.physx.facts import STEP, Facts

RELATIVE, ABSOLUTE = 2e-5, 1e-5     # float32 products and degrees
LARGEST = 1e30                      # PhysX stores "no bound" as a float of this size or more
DEGREES = 180.0 / math.pi


def differences(ours: Description, found: Facts) -> list[str]:
    """What the two say otherwise about articulations, bodies and joints, in words."""
    enabled = [item for item in ours.articulations if item.enabled]
    released = [item for item in ours.articulations if not item.enabled]    # PhysX leaves their bodies on their own
    bodies = {link.path: (link.pose, link.mass) for link in ours.bodies}
    bodies |= {link.path: (link.pose, link.mass) for item in released for link in item.links}
    joints = [joint.path for joint in ours.joints]
    joints += [link.joint.path for item in released for link in item.links if link.joint]
    return [
        *_same("articulations", sorted(map(_ours, enabled)), sorted(map(_theirs, found["articulations"]))),
        *_same("bodies", sorted(bodies), sorted(row["path"] for row in found["bodies"])),
        *_same("free joints", sorted(joints), sorted(found["free joints"])),
        *(text for row in found["bodies"] if row["path"] in bodies for text in _body(row, *bodies[row["path"]])),
        *_links(enabled, found["links"]),
        *_joints(enabled, found["joints"]),
    ]


def gravity_differences(ours: Description, found: Facts) -> list[str]:
    """Bodies whose velocity after one step is not that of their scene's gravity."""
    owners: dict[str, Any] = {body.path: body for body in ours.bodies if not body.kinematic}
    owners |= {link.path: link for item in ours.articulations for link in item.links if not item.fixed_base}
    texts = []
    for path, velocity in found["velocities"].items():
        if path in owners:
            expected = np.array(ours.scene_of(owners[path]).gravity) * STEP
            texts += _close(f"{path} velocity", expected, velocity, max(1.0, float(np.abs(expected).max())))
    return texts


def _ours(item: Articulation) -> tuple[str, bool, int, tuple[str, ...]]:
    return item.path, item.fixed_base, len(item.dofs), tuple(_preorder(item, 0))


def _preorder(item: Articulation, index: int) -> Iterator[str]:
    """Links depth first, the order in which PhysX makes and lists them; its low-level order is breadth first."""
    yield item.links[index].path
    for child, link in enumerate(item.links):
        if link.parent == index:
            yield from _preorder(item, child)


def _theirs(row: Facts) -> tuple[str, bool, int, tuple[str, ...]]:
    return row["path"], bool(row["isFixedBase"][0]), int(row["dofCount"][0]), tuple(row["links"])


def _same(name: str, ours: object, theirs: object) -> list[str]:
    return [] if ours == theirs else [f"{name}: {ours}, PhysX {theirs}"]


def _body(row: Facts, pose: Pose, mass: float) -> Iterator[str]:
    yield from _pose(row["path"], row, pose[0], pose[1])
    yield from _close(f"{row['path']} mass", mass, row["mass"], 0.0)


def _pose(path: str, row: Facts, position: Any, rotation: Any) -> Iterator[str]:
    yield from _close(f"{path} position", position, row["position"], max(1.0, float(np.abs(row["position"]).max())))
    if not abs(abs(float(np.dot(rotation, row["orientation"]))) - 1.0) < ABSOLUTE:
        yield f"{path} orientation: {np.round(rotation, 6)}, PhysX {row['orientation']}"


def _links(articulations: list[Articulation], rows: list[Facts]) -> Iterator[str]:
    """Link poses at the authored joint states."""
    found = {row["path"]: row for row in rows}
    for item in articulations:
        positions, rotations = link_poses(item, np.array([dof.position for dof in item.dofs]))
        for link, position, rotation in zip(item.links, positions, rotations, strict=True):
            if link.path in found:
                yield from _pose(link.path, found[link.path], position, rotation)


def _joints(articulations: list[Articulation], rows: list[Facts]) -> Iterator[str]:
    dofs: dict[str, list[Dof]] = {}
    for item in articulations:
        for dof in item.dofs:
            dofs.setdefault(dof.path, []).append(dof)
    yield from _same("joints", sorted(dofs), sorted(row["path"] for row in rows))
    for row in rows:
        for name, values in _values(dofs.get(row["path"], [])).items():
            yield from _close(f"{row['path']} {name}", values, row[name], 1.0)


def _values(dofs: list[Dof]) -> dict[str, list[Any]]:
    """The columns of PhysX, in degrees."""
    turns = [DEGREES if dof.angular else 1.0 for dof in dofs]
    drives = [(dof.drive, turn) for dof, turn in zip(dofs, turns, strict=True)]
    envelopes = [(drive.envelope if drive else None, turn) for drive, turn in drives]
    plain = list(zip(dofs, turns, strict=True))
    return {
        "jointPosition": [dof.position * turn for dof, turn in plain],
        "jointVelocity": [dof.velocity * turn for dof, turn in plain],
        "jointLimit": [(dof.lower * turn, dof.upper * turn) for dof, turn in plain],
        "jointArmature": [dof.armature for dof in dofs],
        "jointMaxVelocity": [dof.max_velocity * turn for dof, turn in plain],
        "jointStaticFriction": [dof.static_friction for dof in dofs],
        "jointDynamicFriction": [dof.dynamic_friction for dof in dofs],
        "jointViscousFriction": [dof.viscous_friction / turn for dof, turn in plain],
        "jointStiffness": [drive.stiffness / turn if drive else 0.0 for drive, turn in drives],
        "jointDamping": [drive.damping / turn if drive else 0.0 for drive, turn in drives],
        "jointMaxForce": [drive.max_force if drive else 0.0 for drive, _ in drives],
        "jointPositionTarget": [drive.target_position * turn if drive else 0.0 for drive, turn in drives],
        "jointVelocityTarget": [drive.target_velocity * turn if drive else 0.0 for drive, turn in drives],
        "jointMaxActuatorVelocity": [
            item.max_actuator_velocity * turn if item else math.inf for item, turn in envelopes],
        "jointSpeedEffortGradient": [item.speed_effort_gradient * turn if item else 0.0 for item, turn in envelopes],
        "jointVelocityDependentResistance": [
            item.velocity_dependent_resistance / turn if item else 0.0 for item, turn in envelopes],
    }


def _close(name: str, ours: Any, theirs: Any, scale: float) -> list[str]:
    """Whether numbers are equal within float32; PhysX's largest floats are infinities."""
    first, second = np.ravel(np.asarray(ours, dtype=float)), np.ravel(np.asarray(theirs, dtype=float))
    if first.shape == second.shape:
        second = np.where(np.abs(second) > LARGEST, np.copysign(math.inf, second), second)
        first = np.where(np.abs(first) > LARGEST, np.copysign(math.inf, first), first)
        with np.errstate(invalid="ignore"):
            near = np.abs(first - second) <= ABSOLUTE * scale + RELATIVE * np.abs(second)
        if bool(np.all((first == second) | near | (np.isnan(first) & np.isnan(second)))):
            return []
    return [f"{name}: {first}, PhysX {second}"]

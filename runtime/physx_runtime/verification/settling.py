"""Experiments that let a joint settle: at its limits, where its drive pulls it, at the speed its drive keeps up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from physx_runtime.verification.bench import Array, Bench, Case
from physx_runtime.verification.quantity import Findings, Key, Measured, shown
from physx_schema.description.model import Articulation, Dof, Drive, Joint, unlimited
from physx_schema.description.opinions.schemas import ROTATIONS

# A joint is pushed into its limits from this far inside them, rad or m, or from a part of a narrow range.
RUN_UP_DISTANCE, RUN_UP_SHARE = 1e-2, 0.25
# Natural frequency, per step, of the critically damped drive that pulls to a target, whatever the authored gains are.
PULL_FREQUENCY = 0.5
# Steps until a joint is looked at, and until it is looked at again: by then such a drive has covered all but 1e-9.
SETTLING_STEPS, RECHECK_STEPS = 50, 5
# The inertia of joints that are to stay where they are, times the largest there is.
HELD_INERTIA_FACTOR = 1e8


@dataclass(frozen=True, slots=True)
class SettlingJoint:
    """A joint that settles: what it says something about, and how it starts."""

    key: Key
    dof: int
    case: Case
    effort: float = 0.0         # on the joint throughout
    speed: bool = False         # its speed settles, not its position
    note: str = ""              # why it will not settle where it was asked to


def settles(articulation: Articulation) -> bool:
    """Whether a joint has limits or a drive."""
    return any(dof.drive or not (unlimited(dof.lower) and unlimited(dof.upper)) for dof in articulation.dofs)


def measure_settling(bench: Bench) -> Findings:
    """Limits, target positions and target velocities, rad or length; all other joints stay where they are.

    Limits: the joint is pushed on from just inside. Targets: a stiff drive in place of the authored gains pulls from
    the authored pose, with the joint's limits in place. Target velocities: a stiff damper, with the joint's maximum
    velocity.
    """
    found = Findings()
    runs = [run for run in (*_limits(bench), *_targets(bench), *_speeds(bench)) if bench.asks(run.key)]
    if not runs:
        return found
    efforts = np.array([run.effort * np.eye(bench.size)[run.dof] for run in runs])
    first, then = bench.watch([run.case for run in runs], efforts, (SETTLING_STEPS, RECHECK_STEPS))
    for row, run in enumerate(runs):
        (q, v), (q_then, v_then) = ((x[row, run.dof] for x in look) for look in (first, then))
        moved, settled = (v_then - v, v_then) if run.speed else (q_then - q, q_then)
        if not abs(moved) <= bench.settled_change * max(bench.units[run.dof], abs(settled)):
            found.failures[run.key] = "the joint does not settle"
            continue
        # critically damped or stopped, it moves by less from now on than it did between the looks
        found.put(run.key, Measured(float(settled), abs(float(moved))))
        if run.note:
            found.notes[run.key] = run.note
    return found


# --- limits --------------------------------------------------------------------------------------------------------

def limit_keys(articulation: Articulation) -> Iterator[tuple[int, Dof, tuple[Key, Key]]]:
    """Degrees of freedom that may have limits, by index, and the properties that author the lower and the upper one."""
    index = 0
    for joint in (link.joint for link in articulation.links if link.joint):
        for axis, dof in enumerate(joint.dofs):
            names = _limit_names(joint, axis)
            if names:
                yield index, dof, names
            index += 1


def _limit_names(joint: Joint, axis: int) -> tuple[Key, Key] | None:
    """The properties of one axis; none for a spherical joint's twist, and one angle for both sides of its swings."""
    if joint.kind == "spherical":
        name = f"physics:coneAngle{axis - 1}Limit"
        return (Key(joint.path, name, "to one side"), Key(joint.path, name, "to the other side")) if axis else None
    if joint.kind == "d6":
        name = ROTATIONS[int(np.argmax(np.abs(joint.dofs[axis].axis)))]
        return Key(joint.path, f"limit:{name}:physics:low"), Key(joint.path, f"limit:{name}:physics:high")
    return Key(joint.path, "physics:lowerLimit"), Key(joint.path, "physics:upperLimit")


def _limits(bench: Bench) -> Iterator[SettlingJoint]:
    for i, dof, keys in limit_keys(bench.articulation):
        for key, bound, sign in zip(keys, (dof.lower, dof.upper), (-1.0, 1.0), strict=True):
            if not unlimited(bound):
                start = min(RUN_UP_DISTANCE * float(bench.units[i]), RUN_UP_SHARE * (dof.upper - dof.lower))
                speed = sign * max(start, float(bench.lengths[i])) / bench.dt
                unit = np.eye(bench.size)[i]
                shift = unit * (bound - sign * start - bench.pose[i])
                case = Case(alone(bench, i, limits=True), shift=shift, velocity=speed * unit)
                yield SettlingJoint(key, i, case, effort=speed * float(bench.inertia[i]) / bench.dt)


def alone(bench: Bench, i: int, *, limits: bool) -> dict[str, Array]:
    """Joint i without drive and friction; the others so heavy that they stay, without limits."""
    own = np.eye(bench.size)[i] > 0.0
    rows = {name: np.zeros(bench.size) for name in ("stiffness", "damping", "target_velocity", "static_friction",
                                                    "dynamic_friction", "viscous_friction")}
    heavy = HELD_INERTIA_FACTOR * float(np.max(bench.inertia))
    rows["armature"] = np.where(own, bench.base_rows("armature"), heavy)
    rows["max_force"] = rows["max_velocity"] = np.full(bench.size, math.inf)
    rows["lower_limit"], rows["upper_limit"] = (np.where(own & limits, bench.base_rows(name), bound)
                                    for name, bound in (("lower_limit", -math.inf), ("upper_limit", math.inf)))
    return rows


# --- targets -------------------------------------------------------------------------------------------------------

def _driven(bench: Bench) -> Iterator[tuple[int, Dof, Drive]]:
    return ((i, dof, dof.drive) for i, dof in enumerate(bench.dofs) if dof.drive)


def _targets(bench: Bench) -> Iterator[SettlingJoint]:
    for i, dof, drive in _driven(bench):
        if drive.stiffness > 0.0:
            own, rate = np.eye(bench.size)[i], PULL_FREQUENCY / bench.dt
            inertia = 1.0 if drive.acceleration else float(bench.inertia[i])
            rows = alone(bench, i, limits=True) | {
                "stiffness": own * inertia * rate ** 2, "damping": own * 2.0 * inertia * rate,
                "target_position": np.where(own > 0.0, drive.target_position, bench.pose)}
            outside = not dof.lower <= drive.target_position <= dof.upper
            note = f"the joint's limits {shown(dof, dof.lower, dof.upper)} stop it" if outside else ""
            yield SettlingJoint(Key(drive.path, f"{drive.prefix}targetPosition"), i, Case(rows), note=note)


def _speeds(bench: Bench) -> Iterator[SettlingJoint]:
    for i, dof, drive in _driven(bench):
        if drive.damping > 0.0:
            own, inertia = np.eye(bench.size)[i], 1.0 if drive.acceleration else float(bench.inertia[i])
            rows = alone(bench, i, limits=False) | {
                "damping": own * inertia * PULL_FREQUENCY / bench.dt, "target_velocity": own * drive.target_velocity,
                "max_velocity": np.where(own > 0.0, bench.base_rows("max_velocity"), math.inf)}
            above = abs(drive.target_velocity) > dof.max_velocity
            note = f"the joint's maximum velocity {shown(dof, dof.max_velocity)}/s holds it back" if above else ""
            yield SettlingJoint(Key(drive.path, f"{drive.prefix}targetVelocity"), i, Case(rows), speed=True, note=note)

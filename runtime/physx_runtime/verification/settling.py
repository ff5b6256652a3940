"""Experiments that let a joint settle at its limits, at its drive's target position and at its target velocity:
`measure_settling`. `gravity_rows` measures gravity by a body that falls freely for one step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.packing.body import free_body
from physx_runtime.simulation.simulation import Simulation
from physx_runtime.verification.authored import Authored
from physx_runtime.verification.bench import Bench, Case, stripped
from physx_runtime.verification.quantity import Findings, Key, Measurement, display, uncertainty
from physx_runtime.verification.report import ALTERED, AS_AUTHORED, IGNORED, NOT_EVALUATED, Row, Value, agree
from physx_runtime.worlds.store import AUTO, SCHEDULED
from physx_schema.description.model import (
    ActorDescription,
    Articulation,
    Description,
    Dof,
    Drive,
    Joint,
    Link,
    Scene,
    unlimited,
)
from physx_schema.description.model.joint import ROTATIONS
from physx_schema.description.records import Vec3
from physx_schema.errors import UnsupportedError

# A joint is pushed into its limits from this far inside them, rad or m, or from a part of a narrow range.
RUN_UP_DISTANCE, RUN_UP_FRACTION = 1e-2, 0.25
# Natural frequency, per step, of the critically damped drive that pulls to a target, whatever the authored gains are.
DRIVE_FREQUENCY = 0.5
# Steps until a joint is looked at, and until it is looked at again: by then such a drive has covered all but 1e-9.
SETTLING_STEPS, RECHECK_STEPS = 50, 5
# The inertia of joints that are to stay where they are, times the largest there is.
LOCKED_INERTIA_FACTOR = 1e8


@dataclass(frozen=True, slots=True)
class SettlingJoint:
    """A joint that settles: the numbers that it measures, and its start."""

    key: Key
    dof: int
    case: Case
    effort: float = 0.0         # on the joint throughout
    speed: bool = False         # its speed settles, not its position
    note: str = ""              # why it will not settle where it was asked to
    target: float = math.nan        # where it was asked to
    note_off_target: str = ""       # why it may not settle there


def can_settle(articulation: Articulation) -> bool:
    """Whether a joint has limits or a drive."""
    return any(dof.drive or not (unlimited(dof.lower) and unlimited(dof.upper)) for dof in articulation.dofs)


def measure_settling(bench: Bench) -> Findings:
    """Limits, target positions and target velocities, rad or length; all other joints stay fixed.

    Limits: the joint is pushed on from just inside. Targets: a stiff drive in place of the authored gains pulls from
    the authored pose, with the joint's limits in place. Target velocities: a stiff damper, with the joint's maximum
    velocity.
    """
    findings = Findings()
    runs = [run for run in (*_limits(bench), *_targets(bench), *_speeds(bench)) if bench.is_requested(run.key)]
    if not runs:
        return findings
    efforts = np.array([run.effort * np.eye(bench.size)[run.dof] for run in runs])
    first, then = bench.sample_motion([run.case for run in runs], efforts, (SETTLING_STEPS, RECHECK_STEPS))
    for row, run in enumerate(runs):
        (q, v), (q_then, v_then) = ((x[row, run.dof] for x in sample) for sample in (first, then))
        change, final = (v_then - v, v_then) if run.speed else (q_then - q, q_then)
        if not abs(change) <= bench.settled_tolerance * max(bench.units[run.dof], abs(final)):
            findings.failures[run.key] = "the joint does not settle"
            continue
        # critically damped or stopped, it moves by less from now on than it did between the looks
        findings.set_value(run.key, Measurement(float(final), abs(float(change))))
        missed = run.note_off_target and not agree(run.target, float(final), bench.settled_tolerance)
        if run.note or missed:
            findings.notes[run.key] = run.note or run.note_off_target
    return findings


# --- limits --------------------------------------------------------------------------------------------------------

def limit_keys(articulation: Articulation) -> Iterator[tuple[int, Dof, tuple[Key, Key]]]:
    """Degrees of freedom with limits, by index, and the properties of the lower and the upper one."""
    index = 0
    for joint in (link.joint for link in articulation.links if link.joint):
        for axis, dof in enumerate(joint.dofs):
            names = _limit_names(joint, axis)
            if names:
                yield index, dof, names
            index += 1


def _limit_names(joint: Joint, axis: int) -> tuple[Key, Key] | None:
    """The limit properties of one axis; none for a spherical joint's twist, one angle for both sides of a swing."""
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
                start = min(RUN_UP_DISTANCE * float(bench.units[i]), RUN_UP_FRACTION * (dof.upper - dof.lower))
                speed = sign * max(start, float(bench.lengths[i])) / bench.dt
                unit = np.eye(bench.size)[i]
                shift = unit * (bound - sign * start - bench.pose[i])
                case = Case(single_joint_rows(bench, i, limits=True), shift=shift, velocity=speed * unit)
                yield SettlingJoint(key, i, case, effort=speed * float(bench.inertia[i]) / bench.dt)


def single_joint_rows(bench: Bench, *axes: int, limits: bool) -> dict[str, DoubleArray]:
    """Axes of one joint without drive and friction; the others so heavy that they stay, without limits."""
    is_joint = np.isin(np.arange(bench.size), axes)
    rows = {name: np.zeros(bench.size) for name in ("stiffness", "damping", "target_velocity", "static_friction",
                                                    "dynamic_friction", "viscous_friction")}
    heavy = LOCKED_INERTIA_FACTOR * float(np.max(bench.inertia))
    rows["armature"] = np.where(is_joint, bench.base_rows("armature"), heavy)
    rows["max_force"] = rows["max_velocity"] = np.full(bench.size, math.inf)
    rows["lower_limit"], rows["upper_limit"] = (np.where(is_joint & limits, bench.base_rows(name), bound)
                                    for name, bound in (("lower_limit", -math.inf), ("upper_limit", math.inf)))
    return rows


# --- targets -------------------------------------------------------------------------------------------------------

def _driven(bench: Bench) -> Iterator[tuple[int, Dof, Drive]]:
    return ((i, dof, dof.drive) for i, dof in enumerate(bench.dofs) if dof.drive)


def _targets(bench: Bench) -> Iterator[SettlingJoint]:
    together = _axes_of_joints(bench)
    for i, dof, drive in _driven(bench):
        if drive.stiffness > 0.0:
            rows = _pulled_rows(bench, together[i])
            out_of_range = not dof.lower <= drive.target_position <= dof.upper
            note = (f"the joint's limits {display(dof, dof.lower, dof.upper)} stop it before the target"
                    if out_of_range else "")
            others = "" if note else _with_other_targets(bench, together[i])
            yield SettlingJoint(Key(drive.path, f"{drive.prefix}targetPosition"), i, Case(rows), note=note,
                                target=drive.target_position, note_off_target=others)


def _axes_of_joints(bench: Bench) -> Mapping[int, Sequence[int]]:
    """Of every axis that a spring pulls, those that springs pull on its joint: they turn to one rotation together."""
    indices = iter(range(bench.size))
    joints = [[next(indices) for _ in link.joint.dofs] for link in bench.articulation.links if link.joint]
    pulled = [[i for i in axes if (drive := bench.dofs[i].drive) and drive.stiffness > 0.0] for axes in joints]
    return {i: axes for axes in pulled for i in axes}


def _pulled_rows(bench: Bench, axes: Sequence[int]) -> dict[str, DoubleArray]:
    """Axes of one joint free and with limits, each pulled to its target by a stiff, critically damped drive."""
    rows = single_joint_rows(bench, *axes, limits=True)
    rate = DRIVE_FREQUENCY / bench.dt
    for name in ("stiffness", "damping"):
        rows[name] = np.zeros(bench.size)
    rows["target_position"] = np.array(bench.pose)
    for i in axes:
        drive = bench.dofs[i].drive
        assert drive is not None
        inertia = 1.0 if drive.acceleration else float(bench.inertia[i])
        rows["stiffness"][i], rows["damping"][i] = inertia * rate ** 2, 2.0 * inertia * rate
        rows["target_position"][i] = drive.target_position
    return rows


def _with_other_targets(bench: Bench, axes: Sequence[int]) -> str:
    """Why a joint of several targets does not reach one of them; empty where there is one."""
    if len(axes) < 2:
        return ""
    dofs = [bench.dofs[i] for i in axes]
    targets = [dof.drive.target_position for dof in dofs if dof.drive]
    listed = ", ".join(f"{dof.name.rpartition(':')[2]} {display(dof, target)}"
                       for dof, target in zip(dofs, targets, strict=True))
    together, angle = f"PhysX combines the targets {listed} into one rotation", math.hypot(*targets)
    if angle <= math.pi:
        return f"{together}, at which the joint does not settle"
    return (f"{together} of {display(dofs[0], angle)}, but takes the shorter way; author targets with a combined "
            "rotation of at most 180 deg")


def _speeds(bench: Bench) -> Iterator[SettlingJoint]:
    for i, dof, drive in _driven(bench):
        if drive.damping > 0.0:
            unit, inertia = np.eye(bench.size)[i], 1.0 if drive.acceleration else float(bench.inertia[i])
            rows = single_joint_rows(bench, i, limits=False) | {
                "damping": unit * inertia * DRIVE_FREQUENCY / bench.dt, "target_velocity": unit * drive.target_velocity,
                "max_velocity": np.where(unit > 0.0, bench.base_rows("max_velocity"), math.inf)}
            too_fast = abs(drive.target_velocity) > dof.max_velocity
            note = (f"the joint's maximum velocity {display(dof, dof.max_velocity)}/s is below the target velocity"
                    if too_fast else "")
            yield SettlingJoint(Key(drive.path, f"{drive.prefix}targetVelocity"), i, Case(rows), speed=True, note=note)


MAGNITUDE_PROPERTY, DIRECTION_PROPERTY = "physics:gravityMagnitude", "physics:gravityDirection"
NO_GRAVITY = "gravity is 0 in this scene, and its direction has no effect"


def gravity_rows(description: Description, authored: Authored, dt: float) -> Iterator[Row]:
    """The rows of scenes' authored gravity, where something can fall in them; length / s^2."""
    for scene in description.scenes:
        names = [name for name in (MAGNITUDE_PROPERTY, DIRECTION_PROPERTY) if (scene.path, name) in authored]
        falling = next(_falling(description, scene), None) if names and all(map(math.isfinite, scene.gravity)) else None
        if falling is None:     # or PhysX gets no place for what falls, which the account of the stage says
            continue
        try:
            effective, ideal = (_acceleration(description, scene, falling, dt, solver) for solver in ("physx", "ideal"))
        except UnsupportedError:
            continue
        # a negative magnitude turns the direction round
        magnitude = authored.get((scene.path, MAGNITUDE_PROPERTY), 1.0)
        sign = -1.0 if isinstance(magnitude, float) and magnitude < 0.0 else 1.0
        for name in names:
            measured, ideal_value = (_component(name, acceleration, sign) for acceleration in (effective, ideal))
            yield _row(scene, name, authored[scene.path, name], measured, ideal_value)


def _falling(description: Description, scene: Scene) -> Iterator[ActorDescription]:
    """An actor of a scene that moves freely without everything else."""
    articulations: list[Articulation | Link] = [a for a in description.articulations if a.enabled and a.dofs]
    for item in (*articulations, *(body for body in description.separate_bodies if not body.kinematic)):
        if description.scene_of(item).path == scene.path:
            yield _free_actor(item) if isinstance(item, Articulation) else free_body(_free_link(item))


def _free_actor(articulation: Articulation) -> Articulation:
    """The articulation without fixed base and constraints, with free links."""
    links = tuple(map(_free_link, articulation.links))
    return replace(stripped(replace(articulation, links=links)), fixed_base=False, base_joint=None)


def _free_link(link: Link) -> Link:
    """The link without authored forces, colliders, damping and motion."""
    zero = (0.0, 0.0, 0.0)
    return replace(link, external_forces=(), colliders=(), gravity_enabled=True, linear_damping=0.0,
                   angular_damping=0.0,
                   linear_velocity=zero, angular_velocity=zero)


def _acceleration(description: Description, scene: Scene, falling: ActorDescription, dt: float, solver: str) -> Vec3:
    """Acceleration of the root in one step from rest."""
    isolated = replace(description.only(falling), scene=scene)
    # a single step is not worth compiling for, but a body without joints has no other way
    path = SCHEDULED if falling.dofs else AUTO
    sim = Simulation(isolated, dt=dt, dtype="float64", solver=solver, path=path, sleeping=False)
    sim.set("v", np.zeros_like(sim.get("v")))
    sim.step()
    x, y, z = (float(speed) / dt for speed in sim.get("v")[0, :3])
    return x, y, z


def _row(scene: Scene, name: str, authored: Value, effective: Value, ideal: Value) -> Row:
    """The row of a gravity property; of a direction the length is ignored."""
    unit = "" if name == DIRECTION_PROPERTY else "length/s^2"
    intended = _component(DIRECTION_PROPERTY, authored, 1.0) if isinstance(authored, tuple) else authored
    if name == DIRECTION_PROPERTY and not scene.gravity_source and not any(scene.gravity):
        return Row(scene.path, name, authored, None, None, NOT_EVALUATED, NO_GRAVITY, unit)
    verdict, reason = ALTERED, ("PhysX multiplies physics:gravityMagnitude by physics:gravityDirection without "
                                "normalising it")
    error = uncertainty(math.hypot(*effective) if isinstance(effective, tuple) else effective, 0.0)
    if agree(intended, effective, error):
        verdict, reason = AS_AUTHORED, ""
    elif scene.gravity_source:
        verdict, reason = IGNORED, f"{scene.gravity_source} sets gravity instead"
    return Row(scene.path, name, authored, effective, ideal, verdict, reason, unit, uncertainty=error)


def _component(name: str, acceleration: tuple[float, ...], sign: float) -> Value:
    """The size or the direction of an acceleration, no direction where there is none."""
    size = sign * math.hypot(*acceleration)
    if name == MAGNITUDE_PROPERTY:
        return float(f"{size:.7g}") + 0.0
    return tuple(float(f"{x / size:.7g}") + 0.0 if size else 0.0 for x in acceleration)

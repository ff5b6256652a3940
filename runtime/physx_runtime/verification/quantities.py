"""`quantities` lists the numbers of an articulation that have an experiment: drives, joint axes, limits, tendons and
mimic joints. Each is a `Quantity` with its property, unit and the reason if it never acts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping

from physx_runtime.verification.laws.drives import envelope_keys, inactive_reasons
from physx_runtime.verification.laws.fixed_tendons import length_keys as fixed_keys
from physx_runtime.verification.laws.fixed_tendons import limit_rows
from physx_runtime.verification.laws.joint_axes import axis_keys
from physx_runtime.verification.laws.mimics import mimic_keys
from physx_runtime.verification.laws.spatial_tendons import gain_keys
from physx_runtime.verification.laws.spatial_tendons import length_keys as spatial_keys
from physx_runtime.verification.quantity import RADIANS_PER_DEGREE, Key, Quantity
from physx_runtime.verification.settling import limit_keys
from physx_schema.description.model import (
    Articulation,
    Attachment,
    Dof,
    Drive,
    FixedTendon,
    JointAxis,
    Mimic,
    SpatialTendon,
    unlimited,
)
from physx_schema.description.units import DEGREES_PER_RADIAN

DISABLED = "tendonEnabled is false, which disables the tendon"
NO_DRIVE_FORCE = "maxForce is 0, which disables the drive"
NO_LIMITS = "the tendon has neither a lower nor an upper limit"

# Error of a mimic joint's offset that counts as none where 0 is authored, degrees or lengths.
OFFSET_NOISE = 1e-2
# Error of a limit or a target that counts as none where 0 is authored, degrees or lengths and the same per second.
POSITION_NOISE = 1e-4


def quantities(articulation: Articulation, authored: Collection[tuple[str, str]]) -> Iterator[Quantity]:
    """The numbers of drives, joint axes, limits, tendons and mimic joints, in the order of the table.

    authored: prim path and name of the authored properties; targets that are not authored are not measured.
    """
    for dof in articulation.dofs:
        yield from drive_quantities(dof)
        has_no_gains = dof.drive and dof.drive.stiffness == dof.drive.damping == 0.0
        no_gains = "stiffness and damping are 0" if has_no_gains else ""
        yield from (item for item in target_quantities(dof, no_gains) if (item.key.path, item.key.property) in authored)
        yield from _envelope(dof)
        yield from _joint_axis(dof)
    for _, dof, keys in limit_keys(articulation):
        yield from _limits(dof, keys)
    for tendon in articulation.fixed_tendons:
        yield from _fixed_tendon(articulation, tendon)
        yield from (item for item in _lengths(tendon, fixed_keys(tendon), tendon, tendon.offset)
                    if (item.key.path, item.key.property) in authored)
    for spatial in articulation.spatial_tendons:
        yield from _spatial_tendon(spatial)
        yield from (item for leaf in spatial.attachments if leaf.leaf
                    for item in _lengths(spatial, spatial_keys(spatial, leaf), leaf, spatial.offset)
                    if (item.key.path, item.key.property) in authored)
    for mimic in articulation.mimics:
        yield from _mimic(articulation, mimic)


def _joint_axis(dof: Dof) -> Iterator[Quantity]:
    """Values of PhysxJointAxisAPI, or of another engine's schema in its place, other than 0."""
    scale = DEGREES_PER_RADIAN if dof.angular else 1.0
    effort, inertia, unit = ("torque", "mass length^2", "deg") if dof.angular else ("force", "mass", "length")
    units = {"armature": (inertia, 1.0), "static_friction": (effort, 1.0), "dynamic_friction": (effort, 1.0),
             "viscous_friction": (f"{effort} s/{unit}", 1.0 / scale), "max_velocity": (f"{unit}/s", scale)}
    for field, key in axis_keys(dof).items():
        value: float = getattr(dof, field)
        if value != 0.0 and not unlimited(value):
            yield Quantity(key, value, *units[field])


def drive_quantities(dof: Dof | JointAxis) -> Iterator[Quantity]:
    """Gains and maxForce of the drive of a degree of freedom, or of an axis of a joint outside articulations."""
    drive = dof.drive
    if drive is None:
        return
    per, per_unit = (RADIANS_PER_DEGREE, "/deg") if dof.angular else (1.0, "/length")
    effort = _effort_unit(dof, drive)
    inactive = NO_DRIVE_FORCE if drive.max_force == 0.0 else ""
    yield Quantity(Key(drive.path, drive.prefix + "stiffness"), drive.stiffness, effort + per_unit, per,
                   inactive=inactive)
    yield Quantity(Key(drive.path, drive.prefix + "damping"), drive.damping, f"{effort} s{per_unit}", per,
                   inactive=inactive)
    if not unlimited(drive.max_force):
        unit = "torque" if dof.angular else "force"
        yield Quantity(Key(drive.path, drive.prefix + "maxForce"), drive.max_force, unit)


def target_quantities(dof: Dof | JointAxis, no_damper: str) -> Iterator[Quantity]:
    """Targets of a drive. no_damper: the reason why a target velocity has no effect, empty where it has one."""
    drive, scale, unit = dof.drive, DEGREES_PER_RADIAN if dof.angular else 1.0, "deg" if dof.angular else "length"
    if drive is None:
        return
    inactive = NO_DRIVE_FORCE if drive.max_force == 0.0 else ""
    no_spring = "stiffness is 0, and the drive has no effect on position" if drive.stiffness == 0.0 else ""
    yield Quantity(Key(drive.path, drive.prefix + "targetPosition"), drive.target_position, unit, scale,
                   noise=POSITION_NOISE, inactive=inactive or no_spring)
    yield Quantity(Key(drive.path, drive.prefix + "targetVelocity"), drive.target_velocity, f"{unit}/s", scale,
                   noise=POSITION_NOISE, inactive=inactive or no_damper)


def _envelope(dof: Dof) -> Iterator[Quantity]:
    """The bounds of a drive's envelope."""
    if dof.drive is None or dof.drive.envelope is None:
        return
    scale, unit, effort = (DEGREES_PER_RADIAN, "deg", "torque") if dof.angular else (1.0, "length", "force")
    units = {"max_actuator_velocity": (f"{unit}/s", scale),
             "velocity_dependent_resistance": (f"{effort} s/{unit}", 1.0 / scale),
             "speed_effort_gradient": (f"{unit}/s/{effort}", scale)}
    inactive = inactive_reasons(dof.drive, dof.drive.envelope)
    for field, key in envelope_keys(dof.drive.envelope).items():
        value: float = getattr(dof.drive.envelope, field)
        if value != 0.0 and not unlimited(value):
            yield Quantity(key, value, *units[field], inactive=inactive.get(field, ""))


def _limits(dof: Dof, keys: tuple[Key, Key]) -> Iterator[Quantity]:
    """The limits of a degree of freedom; one angle may author both."""
    scale, unit = (DEGREES_PER_RADIAN, "deg") if dof.angular else (1.0, "length")
    for key, bound, sign in zip(keys, (dof.lower, dof.upper), (-1.0 if keys[0].location else 1.0, 1.0), strict=True):
        if not unlimited(bound):
            yield Quantity(key, bound, unit, sign * scale, noise=POSITION_NOISE)


def _effort_unit(dof: Dof | JointAxis, drive: Drive) -> str:
    if drive.acceleration:
        return "rad/s^2" if dof.angular else "length/s^2"
    return "torque" if dof.angular else "force"


def _gains(keys: list[Key], tendon: FixedTendon | SpatialTendon, limited: bool) -> Iterator[Quantity]:
    """Stiffness and damping of a tendon, and its limit stiffness where there is one."""
    inactive = "" if tendon.enabled else DISABLED
    yield Quantity(keys[0], tendon.stiffness, "force/length", inactive=inactive)
    yield Quantity(keys[1], tendon.damping, "force s/length", inactive=inactive)
    if tendon.limit_stiffness != 0.0:
        yield Quantity(keys[2], tendon.limit_stiffness, "force/length",
                       inactive=inactive or ("" if limited else NO_LIMITS))


def _lengths(tendon: FixedTendon | SpatialTendon, keys: Mapping[str, Key], item: FixedTendon | Attachment,
             offset: float) -> Iterator[Quantity]:
    """Rest length, offset and the limits that act; a rest length below 0 that stands for the pose is no length."""
    inactive = "" if tendon.enabled else DISABLED
    if not (isinstance(item, Attachment) and item.rest_from_poses):
        yield Quantity(keys["rest_length"], item.rest_length, "length", inactive=inactive)
    yield Quantity(keys["offset"], offset, "length", inactive=inactive)
    for row, limit in limit_rows(item, tendon.limit_stiffness).items():
        yield Quantity(keys[row], limit, "length", inactive=inactive)


def _fixed_tendon(articulation: Articulation, tendon: FixedTendon) -> Iterator[Quantity]:
    keys = [Key(tendon.path, tendon.prefix + name) for name in ("stiffness", "damping", "limitStiffness")]
    limited = not (unlimited(tendon.lower_limit) and unlimited(tendon.upper_limit))
    yield from _gains(keys, tendon, limited)
    inactive = "" if tendon.enabled else DISABLED
    for axis in tendon.axes:
        angular = articulation.dofs[axis.dof].angular
        unit, per = ("length/deg", RADIANS_PER_DEGREE) if angular else ("length/length", 1.0)
        yield Quantity(Key(axis.path, tendon.prefix + "gearing"), axis.gearing, unit, per, inactive=inactive)
        yield Quantity(Key(axis.path, tendon.prefix + "forceCoefficient"), axis.force_coefficient, "",
                       inactive=inactive)


def _spatial_tendon(tendon: SpatialTendon) -> Iterator[Quantity]:
    for leaf in (attachment for attachment in tendon.attachments if attachment.leaf):
        limited = not (unlimited(leaf.lower_limit) and unlimited(leaf.upper_limit))
        yield from _gains(gain_keys(tendon, leaf), tendon, limited)
    for attachment in tendon.attachments:
        inactive = "" if tendon.enabled else DISABLED
        if attachment.parent < 0:
            inactive = inactive or "PhysX does not read the gearing of a root attachment"
            if attachment.gearing == 1.0:
                continue
        key = Key(attachment.path, attachment.prefix + "gearing")
        yield Quantity(key, attachment.gearing, "length/length", inactive=inactive)


def _mimic(articulation: Articulation, mimic: Mimic) -> Iterator[Quantity]:
    follower, reference = articulation.dofs[mimic.follower], articulation.dofs[mimic.reference]
    follower_scale, reference_scale = (DEGREES_PER_RADIAN if dof.angular else 1.0 for dof in (follower, reference))
    unit, reference_unit = ("deg" if dof.angular else "length" for dof in (follower, reference))
    sign = 1.0 if mimic.instance else -1.0      # Newton's coefficients stand on the other side of the equation
    gearing, offset = mimic_keys(mimic)
    yield Quantity(gearing, mimic.gearing, f"{unit}/{reference_unit}", sign * follower_scale / reference_scale)
    yield Quantity(offset, mimic.offset, unit, sign * follower_scale, noise=OFFSET_NOISE)
    compliance = (("naturalFrequency", mimic.natural_frequency, "rad/s"), ("dampingRatio", mimic.damping_ratio, ""))
    hard = mimic.natural_frequency <= 0.0 or mimic.damping_ratio <= 0.0
    inactive = "the mimic joint is rigid unless naturalFrequency and dampingRatio are both above 0" if hard else ""
    switch = mimic.prefix + "dampingRatio"      # authored as 0 it asks for a rigid coupling
    for name, value, unit in compliance:
        if value != 0.0 and not math.isinf(value):
            yield Quantity(Key(mimic.path, mimic.prefix + name), value, unit, inactive=inactive, switch=switch)

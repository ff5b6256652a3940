"""`with_loads` holds the limits that the bench measures without loads to the stage's own motion. PhysX keeps some of
them only until something pushes: it clamps the speed of a link before the forces of the step act, and its clamp of a
joint's speed leaves a part of every push.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from physx_runtime.verification.laws.joint_axes import axis_keys
from physx_runtime.verification.loaded.motion import LoadedMotion, loaded_motion
from physx_runtime.verification.loaded.remedies import Excess, loaded_remedies
from physx_runtime.verification.quantity import Key, uncertainty
from physx_runtime.verification.report import ALTERED, AS_AUTHORED, AS_AUTHORED_TOLERANCE, NOT_EVALUATED, Row
from physx_runtime.verification.settling import limit_keys
from physx_schema.description.model import Articulation, Description, Dof, Link, unlimited
from physx_schema.description.units import DEGREES_PER_RADIAN
from physx_schema.errors import UnsupportedError

LINEAR, ANGULAR = "physxRigidBody:maxLinearVelocity", "physxRigidBody:maxAngularVelocity"
OF_BODY = "PhysX clamps the speed of a body before it applies the forces of the step"
OF_JOINT = "PhysX limits a joint's speed softly in each iteration, and joints that it solves later raise this speed"
OF_POSITION = "the joint overshoots before the solver corrects it"
DIVERGED = "the simulated motion diverges; the value under load is unknown"
NOT_REPEATED_UNDER_LOAD = "only experiments without loads are repeated in real PhysX"
NOT_STEPPED = "the stage cannot be simulated; the value under load is unknown"


@dataclass(frozen=True, slots=True)
class LoadedLimit:
    """A limit of one joint axis, link or body, and where its motion is in a `LoadedMotion`."""

    path: str                   # prim of the row
    property: str
    series: str                 # field of `LoadedMotion`
    name: str                   # joint axis, or prim path of a link or body
    scale: float                # of the motion's number to the stage's unit
    loads: str                  # what acts on it
    cause: str                  # why PhysX does not keep it
    slack: float = 0.0          # how far a position may pass it, in the stage's unit

    @builtins.property          # the name stands for a field in this class
    def of_position(self) -> bool:
        """Whether a position is limited, not a speed."""
        return self.series in ("lowest", "highest")

    def reached(self, motion: LoadedMotion) -> float | None:
        """What the motion comes to, in the stage's unit; None where it is not stepped."""
        value = getattr(motion, self.series).get(self.name)
        return None if value is None else value * self.scale

    def excess(self, limit: float, reached: float) -> float:
        """By how much a number of the motion is beyond the limit; 0 or less where it is not."""
        outward = (1.0 if self.series == "highest" else -1.0) * math.copysign(1.0, self.scale)
        return outward * (reached - limit) - self.slack if self.of_position else (
            reached - limit * (1.0 + AS_AUTHORED_TOLERANCE))


def with_loads(description: Description, rows: Sequence[Row], dt: float) -> list[Row]:
    """The rows, with what limits come to in the stage's own motion; nothing is stepped where there are none."""
    measured = {(row.path, row.property) for row in rows
                if row.effective is not None and row.verdict in (AS_AUTHORED, ALTERED)}
    limits: dict[tuple[str, str], list[LoadedLimit]] = {}
    for limit in _loaded_limits(description):
        if (limit.path, limit.property) in measured:
            limits.setdefault((limit.path, limit.property), []).append(limit)
    if not limits:
        return list(rows)
    try:
        motion = loaded_motion(description, dt)
    except UnsupportedError:
        return [_unknown(row, NOT_STEPPED) if (row.path, row.property) in limits else row for row in rows]
    if motion.diverged:
        return [_unknown(row, DIVERGED) if (row.path, row.property) in limits else row for row in rows]
    result = [_with_load(row, limits.get((row.path, row.property), ()), motion) for row in rows]
    excesses = [_excess(row, limit) for row, before in zip(result, rows, strict=True) if row is not before
                and row.verdict == ALTERED for limit in limits[row.path, row.property] if not limit.of_position]
    remedies = loaded_remedies(description, excesses, dt) if excesses else {}
    return [replace(row, remedy=remedies.get((row.path, row.property), row.remedy)) for row in result]


def _unknown(row: Row, reason: str) -> Row:
    """The row of a limit that was measured without load alone."""
    return replace(row, verdict=NOT_EVALUATED, reason=f"{reason}; without load the value is effective") if (
        row.verdict == AS_AUTHORED) else row


def _with_load(row: Row, limits: Sequence[LoadedLimit], motion: LoadedMotion) -> Row:
    """The row with what its limits come to, where the motion is beyond one of them."""
    limit_value = row.intended_effect
    if not limits or not isinstance(limit_value, float) or not isinstance(row.effective, float):
        return row
    reached = [(limit, value) for limit in limits if (value := limit.reached(motion)) is not None]
    beyond = [(limit.excess(limit_value, value), limit, value) for limit, value in reached]
    if not beyond:
        return row
    excess, limit, value = max(beyond, key=lambda item: item[0])
    value = float(f"{value:.7g}")
    if not excess > 0.0:
        unchanged = row.intended is not None and not limit.of_position and _compensates(row, limit_value, value)
        if unchanged:
            return replace(row, effective=value, verdict=AS_AUTHORED, reason="", remedy=None, loads=limit.loads)
        return replace(row, loads=limit.loads) if row.verdict == AS_AUTHORED else row
    if row.verdict == ALTERED and row.intended is None and abs(value) <= abs(row.effective):
        return row          # the bench says more
    reason = f"the motion reaches {value:.4g} under {limit.loads}: {limit.cause}"
    return replace(row, effective=value, verdict=ALTERED, reason=reason, loads=limit.loads, equivalent_to="",
                   uncertainty=uncertainty(value, 0.0), in_physx=None,
                   not_in_physx=row.not_in_physx if row.in_physx is None else NOT_REPEATED_UNDER_LOAD)


def _compensates(row: Row, intended: float, reached: float) -> bool:
    """Whether a number below the intended one comes to that one under load."""
    return isinstance(row.authored, float) and row.authored < intended and (
        reached >= intended * (1.0 - AS_AUTHORED_TOLERANCE))


def _excess(row: Row, limit: LoadedLimit) -> Excess:
    assert isinstance(row.intended_effect, float) and isinstance(row.effective, float)
    return Excess(row.path, row.property, limit.series, limit.name, limit.scale, row.intended_effect, row.effective)


# --- limits of a stage ---------------------------------------------------------------------------------------------

def _loaded_limits(description: Description) -> Iterator[LoadedLimit]:
    """The limits of speed of joints, links and bodies, and of position of joints."""
    falls = {scene.path: any(scene.gravity) for scene in (description.scene, *description.scenes)}
    for articulation in description.articulations:
        if not articulation.enabled:
            continue
        gravity = falls.get(description.scene_of(articulation).path, False)
        for link in articulation.links:
            own = link.joint.dofs if link.joint else ()
            yield from _of_body(link, _loads(articulation, own, gravity and link.gravity_enabled))
            for dof in own:
                yield from _of_joint(dof, _loads(articulation, (dof,), gravity))
        for _, dof, keys in limit_keys(articulation):
            yield from _of_position(dof, keys, _loads(articulation, (dof,), gravity))
    for body in description.separate_bodies:
        if not body.kinematic:
            loaded = any(body.path in (joint.body0, joint.body1) for joint in description.separate_joints)
            gravity = falls.get(description.scene_of(body).path, False) and body.gravity_enabled
            yield from _of_body(body, _listed(["gravity"] * gravity + ["the body's joints"] * loaded))


def _of_body(link: Link, loads: str) -> Iterator[LoadedLimit]:
    yield LoadedLimit(link.path, LINEAR, "linear_speed", link.path, 1.0, loads, OF_BODY)
    yield LoadedLimit(link.path, ANGULAR, "angular_speed", link.path, DEGREES_PER_RADIAN, loads, OF_BODY)


def _of_joint(dof: Dof, loads: str) -> Iterator[LoadedLimit]:
    key = axis_keys(dof).get("max_velocity")
    if key is not None and not unlimited(dof.max_velocity):
        yield LoadedLimit(key.path, key.property, "joint_speed", dof.name, _scale(dof), loads, OF_JOINT)


def _of_position(dof: Dof, keys: Sequence[Key], loads: str) -> Iterator[LoadedLimit]:
    """Both limits of an axis; a bounded axis may pass each by a part of its range."""
    bounds = [abs(bound) for bound in (dof.lower, dof.upper) if not unlimited(bound)]
    span = dof.upper - dof.lower if len(bounds) == 2 else max(bounds, default=0.0)
    slack = AS_AUTHORED_TOLERANCE * span * _scale(dof)
    sides = zip(keys, ("lowest", "highest"), (dof.lower, dof.upper), (-1.0 if keys[0].location else 1.0, 1.0),
                strict=True)
    for key, series, bound, sign in sides:
        if not unlimited(bound):
            yield LoadedLimit(key.path, key.property, series, dof.name, sign * _scale(dof), loads, OF_POSITION, slack)


def _scale(dof: Dof) -> float:
    return DEGREES_PER_RADIAN if dof.angular else 1.0


def _loads(articulation: Articulation, own: Sequence[Dof], gravity: bool) -> str:
    """What acts on a joint or a link of an articulation."""
    powered = [dof for dof in articulation.dofs if dof.drive and dof.drive.max_force > 0.0
               and (dof.drive.stiffness or dof.drive.damping)]
    names = ["gravity"] * gravity + ["the joint's drive"] * any(dof in own for dof in powered)
    names += ["the drives of other joints"] * any(dof not in own for dof in powered)
    names += ["friction"] * any(dof.static_friction or dof.viscous_friction for dof in own)
    return _listed(names)


def _listed(names: Sequence[str]) -> str:
    """The loads in words."""
    *first, last = names or ["the stage's motion"]
    return f"{', '.join(first)} and {last}" if first else last

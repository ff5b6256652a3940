"""Edits of a stage that wake what sleeps, as measured in PhysX by benchmarks/measure_waking_edits.py."""

from __future__ import annotations

from dataclasses import replace

from physx_schema.description.model import ActorDescription, Articulation, Description, OutsideJoint


def edit_wakes(before: ActorDescription, after: ActorDescription) -> bool:
    """Return whether PhysX wakes an articulation or body whose own values change from one to the other.

    Values of drives, limits, friction, armature and tendons do, and gravity that is switched on. The largest joint
    velocity does not, nor do mimic joints, masses, damping, frames, colliders and materials.
    """
    gravity_returns = any(new.gravity_enabled and not old.gravity_enabled
                          for old, new in zip(before.links, after.links, strict=False))
    return gravity_returns or _waking_values(before) != _waking_values(after)


def _waking_values(actor: ActorDescription) -> tuple[object, ...]:
    if not isinstance(actor, Articulation):
        return ()
    joints = tuple(replace(dof, max_velocity=0.0, position=0.0, velocity=0.0, sources=()) for dof in actor.dofs)
    return joints, actor.fixed_tendons, actor.spatial_tendons


def bodies_woken(before: Description, after: Description) -> frozenset[str]:
    """Return the paths of the bodies and links that PhysX wakes because joints outside articulations changed.

    Values of their drives and new frames wake what a joint holds; limits, springs and what breaks it do not.
    """
    old = {joint.path: _holding_values(joint) for joint in before.joints}
    changed = [joint for joint in after.joints if old.get(joint.path) not in (None, _holding_values(joint))]
    return frozenset(body for joint in changed for body in (joint.body0, joint.body1) if body)


def _holding_values(joint: OutsideJoint) -> tuple[object, ...]:
    return joint.frame0, joint.frame1, joint.aim, tuple((axis.axis, axis.drive) for axis in joint.axes)

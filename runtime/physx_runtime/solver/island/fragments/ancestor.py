"""Fragments of the velocities that PhysX reads of a link and its ancestor (`island.ancestors`)."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import subspace
from physx_runtime.dynamics.spatial import NO_MOTION, Motion, force_of, linear_first, motion_of
from physx_runtime.language.ops import Rows
from physx_runtime.solver.by_joint.fragments.operands import Operands, central_acceleration, vec
from physx_runtime.solver.by_joint.tree import RIGID, ROTARY


def root_since(rows: Operands) -> Rows:
    """Change of the floating root's velocity since it was last integrated; its twist is that by impulses to come."""
    return {"since": [v - kept + dv + twist for v, kept, dv, twist in zip(
        rows["v"], rows["v_integrated"], rows["dv"], rows["twist"], strict=True)]}


def since(rows: Operands, kind: str, grounded: bool) -> Rows:
    """Change of a node's motion since it was last integrated, and its share by impulses to come, the twist.

    With the row "parent_mistaken" also the change that is read where one of the ancestors is taken for unmoved by its
    own joint.
    """
    a, above = _carried(rows, "parent_twist", grounded), _carried(rows, "parent_since", grounded)
    taken = _carried(rows, "parent_mistaken", False) if "parent_mistaken" in rows else NO_MOTION
    made = {"twist": a, "since": above, "mistaken": taken}
    if kind != RIGID:
        S, K = subspace(kind == ROTARY, vec(rows["axis"])), force_of(rows["K"])
        coming = rows["inverse_d"][0] * rows["u"][0] - K.dot(a)
        change = rows["v"][0] - rows["v_integrated"][0] + rows["dv"][0] + coming
        made = {"twist": a + S * coming, "since": above + S * change,
                "mistaken": taken + S * (change + K.dot(above - taken))}
    return {name: linear_first(motion) for name, motion in made.items()}


def _carried(rows: Operands, name: str, grounded: bool) -> Motion:
    if grounded:
        return NO_MOTION
    motion = motion_of(rows[name])
    return motion.at(vec(rows["d"])) if "d" in rows else motion


def mistake(rows: Operands, grounded: bool) -> Rows:
    """An ancestor's change read as its parent's, of one centre of mass for the other."""
    if grounded:
        return {"mistaken": [0.0] * 6}
    parent = motion_of(rows["parent_since"]).at(vec(rows["parent_center"]))
    return {"mistaken": linear_first(parent.at(sp.scale(-1.0, vec(rows["center"]))))}


def read(rows: Operands) -> Rows:
    """What is read of a link: the velocity it was integrated with, and its change since as it is mistaken."""
    center = vec(rows["center"])
    kept = motion_of(rows["integrated"]).at(center) + central_acceleration(rows) * rows["dt"][0]
    return {"side_v": linear_first(kept + motion_of(rows["mistaken"]).at(center))}

"""Rows with the poses of links that collision detection is handed, from the root on (`dynamics.link_poses`).

What they are carried on by follows from the stage alone and is written into rows once: `constants`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.contact_table import MASS_FRAME
from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import joint_rotation
from physx_runtime.dynamics.link_poses import BodyPose, JointFrames, ball_turn, carried, hinge_turn, within
from physx_runtime.language.ops import Rows, Single
from physx_runtime.model.topology import FIXED, PRISMATIC, REVOLUTE, SPHERICAL, DofTopology, Topology
from physx_runtime.solver.island.plan import IslandPlan
from physx_runtime.solver.scheduled.fragments.kinematics import Operands, quat, vec
from physx_runtime.solver.scheduled.plan import Plan

Array = NDArray[Any]

POSE = "body_pose"
# 1 where a step has brought the links to where they are, 0 where they were put there; of trees with spherical joints.
STEPPED = "stepped"
# Of every link, the numbers of MASS_FRAME, called so.
CONSTANT = {f"mass_{name}": int(np.prod(MASS_FRAME[name].shape)) for name in MASS_FRAME.names or ()}


def add_poses(p: IslandPlan) -> None:
    """Rows for the poses of all links of articulations that can touch, and for what they are carried on by."""
    for tree in p.trees.values():
        if tree.touching:
            for name, size in {POSE: 7, **CONSTANT}.items():
                tree.p.scratch(name, len(tree.p.t.links), size)
            if tree.p.balls:
                tree.p.scratch(STEPPED, 1)


def constants(p: IslandPlan, frames: Mapping[int, Array]) -> tuple[Array, Array]:
    """Rows that stay what they are, and their numbers. frames: of MASS_FRAME, by actor."""
    rows: list[int] = []
    values: list[Array] = []
    for actor, own in frames.items():
        layout = p.trees[actor].layout
        for name in CONSTANT if p.trees[actor].touching else ():
            rows += range(layout[name].row, layout[name].row + layout[name].size)
            values.append(own[name.removeprefix("mass_")].ravel())
    return np.array(rows, np.int64), np.concatenate([np.zeros(0, np.float32), *values])


def stepped_rows(p: IslandPlan) -> dict[int, int]:
    """The row STEPPED of every actor that has one."""
    return {i: tree.p.row(STEPPED).row for i, tree in p.trees.items() if STEPPED in tree.p.layout.groups}


def write_poses(p: IslandPlan, s: Schedule) -> None:
    """The poses at the step's start."""
    for tree in p.trees.values():
        if tree.touching:
            _write_tree(tree.p, s)


def _write_tree(p: Plan, s: Schedule) -> None:
    shift = {} if p.t.fixed_base else {"shift": p.row("root_center")}
    s.do(_root, **shift, position=p.row("root_position"), rotation=p.row("root_rotation"),
         center=p.at("mass_center"), pose=p.at(POSE))
    for link in range(1, len(p.t.links)):
        given = {"q": p.of_link("q", link)} if p.dofs[link] else {}
        if p.t.links[link].kind != FIXED:
            given["axes"] = p.at("mass_axes", link)
        if p.t.links[link].kind == SPHERICAL:
            given[STEPPED] = p.row(STEPPED)
        s.do(_link, _bare(p.joints[link]), **given, **p.locked_of(link), parent_pose=p.at(POSE, p.parent(link)),
             pose=p.at(POSE, link), **{name: p.at(f"mass_{name}", link) for name in ("parent", "child", "relative")})


def _bare(joint: Topology) -> Topology:
    """What a pose depends on: many joints share its code."""
    return Topology(True, True, joint.links, tuple(DofTopology(1, axis=dof.axis) for dof in joint.dofs))


def pose_rows(p: Plan, link: int) -> Span:
    """Position and quaternion of a link's mass frame."""
    return p.at(POSE, link)


def _root(rows: Operands) -> Rows:
    """The root's mass frame from where its F is."""
    frame = vec(_singles(rows["position"])), quat(_singles(rows["rotation"]))
    position, rotation = _pose(rows["center"])
    if "shift" in rows:
        position = vec(_singles(rows["shift"]))
    return {"pose": _plain(within(frame, (position, rotation)))}


def _link(rows: Operands, joint: Topology) -> Rows:
    kind, q = joint.links[1].kind, rows.get("q", [])
    frames = JointFrames(vec(_singles(rows["parent"])), vec(_singles(rows["child"])), quat(_singles(rows["relative"])))
    turn, slide, stepped = None, None, None
    if kind == REVOLUTE:
        turn = hinge_turn(Single(q[0]), vec(_singles(rows["axes"])))
    elif kind == PRISMATIC:
        slide = sp.scale(Single(q[0]), vec(_singles(rows["axes"])))
    elif kind == SPHERICAL:
        given: Rows = {name: rows[name] for name in ("locked",) if name in rows}
        parts = _singles(joint_rotation(joint, given, q, 1))
        turn, stepped = ball_turn(parts, [vec(_singles(rows["axes"]), i) for i in range(3)]), rows[STEPPED][0]
    return {"pose": _plain(carried(_pose(rows["parent_pose"]), frames, turn, slide, stepped))}


def _pose(values: Any) -> BodyPose:
    numbers = _singles(values)
    return vec(numbers), quat(numbers[3:])


def _singles(values: Any) -> list[Single]:
    return [Single(value) for value in values]


def _plain(pose: BodyPose) -> list[Any]:
    return [number.value for part in pose for number in part]

"""Islands of rigid bodies and the rates of their joint errors, on plain numbers.

Islands of rigid bodies stepped on plain numbers, joint by joint: what their programs are held beside.

How fast errors of joint rows change as a joint's sides move, by differences: what a row's J v must be.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from physx_runtime.model.body_kind import BODY, KINEMATIC
from physx_runtime.model.island import RACK, IslandTopology, JointTopology, SolverBody
from physx_runtime.model.island_rows import JOINT_GROUP, KINEMATIC_GROUP
from physx_runtime.model.row_specs import ACTOR_GROUP
from physx_runtime.model.topology import BodyTopology
from physx_runtime.solver.island.fragments import body
from physx_runtime.solver.islands import partitions
from physx_runtime.solver.maximal_joint.couplings import hinge, slide
from physx_runtime.solver.maximal_joint.kinds import rows_of
from physx_runtime.solver.maximal_joint.rows import JointRow
from physx_runtime.solver.maximal_joint.step import conclude, prepare, solve

from support.chance.maximal_joints import moved
from support.mechanics.rigid_motion import Array

Rows = dict[str, Any]


def group(rows: Mapping[str, Any], prefix: str) -> Rows:
    """The rows of one thing in an island, without its prefix."""
    return {name.removeprefix(prefix): values for name, values in rows.items() if name.startswith(prefix)}


def step(t: IslandTopology, rows: Mapping[str, Any], iterations: tuple[int, int]) -> Rows:
    """An island's rows after one step; iterations: of positions, of velocities."""
    with np.errstate(divide="ignore", invalid="ignore"):        # sides that a `where` does not choose
        return BodyIsland(t, rows).step(*iterations)


class BodyIsland:
    """An island of bodies while it is stepped; `joints` shows what its joints gave."""

    def __init__(self, t: IslandTopology, rows: Mapping[str, Any]) -> None:
        self.t, self.rows = t, dict(rows)
        self.topologies: list[BodyTopology] = [actor for actor in t.actors if isinstance(actor, BodyTopology)]
        assert len(self.topologies) == len(t.actors), "bodies only"
        self.bodies = [group(rows, f"{ACTOR_GROUP}{i}_") for i in range(len(t.actors))]
        self.driven = [group(rows, f"{KINEMATIC_GROUP}{i}_") for i in range(t.kinematic)]
        self.joints = [group(rows, f"{JOINT_GROUP}{i}_") for i in range(len(t.joints))]

    def start(self) -> None:
        """Velocities after damping, and every joint prepared."""
        for t, rows in zip(self.topologies, self.bodies, strict=True):
            rows |= body.begin(rows, t)
        shared = self.times
        for joint, rows in zip(self.t.joints, self.joints, strict=True):
            rows |= shared
            rows |= prepare(joint, rows | self.at_sides(joint.solver_bodies) | self._coordinates(joint))

    def _coordinates(self, joint: JointTopology) -> Rows:
        """How far the hinges of a gear or a rack have turned, or its slider has slid."""
        found: Rows = {}
        for k, own in enumerate(joint.hinges):
            held = self.t.joints[own.joint]
            rows = self.joints[own.joint] | self.at_sides(held.solver_bodies)
            found |= {f"hinge{k}_coordinate": slide(held, rows)["slide_position"] if joint.kind == RACK and k else
                      hinge(held, rows)["hinge_angle"]}
        return found

    @property
    def times(self) -> Rows:
        """The time step and its part for one iteration, alike for all."""
        return {name: self.bodies[0][name] for name in ("dt", "h")}

    def step(self, positions: int, velocities: int) -> Rows:
        """All rows after a step."""
        self.start()
        h = self.times["h"][0]
        elapsed = 0.0 * h
        for _ in range(positions):
            for t, rows in zip(self.topologies, self.bodies, strict=True):
                rows |= body.solve(rows, t)
            self.solve_joints(elapsed, final=False)
            for t, rows in zip(self.topologies, self.bodies, strict=True):
                rows |= body.move(rows, t)
            elapsed = elapsed + h
        for _ in range(velocities):
            self.solve_joints(elapsed, final=True)
        return self._end()

    def solve_joints(self, elapsed: Any, final: bool) -> None:
        """Every joint once, in the order that PhysX has."""
        for j in partitions(self.t).between:
            joint, rows = self.t.joints[j], self.joints[j]
            made = solve(joint, rows | self.at_sides(joint.solver_bodies) | {"elapsed": [elapsed]}, final)
            for k, side in enumerate(joint.solver_bodies):
                if side.kind == BODY:
                    self.bodies[side.owner]["v"] = made.pop(f"body{k}_v")
            rows |= made

    def _end(self) -> Rows:
        found = dict(self.rows)
        for j, (joint, rows) in enumerate(zip(self.t.joints, self.joints, strict=True)):
            kept = dict(rows)
            if joint.measures_force:
                kept |= conclude(joint, rows | self.at_sides(joint.solver_bodies))
            found |= {name: kept[name.removeprefix(f"{JOINT_GROUP}{j}_")]
                      for name in found if name.startswith(f"{JOINT_GROUP}{j}_")}
        for i, (t, rows) in enumerate(zip(self.topologies, self.bodies, strict=True)):
            end = body.finish(rows, t)
            found |= {f"{ACTOR_GROUP}{i}_{name}": values for name, values in end.items()}
        return found

    def at_sides(self, sides: tuple[SolverBody, SolverBody]) -> Rows:
        """What a joint reads of its sides."""
        found: Rows = {}
        for k, side in enumerate(sides):
            if side.kind in (BODY, KINEMATIC):
                rows = self.bodies[side.owner] if side.kind == BODY else self.driven[side.owner]
                names = OF_BODY if side.kind == BODY else {"position": "position", "rotation": "rotation",
                                                           "velocity": "velocity"}
                found |= {f"body{k}_{name}": rows[own] for name, own in names.items()}
        return found


# What a joint calls what a body's step has.
OF_BODY = {"position": "root_position", "rotation": "root_rotation", "v": "v",
           "displacement": "root_linear_displacement",
           "angular_displacement": "root_angular_displacement", "delta_rotation": "delta_rotation",
           "inverse_mass": "inverse_mass",
           "inverse_inertia": "inverse_inertia"}


# --- joint rates -----------------------------------------------------------------------------------------------------

STEP = 1e-4
# Fourth-order differences of errors of size 1 at that step, for rates of size 1.
RATE = 1e-10


def error_rates(t: JointTopology, rows: Rows, velocities: tuple[Array, Array], step: float = STEP) -> Array:
    """Change of every row's error per time; velocities: linear, angular of both sides."""
    def errors(time: float) -> Array:
        there = rows
        for side, velocity in enumerate(velocities):
            if t.solver_bodies[side].kind != "world":
                there = moved(there, side, velocity[:3], velocity[3:], time)
        return np.array([float(row.error) for row in rows_of(t, there).rows])

    near, far = ((errors(h) - errors(-h)) / (2.0 * h) for h in (step, 2.0 * step))
    return (4.0 * near - far) / 3.0


def row_velocity(row: JointRow, velocities: tuple[Array, Array]) -> float:
    """J v."""
    first, second = velocities
    return float(np.dot(row.linear0, first[:3]) + np.dot(row.angular0, first[3:])
                 - np.dot(row.linear1, second[:3]) - np.dot(row.angular1, second[3:]))


def rate_difference(t: JointTopology, rows: Rows, random: Generator, step: float = STEP) -> float:
    """The largest difference between J v and the change of the error, of any row and a few motions."""
    worst = 0.0
    for _ in range(3):
        first, second = random.uniform(-1, 1, (2, 6))
        if t.solver_bodies[0].kind == "world":
            first = np.zeros(6)
        rates = error_rates(t, rows, (first, second), step)
        made = [row_velocity(row, (first, second)) for row in rows_of(t, rows).rows]
        worst = max(worst, float(np.abs(rates - made).max()))
    return worst

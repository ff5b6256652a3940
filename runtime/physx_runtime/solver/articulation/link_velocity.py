"""Link velocities of a fixed base as PhysX holds them after a step; a floating one's are those of its new pose."""

from __future__ import annotations

from physx_runtime.dynamics.kinematics import link_motions, state_kinematics
from physx_runtime.dynamics.spatial import Motion
from physx_runtime.language.ops import Rows, Scalars
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.velocity_clamp import clamp_start


def held_velocities(t: Topology, start: Rows, v: Scalars) -> list[Motion]:
    """J(q0) v + dt Jdot(q0) v0 at mass centres: of the state before the step, not of the new pose.

    start: rows of that state, parameters and dt; v: generalised velocity after the step. Measured against recorded link
    velocities to 2e-6, see docs/physx_semantics.md, link velocities.
    """
    k, dt = state_kinematics(t, start), start["dt"][0]
    first, last = link_motions(t, k, clamp_start(t, start)), link_motions(t, k, v)
    return [after.velocity + before.acceleration * dt for before, after in zip(first, last, strict=True)]

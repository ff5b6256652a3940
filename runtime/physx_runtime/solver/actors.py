"""Articulations and rigid bodies behind one interface: the parts of a step that are named alike for both.

`begin` once, then position iterations of `solve` and `move`, velocity iterations of `solve` alone, and `finish`. What
is between actors changes their velocities by the `Response` that each gave it at the start.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import Force, Motion
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.topology import ActorTopology, BodyTopology
from physx_runtime.solver.articulation import response
from physx_runtime.solver.articulation import step as articulation
from physx_runtime.solver.body import step as body
from physx_runtime.solver.response import Response

Made = dict[str, list[Scalar]]


def begin(t: ActorTopology, rows: Rows) -> Made:
    """Everything computed once at the step's start."""
    return body.begin(t, rows) if isinstance(t, BodyTopology) else articulation.begin(t, rows)


def respond(t: ActorTopology, start: Rows, begun: Rows, link: int, impulse: Force) -> Response:
    """How the actor answers a unit impulse on a link, given about its centre of mass; world axes.

    start: the rows at the step's start. begun: what `begin` made of them. link: 0 of a rigid body.
    """
    if isinstance(t, BodyTopology):
        return body.respond(start, begun, impulse)
    return response.respond(t, start, begun, link, impulse)


def iterate(t: ActorTopology, rows: Rows, final: bool) -> Made:
    """One position iteration, or with `final` one velocity iteration, which moves nothing."""
    made = solve(t, rows, final)
    return made if final else made | move(t, rows, made.get("v", list(rows["v"])))


def solve(t: ActorTopology, rows: Rows, final: bool) -> Made:
    """The velocity after an iteration's forces and the actor's own constraints, where it has any."""
    return body.solve(t, rows, final) if isinstance(t, BodyTopology) else articulation.solve(t, rows, final)


def move(t: ActorTopology, rows: Rows, v: Sequence[Scalar]) -> Made:
    """The motion of one position iteration at the generalised velocity v."""
    return body.move(t, rows, v) if isinstance(t, BodyTopology) else articulation.move(t, rows, v)


def finish(t: ActorTopology, rows: Rows) -> Made:
    """What is left at the step's end; divergence and sleeping come after it."""
    return body.finish(t, rows) if isinstance(t, BodyTopology) else articulation.finish(t, rows)


def mean_motions(t: ActorTopology, rows: Rows) -> list[tuple[Motion, sp.Mat3]]:
    """Per link, the velocity that moved its centre of mass over the step, and the rotation of F."""
    return [body.mean_motion(t, rows)] if isinstance(t, BodyTopology) else response.mean_motions(t, rows)

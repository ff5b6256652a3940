"""The step as schedules of per-joint bodies: nothing is compiled for a topology, and everything costs O(n)."""

from __future__ import annotations

from physx_runtime.model.topology import Topology
from physx_runtime.solver.by_joint.begin import write_begin
from physx_runtime.solver.by_joint.iterate import write_finish, write_iteration
from physx_runtime.solver.by_joint.plan import Plan, make_plan
from physx_runtime.solver.by_joint.sleep import write_sleep


def schedule_step(t: Topology) -> Plan:
    """The four schedules of a topology's step, and its rows.

    Raises UnsupportedError where the dofs of a joint are not numbered one after another.
    """
    p = make_plan(t)
    write_begin(p)
    write_iteration(p, final=False)
    write_iteration(p, final=True)
    write_finish(p)
    write_sleep(p)
    return p

"""What every joint carries before constraints act, where that rubs: as `articulation.load.joint_loads`."""

from __future__ import annotations

from collections.abc import Mapping

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.model.topology import Topology
from physx_runtime.solver.by_joint.fragments import load
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.by_joint.sweeps import add_product, clear, project_forces


def gather_needed(p: Plan, s: Schedule, link: int, alone: Topology, given: Mapping[str, Span]) -> None:
    """What a link needs at zero generalised acceleration beyond what it is given, at the node that carries it.

    alone, given: as of the fragment `link_forces`.
    """
    s.do(load.needed, alone, **given, dt=p.row("dt"), gravity=p.row("gravity"),
         needed=p.at("needed_wrench", p.tree.last[link]))


def start_free(p: Plan, s: Schedule) -> None:
    """Before what nodes answer to forces is added up."""
    clear(s, p.row("free_twist"))
    for i, node in enumerate(p.tree.nodes):
        if node.virtual or (i == 0 and p.t.fixed_base):
            clear(s, p.at("needed_wrench", i))


def add_free(p: Plan, s: Schedule, sign: float = 1.0) -> None:
    """Add what `answer_forces` has left in the twists of nodes."""
    first = int(p.t.fixed_base)         # a fixed root has no twist
    for i in range(first, len(p.tree.nodes)):
        add_product(s, p.at("free_twist", i), p.at("twist", i), None, sign)


def write_loads(p: Plan, s: Schedule) -> None:
    """The row `load` of every link."""
    common = {} if p.t.fixed_base else {"gravity": p.row("gravity")}
    for link in range(p.t.fixed_base, len(p.t.links)):
        node = p.tree.last[link]
        s.do(load.accelerated, **common, **{name: p.at(name, link) for name in ("mass", "world_inertia", "center")},
             free=p.at("free_twist", node), needed=p.at("needed_wrench", node))
    project_forces(p, s, "needed_wrench", None)
    for link in range(1, len(p.t.links)):
        s.do(load.size, needed=p.at("needed_wrench", p.tree.last[link]), center=p.at("center", link),
             load=p.at("load", link))

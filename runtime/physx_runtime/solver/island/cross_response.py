"""How links of one articulation answer impulses on each other, which PhysX leaves out of the joints between them."""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.solver.island import links
from physx_runtime.solver.island.fragments import link as fragments
from physx_runtime.solver.island.plan import CROSS_RESPONSE, IslandPlan


def write_cross_response(p: IslandPlan, s: Schedule, j: int) -> None:
    """Motion of one side's centre of mass by unit wrenches on that of the other side, where the joint asks for it."""
    if CROSS_RESPONSE not in p.joints[j].groups:
        return
    first, second = p.t.joints[j].sides
    a, wrench = p.trees[first.owner], p.row("side0_impulse")
    for i in range(6):
        links.begin_impulses(a, s)
        s.do(fragments.unit_wrench, i, wrench=wrench)
        links.raise_impulse(a, s, first.link, wrench)
        links.sweep_twists(a, s, second.link)
        s.do(fragments.central_twist, twist=a.p.at("twist", a.p.tree.last[second.link]),
             center=a.p.at("center", second.link), central=p.joints[j][CROSS_RESPONSE].part(i, 6))

"""A floating base's momentum, and what the step's end makes of it (as `articulation.momentum`)."""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.model.topology import ROTARY_JOINTS
from physx_runtime.solver.by_joint.fragments import momentum, rows
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.by_joint.sweeps import clear, copy_rows, move_links


def write_floating_start(p: Plan, s: Schedule) -> None:
    """Momentum per unit velocity, its bias, and where everything is at the step's start."""
    links = range(1, len(p.t.links))
    for link in reversed(links):
        s.do(momentum.join_composite, composite=p.at("composite", link), d=p.at("d", link),
             parent=p.at("composite", p.parent(link)))
    for link in links:
        if p.dofs[link]:
            s.do(momentum.momentum_column, p.t.links[link].kind in ROTARY_JOINTS, composite=p.at("composite", link),
                 axes=p.of_link("axes", link), position=p.at("position", link),
                 momentum_column=p.of_link("momentum_column", link))
    s.do(rows.scaled, factor=p.row("dt"), x=p.at("carried_wrench"), product=p.row("momentum_bias"))
    weigh(p, s)
    copy_rows(s, Span(p.row("compound").row + 1, 3), p.row("com_start"))
    clear(s, p.row("root_travel"))
    clear(s, p.row("root_turn"))


def weigh(p: Plan, s: Schedule) -> None:
    """Mass, centre of mass and inertia of all links together; their inertias in world axes are given."""
    clear(s, p.row("compound"))
    for algorithm, extra in ((momentum.add_center, ()), (momentum.add_inertia, ("world_inertia",))):
        if algorithm is momentum.add_inertia:
            s.do(momentum.find_center, compound=p.row("compound"))
        for link in range(len(p.t.links)):
            s.do(algorithm, compound=p.row("compound"),
                 **{name: p.at(name, link) for name in ("mass", "position", "center", *extra)})


def measure_momentum(p: Plan, s: Schedule, out: Span, root: Span, rates: Span, biased: bool) -> None:
    """Momentum relative to the root's at the step's start for the given velocities."""
    given = {"bias": p.row("momentum_bias")} if biased else {}
    s.do(momentum.momentum_root, composite=p.at("composite"), v=root, momentum=out, **given)
    s.repeat(len(p.t.dofs), momentum.add_momentum, momentum=out,
             moving={"column": p.at("momentum_column"), "v": rates.part(0)})


def want_momentum(p: Plan, s: Schedule, biased: bool) -> None:
    """The momentum at v, to be had again after what follows."""
    measure_momentum(p, s, p.row("wanted"), p.v_root, p.v_dofs, biased)
    copy_rows(s, p.v_root, p.row("wanted_v"))


def restore_momentum(p: Plan, s: Schedule) -> None:
    """The root's velocity with which momentum `now` becomes `wanted`."""
    s.do(momentum.restore, v=p.v_root, now=p.row("now"), wanted=p.row("wanted"), wanted_v=p.row("wanted_v"),
         wanted_center=p.row("com_start"), compound=p.row("compound"))


def write_floating_end(p: Plan, s: Schedule) -> None:
    """Root velocity and position after the step, at the poses that its iterations reached."""
    for link in range(len(p.t.links)):
        s.do(momentum.turn_inertia, R=p.at("R", link), inertia=p.at("inertia", link),
             world_inertia=p.at("world_inertia", link))
    weigh(p, s)
    want_momentum(p, s, biased=True)
    move_links(p, s, root_stays=True)
    clear(s, p.row("now"))
    for link in range(len(p.t.links)):
        s.do(momentum.add_link_momentum, momentum=p.row("now"),
             **{name: p.at(name, link) for name in ("motion", "center", "mass", "v_com", "world_inertia", "position")})
    restore_momentum(p, s)
    copy_rows(s, p.row("root_turn"), Span(p.row("wanted_v").row + 3, 3))
    measure_momentum(p, s, p.row("wanted"), p.row("wanted_v"), p.row("travel"), biased=False)
    s.do(momentum.carry_root, momentum=p.row("wanted"), compound=p.row("compound"), dt=p.row("dt"),
         **{name: p.row(name) for name in ("root_position", "root_travel", "com_start", "momentum_bias")})

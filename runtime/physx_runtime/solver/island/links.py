"""Links of an island that joints hold, and ancestors that feel them.

Links that joints outside their articulation hold.

A joint sees a link at its centre of mass with the velocity that the solver gives it, J v + dt Jdot v. Its impulse acts
on the whole articulation: it rises along the link's path, where every node keeps its share u, and what comes of it is
swept down the path of the next link that is read, and down the whole tree behind the last joint.

Velocities of a link and its ancestor, held together by a joint, as PhysX reads them.

It loses what happened to the ancestor's own joint since velocities were last integrated: that link's change is taken
for its parent's, and the changes of the links below it follow from there (pxcFsGetVelocities stops before the last
common link; measured, see docs/physx_semantics.md, joints between free bodies). A joint to the root reads right.

How links of one articulation answer impulses on each other, which PhysX leaves out of the joints between them.
"""

from __future__ import annotations

from collections.abc import Iterable

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.solver.island.fragments import link as fragments
from physx_runtime.solver.island.fragments import link as links
from physx_runtime.solver.island.plan import CROSS_RESPONSE, IslandPlan, TreePlan
from physx_runtime.solver.scheduled.fragments import response
from physx_runtime.solver.scheduled.iteration import write_turn
from physx_runtime.solver.scheduled.plan import Plan
from physx_runtime.solver.scheduled.program import write_cfm
from physx_runtime.solver.scheduled.sweeps import add_product, clear, copy_rows, place_below, place_root
from physx_runtime.solver.scheduled.tree import paths_to


def write_links_start(a: TreePlan, s: Schedule) -> None:
    """Poses and responses of held links at the step's start, from which they have not moved."""
    p = a.p
    if not any(dof.softened for dof in p.t.dofs):
        write_cfm(p, s, [link for link in a.held if not grounded(p, link)])
    for link in a.held:
        s.do(links.hold, grounded(p, link), root_position=p.row("root_position"), position=p.at("position", link),
             center=p.at("center", link), response=p.at("response", p.tree.last[link]), origin=a.at("origin", link),
             place=a.at("place", link), held_response=a.at("response", link))
        s.do(links.rest, **{name: a.at(name, link) for name in ("travel", "turn", "turned_by")})
    if a.held and not p.t.fixed_base:
        copy_rows(s, p.row("axes_rotation"), p.row("axes_start"))


def grounded(p: Plan, link: int) -> bool:
    """Whether a link is a fixed base."""
    return link == 0 and p.t.fixed_base


def nodes_to(p: Plan, held: Iterable[int]) -> list[int]:
    """Nodes on the way from the root to links, these included, parents first; the root left out."""
    wanted: set[int] = set()
    for link in held:
        node = p.tree.last[link]
        while node > 0 and node not in wanted:
            wanted.add(node)
            node = p.tree.nodes[node].parent
    return sorted(wanted)


def read_velocities(a: TreePlan, s: Schedule, held: list[int], dv: Span | None) -> None:
    """Velocities of held links after the change `dv` of v, where there is any yet."""
    p = a.p
    sweep_motions(p, s, held, "held_motion", p.row("v"), dv)
    for link in held:
        part = Schedule()
        part.do(links.solver_velocity, grounded(p, link), held_motion=p.at("held_motion", p.tree.last[link]),
                dt=p.row("dt"), velocity=a.at("velocity", link),
                **{name: p.at(name, link) for name in ("motion", "a_com", "center")})
        _where_held(a, s, link, part)


def _where_held(a: TreePlan, s: Schedule, link: int, part: Schedule) -> None:
    """Do a part where something holds a link."""
    if link in a.flags:
        s.where_any(a.flags[link], part)
    else:
        s.instructions += part.instructions


def sweep_motions(p: Plan, s: Schedule, held: list[int], name: str, v: Span, dv: Span | None) -> None:
    """The rows `name` of the nodes on the way to links, their motions at v and the change `dv` of it."""
    if not p.t.fixed_base:
        change = {"dv": Span(dv.row, 6)} if dv else {}
        s.do(links.root_motion, **change, v=Span(v.row, 6), motion=p.at(name))
    for i in nodes_to(p, held):
        node, given = p.tree.nodes[i], p.shift(i)
        if node.dof is not None:
            given |= {"axis": p.at("axes", node.dof), "v": change_of(p, v, node.dof)}
            given |= {"dv": change_of(p, dv, node.dof)} if dv else {}
        s.do(links.node_motion, node.kind, p.grounded(i), **given, motion=p.at(name, i),
             parent_twist=p.at(name, node.parent))


def change_of(p: Plan, dv: Span, dof: int) -> Span:
    """One dof's part of v or of a change of it."""
    return Span(dv.row + p.t.root_size + dof, 1)


def begin_impulses(a: TreePlan, s: Schedule) -> None:
    """No impulses of this iteration yet."""
    p = a.p
    clear(s, Span(p.row("u").row, len(p.tree.nodes)))
    if not p.t.fixed_base:
        clear(s, p.row("held_P"))
    a.answering = False


def current_velocity(a: TreePlan, s: Schedule, link: int, out: Span) -> Span:
    """The rows with a held link's velocity after the impulses so far, `out` where there are any."""
    if not a.answering:
        return a.at("velocity", link)
    sweep_twists(a, s, link)
    see_link(a, s, link, out)
    return out


def sweep_twists(a: TreePlan, s: Schedule, link: int) -> None:
    """The twists on the way to a link by the impulses so far."""
    p = a.p
    answer_root(a, s)
    for i in nodes_to(p, [link]):
        node = p.tree.nodes[i]
        given = p.shift(i) | {"parent_twist": p.at("twist", node.parent), "twist": p.at("twist", i)}
        if node.dof is not None:
            given |= {name: p.at(name, i) for name in ("K", "u", "inverse_d")} | {"axis": p.at("axes", node.dof)}
        s.do(response.pass_down, node.kind, p.grounded(i), **given)


def see_link(a: TreePlan, s: Schedule, link: int, out: Span) -> None:
    """The velocity of a held link after the twist of its node."""
    p = a.p
    s.do(links.see, velocity=a.at("velocity", link), twist=p.at("twist", p.tree.last[link]),
         center=p.at("center", link), side_v=out)


def raise_impulse(a: TreePlan, s: Schedule, link: int, impulse: Span) -> None:
    """An impulse on a link, up its path."""
    p, i = a.p, a.p.tree.last[link]
    if grounded(p, link):
        return
    a.answering = True
    s.do(links.receive, i == 0, impulse=impulse, center=p.at("center", link), P=_wrench_at(a, i))
    while i:
        node, given = p.tree.nodes[i], p.shift(i)
        if node.dof is not None:
            given |= {"K": p.at("K", i), "axis": p.at("axes", node.dof), "u": p.at("u", i)}
        s.do(links.raise_impulse, node.kind, p.grounded(i), node.parent == 0, **given, P=p.at("P", i),
             parent_P=_wrench_at(a, node.parent))
        i = node.parent


def spread_impulses(a: TreePlan, s: Schedule) -> None:
    """The change of v by all impulses, added to `dv`."""
    p, dv = a.p, a.p.row("dv")
    answer_root(a, s)
    if not p.t.fixed_base:
        add_product(s, Span(dv.row, 6), p.at("twist"))
    moved, path = {0} if not p.t.fixed_base else set(), set(nodes_to(p, a.outer))
    for i, node in enumerate(p.tree.nodes):
        if i == 0 or (i not in path and node.parent not in moved):
            continue
        moved.add(i)
        given = p.shift(i) | {"parent_twist": p.at("twist", node.parent), "twist": p.at("twist", i)}
        if node.dof is not None:
            given |= {name: p.at(name, i) for name in ("K", "u", "inverse_d")}
            given |= {"axis": p.at("axes", node.dof), "dv": change_of(p, dv, node.dof)}
        s.do(links.spread, node.kind, p.grounded(i), **given)


def take_impulse(a: TreePlan, s: Schedule, link: int, impulse: Span, joins: bool) -> None:
    """An impulse on a link within the sweep of its articulation's own constraints."""
    p, i = a.p, a.p.tree.last[link]
    s.do(links.receive, joins, impulse=impulse, center=p.at("center", link), P=p.at("P", i))
    s.do(links.answer, impulse=impulse, center=p.at("center", link), held_response=a.at("response", link),
         twist=p.at("twist", i))


def measure_motion(a: TreePlan, s: Schedule, elapsed: Span) -> None:
    """How held links have moved since the step's start."""
    p = a.p
    if not a.active:
        return
    always = paths_to(p.t, [link for link in a.active if link not in a.flags])
    place_root(p, s, "seen_")
    _place_now(a, s, always)
    for link in a.active:
        part = Schedule()
        _place_now(a, part, [i for i in paths_to(p.t, [link]) if i not in always])
        _measure_link(a, part, link, elapsed)
        _where_held(a, s, link, part)


def _place_now(a: TreePlan, s: Schedule, path: list[int]) -> None:
    """Poses and turns of links on a path."""
    p = a.p
    place_below(p, s, path, solved=True, prefix="seen_")
    for link in path:
        write_turn(p, s, link, "turn", p.of_link("travel", link) if p.dofs[link] else None)


def _measure_link(a: TreePlan, s: Schedule, link: int, elapsed: Span) -> None:
    p = a.p
    given = {} if p.t.fixed_base else {"root_travel": p.row("root_travel")}
    given |= {name: p.at(name, link) for name in ("position", "center", "rotation", "motion")}
    given |= {f"seen_{name}": p.at(f"seen_{name}", link) for name in ("position", "center", "rotation")}
    given["link_turn"] = p.at("turn", link) if link else p.row("root_turn")
    if link == 0 and not p.t.fixed_base:
        given |= {name: p.row(name) for name in ("axes_rotation", "axes_start")}
    made = ("travel", "turn", *(("turned_by",) if link in a.by_joints else ()))
    s.do(links.moved, grounded(p, link), **given, elapsed=elapsed, dt=p.row("dt"),
         **{name: a.at(name, link) for name in made})


def answer_root(a: TreePlan, s: Schedule) -> None:
    """The floating root's twist by the impulses so far."""
    p = a.p
    if not p.t.fixed_base:
        s.do(response.answer_root, response=p.at("response"), P=p.row("held_P"), twist=p.at("twist"))


def _wrench_at(a: TreePlan, node: int) -> Span:
    """Where the wrench on a node is; that on the root stays for all impulses of an iteration."""
    return a.p.at("P", node) if node else a.p.row("held_P")


def keep_integrated(a: TreePlan, s: Schedule) -> None:
    """v as it is integrated, and the motions of links by it."""
    if a.misread:
        copy_rows(s, a.p.row("v"), a.p.row("v_integrated"))
        sweep_motions(a.p, s, [link for _, link in a.misread], "integrated", a.p.row("v"), None)


def read_pair(a: TreePlan, s: Schedule, ancestor: int, link: int, out: dict[int, Span]) -> None:
    """The velocities read of both links after all changes so far; out: by link."""
    p, own, dv = a.p, a.p.tree.last, a.p.row("dv")
    above = set(nodes_to(p, [ancestor]))
    answer_root(a, s)
    if not p.t.fixed_base:
        s.do(fragments.root_since, v=p.v_root, v_integrated=Span(p.row("v_integrated").row, 6), dv=Span(dv.row, 6),
             twist=p.at("twist"), since=p.at("since"))
    for i in nodes_to(p, [link]):
        _write_since(a, s, i, dv, mistaken=i not in above)
        if i == own[ancestor]:
            parent = p.parent(ancestor)
            s.do(fragments.mistake, p.t.fixed_base and parent == 0, parent_since=p.at("since", own[parent]),
                 parent_center=p.at("center", parent), center=p.at("center", ancestor), mistaken=p.at("mistaken", i))
    for one, span in out.items():
        s.do(fragments.read, integrated=p.at("integrated", own[one]), mistaken=p.at("mistaken", own[one]),
             dt=p.row("dt"), side_v=span, **{name: p.at(name, one) for name in ("motion", "a_com", "center")})


def _write_since(a: TreePlan, s: Schedule, i: int, dv: Span, mistaken: bool) -> None:
    p, node = a.p, a.p.tree.nodes[i]
    names = ("twist", "since", *(("mistaken",) if mistaken else ()))
    given = p.shift(i) | {f"parent_{name}": p.at(name, node.parent) for name in names}
    given |= {name: p.at(name, i) for name in names}
    if node.dof is not None:
        given |= {name: p.at(name, i) for name in ("K", "u", "inverse_d")} | {"axis": p.at("axes", node.dof)}
        given |= {name: change_of(p, span, node.dof) for name, span in (
            ("v", p.row("v")), ("v_integrated", p.row("v_integrated")), ("dv", dv))}
    s.do(fragments.since, node.kind, p.grounded(i), **given)


def write_cross_response(p: IslandPlan, s: Schedule, j: int) -> None:
    """Motion of one side's centre of mass by unit wrenches on that of the other side, where the joint asks for it."""
    if CROSS_RESPONSE not in p.joints[j].groups:
        return
    first, second = p.t.joints[j].sides
    a, wrench = p.trees[first.owner], p.row("side0_impulse")
    for i in range(6):
        begin_impulses(a, s)
        s.do(fragments.unit_wrench, i, wrench=wrench)
        raise_impulse(a, s, first.link, wrench)
        sweep_twists(a, s, second.link)
        s.do(fragments.central_twist, twist=a.p.at("twist", a.p.tree.last[second.link]),
             center=a.p.at("center", second.link), central=p.joints[j][CROSS_RESPONSE].part(i, 6))

"""Falling asleep on the generic path: the equations of `solver.sleep`, link by link at the step's end."""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.language.ops import maximum, where
from physx_runtime.model.rows import LINK_FORCE_ROWS
from physx_runtime.solver import sleep
from physx_runtime.solver.by_joint import edges
from physx_runtime.solver.by_joint.bodies import Made, Rows, central_velocity, rotation_matrix, sym, vec
from physx_runtime.solver.by_joint.passes import clear, copy_rows, move_links
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.divergence import DIVERGED, moving_rows
from physx_runtime.solver.sleep import Drowsiness


def write_sleep(p: Plan, s: Schedule) -> None:
    """After everything else of a step: what rests, and every link's counter."""
    if p.t.sleeping:
        _decide(p, s)
        _rest(p, s)
        _count(p, s)


def _decide(p: Plan, s: Schedule) -> None:
    """Counters of worlds that something woke, and whether the world rests."""
    flags = {name: p.row(name) for name in ("wakes", "started")}
    clear(s, p.row("pushing"))
    pushes = [f"push{i}_{name}" for i in range(len(p.t.pushes)) for name in ("force", "torque")]
    for name in (*(LINK_FORCE_ROWS if p.t.link_forces else ()), *pushes):
        s.repeat(p.row(name).size, edges.add_size, moving={"x": p.row(name).part(0)}, size=p.row("pushing"))
    s.do(decide, **flags, **{name: p.row(name) for name in ("stirred", "asleep", "pushing")})
    clear(s, p.row("longest"))
    for i in range(len(p.t.moving_links)):
        s.do(wake, **_own(p, i), **flags, longest=p.row("longest"))
    s.do(fall, diverged=p.row(DIVERGED), **{name: p.row(name) for name in (
        "longest", "asleep", "stirred", "resting", "frozen")})


def _rest(p: Plan, s: Schedule) -> None:
    for name in moving_rows(p.t):
        s.repeat(p.row(name).size, stay, moving={"x": p.row(name).part(0), "kept": p.row(f"kept_{name}").part(0)},
                 frozen=p.row("frozen"))
    s.repeat(p.t.nv, stop, moving={"v": p.row("v").part(0)}, resting=p.row("resting"))


def _count(p: Plan, s: Schedule) -> None:
    t, mean = p.t, p.row("mean")
    if t.pgs:
        copy_rows(s, p.row("v_moving"), mean)
    else:
        parts = [p.row("travel")] if t.fixed_base else [p.row(x) for x in ("root_travel", "root_turn", "travel")]
        first = mean.row
        for part in parts:
            s.repeat(part.size, rate, moving={"x": part.part(0), "mean": Span(first, 1)}, dt=p.row("dt"))
            first += part.size
    move_links(p, s, v=mean)
    clear(s, p.row("longest"))
    for i, link in enumerate(t.moving_links):
        s.do(drowse, **_own(p, i), **{name: p.at(name, link) for name in ("R", "motion", "v_com", "mass", "inertia")},
             **{name: p.row(name) for name in ("dt", "sleep_threshold", "longest")})
    for i in range(len(t.moving_links)):
        s.do(settle, **_own(p, i), resting=p.row("resting"), longest=p.row("longest"))


def _own(p: Plan, i: int) -> dict[str, Span]:
    """The rows of the i-th link that can move."""
    return {"counter": p.row("wake_counter").part(i), "linear": p.row("sleep_linear").part(i, 3),
            "angular": p.row("sleep_angular").part(i, 3)}


# --- fragments -------------------------------------------------------------------------------------------------------

def _link(rows: Rows) -> Drowsiness:
    return Drowsiness(rows["counter"][0], vec(rows["linear"]), vec(rows["angular"]))


def _made(link: Drowsiness) -> Made:
    return {"counter": [link.counter], "linear": link.linear, "angular": link.angular}


def decide(rows: Rows) -> Made:
    """Whether the world wakes or stays awake, and whether it starts anew, as numbers."""
    wakes = sleep.wakes(rows["stirred"][0], rows["asleep"][0]) | (rows["pushing"][0] > 0.0)
    return {"wakes": [where(wakes, 1.0, 0.0)], "started": [where(sleep.starts_anew(rows["stirred"][0]), 1.0, 0.0)]}


def wake(rows: Rows) -> Made:
    """A link of a world that may wake, and the longest counter so far."""
    link = sleep.woken(_link(rows), rows["wakes"][0] > 0.5, rows["started"][0] > 0.5)
    return {**_made(link), "longest": [maximum(rows["longest"][0], link.counter)]}


def fall(rows: Rows) -> Made:
    """Whether the world rests, whether it did before, as numbers, and its flags."""
    resting, frozen = sleep.rests(rows["longest"][0], rows["diverged"][0], rows["asleep"][0])
    return {"resting": [where(resting, 1.0, 0.0)], "frozen": [where(frozen, 1.0, 0.0)],
            "asleep": [where(resting, 1.0, 0.0)], "stirred": [sleep.STILL]}


def stay(rows: Rows) -> Made:
    """The kept value in a world that rested before."""
    return {"x": [where(rows["frozen"][0] > 0.5, rows["kept"][0], rows["x"][0])]}


def stop(rows: Rows) -> Made:
    """No velocity in a world that rests."""
    return {"v": [where(rows["resting"][0] > 0.5, 0.0, rows["v"][0])]}


def rate(rows: Rows) -> Made:
    """The mean of a velocity over the step."""
    return {"mean": [1.0 / rows["dt"][0] * rows["x"][0]]}


def drowse(rows: Rows) -> Made:
    """A link after the step, and the longest counter so far."""
    link = sleep.count_down(
        _link(rows), rotation_matrix(rows["R"]), central_velocity(rows), rows["mass"][0],
        sym(rows["inertia"]), rows["dt"][0], rows["sleep_threshold"][0])
    return {**_made(link), "longest": [maximum(rows["longest"][0], link.counter)]}


def settle(rows: Rows) -> Made:
    """A link as the next step finds it."""
    awake = sleep.stays_awake(rows["longest"][0], rows["resting"][0] > 0.5)
    return _made(sleep.settled(_link(rows), awake))

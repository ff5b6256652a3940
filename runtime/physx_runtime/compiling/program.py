"""The traced step of a topology: three straight-line bodies over named rows, and where the rows lie in a buffer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.compiling.code import Body, Node
from physx_runtime.compiling.sharing import alike, hoist
from physx_runtime.language.ops import Rows
from physx_runtime.language.symbols import Graph, Symbol
from physx_runtime.model.rows import input_rows, lasting_rows
from physx_runtime.model.topology import Topology
from physx_runtime.solver.actors import begin_step, finish_step, iterate_step
from physx_runtime.solver.divergence import freeze_diverged, keep_state
from physx_runtime.solver.sleep import fall_asleep, listening

# A row scalar's name is the row's with its index: ("q", 3) -> "q_3".
Given = Mapping[str, Sequence[float | str]]
# What the end of a step is traced with besides its rows.
LISTENING = "listening"


@dataclass(frozen=True, slots=True)
class StepProgram:
    """One step: `begin` once, `position` N times, `velocity` V times, `finish` once, on a buffer with rows `layout`."""

    topology: Topology
    begin: Body
    position: Body
    velocity: Body
    finish: Body
    listening: tuple[int, ...]          # conditions in `finish`: where none holds, `finish_awake` does the same
    finish_awake: Body
    layout: Mapping[str, int]           # row scalar -> row of the buffer: state, then inputs
    scratch: Mapping[str, int]          # row scalar made by `begin` -> row of memory needed during a step only
    state: tuple[str, ...]              # row scalars that hold the state


def scalar_names(rows: Mapping[str, int]) -> list[str]:
    """("q": 2) -> ["q_0", "q_1"]."""
    return [f"{name}_{i}" for name, count in rows.items() for i in range(count)]


@functools.lru_cache(maxsize=64)
def step_layout(t: Topology) -> dict[str, int]:
    """Row scalar -> row of the buffer: state, then inputs; nothing is traced."""
    return {row: i for i, row in enumerate(scalar_names(lasting_rows(t) | input_rows(t)))}


@functools.lru_cache(maxsize=64)
def trace_step(t: Topology) -> StepProgram:
    """Trace the step of a topology."""
    state, inputs = lasting_rows(t), input_rows(t)
    given: dict[str, list[float | str]] = {
        name: [f"{name}_{i}" for i in range(n)] for name, n in (state | inputs).items()}
    start, sizes = _trace(_begin_guarded, t, given)
    bodies, changed = _trace_iterations(t, given, start, sizes, scalar_names(state))

    live = _live_rows(set(scalar_names(state)), *bodies)
    position, velocity, end = (body.pruned(live) for body in bodies)
    conditions = tuple(n for row, n in bodies[-1].outputs if row.startswith(LISTENING))
    start, position = hoist(start, position, changed, "hoisted")
    start, velocity = hoist(start, velocity, changed)
    start = start.pruned(live.union(*(body.inputs for body in (position, velocity, end))))
    names, hot = scalar_names(state | inputs), {*position.inputs, *dict(position.outputs)}
    made = sorted((row for row, _ in start.outputs if row not in names), key=lambda row: row not in hot)
    return StepProgram(t, start, position, velocity, end, conditions, end.where_none(conditions), step_layout(t),
                       {row: i for i, row in enumerate(made)}, tuple(scalar_names(state)))


def _trace_iterations(t: Topology, given: Given, start: Body, made: Mapping[str, int],
                      state: Collection[str]) -> tuple[tuple[Body, Body, Body], set[str]]:
    """Position iteration, velocity iteration and the step's end; the rows that iterations change.

    made: size of every row that `start` makes. Rows that start constant or alike, and that no iteration changes, are
    taken as constant and as one.
    """
    literal = {row: value for row, value in _constants(start).items() if row not in state}
    changed = {*map(str, given["q"]), *map(str, given["v"]), "iteration_0"}
    while True:
        known: dict[str, float | str] = {row: value for row, value in literal.items() if row not in changed}
        known |= {row: holder for row, holder in alike(start, changed).items() if row not in state}
        rows = dict(given)
        for name, size in made.items():
            rows[name] = [known.get(row, row) for row in scalar_names({name: size})]
        bodies = [_trace(functools.partial(iterate_step, final=final), t, rows)[0] for final in (False, True)]
        others = {row for body in bodies for row, n in body.outputs
                  if row not in changed and not _is(body.nodes[n], known.get(row, row))}
        if not others:
            position, velocity = (Body(body.nodes, body.origins, body.order,
                                       tuple((row, n) for row, n in body.outputs if row in changed)) for body in bodies)
            return (position, velocity, _trace(_finish_guarded, t, rows)[0]), changed
        changed |= others


def _is(node: Node, value: float | str) -> bool:
    """Whether a node is this row or number and nothing computed."""
    return node[0] in ("input", "const") and node[1] == (value,)


Algorithm = Callable[[Topology, Rows], Mapping[str, Sequence[Symbol | float]]]


def _begin_guarded(t: Topology, rows: Rows) -> Mapping[str, Sequence[Symbol | float]]:
    return begin_step(t, rows) | keep_state(t, rows)


def _finish_guarded(t: Topology, rows: Rows) -> Mapping[str, Sequence[Symbol | float]]:
    out = freeze_diverged(t, {**rows, **finish_step(t, rows)})
    return out | fall_asleep(t, rows, out) | {LISTENING: listening(t, rows)} if t.sleeping else out


def _trace(function: Algorithm, t: Topology, given: Given) -> tuple[Body, dict[str, int]]:
    """The code of a function and the size of every row it makes."""
    graph = Graph()
    rows = {name: [graph.input(x) if isinstance(x, str) else x for x in values] for name, values in given.items()}
    made = function(t, rows)
    outputs = []
    for name, values in made.items():
        for i, x in enumerate(values):
            outputs.append((f"{name}_{i}", (x if isinstance(x, Symbol) else graph.constant(x)).number))
    body = Body(tuple(graph.nodes), tuple(graph.origins), tuple(range(len(graph.nodes))), tuple(outputs))
    return body, {name: len(values) for name, values in made.items()}


def _constants(body: Body) -> dict[str, float]:
    return {row: float(body.nodes[n][1][0]) for row, n in body.outputs      # type: ignore[arg-type]
            if body.nodes[n][0] == "const"}


def _live_rows(live: set[str], *bodies: Body) -> set[str]:
    """Row scalars that the state depends on through any number of iterations."""
    while True:
        needed = set().union(live, *(body.pruned(live).inputs for body in bodies))
        if needed == live:
            return live
        live = needed

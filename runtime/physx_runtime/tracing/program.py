"""The traced step of a topology: three straight-line bodies over named rows, and where the rows lie in a buffer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.algorithms.kinematics import Rows
from physx_runtime.model import Topology, input_rows, state_rows
from physx_runtime.solver.divergence import FLAG, freeze_diverged, keep_state
from physx_runtime.solver.free_body import begin_body, finish_body, iterate_body
from physx_runtime.solver.sleep import fall_asleep, sleep_rows
from physx_runtime.solver.step import begin, finish, iterate
from physx_runtime.tracing.symbols import Graph, Symbol

# A row scalar's name is the row's with its index: ("q", 3) -> "q_3".
Given = Mapping[str, Sequence[float | str]]


@dataclass(frozen=True, slots=True)
class Body:
    """Straight-line code: nodes as in `Graph`, only the live ones in `order`; outputs are (row scalar, node)."""

    nodes: tuple[tuple[str, tuple[object, ...]], ...]
    origins: tuple[str, ...]            # the equation each node belongs to
    order: tuple[int, ...]
    outputs: tuple[tuple[str, int], ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        """Row scalars it loads."""
        return tuple(str(self.nodes[n][1][0]) for n in self.order if self.nodes[n][0] == "input")

    @property
    def operations(self) -> int:
        """Arithmetic operations, loads and constants left out."""
        return sum(self.nodes[n][0] not in ("input", "const") for n in self.order)


@dataclass(frozen=True, slots=True)
class StepProgram:
    """One step: `begin` once, `position` N times, `velocity` V times, `finish` once, on a buffer with rows `layout`."""

    topology: Topology
    begin: Body
    position: Body
    velocity: Body
    finish: Body
    layout: Mapping[str, int]           # row scalar -> row of the buffer; state, then inputs, then scratch
    state: tuple[str, ...]              # row scalars that hold the state


def scalar_names(rows: Mapping[str, int]) -> list[str]:
    """("q": 2) -> ["q_0", "q_1"]."""
    return [f"{name}_{i}" for name, count in rows.items() for i in range(count)]


@functools.lru_cache(maxsize=64)
def trace_step(t: Topology) -> StepProgram:
    """Trace the step of a topology."""
    state, inputs = state_rows(t) | {FLAG: 1} | sleep_rows(t), input_rows(t)
    given: dict[str, list[float | str]] = {
        name: [f"{name}_{i}" for i in range(n)] for name, n in (state | inputs).items()}
    start = _trace(_begin_guarded, t, given)
    constants = {row: value for row, value in _constants(start).items() if row not in scalar_names(state)}
    bodies = _trace_iterations(t, given, start, constants)

    live = _live_rows(set(scalar_names(state)), *bodies)
    position, velocity, end = (_pruned(body, live) for body in bodies)
    needed = live.union(*(body.inputs for body in (position, velocity, end)))
    start = _pruned(start, needed)
    scratch = [row for row, _ in start.outputs if row not in scalar_names(state)]
    layout = {row: i for i, row in enumerate([*scalar_names(state | inputs), *scratch])}
    return StepProgram(t, start, position, velocity, end, layout, tuple(scalar_names(state)))


def _trace_iterations(t: Topology, given: Given, start: Body, constants: dict[str, float]) -> tuple[Body, Body, Body]:
    """Position and velocity iteration and the step's end.

    A row that starts constant but is changed by an iteration becomes a variable.
    """
    while True:
        rows = dict(given)
        for row, _ in start.outputs:
            name, _, index = row.rpartition("_")
            values = list(rows.get(name, [])) if int(index) else []
            rows[name] = [*values, constants.get(row, row)]
        sweep = iterate_body if t.body else iterate
        bodies = [_trace(functools.partial(sweep, final=final), t, rows) for final in (False, True)]
        after = [_constants(body) for body in bodies]
        changed = {row for row, value in constants.items()
                   for body, left in zip(bodies, after, strict=True)
                   if row in dict(body.outputs) and left.get(row) != value}
        if not changed:
            return bodies[0], bodies[1], _trace(_finish_guarded, t, rows)
        constants = {row: value for row, value in constants.items() if row not in changed}


Algorithm = Callable[[Topology, Rows], Mapping[str, Sequence[Symbol | float]]]


def _begin_guarded(t: Topology, rows: Rows) -> Mapping[str, Sequence[Symbol | float]]:
    return (begin_body if t.body else begin)(t, rows) | keep_state(t, rows)


def _finish_guarded(t: Topology, rows: Rows) -> Mapping[str, Sequence[Symbol | float]]:
    out = freeze_diverged(t, {**rows, **(finish_body if t.body else finish)(t, rows)})
    return out | fall_asleep(t, rows, out) if t.sleeping else out


def _trace(function: Algorithm, t: Topology, given: Given) -> Body:
    graph = Graph()
    rows = {name: [graph.input(x) if isinstance(x, str) else x for x in values] for name, values in given.items()}
    made = function(t, rows)
    outputs = []
    for name, values in made.items():
        for i, x in enumerate(values):
            outputs.append((f"{name}_{i}", (x if isinstance(x, Symbol) else graph.constant(x)).number))
    return Body(tuple(graph.nodes), tuple(graph.origins), tuple(range(len(graph.nodes))), tuple(outputs))


def _constants(body: Body) -> dict[str, float]:
    return {row: float(body.nodes[n][1][0]) for row, n in body.outputs      # type: ignore[arg-type]
            if body.nodes[n][0] == "const"}


def _live_rows(live: set[str], *bodies: Body) -> set[str]:
    """Row scalars that the state depends on through any number of iterations."""
    while True:
        needed = set().union(live, *(_pruned(body, live).inputs for body in bodies))
        if needed == live:
            return live
        live = needed


def _pruned(body: Body, live: set[str]) -> Body:
    """The body with only the outputs in `live` that it changes, and what they need."""
    outputs = tuple((row, n) for row, n in body.outputs if row in live and body.nodes[n] != ("input", (row,)))
    used: set[int] = set()
    stack = [n for _, n in outputs]
    while stack:
        n = stack.pop()
        if n not in used:
            used.add(n)
            op, args = body.nodes[n]
            if op not in ("input", "const"):
                stack += [int(a) for a in args]     # type: ignore[call-overload]
    return Body(body.nodes, body.origins, tuple(sorted(used)), outputs)


def by_equation(body: Body) -> Iterator[tuple[int, str | None]]:
    """Nodes in order, each with the name of its equation where another one begins."""
    last = None
    for n in body.order:
        op, origin = body.nodes[n][0], body.origins[n]
        new = origin != last and op not in ("const", "input")
        yield n, origin if new else None
        last = origin if new else last

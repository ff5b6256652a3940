"""`Observer` computes pose and velocity of every link from the states before and after a step, with the step's forward
kinematics. Trees of up to 64 links run as traced Python code, which takes a quarter of the time; tracing takes 20 ms a
link. Larger trees run on floats, and 24 or more articulations of one structure on arrays. All three give the same bits.
Velocities of a fixed base are those that PhysX holds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.compiling.code import row_scalars, scalar_names, trace
from physx_runtime.compiling.python_source import python_function
from physx_runtime.dynamics.kinematics import link_poses, link_velocities, state_kinematics
from physx_runtime.dynamics.spatial import linear_first
from physx_runtime.language.ops import Rows
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.model.topology import Topology
from physx_runtime.packing.model import PackedModel
from physx_runtime.solver.articulation.velocity import solver_link_velocities

State = Mapping[str, NDArray[Any]]
NUMBERS_A_LINK = 13      # position, quaternion x y z w, velocity of the centre of mass, angular velocity
BEFORE_STEP = "start_"    # before the row names of the state at the step's start
MAX_TRACED_LINKS = 64       # links: about a second of tracing
MIN_VECTORIZED = 24       # articulations of one structure: the cost of an operation on an array in operations on floats


@dataclass(frozen=True, slots=True)
class Observer:
    """Link poses and velocities of one articulation, in world axes."""

    model: PackedModel
    _parameters: list[float]

    @staticmethod
    def of(model: PackedModel) -> Observer:
        """The observer of a model; a structure seen before needs no tracing."""
        frames = [x for position, rotation in model.link_frames for x in (*position, *rotation)]
        t, parameters = model.topology.tree, model.tree_parameters
        rows = (np.ravel(parameters[name]).tolist() for name in _parameter_rows(t))
        return Observer(model, [*(x for row in rows for x in row), *frames])

    def links(self, before: State, after: State, dt: float) -> DoubleArray:
        """(n_link, 13): pose, then velocity as PhysX reports it after the step of dt [s] from `before` to `after`."""
        t = self.model.topology.tree
        states = (np.ravel(state[name]).tolist() for state in (before, after) for name in state_rows(t))
        inputs = [dt, *(x for row in states for x in row), *self._parameters]
        values = _traced(t)(inputs) if len(t.links) <= MAX_TRACED_LINKS else _observe(t, _as_rows(t, inputs))
        return np.array(values, dtype=np.float64).reshape(-1, NUMBERS_A_LINK)


def links_of_many(observers: Sequence[Observer], before: State, after: State, dt: float) -> DoubleArray:
    """`Observer.links` of articulations of one structure, (n, n_link, 13). before, after: row name -> (n, size)."""
    t, count = observers[0].model.topology.tree, len(observers)
    states = [state[name].T for state in (before, after) for name in state_rows(t)]
    parameters = np.array([observer._parameters for observer in observers]).T
    inputs = np.concatenate([np.full((1, count), dt), *states, parameters])
    with np.errstate(all="ignore"):         # as on floats: what is lost shows in the result
        values = _observe(t, _as_rows(t, inputs))
    return np.stack([np.broadcast_to(x, count) for x in values], axis=-1).reshape(count, -1, NUMBERS_A_LINK)


def _sizes(t: Topology) -> dict[str, int]:
    """Sizes of the input rows in order: dt, both states, parameters and link frames."""
    sizes = {"dt": 1, **{BEFORE_STEP + name: size for name, size in state_rows(t).items()}, **state_rows(t)}
    return sizes | {name: input_rows(t)[name] for name in _parameter_rows(t)} | {"link_frames": 7 * len(t.links)}


def _as_rows(t: Topology, values: Any) -> Rows:
    """Numbers in the order of `_sizes`, or arrays of them, by row."""
    rows, start = {}, 0
    for name, size in _sizes(t).items():
        rows[name] = values[start:start + size]
        start += size
    return rows


def _parameter_rows(t: Topology) -> list[str]:
    """The parameters that poses and velocities depend on."""
    return [name for name in input_rows(t) if name in (
        "tree_position", "tree_rotation", "com", "velocity_clamp", "max_linear_velocity", "max_angular_velocity")]


def _observe(t: Topology, rows: Rows) -> list[Any]:
    """Pose and velocity of every link, flat."""
    k = state_kinematics(t, rows)
    poses = link_poses(t, rows, k)
    velocities = _after_step(t, rows) if t.fixed_base else link_velocities(t, k, rows["v"])
    return [x for pose, velocity in zip(poses, velocities, strict=True) for x in (*pose, *velocity)]


def _after_step(t: Topology, rows: Rows) -> list[list[Any]]:
    """Link velocities of a fixed base as PhysX holds them after a step."""
    start = {**rows, **{name: rows[BEFORE_STEP + name] for name in state_rows(t)}}
    return [linear_first(motion) for motion in solver_link_velocities(t, start, rows["v"])]


@functools.lru_cache(maxsize=64)
def _traced(t: Topology) -> Callable[[Sequence[float]], list[float]]:
    """`_observe` as one function of the numbers of `_sizes`."""
    sizes = _sizes(t)
    code, _ = trace(lambda rows: {"links": _observe(t, rows)}, row_scalars(sizes))
    return python_function(code.pruned({row for row, _ in code.outputs}), scalar_names(sizes))

"""A joint outside articulations, as a scene hands it out: its parameters and whether it broke, world by world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.model.island import AXES, LIMITED, JointTopology
from physx_runtime.model.island_rows import ISLAND_TABLE, joint_rows
from physx_runtime.model.rows import KEPT, OUTSIDE, PARAMETER, STATE, Row
from physx_runtime.simulation.island import AlikeIslands
from physx_runtime.simulation.parameter_values import allowed, chosen_worlds, refusal, rounded
from physx_runtime.simulation.parameters import Parameter
from physx_runtime.worlds.sleep import TARGET_ROWS

Array = NDArray[Any]
Indices = NDArray[np.int64]

# Of which the first may not exceed the second.
PAIRS = (("lower_limit", "upper_limit"), ("minimum_distance", "maximum_distance"))
# Parameters that wake what a joint holds, by any value: of drives. No limit, spring or threshold wakes anything.
WAKING = TARGET_ROWS | {"stiffness", "damping", "max_force"}


class SceneJoint:
    """One joint outside articulations in all worlds of a scene.

    path: its prim; islands, place, number: where its rows are.
    """

    def __init__(self, path: str, islands: AlikeIslands, place: int, number: int) -> None:
        self.path, self.worlds = path, islands.lanes.worlds
        self.topology: JointTopology = islands.islands[place].topology.joints[number]
        self._islands, self._place, self._number = islands, place, number
        self.parameters: Mapping[str, Parameter] = {own.name: own for own in _parameters(path, self.topology)}

    @property
    def broken(self) -> NDArray[np.bool_]:
        """(n_world,) where a force or a torque took it away; a reset restores it."""
        if not self.topology.breaks:
            return np.zeros(self.worlds, dtype=np.bool_)
        return np.asarray(self._rows("broken")[:, 0] > 0.5)

    @property
    def force(self) -> Array:
        """(n_world, 6) what it gave body0 on average over the last step: force, and torque about its anchor on body1.

        World axes; the world takes it where there is no body0, and body1 gets the opposite. As in PhysX, whose break
        force and torque bound it, drives do not count. While it sleeps it is that of the last step awake. Raises
        RuntimeError unless `Scene.keep_joint_forces` was called.
        """
        if not self._islands.keeps_forces:
            raise RuntimeError(f"no step left the force of {self.path}; call keep_joint_forces() of the scene before "
                               "stepping it")
        return self._rows("force")

    def parameter(self, name: str) -> Array:
        """Values of a parameter in every world, (n_world, *shape), in radians; raises ValueError for another name."""
        return self._rows(name)[:, self._columns(name)]

    def set_parameter(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set one parameter as `set_parameters` does several."""
        self.set_parameters({name: values}, worlds)

    def set_parameters(self, values: Mapping[str, ArrayLike], worlds: ArrayLike | None = None) -> None:
        """Set parameters, each by one number, `shape` for all chosen worlds alike, or (n_chosen, *shape).

        worlds: a mask (n_world,) or indices, all where None. Raises ValueError, naming world and axis, for values out
        of range; then nothing is set.
        """
        chosen = chosen_worlds(worlds, self.worlds)
        new = {name: self._shaped(name, given, len(chosen)) for name, given in values.items()}
        for name in new:
            self._check(name, new, chosen)
        for name, array in new.items():
            held = self._rows(name)
            columns = np.ix_(chosen, np.asarray(self._columns(name)))
            held[columns] = array
            self._islands.share_of_joint(self._place, self._number).write(name, held)
        if WAKING & values.keys():
            self._wake(chosen)

    def go_on(self, before: SceneJoint) -> None:
        """Keep what another joint keeps of the same rows: whether it broke, and how far its hinges turned."""
        kept = joint_rows(self.topology, STATE, KEPT)
        for name in kept.keys() & joint_rows(before.topology, STATE, KEPT).keys():
            self._islands.share_of_joint(self._place, self._number).write(name, before._rows(name))

    def _wake(self, worlds: Indices) -> None:
        """Wake what the joint holds in worlds with these indices."""
        for side in self.topology.sides:
            if side.moves:
                self._islands.wake(self._place, side.owner, worlds)

    def _rows(self, name: str) -> Array:
        return self._islands.share_of_joint(self._place, self._number).rows(name)

    def _columns(self, name: str) -> list[int]:
        """Which numbers of a row are a parameter's."""
        if name not in self.parameters:
            raise ValueError(f"{name!r} is no parameter of {self.path}; allowed are "
                             f"{', '.join(sorted(self.parameters)) or 'none'}")
        return [scalars[0][1] for scalars in self.parameters[name].scalars]

    def _shaped(self, name: str, values: ArrayLike, count: int) -> Array:
        """Values of a parameter as (count, *shape), in the step's precision."""
        size, given = len(self._columns(name)), np.asarray(values, dtype=np.float64)
        if given.shape not in ((), (size,), (count, size)):
            raise ValueError(f"{name} of {self.path} has shape {given.shape}; give one number, {(size,)} or "
                             f"{(count, size)}")
        return rounded(np.broadcast_to(given, (count, size)), self._islands.lanes.dtype)

    def _check(self, name: str, new: Mapping[str, Array], worlds: Indices) -> None:
        """Raises ValueError for the first value that PhysX would not take."""
        parameter = self.parameters[name]
        self._refuse(parameter, new[name], ~allowed(parameter.range, new[name]), worlds,
                     f"give values in {parameter.range}")
        for below, above in PAIRS:
            if name not in (below, above) or not {below, above} <= self.parameters.keys():
                continue
            low, high = (new[end] if end in new else self.parameter(end)[worlds] for end in (below, above))
            if self.topology.range == "equal":
                self._refuse(parameter, new[name], low != high, worlds, f"{below} and {above} are authored alike, and "
                             "stay so: set both")
            self._refuse(parameter, new[name], low > high, worlds, f"{below} may not exceed {above}")

    @staticmethod
    def _refuse(parameter: Parameter, held: Array, wrong: Array, worlds: Indices, advice: str) -> None:
        if wrong.any():
            raise ValueError(refusal(parameter.name, held, wrong, worlds, parameter.label, advice))


def _parameters(path: str, t: JointTopology) -> Iterator[Parameter]:
    """What may differ between worlds of a joint: of its six axes those for which it counts."""
    known = joint_rows(t, PARAMETER)
    for row in ISLAND_TABLE:
        if row.owner == OUTSIDE and row.name in known:
            columns = _acting_columns(row, t)
            elements = tuple(f"{path}:{row.components[i]}" if row.components else path for i in columns)
            if columns:
                yield Parameter(row.name, elements, "", row.range, row.unit, row.text,
                                tuple(((row.name, i),) for i in columns))


def _acting_columns(row: Row, t: JointTopology) -> list[int]:
    """The numbers of a row that something heeds."""
    if row.components != AXES:
        soft = not row.name.startswith("cone_") or row.name == "cone_angle" or t.cone == "soft"
        return list(range(row.width)) if soft else []
    if row.name in ("lower_limit", "upper_limit"):
        return [i for i, axis in enumerate(t.axes) if axis.motion == LIMITED]
    if row.name.startswith("limit_"):
        return [i for i, axis in enumerate(t.axes) if axis.soft]
    return [i for i, axis in enumerate(t.axes) if axis.drive]

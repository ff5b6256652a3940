"""Reading and setting parameters of single worlds: what is refused, and how values reach the rows of the step."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.owners import Owner, owners
from physx_runtime.model.topology import REVOLUTE, Topology
from physx_runtime.packing.frames import Frame, inverse_frame
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.mass_properties import WorldMassProperties
from physx_runtime.simulation.parameters import FEATURES, Parameter, ordered_pairs, parameters_of

Array = NDArray[Any]

# Of a quaternion before it is divided by its length.
LEAST_ROTATION_LENGTH = 1e-6


class RowStore(Protocol):
    """Where rows of all worlds are kept."""

    def rows(self, name: str) -> Array:
        """A row group, (n_world, n), a copy."""

    def write_at(self, name: str, values: Array, worlds: NDArray[np.int64], columns: Sequence[int] | None = None
                 ) -> None:
        """Set columns of a row group, all where None, of the worlds with these indices."""


class ParameterValues:
    """The parameters of one actor in every world."""

    def __init__(self, model: PackedModel, store: RowStore, worlds: int, dtype: str) -> None:
        self.topology: Topology = model.topology.tree
        self.mass_properties = WorldMassProperties(model, worlds)
        self.rows_set: set[str] = set()     # that may differ from the model's
        self.store, self._model, self._worlds, self._dtype = store, model, worlds, dtype

    @functools.cached_property
    def owners(self) -> Mapping[str, tuple[Owner, ...]]:
        """Everything in the model that rows belong to, by kind of owner."""
        return owners(self.topology, self._model.actor, self._model.scene)

    @functools.cached_property
    def table(self) -> Mapping[str, Parameter]:
        """Every parameter of the model by name."""
        return parameters_of(self.owners, self._model.topology)

    def read(self, name: str) -> Array:
        """Values of every world, (n_world, *shape)."""
        parameter = self.parameter(name)
        if not parameter.scalars:
            return self.mass_properties.values[name].astype(self._dtype)
        rows = {row: self.store.rows(row) for row, _ in (places[0] for places in parameter.scalars)}
        flat = np.stack([rows[row][:, i] for row, i in (places[0] for places in parameter.scalars)], axis=-1)
        return flat.reshape(self._worlds, *parameter.shape)

    def assign(self, values: Mapping[str, ArrayLike], worlds: NDArray[np.int64]) -> None:
        """Set parameters in the worlds with these indices; nothing is set where anything is refused."""
        new = {name: self._shaped(name, given, len(worlds)) for name, given in values.items()}
        for name in new:
            self._check(self.table[name], new, worlds)
        for name, array in new.items():
            if self.table[name].scalars:
                self._copy(self.table[name], array.reshape(len(worlds), -1), worlds)
            else:
                self._derive(name, array, worlds)

    def _shaped(self, name: str, values: ArrayLike, count: int) -> Array:
        """Values of a parameter as (count, *shape)."""
        shape, given = self.parameter(name).shape, np.asarray(values, dtype=np.float64)
        size = math.prod(shape)
        if given.shape in ((size,), (count, size)):     # as the step has rows
            given = given.reshape(*given.shape[:-1], *shape)
        if given.shape not in ((), shape, (count, *shape)):
            raise ValueError(f"{name} has shape {given.shape}; give one number, {shape} or {(count, *shape)}")
        return np.broadcast_to(given, (count, *shape))

    def parameter(self, name: str) -> Parameter:
        """The parameter of this name; raises ValueError where there is none."""
        if name not in self.table:
            raise ValueError(f"{name!r} is no parameter of this model; allowed are {', '.join(sorted(self.table))}")
        return self.table[name]

    # --- setting -----------------------------------------------------------------------------------------------------

    def _copy(self, parameter: Parameter, new: Array, worlds: NDArray[np.int64]) -> None:
        for row, pairs in self.places(parameter).items():
            inside, columns = (list(part) for part in zip(*pairs, strict=True))
            self._write(row, new[:, columns], worlds, inside)

    @staticmethod
    def places(parameter: Parameter) -> dict[str, list[tuple[int, int]]]:
        """Row -> (index in it, index among the parameter's values) of every number that is a copy of one of these."""
        places: dict[str, list[tuple[int, int]]] = {}
        for column, scalars in enumerate(parameter.scalars):
            for row, i in scalars:
                places.setdefault(row, []).append((i, column))
        return {row: sorted(pairs) for row, pairs in places.items()}

    def _derive(self, name: str, new: Array, worlds: NDArray[np.int64]) -> None:
        if name == "principal_axes":
            new = new / np.linalg.norm(new, axis=-1, keepdims=True)
        whole = self.mass_properties.values[name].copy()
        whole[worlds] = new
        for change in self.mass_properties.assign(name, whole):
            inside = range(change.first, change.first + change.values.shape[1])
            self._write(change.row, change.values[change.worlds], np.flatnonzero(change.worlds), inside)

    def _write(self, row: str, values: Array, worlds: NDArray[np.int64], columns: Sequence[int]) -> None:
        self.store.write_at(row, values, worlds, columns)
        self.rows_set.add(row)

    # --- what follows from them --------------------------------------------------------------------------------------

    def root_kept(self, before: Frame) -> Iterator[tuple[str, Array, Array]]:
        """Rows of the root's F, worlds (n_world,) and values (n_world, n), where its link stays though F moves in it.

        before: `root_place` of the worlds until now.
        """
        (center, axes), (old_center, old_axes) = self.mass_properties.root_place(), before
        moved, turned = np.not_equal(center, old_center), np.not_equal(axes, old_axes)
        if not moved.any() and not turned.any():
            return
        rotation = sp.normalized(tuple(np.moveaxis(self.store.rows("root_rotation").astype(np.float64), -1, 0)))
        link = sp.mul_quat(rotation, sp.conjugate(old_axes))
        shift = sp.sub(center, old_center)
        position = self.store.rows("root_position") + np.stack(sp.rotate(link, shift), axis=-1)
        yield "root_position", np.asarray(moved.any(axis=0)), position
        yield "root_rotation", np.asarray(turned.any(axis=0)), np.stack(sp.mul_quat(link, axes), axis=-1)

    def model_of_worlds(self) -> PackedModel:
        """The model with the worlds' own parameters, (n, n_world), for algorithms that run on arrays of worlds."""
        own = {name: self.store.rows(name).T.astype(np.float64) for name in self.rows_set}
        frames = list(self._model.link_frames)
        if self.topology.root_size:
            frames[0] = inverse_frame(self.mass_properties.root_place())
        return replace(self._model, parameters={**self._model.parameters, **own}, link_frames=tuple(frames))

    # --- refusing ----------------------------------------------------------------------------------------------------

    def _check(self, parameter: Parameter, new: Mapping[str, Array], worlds: NDArray[np.int64]) -> None:
        """Raises ValueError for the first value that PhysX would not take, or that nothing would heed."""
        with np.errstate(over="ignore"):
            held = new[parameter.name].astype(self._dtype).reshape(len(worlds), -1)
        self._refuse(parameter, held, ~allowed(parameter.range, held), worlds, f"give values in {parameter.range}")
        if parameter.name == "principal_axes":
            lengths = np.repeat(np.linalg.norm(new[parameter.name], axis=-1), 4, axis=-1)
            self._refuse(parameter, held, lengths == 0.0, worlds, "give a rotation other than (0, 0, 0, 0)")
        for below, above in ordered_pairs():
            if parameter.name in (below, above):
                name = above if parameter.name == below else below
                other = new[name] if name in new else self.read(name)[worlds]
                other = other.astype(self._dtype).reshape(len(worlds), -1)
                wrong = held > other if parameter.name == below else held < other
                self._refuse(parameter, held, wrong, worlds, f"{below} may not exceed {above}")
        if parameter.name in ("lower_limit", "upper_limit"):
            tied = [dof in self._mimicked() for dof in range(held.shape[1])]
            self._refuse(parameter, held, np.isinf(held) & tied, worlds, "a mimic joint needs finite limits")
        if parameter.name in FEATURES:
            self._refuse_unheeded(parameter, held, worlds)

    def _refuse_unheeded(self, parameter: Parameter, held: Array, worlds: NDArray[np.int64]) -> None:
        feature = FEATURES[parameter.name]
        absent = np.array([not getattr(dof, feature.feature) for dof in self.topology.dofs])
        wrong = (held != feature.neutral) & absent
        missing = feature.feature.replace("_", " ")
        self._refuse(parameter, held, wrong, worlds, f"the stage authors no {missing} there and nothing would heed it; "
                     f"make the Simulation with randomize=({parameter.name!r},)")

    def _mimicked(self) -> set[int]:
        return {dof for pair in self.topology.mimics for dof in pair
                if self.topology.links[self.topology.dofs[dof].link].kind == REVOLUTE}

    @staticmethod
    def _refuse(parameter: Parameter, held: Array, wrong: Array, worlds: NDArray[np.int64], advice: str) -> None:
        if wrong.any():
            raise ValueError(refusal(parameter.name, held, wrong, worlds, parameter.label, advice))


def refusal(name: str, values: Array, wrong: Array, worlds: NDArray[np.int64], label: Callable[[int], str],
            advice: str) -> str:
    """One line about the first wrong value of (n, n_value): its world, what it belongs to, and how many there are."""
    world, index = (int(x) for x in np.argwhere(wrong)[0])
    count = int(np.count_nonzero(wrong))
    more = f" (and {count - 1} more)" if count > 1 else ""
    return f"{name} of world {worlds[world]} at {label(index)} is {values[world, index]:g}{more}; {advice}"


def rounded(values: Array, dtype: str) -> Array:
    """Values in another type, infinite where they are too large for it."""
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def allowed(text: str, values: Array) -> Array:
    """Which values a range allows: "(0, inf)", "[0, inf]", "0 or 1", "(-inf, inf) but 0"; NaN never."""
    if text == "0 or 1":
        return np.asarray((values == 0.0) | (values == 1.0))
    bounds, _, hole = text.partition(" but ")
    low, high = (float(x) for x in bounds[1:-1].split(","))
    above = values >= low if bounds.startswith("[") else values > low
    below = values <= high if bounds.endswith("]") else values < high
    return np.asarray(above & below & ((values != float(hole)) if hole else True))


def is_rotation(quaternions: Array) -> Any:
    """Whether each of (..., 4) numbers can be divided by its length."""
    return np.linalg.norm(quaternions, axis=-1) > LEAST_ROTATION_LENGTH


def chosen_worlds(worlds: ArrayLike | None, count: int) -> NDArray[np.int64]:
    """Indices of the worlds that a mask (n_world,) or indices name; all of them for None.

    Raises ValueError for a mask of another size and for an index that is none or comes twice.
    """
    if worlds is None:
        return np.arange(count)
    given = np.atleast_1d(np.asarray(worlds))
    if given.dtype == np.bool_:
        if given.shape != (count,):
            raise ValueError(f"the mask of worlds has shape {given.shape}; give ({count},)")
        return np.flatnonzero(given)
    if given.size == 0:
        return np.zeros(0, dtype=np.int64)
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"worlds are {given.dtype} of shape {given.shape}; give a mask ({count},) or indices")
    if given.min() < 0 or given.max() >= count or len(np.unique(given)) != len(given):
        raise ValueError(f"worlds are {given.tolist()}; give each index at most once, from 0 to {count - 1}")
    return given.astype(np.int64)


"""`SceneParameters` reads and sets a parameter of all actors of a scene in one array, in the order of actors."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import Array, Indices
from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.parameters import Parameter, world_values
from physx_schema.arguments import display, required_text, suggestion


class SceneParameters:
    """The parameters of the actors of a scene, by name."""

    def __init__(self, actors: Sequence[Actor]) -> None:
        self._actors = actors

    @functools.cached_property
    def table(self) -> Mapping[str, Parameter]:
        """Every parameter by name, with the elements of all actors that have it."""
        table = dict[str, Parameter]()
        for actor in self._actors:
            for name, parameter in actor.parameters.items():
                known = table.get(name)
                elements = (known.elements if known else ()) + parameter.elements
                table[name] = replace(parameter, elements=elements, scalars=())
        return table

    def read(self, name: str) -> Array:
        """The values of all actors, (n_world, *shape). Raises ValueError for an unknown name."""
        self._parameter(name)
        return np.concatenate([actor.parameter(name) for actor in self._actors if name in actor.parameters], axis=1)

    def assign(self, name: str, values: ArrayLike, worlds: Indices) -> None:
        """Set the values of all actors in worlds with these indices. Raises ValueError, and sets nothing then."""
        parts = list(self._split(self._parameter(name), values, worlds))
        for actor, part in parts:
            actor.parameter_values.check({name: part}, worlds)
        for actor, part in parts:
            actor.set_parameter(name, part, worlds)

    def _split(self, parameter: Parameter, values: ArrayLike, worlds: Indices) -> Iterator[tuple[Actor, Array]]:
        """The values of each actor, (n_selected, *shape)."""
        array, name, start = world_values(parameter, values, len(worlds)), parameter.name, 0
        for actor in self._actors:
            if name in actor.parameters:
                size = len(actor.parameters[name].elements)
                yield actor, array[:, start:start + size]
                start += size

    def _parameter(self, name: str) -> Parameter:
        if required_text("name", name) not in self.table:
            raise ValueError(f"{display(name)} is not a parameter of the scene's actors; "
                             f"{suggestion(name, self.table)}")
        return self.table[name]

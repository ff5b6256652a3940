"""What a caller gives for joints or links, as an array in their order or by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
Values = ArrayLike | Mapping[str, ArrayLike]


@dataclass(frozen=True, slots=True)
class GivenValues:
    """Values in every world, and for whom there are any."""

    values: NDArray[np.float64]     # (n_world, n, *item)
    named: NDArray[np.bool_]        # (n,)

    def of(self, part: slice) -> GivenValues:
        """Those of some of the joints or links."""
        return GivenValues(self.values[:, part], self.named[part])

    def into(self, held: Array) -> NDArray[np.float64]:
        """Values held, (n_world, n, *item), with the given ones in their place."""
        out = held.astype(np.float64)
        out[:, self.named] = self.values[:, self.named]
        return out


def given_values(argument: str, given: Values, names: Sequence[str], worlds: int, item: tuple[int, ...] = ()
                 ) -> GivenValues:
    """What an argument says: (n, *item) or (n_world, n, *item), or {name: item, or (n_world, *item)}.

    Raises ValueError for arrays that do not fit and for names that there are none of.
    """
    shape = (len(names), *item)
    if not isinstance(given, Mapping):
        array = _fitting(argument, given, shape, worlds)
        return GivenValues(np.broadcast_to(array, (worlds, *shape)), np.ones(len(names), dtype=np.bool_))
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise ValueError(f"{argument} names {', '.join(unknown)}; allowed are {', '.join(names) or 'none'}")
    values, named = np.zeros((worlds, *shape)), np.array([name in given for name in names], dtype=np.bool_)
    for name, value in given.items():
        values[:, names.index(name)] = _fitting(f"{argument} of {name}", value, item, worlds)
    return GivenValues(values, named)


def _fitting(what: str, given: ArrayLike, shape: tuple[int, ...], worlds: int) -> NDArray[np.float64]:
    """An array of one world's shape or of all worlds'."""
    array = np.asarray(given, dtype=np.float64)
    if array.shape not in (shape, (worlds, *shape)):
        raise ValueError(f"{what} has shape {array.shape}; give {shape} or {(worlds, *shape)}")
    return array

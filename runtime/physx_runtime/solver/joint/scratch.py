"""What preparing a joint leaves for its solution: row groups filled row by row, and read back in the same order."""

from __future__ import annotations

from dataclasses import dataclass, field

from physx_runtime.dynamics.spatial import Vec3
from physx_runtime.language.ops import Rows, Scalar

Made = dict[str, list[Scalar]]


def put(made: Made, name: str, *values: Scalar) -> None:
    """Append to a row group."""
    made.setdefault(name, []).extend(values)


@dataclass(slots=True)
class Reading:
    """Row groups being read, each from its start."""

    rows: Rows
    _places: dict[str, int] = field(default_factory=dict, init=False)

    def scalar(self, name: str) -> Scalar:
        """The next number of a group."""
        place = self._places.get(name, 0)
        self._places[name] = place + 1
        return self.rows[name][place]

    def vector(self, name: str) -> Vec3:
        """The next three numbers of a group."""
        return (self.scalar(name), self.scalar(name), self.scalar(name))

    def several(self, name: str, count: int) -> list[Scalar]:
        """The next numbers of a group."""
        return [self.scalar(name) for _ in range(count)]

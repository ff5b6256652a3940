"""`Variation` draws parameters at random for each world from bounds in a YAML file (domain randomization).
`read_variation` reads the file.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.arguments import as_float, required_count
from physx_runtime.simulation.parameters import Parameter
from physx_schema.arguments import (
    display,
    label,
    required_flag,
    required_instance,
    required_mapping,
    required_texts,
    suggestion,
)
from physx_schema.files import read_text

SCALE, VALUE, OF = "scale", "value", "of"
KEYS = ("worlds", "seed", "parameters")
EXAMPLE = "mass: {scale: [0.8, 1.2]}"



@dataclass(frozen=True, slots=True)
class Spread:
    """The bounds of a parameter's random values. Each joint or body of each world gets a separate random value."""

    low: float
    high: float
    relative: bool                      # whether they are factors of what is authored
    of: tuple[str, ...] = ()            # prim paths, or the ends of them; () for every element

    def __post_init__(self) -> None:
        """Raise ValueError for bounds that are not finite numbers in order, and for paths that are not strings."""
        if not (_finite(self.low) and _finite(self.high) and self.low <= self.high):
            raise ValueError(f"low is {display(self.low)} and high is {display(self.high)}; give finite numbers, low "
                             "at most high")
        required_flag("relative", self.relative)
        required_texts("of", self.of)


@dataclass(frozen=True, slots=True)
class Variation:
    """The number of worlds, and the parameters that differ between them. World 0 has the authored values."""

    worlds: int
    parameters: Mapping[str, Spread]
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise ValueError for a wrong number of worlds, seed or spread."""
        required_count("worlds", self.worlds, 1)
        required_count("seed", self.seed, 0)
        for name, spread in required_mapping("parameters", self.parameters).items():
            required_instance(f"parameters[{name!r}]", spread, Spread, "give a Spread")

    def apply(self, actors: Iterable[Actor]) -> None:
        """Draw and set the parameters of all worlds except the first.

        Raises ValueError for parameters that no actor has, for paths without this parameter, and for values that PhysX
        refuses.
        """
        actors, generator = list(actors), np.random.default_rng(self.seed)
        require_spreads(actors, self.parameters)
        for actor in actors:
            drawn = {name: self._values(actor, name, spread, generator)
                     for name, spread in self.parameters.items() if name in actor.parameters}
            if drawn:
                actor.set_parameters(drawn)

    @staticmethod
    def _values(actor: Actor, name: str, spread: Spread, generator: np.random.Generator) -> Array:
        """(n_world, *shape), with one number drawn for each element."""
        values, parameter = actor.parameter(name).astype(np.float64), actor.parameters[name]
        subset = spread_elements(parameter, spread)
        drawn = generator.uniform(spread.low, spread.high, (actor.worlds, len(parameter.elements)))
        drawn = drawn.reshape(*drawn.shape, *(1,) * (values.ndim - drawn.ndim))
        values[1:, subset] = (values * drawn if spread.relative else np.broadcast_to(drawn, values.shape))[1:, subset]
        return values


def require_spreads(actors: Sequence[Actor], spreads: Mapping[str, Spread]) -> None:
    """Raise ValueError for parameters or elements that none of these actors has."""
    names = sorted({parameter for actor in actors for parameter in actor.parameters})
    for name in spreads:
        if name not in names:
            raise ValueError(f"{name} is not a parameter of the simulated actors; "
                             f"{suggestion(name, names, 'allowed are')}")
    for name, spread in spreads.items():
        elements = [element for actor in actors if name in actor.parameters
                    for element in actor.parameters[name].elements]
        for path in spread.of:
            if not any(matches(element, path) for element in elements):
                raise ValueError(f"{name}: {path} does not have this parameter; "
                                 f"{suggestion(path, elements, 'allowed are')}")


def spread_elements(parameter: Parameter, spread: Spread) -> list[int]:
    """The indices of the elements of a parameter that a spread names."""
    return [i for i, element in enumerate(parameter.elements)
            if not spread.of or any(matches(element, path) for path in spread.of)]


def read_variation(file: str | Path) -> Variation:
    """Read a variation from a YAML file with worlds, seed (default 0), and parameters.

    The format of parameters is {NAME: {scale: [LOW, HIGH], of: [PATH, ...]}}. To give absolute values, write value
    instead of scale. Raises ValueError for a file that has not this format, and the errors of `read_text` for
    an unreadable file.
    """
    import yaml

    if not isinstance(file, str | Path):
        raise ValueError(f"file is {display(file)}; give the path of a YAML file")
    try:
        data = yaml.safe_load(read_text(Path(file)))
    except FileNotFoundError:
        raise FileNotFoundError(f"{label(str(file))}: there is no such file; give the path of a YAML file") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(f"{file}: invalid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict) or not isinstance(data.get("parameters"), dict):
        raise ValueError(f"{file}: worlds: or parameters: is missing; write for example worlds: 64 and parameters: "
                         f"{{{EXAMPLE}}}")
    _require_known_keys(f"{file}", data, KEYS)
    counts = {"worlds": data.get("worlds"), "seed": data.get("seed", 0)}
    for key, minimum in (("worlds", 1), ("seed", 0)):
        if not isinstance(counts[key], int) or isinstance(counts[key], bool) or counts[key] < minimum:
            raise ValueError(f"{file}: {key} is {counts[key]!r}; give a whole number of at least {minimum}")
    return Variation(counts["worlds"], {str(name): _spread(f"{file}: {name}", entry)
                                        for name, entry in data["parameters"].items()}, counts["seed"])


def _spread(label: str, entry: Any) -> Spread:
    """The bounds of one parameter."""
    if not isinstance(entry, dict) or (SCALE in entry) == (VALUE in entry):
        raise ValueError(f"{label}: give either {SCALE} or {VALUE}; for example {EXAMPLE}")
    _require_known_keys(label, entry, (SCALE, VALUE, OF))
    mode = SCALE if SCALE in entry else VALUE
    bounds, of = entry[mode], entry.get(OF, [])
    if not (isinstance(bounds, list) and len(bounds) == 2 and all(map(_finite, bounds)) and bounds[0] <= bounds[1]):
        raise ValueError(f"{label}: {mode} is {bounds!r}; give two finite numbers [low, high]")
    if not (isinstance(of, list) and all(isinstance(path, str) for path in of)):
        raise ValueError(f"{label}: {OF} is {of!r}; give a list of prim paths")
    return Spread(float(bounds[0]), float(bounds[1]), mode == SCALE, tuple(of))


def _finite(value: Any) -> bool:
    return math.isfinite(as_float(value))


def _require_known_keys(label: str, entry: Mapping[Any, Any], keys: Collection[str]) -> None:
    if unknown := sorted(str(key) for key in entry if key not in keys):
        raise ValueError(f"{label}: {', '.join(unknown)} is not a known key; choose from {', '.join(keys)}")


def matches(element: str, path: str) -> bool:
    """Whether an element belongs to a prim path, or to a path with this end."""
    prim = element.partition(":")[0]
    return path in (element, prim) or prim.endswith(f"/{path.lstrip('/')}")

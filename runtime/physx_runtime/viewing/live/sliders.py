"""Which numbers of a robot a reader of its page may move, how far, and in which unit they are shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from physx_runtime.model.topology import ROTARY_JOINTS, Topology
from physx_runtime.simulation.articulation import Simulation
from physx_runtime.simulation.parameters import FEATURES, Parameter

# Parameters in the order in which they are offered.
OFFERED = (
    "target_position", "target_velocity", "fixed_tendon_offset", "spatial_tendon_offset", "fixed_tendon_stiffness",
    "spatial_tendon_stiffness", "fixed_tendon_damping", "spatial_tendon_damping", "stiffness", "damping", "max_force",
    "mimic_natural_frequency", "mimic_damping_ratio", "static_friction", "dynamic_friction", "viscous_friction",
    "armature", "mass")
WITH_SIGN = {"target_position": 1.0, "target_velocity": 5.0}       # how far either way without limits; rad, m, 1/s
OFFSETS = {"fixed_tendon_offset": "fixed_tendon_rest_length", "spatial_tendon_offset": "spatial_tendon_rest_length"}
WIDEST = 3.0            # times the authored value
IN_DEGREES = ("target_position", "target_velocity")


@dataclass(frozen=True, slots=True)
class Slider:
    """One number of the step: `value`, `low` and `high` in the step's unit, `factor` times that is shown."""

    parameter: str
    element: str                        # what it is of: a prim path, path:instance of a tendon's part
    unit: str                           # as shown
    at: tuple[int, ...]                 # bytes of the module's memory it lies at
    value: float
    low: float
    high: float
    factor: float


def sliders(sim: Simulation, address: Mapping[str, int]) -> Iterator[Slider]:
    """The sliders of a simulation's first world, whose rows lie at these bytes."""
    for name in OFFERED:
        parameter = sim.parameters.get(name)
        if parameter is None or not parameter.scalars:
            continue
        values = sim.parameter(name)[0].astype(np.float64)
        ends = _ends(sim, name, values)
        for i, (element, value) in enumerate(zip(parameter.elements, values.tolist(), strict=True)):
            low, high = ends[i]
            if _counts(sim.topology, name, i) and math.isfinite(value) and low < high:
                unit, factor = _shown(sim.topology, parameter, i)
                at = tuple(address[f"{row}_{place}"] for row, place in parameter.scalars[i])
                yield Slider(name, element, unit, at, value, min(low, value), max(high, value), factor)


def _counts(t: Topology, name: str, i: int) -> bool:
    """Whether anything heeds a parameter of an element."""
    return name not in FEATURES or bool(getattr(t.dofs[i], FEATURES[name].feature))


def _ends(sim: Simulation, name: str, values: np.ndarray) -> list[tuple[float, float]]:
    """How far each value may be moved; both ends alike where there is nothing to move."""
    if name == "target_position":
        bounds = zip(sim.parameter("lower_limit")[0], sim.parameter("upper_limit")[0], strict=True)
        return [(_bound(low, -_reach(sim.topology, i)), _bound(high, _reach(sim.topology, i)))
                for i, (low, high) in enumerate(bounds)]
    if name in WITH_SIGN:
        return [(-WITH_SIGN[name], WITH_SIGN[name])] * len(values)
    if name in OFFSETS:
        reach = np.abs(sim.parameter(OFFSETS[name])[0])
        return [(-float(x or reach.max()), float(x or reach.max())) for x in reach]
    finite = values[np.isfinite(values)]
    most = WIDEST * float(finite.max(initial=0.0))
    return [(0.0, WIDEST * value if value > 0.0 else most) for value in values.tolist()]


def _reach(t: Topology, dof: int) -> float:
    return math.pi if t.kind_of(dof) in ROTARY_JOINTS else WITH_SIGN["target_position"]


def _bound(value: float, otherwise: float) -> float:
    return float(value) if math.isfinite(value) else otherwise


def _shown(t: Topology, parameter: Parameter, i: int) -> tuple[str, float]:
    """The unit that a value is shown in, and what it is multiplied with."""
    linear, _, angular = parameter.unit.partition(" (linear), ")
    if not angular:
        return parameter.unit, 1.0
    if t.kind_of(i) not in ROTARY_JOINTS:
        return linear, 1.0
    unit = angular.partition(" (angular)")[0]
    return (unit.replace("radian", "degree"), math.degrees(1.0)) if parameter.name in IN_DEGREES else (unit, 1.0)

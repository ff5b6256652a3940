"""The unknowns of an identification: parameters of joints, their start values, and how a number x changes them.

x = 0 is the start. A value is start * e^x, so it keeps its sign. Static friction is dynamic friction * (1 + excess),
where the excess is its start * e^x. The delay in steps is start + x.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.simulation.simulation import Simulation
from physx_schema.arguments import display, suggestion

STATIC, DYNAMIC, DELAY = "static_friction", "dynamic_friction", "delay"
# In the order of the table.
PARAMETERS = ("armature", DYNAMIC, "viscous_friction", "stiffness", "damping", STATIC)
FAMILIES = {"joints": PARAMETERS, DELAY: (DELAY,)}
ABSENT = {"links": "masses and inertias", "tendons": "tendons", "mimics": "mimic joints"}
PRIOR = {STATIC: 1.0, DELAY: 10.0}      # standard deviations of x; of a logarithm
LOG_PRIOR = 2.0
MAX_STEP = {DELAY: 3.0}                 # of x in one iteration
MAX_LOG_STEP = 0.7
MIN_EXCESS = 0.01                       # of static over dynamic friction at the start
ARMATURE_SHARE, EFFORT_SHARE, DEFLECTION = 0.01, 0.01, 0.1      # typical sizes of what is authored as 0


@dataclass(frozen=True, slots=True)
class Unknown:
    """One number to identify."""

    parameter: str              # a parameter's public name, or "delay"
    element: int                # the joint's index; -1 for the delay
    joint: str                  # prim path; "" for the delay
    start: float                # value at x = 0; of static friction, the excess

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.joint} {self.parameter}" if self.joint else self.parameter

    @property
    def is_smooth(self) -> bool:
        """Whether the motion has useful derivatives with respect to it."""
        return self.parameter not in (STATIC, DELAY)


@dataclass(frozen=True, eq=False)
class Unknowns:
    """All unknowns, and the parameters that follow from their x. base: name -> (n_joint,) values at x = 0."""

    items: tuple[Unknown, ...]
    base: Mapping[str, DoubleArray]

    def __len__(self) -> int:
        return len(self.items)

    @property
    def smooth(self) -> NDArray[np.int64]:
        """Indices of unknowns with derivatives."""
        return np.flatnonzero([item.is_smooth for item in self.items])

    @property
    def static(self) -> NDArray[np.int64]:
        """Indices of static frictions."""
        return np.flatnonzero([item.parameter == STATIC for item in self.items])

    @property
    def delay(self) -> int | None:
        """The index of the delay, None if it is known."""
        return next((i for i, item in enumerate(self.items) if item.parameter == DELAY), None)

    @property
    def prior(self) -> DoubleArray:
        """(n,) standard deviations of x before the log is seen."""
        return np.array([PRIOR.get(item.parameter, LOG_PRIOR) for item in self.items])

    @property
    def max_step(self) -> DoubleArray:
        """(n,) largest change of x in one iteration."""
        return np.array([MAX_STEP.get(item.parameter, MAX_LOG_STEP) for item in self.items])

    def delays(self, x: DoubleArray) -> DoubleArray:
        """Delays in steps of columns x (n_column, n)."""
        return np.zeros(len(x)) if self.delay is None else self.items[self.delay].start + x[:, self.delay]

    def parameters(self, x: DoubleArray) -> dict[str, DoubleArray]:
        """Parameter name -> (n_column, n_joint) for columns x (n_column, n)."""
        values = {name: np.repeat(numbers[None], len(x), axis=0) for name, numbers in self.base.items()}
        excess = values[STATIC] / np.maximum(values[DYNAMIC], 1e-300) - 1.0
        for i, item in enumerate(self.items):
            if item.parameter == STATIC:
                excess[:, item.element] = item.start * np.exp(x[:, i])
            elif item.parameter != DELAY:
                values[item.parameter][:, item.element] = item.start * np.exp(x[:, i])
        # a friction that is not identified keeps its authored ratio
        values[STATIC] = values[DYNAMIC] * (1.0 + excess)
        return values

    def value(self, i: int, x: DoubleArray) -> float:
        """The value of an unknown at x (n,), in rad and SI units of the stage."""
        item = self.items[i]
        return float(self.delays(x[None])[0] if item.parameter == DELAY
                     else self.parameters(x[None])[item.parameter][0, item.element])


def selected_parameters(names: Sequence[str], joints: Sequence[str]) -> list[tuple[str, int]]:
    """(parameter, joint index) of each selected unknown, the delay with -1.

    names: "joints", "delay", a parameter, or PATTERN:PARAMETER with a pattern of joint paths or names. Raises
    ValueError for a name that selects nothing.
    """
    selected: dict[tuple[str, int], None] = {}
    for text in names:
        if text in ABSENT:
            raise ValueError(f"unknowns has {text!r}; {ABSENT[text]} are not identified yet; use 'joints', 'delay' or "
                             "names of joint parameters")
        pattern, _, name = text.rpartition(":")
        parameters = FAMILIES.get(name, (name,) if name in PARAMETERS else ())
        if not parameters:
            raise ValueError(f"unknowns has {display(text)}; {suggestion(name, (*FAMILIES, *PARAMETERS))}")
        if name == DELAY:
            selected[DELAY, -1] = None
            continue
        matching = [i for i, joint in enumerate(joints)
                    if not pattern or any(fnmatch.fnmatchcase(end, pattern) for end in (joint, joint.rsplit("/")[-1]))]
        if not matching:
            raise ValueError(f"unknowns has {display(text)}, and no joint matches {pattern!r}; joints are "
                             f"{', '.join(joints)}")
        selected |= {(parameter, i): None for parameter in parameters for i in matching}
    return sorted(selected, key=lambda item: ((*PARAMETERS, DELAY).index(item[0]), item[1]))


def find_unknowns(sim: Simulation, selected: Sequence[tuple[str, int]]) -> Unknowns:
    """Unknowns of a simulation of one world; what is authored as 0 starts from a typical size."""
    base = {name: sim.parameter(name)[0].astype(np.float64) for name in PARAMETERS}
    typical = _typical_sizes(sim, base)
    wanted = set(selected)
    for name, i in wanted:
        if name in typical and base[name][i] == 0.0:
            base[name][i] = typical[name][i]
    has_dynamic = base[DYNAMIC] > 0.0
    for name, i in wanted:      # its size is a share of the dynamic friction
        if name == STATIC and not has_dynamic[i]:
            base[DYNAMIC][i] = typical[DYNAMIC][i]
    base[STATIC] = np.maximum(base[STATIC], base[DYNAMIC])
    joints = sim.model.dof_names
    items = [Unknown(name, i, joints[i] if i >= 0 else "", _start(name, i, base)) for name, i in selected]
    return Unknowns(tuple(items), base)


def _start(name: str, i: int, base: Mapping[str, DoubleArray]) -> float:
    if name == DELAY:
        return 0.0
    if name == STATIC:
        return max(float(base[STATIC][i] / base[DYNAMIC][i] - 1.0), MIN_EXCESS)
    return float(base[name][i])


def _typical_sizes(sim: Simulation, base: Mapping[str, DoubleArray]) -> dict[str, DoubleArray]:
    """Start values of parameters that are authored as 0."""
    inertia = np.diagonal(np.asarray(sim.dynamics.mass_matrix())[0])[sim.topology.root_size:]
    effort = np.maximum(base["stiffness"] * DEFLECTION, 1e-6)
    max_force = sim.parameter("max_force")[0].astype(np.float64)
    effort = np.where(np.isfinite(max_force) & (max_force > 0.0), max_force, effort) * EFFORT_SHARE
    return {"armature": ARMATURE_SHARE * inertia, DYNAMIC: effort, "viscous_friction": effort,
            "damping": ARMATURE_SHARE * base["stiffness"]}

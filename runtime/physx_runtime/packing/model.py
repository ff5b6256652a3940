"""`PackedModel` is an actor ready to step: topology, parameter rows and authored state. `solver_settings` gives its
solver and iteration counts, `length_scale` PhysX's tolerance length. `fact_rows` reads rows from facts of the
description. `NotSimulated` is one item that PhysX simulates and this runtime leaves out.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.model.row_specs import PARAMETER, RowSpec, rows_of, settable_rows, tree_rows
from physx_runtime.model.topology import PGS, SAPIEN, TGS, ActorTopology
from physx_schema.description.model import ActorDescription, Scene, unlimited
from physx_schema.description.records import Pose
from physx_schema.errors import UnsupportedError

# Of SAPIEN 3.0's scenes, in metres; PxTolerancesScale::length.
SAPIEN_LENGTH_SCALE = 0.1


@dataclass(frozen=True)
class PackedModel:
    """An articulation or a rigid body ready to step: structure, parameters and the authored state, float64."""

    topology: ActorTopology
    parameters: Mapping[str, DoubleArray]     # row name -> values, as model.row_specs; settings left out
    state: Mapping[str, DoubleArray]          # row name -> values, as model.row_specs
    dof_names: tuple[str, ...]
    link_names: tuple[str, ...]         # of a body its own path
    link_frames: tuple[Pose, ...]       # link frame in the link's internal frame F
    position_iterations: int
    velocity_iterations: int
    actor: ActorDescription             # what it was packed from
    scene: Scene

    def __repr__(self) -> str:
        return f"PackedModel({self.actor.path!r}, links={len(self.link_names)}, dofs={len(self.dof_names)})"

    @functools.cached_property
    def settable(self) -> Mapping[str, int]:
        """The cached `settable_rows` of the topology."""
        return settable_rows(self.topology)

    @property
    def tree_parameters(self) -> dict[str, DoubleArray]:
        """The parameters of the tree in the equations of motion (`ActorTopology.tree`)."""
        return {name: np.zeros(size) for name, size in tree_rows(self.topology).items()} | dict(self.parameters)


def arrays(rows: Mapping[str, list[float]]) -> dict[str, DoubleArray]:
    """Rows as arrays."""
    return {name: np.asarray(values, dtype=np.float64) for name, values in rows.items()}


def solver_settings(scene: Scene, solver: str) -> tuple[str, bool]:
    """The solver of the step, and whether it applies forces in every iteration.

    Iterations of PGS do not divide dt, so no number of them comes to the ideal; that is TGS for both. Raises
    UnsupportedError for PGS as in SAPIEN.
    """
    if solver == SAPIEN and scene.solver_type == "PGS":
        raise UnsupportedError(f"{scene.path}: physxScene:solverType is PGS; solver={SAPIEN!r} supports TGS only; "
                               "author TGS, or use solver='physx'")
    if scene.solver_type != "PGS":
        return SAPIEN if solver == SAPIEN else TGS, scene.forces_every_iteration
    return (TGS, True) if solver == "ideal" else (PGS, False)


def length_scale(scene: Scene, solver: str) -> float:
    """PxTolerancesScale::length in stage units: a metre, except in SAPIEN.

    Softening, tolerances of joints and the lengths of contact generation are multiples of it.
    """
    return (SAPIEN_LENGTH_SCALE if solver == SAPIEN else 1.0) / scene.meters_per_unit


RowValues = dict[str, list[float]]


def fact_values(row: RowSpec, facts: Sequence[object]) -> list[float]:
    """The values of facts for a row; neutral where a fact is None or where PhysX takes it as unlimited."""
    name, neutral = row.fact or row.name, row.neutral
    values = [neutral if fact is None else getattr(fact, name) for fact in facts]
    return [neutral if unlimited(value) else value for value in values] if row.clipped else values


def fact_rows(owner: str, facts: Sequence[object], prefix: str = "") -> RowValues:
    """The parameters of one kind of owner, in the order of `facts`, each called `prefix` and its name."""
    return {prefix + row.name: fact_values(row, facts) for row in rows_of(owner, PARAMETER)}


@dataclass(frozen=True, slots=True)
class NotSimulated:
    """One part of a stage that PhysX simulates and this runtime leaves out."""

    code: str                   # "joint" | "loop" | "contact" | "mass" | "unread" | "sleep"
    path: str                   # prim
    property: str               # "" for the prim itself
    text: str                   # what it is, what comes of it, and what to do
    refused: bool = False       # without it the motion is another one altogether, and nothing is stepped

    def __str__(self) -> str:
        where = f"{self.path}.{self.property}" if self.property else self.path
        return f"{where}: not simulated: {self.text}"

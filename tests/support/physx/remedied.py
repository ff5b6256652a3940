"""What gains come to in real PhysX after their remedies: the share of our holding efforts that holds them there too.

A copy of a stage keeps one drive, tendon or mimic joint. The efforts that hold it on our bench are applied in PhysX,
a little less and a little more of them; between the two lies the share that holds it there. That share times what we
say the gain comes to is what it comes to in PhysX.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime.verification import Row, Verification, verify
from physx_runtime.verification.bench import Bench, Case, stripped
from pxr import Sdf, Usd

from physx_schema.description import describe
from physx_schema.description.model import Articulation

DT = 1 / 60
# Shares of the holding efforts; the speeds gained under them enclose the one that holds.
SHARES = (0.9, 1.1)
# How far targets, rest lengths and followers are moved, rad or m, and how fast joints move, rad/s or m/s.
AWAY, SPEED = 0.01, 0.01
GAINS = ("stiffness", "damping", "naturalFrequency", "dampingRatio")

Array = NDArray[np.float64]
Strip = Callable[[Articulation], Articulation]


@dataclass(frozen=True, slots=True)
class Held:
    """One gain in isolation, and the efforts that hold it here."""

    row: Row
    ours: float                 # what the gain comes to here
    text: str                   # the stage in PhysX
    position: Array             # (n_dof,) rad or length
    velocity: Array
    efforts: Array
    joint: int                  # whose speed tells

    def jobs(self) -> list[dict[str, Any]]:
        """The runs in PhysX."""
        from physx_oracle import sim_job

        return [sim_job(self.text, DT, 1, self.position, self.velocity, effort=share * self.efforts)
                for share in SHARES]

    def effective(self, results: list[dict[str, Any]]) -> float:
        """What the gain comes to in PhysX, in the row's unit; NaN where nothing answers the efforts there."""
        # a stiff damper is through with what is missing in one step
        less, more = (float(found["qd"][1, self.joint] - found["qd"][0, self.joint]) for found in results)
        if more == less:
            return math.nan
        share = SHARES[0] - less * (SHARES[1] - SHARES[0]) / (more - less)
        name = self.row.property.rpartition(":")[2]
        return self.ours * (math.sqrt(share) if name == "naturalFrequency" else share)


@dataclass(frozen=True, slots=True)
class Damped:
    """A mimic joint in isolation, and a value of its damping ratio: one free step from an error and from a rate."""

    row: Row
    text: str
    states: tuple[tuple[Array, Array], tuple[Array, Array]]     # positions and velocities of both starts
    errors: Array               # (n_dof,) the error's change per joint position
    frequency: float            # of the spring, rad/s

    def jobs(self) -> list[dict[str, Any]]:
        """The runs in PhysX."""
        from physx_oracle import sim_job

        return [sim_job(self.text, DT, 1, q, v) for q, v in self.states]

    def effective(self, results: list[dict[str, Any]]) -> float:
        """The damping ratio of the slower mode."""
        columns = [[float(found[name][1] @ self.errors) for name in ("q", "qd")] for found in results]
        started = [float(self.states[0][0] @ self.errors), float(self.states[1][1] @ self.errors)]
        modes = np.linalg.eigvals(np.array(columns).T / started)
        mode = max(modes, key=abs)
        decay = np.log(complex(mode)) / DT
        if abs(mode.imag) > 0.0:
            return float(-decay.real / abs(decay))
        return float((self.frequency ** 2 + decay.real ** 2) / (-2.0 * self.frequency * decay.real))


def damped(text: str, row: Row) -> Damped:
    """The mimic joint of a stage, as it is authored there."""
    stage = opened(text)
    _isolate(stage, row)
    articulation = describe(stage).articulations[0]
    mimic, = articulation.mimics
    errors, unit = np.zeros(len(articulation.dofs)), np.eye(len(articulation.dofs))[mimic.follower]
    errors[mimic.follower], errors[mimic.reference] = 1.0, mimic.gearing
    assert mimic.offset == 0.0
    states = ((AWAY * unit, 0.0 * unit), (0.0 * unit, SPEED * unit))
    return Damped(row, str(stage.GetRootLayer().ExportToString()), states, errors, mimic.natural_frequency)


def gains(verification: Verification) -> list[Row]:
    """The altered gains that have a remedy of their own."""
    return [row for row in verification.rows if row.verdict == "altered" and row.remedy is not None
            and row.property.rpartition(":")[2] in GAINS]


def remedied(text: str) -> tuple[Verification, str]:
    """What verification says of a stage, and the stage with every remedy that needs no other setting."""
    stage = opened(text)
    verification = verify(stage, dt=DT)
    for row in verification.rows:
        if row.remedy is not None and not row.remedy.reason and row.remedy.value is not None:
            put(stage, row.path, row.property, row.remedy.value)
    return verification, str(stage.GetRootLayer().ExportToString())


def with_settings(text: str, row: Row) -> str:
    """A stage with the remedy of a row and with the other settings that it needs."""
    stage = opened(text)
    assert row.remedy is not None and row.remedy.value is not None
    put(stage, row.path, row.property, row.remedy.value)
    for change in row.remedy.settings:
        put(stage, change.path, change.property, change.value)
    return str(stage.GetRootLayer().ExportToString())


def with_value(text: str, row: Row, value: float) -> str:
    """A stage with another number in a row's place."""
    stage = opened(text)
    put(stage, row.path, row.property, value)
    return str(stage.GetRootLayer().ExportToString())


def opened(text: str) -> Usd.Stage:
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(text)
    return stage


def put(stage: Usd.Stage, path: str, name: str, value: float) -> None:
    """Author a number in the type that the attribute has."""
    attribute = stage.GetPrimAtPath(path).GetAttribute(name)
    kind = attribute.GetTypeName()
    attribute.Set([value] if kind.isArray else round(value) if kind == Sdf.ValueTypeNames.Int else value)


def held(text: str, row: Row, ours: float) -> Held:
    """A gain of a stage, which comes to `ours` here, and the efforts that hold it; raises UnsteadyError."""
    stage, family, name = opened(text), row.property.partition(":")[0], row.property.rpartition(":")[2]
    _isolate(stage, row)
    moving, before = name == "damping", describe(stage).articulations[0]
    prefix = row.property.rpartition(":")[0]
    if moving:
        put(stage, row.path, f"{prefix}:stiffness", 0.0)
    elif family == "drive":
        dof = next(dof for dof in before.dofs if dof.path == row.path)
        put(stage, row.path, f"{prefix}:targetPosition", math.degrees(AWAY) if dof.angular else AWAY)
    description = describe(stage)
    articulation = description.articulations[0]
    bench = Bench(description, stripped(articulation, drives=True, fixed_tendons=True, spatial_tendons=True,
                                        mimics=True), DT)
    direction = _direction(bench, row, family)
    case = Case()
    if moving:
        case = Case(velocity=SPEED * direction)
    elif family == "physxMimicJoint":
        mimic, = articulation.mimics
        case = Case(shift=np.eye(bench.size)[mimic.follower] * (AWAY - mimic.offset))
    efforts, velocities = (found[0] for found in bench.steady([case]))
    joint = int(np.argmax(np.abs(efforts)))
    shift = np.zeros(bench.size) if case.shift is None else case.shift
    return Held(row, ours, str(stage.GetRootLayer().ExportToString()), bench.pose + shift, velocities, efforts, joint)


def _direction(bench: Bench, row: Row, family: str) -> Array:
    """Joint velocities, the largest 1, that a damper answers."""
    articulation = bench.articulation
    if family == "drive":
        return np.array([1.0 if dof.path == row.path else 0.0 for dof in articulation.dofs])
    fixed = next((tendon for tendon in articulation.fixed_tendons if tendon.path == row.path), None)
    if fixed is not None:
        rates = np.zeros(bench.size)
        for axis in fixed.axes:
            rates[axis.dof] = axis.gearing
    else:       # along the efforts of the stretched tendon
        i = [tendon.path for tendon in articulation.spatial_tendons].index(row.path)
        rates = bench.hold([Case({f"spatial_tendon{i}_stiffness": np.ones(1)})])[0]
    return np.asarray(rates / np.abs(rates).max())


def _isolate(stage: Usd.Stage, row: Row) -> None:
    """Take away everything but the constraint of a row."""
    own = row.property.rpartition(":")[0]
    for prim in stage.Traverse():
        for attribute in prim.GetAuthoredAttributes():
            name, base = attribute.GetName(), attribute.GetName().rpartition(":")[2]
            mine = prim.GetPath() == row.path and name.startswith(f"{own}:")
            if base in ("linearDamping", "angularDamping", "gravityMagnitude", "staticFrictionEffort",
                        "dynamicFrictionEffort", "viscousFrictionCoefficient"):
                attribute.Set(0.0)
            elif base in ("maxForce", "maxJointVelocity"):
                attribute.Clear()
            elif base in ("targetPosition", "targetVelocity") or (base in ("stiffness", "damping") and not mine):
                attribute.Set(0.0)
        for schema in map(str, prim.GetAppliedSchemas()):
            if schema.startswith("PhysxMimicJointAPI") and not (
                    prim.GetPath() == row.path and own.startswith("physxMimicJoint")):
                prim.RemoveAppliedSchema(schema)

"""What gains come to in real PhysX after their remedies: the share of our holding efforts that holds them there too.

A copy of a stage keeps one drive, tendon or mimic joint. The efforts that hold it on our bench are applied in PhysX,
a little less and a little more of them; between the two lies the share that holds it there. That share times what we
say the gain comes to is what it comes to in PhysX.

Every altered gain of random articulations in real PhysX: with its remedy, or with other values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime.verification import Row, Verification, verify
from physx_runtime.verification.bench import Bench, Case, stripped
from physx_runtime.verification.quantity import UnsteadyError
from pxr import Sdf, Usd

from physx_schema.description import describe
from physx_schema.description.model import Articulation
from support.chance.articulations import random_articulation

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


# --- remedy survey ---------------------------------------------------------------------------------------------------

# What a remedy promises, of the wanted effect.
PROMISED = 0.01
# Where no value is said to do, these multiples of the authored one are tried in PhysX.
TRIED_FACTORS = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)


@dataclass(frozen=True, slots=True)
class Measured:
    """A gain, and what it comes to in PhysX: (value, effect) with its remedy, or of each value that was tried."""

    seed: int
    row: Row
    remedy: float | None = None             # with what the remedy says to author
    tried: tuple[float, ...] = ()           # with the values of TRIED_FACTORS, where none is said to do
    why_not: str = ""                       # why PhysX was not asked

    @property
    def holds(self) -> bool:
        """Whether a remedy has the wanted effect in PhysX, and what is called infeasible is.

        Infeasible: of all values that are tried there, none has the wanted effect.
        """
        wanted = self.row.intended_effect
        assert isinstance(wanted, float) and not self.why_not
        reached = self.remedy is None or abs(self.remedy / wanted - 1.0) <= PROMISED
        return reached and all(abs(effect / wanted - 1.0) > PROMISED for effect in self.tried)

    def __str__(self) -> str:
        remedy = self.row.remedy
        assert remedy is not None
        values = [f"{x:.5g}" for x in ([] if self.remedy is None else [self.remedy])]
        values += [f"none of {', '.join(f'{x:.4g}' for x in self.tried)}"] if self.tried else []
        mark = f"not asked: {self.why_not}" if self.why_not else "holds" if self.holds else "MISSES"
        return (f"seed {self.seed:4} {self.row.path:15} {self.row.property:45} wanted {self.row.intended_effect:10.5g} "
                f"was {self.row.effective:10.5g} {'in PhysX ' + '; '.join(values) if values else ''} {mark}")


def surveyed(seeds: Sequence[int]) -> list[Measured]:
    """The altered gains of random articulations, all measured in one process of PhysX."""
    from physx_oracle import run_jobs

    asked = [item for seed in seeds for item in _asked(seed)]
    results = run_jobs([job for _, _, items, _ in asked for item in items for job in item.jobs()])
    found, at = [], 0
    for seed, row, items, why_not in asked:
        effects = [item.effective(results[at + 2 * i:at + 2 * i + 2]) for i, item in enumerate(items)]
        at += 2 * len(items)
        tried = len(items) - (len(items) % len(TRIED_FACTORS))
        rest = effects[tried:]
        found.append(Measured(seed, row, rest[0] if rest else None, tuple(effects[:tried]), why_not))
    return found


def _asked(seed: int) -> Iterator[tuple[int, Row, list[Held | Damped], str]]:
    """Every altered gain with its runs: of the values tried first, then of the remedy; or why there are none."""
    text = random_articulation(seed).text
    verification, after = remedied(text)
    for row in gains(verification):
        try:
            yield seed, row, list(_runs(text, after, row)), ""
        except UnsteadyError as error:
            yield seed, row, [], str(error)


def _runs(text: str, after: str, row: Row) -> Iterator[Held | Damped]:
    remedy = row.remedy
    assert remedy is not None and isinstance(row.authored, float)
    ratio = row.property.endswith("dampingRatio")
    if remedy.reason:
        if not ratio:
            raise UnsteadyError("only values of damping ratios are tried")
        yield from (damped(with_value(text, row, factor * row.authored), row) for factor in TRIED_FACTORS)
    if remedy.feasible:
        if remedy.dt is not None:
            raise UnsteadyError("its remedy wants another time step")
        edited = with_settings(text, row) if remedy.settings else after
        assert remedy.reached is not None
        yield damped(edited, row) if ratio else held(edited, row, remedy.reached)

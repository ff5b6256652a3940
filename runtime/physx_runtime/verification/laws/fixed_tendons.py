"""Experiments on fixed tendons: gains, rest length, limits, and gearing and force coefficient of every axis.
`TendonBench` measures gains and lengths of fixed and of spatial tendons: one tendon on the bench, stretched and held.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.dynamics.jacobian import angular_jacobian, point_jacobian
from physx_runtime.model.owners import acting_fixed_tendons
from physx_runtime.model.topology import REVOLUTE
from physx_runtime.verification.bench import Bench, Case
from physx_runtime.verification.quantity import Findings, Key, Measurement
from physx_schema.description.model import Articulation, Attachment, FixedTendon, TendonAxis, unlimited

GAINS = ("stiffness", "damping", "limitStiffness")
SIGNS = (1.0, -1.0)
# Lengths of tendons: row and the property that says it.
LENGTHS = {"rest_length": "restLength", "offset": "offset", "lower_limit": "lowerLimit", "upper_limit": "upperLimit"}


def limit_rows(item: FixedTendon | Attachment, stiffness: float) -> dict[str, float]:
    """The active limits of a tendon's length, by row. stiffness: of its limits."""
    both = {"lower_limit": item.lower_limit, "upper_limit": item.upper_limit}
    return {row: limit for row, limit in both.items() if stiffness > 0.0 and not unlimited(limit)}


@dataclass(frozen=True, slots=True)
class TendonBench:
    """A tendon on the bench, with all others disabled; lengths in stage units."""

    bench: Bench
    name: str                   # of its rows: "fixed_tendon0"
    stiffness: float
    damping: float
    limit_stiffness: float
    length: float               # in the authored pose
    motion: DoubleArray               # (n_dof,) joint velocities that lengthen it by 1 a second; 0 where none do
    effort_weights: DoubleArray                 # (n_dof,) weights that make its pull of the holding efforts

    def measure_gains(self, findings: Findings, keys: Sequence[Key]) -> None:
        """Put stiffness, damping and limit stiffness, in this order of keys, among the findings.

        Each by a pair of opposite experiments: the rest length changes; the joints move, spring off; both limits lie to
        one side of the length, spring off.
        """
        for key, (cases, size) in zip(keys, (self._stiffness_cases(), self._damping_cases(), self._limit_cases()),
                                      strict=True):
            with findings.attempt(key):
                findings.set_value(key, self.force_differences(cases)[0].scaled(0.5 / size))

    def _stiffness_cases(self) -> tuple[list[Case], float]:
        stretch = self.bench.probe(self.stiffness, self.damping) * self.bench.meter
        return [self.case(self.stiffness, -sign * stretch) for sign in SIGNS], stretch

    def _damping_cases(self) -> tuple[list[Case], float]:
        max_ratio = float(np.max(np.abs(self.motion) / self.bench.speeds))
        rate = 1.0 / max_ratio if max_ratio > 0.0 else self.bench.length
        return [Case(self._rows(0.0, 0.0), velocity=sign * rate * self.motion) for sign in SIGNS], rate

    def _limit_cases(self) -> tuple[list[Case], float]:
        offset = self.bench.probe(self.limit_stiffness, self.damping) * self.bench.meter
        cases = []
        for sign in SIGNS:
            edge = np.array([self.length - sign * offset])
            rows = {"limit_stiffness": np.array([self.limit_stiffness]), "lower_limit": edge, "upper_limit": edge}
            cases.append(Case(self._rows(0.0, 0.0) | {f"{self.name}_{x}": value for x, value in rows.items()}))
        return cases, offset

    def measure_lengths(self, findings: Findings, keys: Mapping[str, Key], limits: Mapping[str, float]) -> None:
        """Put the rest length, the offset and limits among the findings; limits: the active ones, by row.

        Rest length and offset: the change of force without one of them, over that per change of the other.
        Limits: the tendon is offset beyond one, at two distances, spring off; the forces give its position.
        """
        with findings.attempt(keys["rest_length"], keys["offset"]):
            spring = self.bench.spring(self.stiffness, self.damping)
            stretch = self.bench.probe(spring, self.damping) * self.bench.meter
            rest_length, offset = (f"{self.name}_{row}" for row in ("rest_length", "offset"))
            authored_offset = self.bench.base_rows(offset)
            cases = [self.case(spring, -sign * stretch) for sign in SIGNS]
            cases += [self.case(spring, 0.0, {offset: authored_offset + sign * stretch}) for sign in SIGNS]
            for row in (rest_length, offset):
                cases += [self.case(spring, 0.0, {row: values}) for values in (np.zeros(1), self.bench.base_rows(row))]
            by_length, by_offset, without_length, without_offset = self.force_differences(cases)
            findings.set_value(keys["rest_length"], without_length.divided_by(by_offset).scaled(2.0 * stretch))
            findings.set_value(keys["offset"], without_offset.divided_by(by_length).scaled(-2.0 * stretch))
        for row, limit in limits.items():
            with findings.attempt(keys[row]):
                findings.set_value(keys[row], self._limit(row, limit))

    def _limit(self, row: str, limit: float) -> Measurement:
        """Where a limit begins to pull."""
        outward = 1.0 if row == "upper_limit" else -1.0
        distance = 0.5 * abs(limit) + self.bench.length
        authored_offset = float(self.bench.base_rows(f"{self.name}_offset")[0])
        stiff = {f"{self.name}_limit_stiffness": np.array([self.limit_stiffness]),
                 f"{self.name}_{row}": self.bench.base_rows(f"{self.name}_{row}")}
        cases = [self.case(0.0, 0.0, stiff | {f"{self.name}_offset": np.array(
            [authored_offset + limit + outward * factor * distance - self.length])}) for factor in (2.0, 1.0)]
        slack = [self.case(0.0, 0.0)]
        slope, pull = self.force_differences([*cases, cases[1], *slack])
        penetration = pull.divided_by(slope).scaled(outward * distance)
        return Measurement(limit + outward * distance - penetration.value, penetration.error)

    def case(self, stiffness: float, stretch: float, rows: Mapping[str, DoubleArray] | None = None,
             shift: DoubleArray | None = None) -> Case:
        """The case of a tendon whose rest length differs by `stretch` from its length, with further rows."""
        return Case(self._rows(stiffness, stretch) | dict(rows or {}), shift)

    def force_differences(self, cases: list[Case]) -> list[Measurement]:
        """Differences of the tendon's pull between the cases of each pair. Raises UnsteadyError."""
        efforts, errors = self.bench.hold_with_errors(cases)
        forces, force_errors = ((x @ weights).reshape(-1, 2) for x,
                                weights in ((efforts, self.effort_weights), (errors, np.abs(self.effort_weights))))
        return [Measurement(float(x[0] - x[1]), float(e.sum())) for x, e in zip(forces, force_errors, strict=True)]

    def _rows(self, stiffness: float, stretch: float) -> dict[str, DoubleArray]:
        """All tendons without force, limits that never act; then this one with its damping."""
        t = self.bench.topology
        rows: dict[str, DoubleArray] = {}
        fixed, spatial = range(len(t.fixed_tendons)), range(len(t.spatial_tendons))
        for name in [*(f"fixed_tendon{i}" for i in fixed), *(f"spatial_tendon{i}" for i in spatial)]:
            rows |= {f"{name}_{x}": np.zeros(1) for x in ("stiffness", "damping", "limit_stiffness")}
            rows |= {f"{name}_lower_limit": np.array([-math.inf]), f"{name}_upper_limit": np.array([math.inf])}
        values = {"stiffness": stiffness, "damping": self.damping, "rest_length": self.length + stretch}
        return rows | {f"{self.name}_{x}": np.array([value]) for x, value in values.items()}


def measure_fixed_tendons(bench: Bench) -> Findings:
    """Gains, gearings and force coefficients of every enabled tendon, in lengths and radians; the others are off.

    The pose is held where the tendon is without force, and `TendonBench` measures the gains. Gearing: one joint moves;
    its gearing is the change of rest length that pulls as much. Efforts are read at the joint of `measured_axis` and
    divided by its force coefficient; the coefficients of the other axes compare their pulls with the one there.
    """
    findings = Findings()
    for i, tendon in enumerate(acting_fixed_tendons(bench.articulation)):
        axis_read = measured_axis(tendon)
        gains = [Key(tendon.path, tendon.prefix + name) for name in GAINS]
        gearings, coefficients = ([Key(axis.path, tendon.prefix + name) for axis in tendon.axes]
                                  for name in ("gearing", "forceCoefficient"))
        if not bench.is_requested(*gains, *gearings, *coefficients, *length_keys(tendon).values()):
            continue
        if axis_read is None:
            findings.values.update(dict.fromkeys([*gains, *coefficients], 0.0))
            findings.failures.update(dict.fromkeys(gearings,
                                                   "every forceCoefficient is 0, and the tendon moves no joint"))
            continue
        tendon_bench = fixed_tendon_bench(bench, i, tendon, axis_read)
        tendon_bench.measure_gains(findings, gains)
        tendon_bench.measure_lengths(findings, length_keys(tendon), limit_rows(tendon, tendon.limit_stiffness))
        with findings.attempt(*gearings, *coefficients):
            for key, value in zip([*gearings, *coefficients], _axes(tendon_bench, tendon, axis_read), strict=True):
                findings.set_value(key, value)
    return findings


def length_keys(tendon: FixedTendon) -> dict[str, Key]:
    """The properties of a tendon's lengths, by row."""
    return {row: Key(tendon.path, tendon.prefix + name) for row, name in LENGTHS.items()}


def measured_axis(tendon: FixedTendon) -> TendonAxis | None:
    """An axis whose joint feels only its own pull; None where all coefficients are 0.

    A joint also feels the axes below it, which come later: the last axis with a coefficient is read.
    """
    return next((axis for axis in reversed(tendon.axes) if axis.force_coefficient != 0.0), None)


def single_axis(articulation: Articulation) -> Articulation:
    """The articulation with every fixed tendon reduced to its measured axis."""
    tendons = ((tendon, measured_axis(tendon)) for tendon in articulation.fixed_tendons)
    return replace(articulation, fixed_tendons=tuple(
        replace(tendon, axes=(axis,)) if axis else tendon for tendon, axis in tendons))


def fixed_tendon_bench(bench: Bench, i: int, tendon: FixedTendon, read: TendonAxis) -> TendonBench:
    """A tendon on the bench, with its force measured at the joint of an axis."""
    gearing = np.zeros(bench.size)
    gearing[[axis.dof for axis in tendon.axes]] = [axis.gearing for axis in tendon.axes]
    motion = gearing / (gearing @ gearing) if np.any(gearing) else gearing
    weights = np.eye(bench.size)[read.dof] / read.force_coefficient
    return TendonBench(bench, f"fixed_tendon{i}", tendon.stiffness, tendon.damping, tendon.limit_stiffness,
                       float(gearing @ bench.pose) + tendon.offset, motion, weights)


def _axes(tendon_bench: TendonBench, tendon: FixedTendon, read: TendonAxis) -> list[Measurement]:
    """The gearing of every axis, then every force coefficient. Raises UnsteadyError."""
    bench, spring = tendon_bench.bench, tendon_bench.bench.spring(tendon_bench.stiffness, tendon_bench.damping)
    stretch = bench.probe(spring, tendon_bench.damping) * bench.meter
    cases = [tendon_bench.case(spring, -sign * stretch) for sign in SIGNS]
    for axis in tendon.axes:
        displacement = np.eye(bench.size)[axis.dof] * bench.lengths
        cases += [tendon_bench.case(spring, 0.0, shift=sign * displacement) for sign in SIGNS]
    efforts, errors = (x.reshape(-1, 2, bench.size) for x in bench.hold_with_errors(cases))
    differences, effort_errors = efforts[:, 0] - efforts[:, 1], errors.sum(axis=1)
    stretched, *shifted = (Measurement(float(x @ tendon_bench.effort_weights),
                                       float(e @ np.abs(tendon_bench.effort_weights)))
                           for x, e in zip(differences, effort_errors, strict=True))
    gearings = [x.divided_by(stretched).scaled(stretch / float(bench.lengths[axis.dof]))
                for x, axis in zip(shifted, tendon.axes, strict=True)]
    forces = _forces(bench, tendon, differences[0], effort_errors[0])
    read_force = forces[tendon.axes.index(read)]
    return gearings + [x.divided_by(read_force).scaled(read.force_coefficient) for x in forces]


def _forces(bench: Bench, tendon: FixedTendon, efforts: DoubleArray, errors: DoubleArray) -> list[Measurement]:
    """The forces of the axes, each on its joint's child link, that sum to the efforts of their joints.

    errors: how far the efforts may be off, (n_dof,).
    """
    t, (_, k) = bench.topology, bench.kinematics()
    arms = np.zeros((len(tendon.axes), bench.size))
    for row, axis in zip(arms, tendon.axes, strict=True):
        link = t.dofs[axis.dof].link
        is_revolute = t.links[link].kind == REVOLUTE
        columns = angular_jacobian(t, k, link) if is_revolute else point_jacobian(t, k, link, (0.0, 0.0, 0.0))
        for dof, column in columns.items():
            row[dof] = float(np.dot(column, k.axis[link]))
    members = [axis.dof for axis in tendon.axes]
    # a joint's own axis counts 1 and its ancestors' axes nothing, so there is always one solution
    weights = np.linalg.inv(arms[:, members].T)
    return [Measurement(float(row @ efforts[members]), float(np.abs(row) @ errors[members])) for row in weights]

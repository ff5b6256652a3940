"""Experiments on fixed tendons: their gains, and gearing and force coefficient of every axis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from physx_runtime.dynamics.jacobian import angular_jacobian, point_jacobian
from physx_runtime.model.owners import acting_fixed_tendons
from physx_runtime.model.topology import REVOLUTE
from physx_runtime.verification.bench import Array, Bench
from physx_runtime.verification.quantity import Findings, Key, Measured
from physx_runtime.verification.tendons import GAINS, LENGTHS, SIGNS, Pull, limit_rows
from physx_schema.description.model import Articulation, FixedTendon, TendonAxis


def measure_fixed_tendons(bench: Bench) -> Findings:
    """Gains, gearings and force coefficients of every enabled tendon, in lengths and radians; the others are off.

    The pose is held where the tendon is without force, and `Pull` measures the gains. Gearing: one joint moves;
    its gearing is the change of rest length that pulls as much. Efforts are read at the joint of `read_axis` and
    divided by its force coefficient; the coefficients of the other axes compare their pulls with the one there.
    """
    found = Findings()
    for i, tendon in enumerate(acting_fixed_tendons(bench.articulation)):
        read = read_axis(tendon)
        gains = [Key(tendon.path, tendon.prefix + name) for name in GAINS]
        gearings, coefficients = ([Key(axis.path, tendon.prefix + name) for axis in tendon.axes]
                                  for name in ("gearing", "forceCoefficient"))
        if not bench.asks(*gains, *gearings, *coefficients, *length_keys(tendon).values()):
            continue
        if read is None:
            found.values.update(dict.fromkeys([*gains, *coefficients], 0.0))
            found.failures.update(dict.fromkeys(gearings, "every forceCoefficient is 0, so no joint feels the length"))
            continue
        pull = fixed_pull(bench, i, tendon, read)
        pull.measure_gains(found, gains)
        pull.measure_lengths(found, length_keys(tendon), limit_rows(tendon, tendon.limit_stiffness))
        with found.attempt(*gearings, *coefficients):
            for key, value in zip([*gearings, *coefficients], _axes(pull, tendon, read), strict=True):
                found.put(key, value)
    return found


def length_keys(tendon: FixedTendon) -> dict[str, Key]:
    """The properties of a tendon's lengths, by row."""
    return {row: Key(tendon.path, tendon.prefix + name) for row, name in LENGTHS.items()}


def read_axis(tendon: FixedTendon) -> TendonAxis | None:
    """An axis whose joint feels only its own pull; None where all coefficients are 0.

    A joint also feels the axes below it, which come later: the last axis with a coefficient is read.
    """
    return next((axis for axis in reversed(tendon.axes) if axis.force_coefficient != 0.0), None)


def single_axis(articulation: Articulation) -> Articulation:
    """The articulation with every fixed tendon cut down to its read axis."""
    tendons = ((tendon, read_axis(tendon)) for tendon in articulation.fixed_tendons)
    return replace(articulation, fixed_tendons=tuple(
        replace(tendon, axes=(axis,)) if axis else tendon for tendon, axis in tendons))


def fixed_pull(bench: Bench, i: int, tendon: FixedTendon, read: TendonAxis) -> Pull:
    """A tendon on the bench, its pull read at the joint of an axis."""
    gearing = np.zeros(bench.size)
    gearing[[axis.dof for axis in tendon.axes]] = [axis.gearing for axis in tendon.axes]
    motion = gearing / (gearing @ gearing) if np.any(gearing) else gearing
    weights = np.eye(bench.size)[read.dof] / read.force_coefficient
    return Pull(bench, f"fixed_tendon{i}", tendon.stiffness, tendon.damping, tendon.limit_stiffness,
                float(gearing @ bench.pose) + tendon.offset, motion, weights)


def _axes(pull: Pull, tendon: FixedTendon, read: TendonAxis) -> list[Measured]:
    """The gearing of every axis, then every force coefficient. Raises UnsteadyError."""
    bench, spring = pull.bench, pull.bench.spring(pull.stiffness, pull.damping)
    stretch = bench.probe(spring, pull.damping) * bench.meter
    cases = [pull.case(spring, -sign * stretch) for sign in SIGNS]
    for axis in tendon.axes:
        moved = np.eye(bench.size)[axis.dof] * bench.lengths
        cases += [pull.case(spring, 0.0, shift=sign * moved) for sign in SIGNS]
    efforts, errors = (x.reshape(-1, 2, bench.size) for x in bench.held(cases))
    differences, doubts = efforts[:, 0] - efforts[:, 1], errors.sum(axis=1)
    stretched, *shifted = (Measured(float(x @ pull.read), float(e @ np.abs(pull.read)))
                           for x, e in zip(differences, doubts, strict=True))
    gearings = [x.over(stretched).times(stretch / float(bench.lengths[axis.dof]))
                for x, axis in zip(shifted, tendon.axes, strict=True)]
    forces = _forces(bench, tendon, differences[0], doubts[0])
    own = forces[tendon.axes.index(read)]
    return gearings + [x.over(own).times(read.force_coefficient) for x in forces]


def _forces(bench: Bench, tendon: FixedTendon, efforts: Array, errors: Array) -> list[Measured]:
    """The pulls of the axes, each on its joint's child link, that add up to the efforts of their joints.

    errors: how far the efforts may be off, (n_dof,).
    """
    t, (_, k) = bench.topology, bench.kinematics()
    arms = np.zeros((len(tendon.axes), bench.size))
    for row, axis in zip(arms, tendon.axes, strict=True):
        link = t.dofs[axis.dof].link
        turns = t.links[link].kind == REVOLUTE
        columns = angular_jacobian(t, k, link) if turns else point_jacobian(t, k, link, (0.0, 0.0, 0.0))
        for dof, column in columns.items():
            row[dof] = float(np.dot(column, k.axis[link]))
    members = [axis.dof for axis in tendon.axes]
    # a joint's own axis counts 1 and its ancestors' axes nothing, so there is always one solution
    shares = np.linalg.inv(arms[:, members].T)
    return [Measured(float(row @ efforts[members]), float(np.abs(row) @ errors[members])) for row in shares]

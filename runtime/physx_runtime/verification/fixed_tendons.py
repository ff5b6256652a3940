"""Experiments on fixed tendons: stiffness, damping, limit stiffness and the gearing of every axis."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from physx_runtime.verification.bench import Array, Bench, Case
from physx_runtime.verification.quantity import Findings, Key
from physx_schema.description.model import Articulation, FixedTendon, TendonAxis

# The tendon's length error per gearing is read with this spring where the authored stiffness is 0.
PROBE_STIFFNESS = 1.0
GAINS = ("stiffness", "damping", "limitStiffness")


def measure_fixed_tendons(bench: Bench) -> Findings:
    """Gains and gearings of every enabled tendon, in lengths and radians; the other tendons are off.

    The pose is held at the tendon's zero of force. Stiffness: the rest length changes. Limit stiffness: both limits
    move past the length, the spring off. Damping: the joints move so that the length changes at a constant rate, the
    spring off. Gearing: one joint moves; its gearing is the change of rest length that pulls as much.
    Efforts are read at the joint of `read_axis`, divided by its force coefficient.
    """
    found = Findings()
    for i, tendon in enumerate(t for t in bench.articulation.fixed_tendons if t.enabled):
        read = read_axis(tendon)
        gains = [Key(tendon.path, tendon.prefix + name) for name in GAINS]
        gearings, coefficients = ([Key(axis.path, tendon.prefix + name) for axis in tendon.axes]
                                  for name in ("gearing", "forceCoefficient"))
        if read is None:
            found.values.update(dict.fromkeys([*gains, *coefficients], 0.0))
            found.failures.update(dict.fromkeys(gearings, "every forceCoefficient is 0, so no joint feels the length"))
            continue
        coefficient, dof = read.force_coefficient, read.dof
        with found.attempt(*gains):
            pulls = bench.hold(_gain_cases(bench, i, tendon))[:, dof] / (2.0 * bench.length * coefficient)
            found.values.update(zip(gains, (float(a - b) for a, b in pulls.reshape(3, 2)), strict=True))
        with found.attempt(*gearings):
            efforts = bench.hold(_gearing_cases(bench, i, tendon))[:, dof].reshape(-1, 2)
            pulls = efforts[:, 0] - efforts[:, 1]
            for key, member, pull in zip(gearings, tendon.axes, pulls[1:], strict=True):
                found.values[key] = float(pull / pulls[0] * bench.length / bench.lengths[member.dof])
        with found.attempt(*coefficients):
            found.values.update(zip(coefficients, _coefficients(bench, i, tendon, read), strict=True))
    return found


def read_axis(tendon: FixedTendon) -> TendonAxis | None:
    """An axis whose joint feels only its own pull; None where all coefficients are 0.

    A joint also feels the axes below it, which come later: the last axis with a coefficient is read.
    """
    return next((axis for axis in reversed(tendon.axes) if axis.force_coefficient != 0.0), None)


def _coefficients(bench: Bench, i: int, tendon: FixedTendon, read: TendonAxis) -> list[float]:
    """Force coefficient of every axis: its pull, the others' coefficients 0, over that of the read axis alone."""
    cases = []
    for at in range(len(tendon.axes)):
        force = np.where(np.arange(len(tendon.axes)) == at, bench.base_rows(f"fixed{i}_force"), 0.0)
        cases += [Case({**case.rows, f"fixed{i}_force": force}) for case in _stretched(bench, i, tendon)]
    efforts = bench.hold(cases).reshape(len(tendon.axes), 2, -1)
    pulls = [float(efforts[at, 0, axis.dof] - efforts[at, 1, axis.dof]) for at, axis in enumerate(tendon.axes)]
    return [read.force_coefficient * pull / pulls[tendon.axes.index(read)] for pull in pulls]


def _off(bench: Bench) -> dict[str, Array]:
    """All tendons without force, and limits that never act."""
    rows: dict[str, Array] = {}
    for i in range(len(bench.topology.fixed_tendons)):
        rows |= {f"fixed{i}_{name}": np.zeros(1) for name in ("stiffness", "damping", "limit_stiffness")}
        rows |= {f"fixed{i}_lower": np.array([-math.inf]), f"fixed{i}_upper": np.array([math.inf])}
    return rows


def _length(bench: Bench, i: int) -> float:
    gearing, dofs = bench.base_rows(f"fixed{i}_gearing"), bench.topology.fixed_tendons[i].dofs
    return float(gearing @ bench.pose[list(dofs)] + bench.base_rows(f"fixed{i}_offset")[0])


def _gain_cases(bench: Bench, i: int, tendon: FixedTendon) -> list[Case]:
    """Pairs of opposite cases, the first of each stretching the tendon by bench.length (a second)."""
    name, length = f"fixed{i}", _length(bench, i)
    off = _off(bench) | {f"{name}_damping": np.array([tendon.damping]), f"{name}_rest_length": np.array([length])}
    cases = []
    for sign in (1.0, -1.0):
        cases.append(Case(off | {f"{name}_stiffness": np.array([tendon.stiffness]),
                                 f"{name}_rest_length": np.array([length - sign * bench.length])}))
    motion = _stretching(bench, i)
    cases += [Case(off, velocity=sign * motion) for sign in (1.0, -1.0)]
    for sign in (1.0, -1.0):
        edge = np.array([length - sign * bench.length])
        cases.append(Case(off | {f"{name}_limit_stiffness": np.array([tendon.limit_stiffness]),
                                 f"{name}_lower": edge, f"{name}_upper": edge}))
    return cases


def _stretching(bench: Bench, i: int) -> Array:
    """The joint velocities of least norm that lengthen the tendon by bench.length a second; 0 where none do."""
    gearing = bench.base_rows(f"fixed{i}_gearing")
    velocity = np.zeros(bench.size)
    if np.any(gearing):
        velocity[list(bench.topology.fixed_tendons[i].dofs)] = gearing * bench.length / (gearing @ gearing)
    return velocity


def _stretched(bench: Bench, i: int, tendon: FixedTendon) -> list[Case]:
    """The rest length shortened and grown by bench.length, with a spring whatever is authored."""
    name, length = f"fixed{i}", _length(bench, i)
    rows = _off(bench) | {f"{name}_damping": np.array([tendon.damping]),
                          f"{name}_stiffness": np.array([tendon.stiffness or PROBE_STIFFNESS])}
    return [Case(rows | {f"{name}_rest_length": np.array([length - sign * bench.length])}) for sign in (1.0, -1.0)]


def _gearing_cases(bench: Bench, i: int, tendon: FixedTendon) -> list[Case]:
    """Pairs of opposite cases: the rest length shortened, then each axis' joint moved forward."""
    cases = _stretched(bench, i, tendon)
    rows = {**cases[0].rows, f"fixed{i}_rest_length": np.array([_length(bench, i)])}
    for axis in tendon.axes:
        unit = np.eye(bench.size)[axis.dof] * bench.lengths
        cases += [Case(rows, shift=sign * unit) for sign in (1.0, -1.0)]
    return cases


def single_axis(articulation: Articulation) -> Articulation:
    """The articulation with every fixed tendon cut down to its read axis."""
    tendons = ((tendon, read_axis(tendon)) for tendon in articulation.fixed_tendons)
    return replace(articulation, fixed_tendons=tuple(
        replace(tendon, axes=(axis,)) if axis else tendon for tendon, axis in tendons))

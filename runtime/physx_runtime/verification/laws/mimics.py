"""Experiments on mimic joints: gearing and offset from a sweep of the reference joint, with all joint limits in place.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.verification.bench import Bench, SteppedSimulation, stripped, with_dofs
from physx_runtime.verification.quantity import Findings, Key, Measurement, UnsteadyError, display
from physx_schema.description.model import Articulation, Dof, Drive, Mimic, unlimited

# Positions the reference is asked for over its range, and again between the last one reached and the next.
COARSE_COUNT, FINE_COUNT = 21, 61
# What counts as reached or as following, of the swept range.
FOLLOWING_TOLERANCE = 2e-4
# Natural frequency of the drives that hold joints, per step; they are critically damped.
HOLDING_FREQUENCY = 0.2
# A sweep is watched for this long and looked at this often, s; it rests when no joint moves by more than the last,
# rad or m, between two looks.
MAX_SWEEP_TIME, CHECK_INTERVAL, REST_TOLERANCE = 2000.0, 0.5, 1e-6
# Swept to either side of the authored pose where the reference has no limits, rad or m.
UNLIMITED_SPAN = 0.1


@dataclass(frozen=True, slots=True)
class Sweep:
    """Target positions of a reference joint, and the positions at rest of the joints; rad or length."""

    targets: DoubleArray            # (n_point,)
    positions: DoubleArray        # (n_point, n_dof)


def with_drives(articulation: Articulation) -> Articulation:
    """The articulation with limits, mimic joints, and drives on all joints, whose gains the experiments set."""
    return with_dofs(stripped(articulation, drives=True, limits=True, mimics=True), _with_drive)


def _with_drive(dof: Dof) -> Dof:
    drive = dof.drive or Drive(dof.path, "", 0.0, 0.0, 0.0, 0.0, math.inf, False)
    return replace(dof, drive=replace(drive, acceleration=False))


def measure_mimics(bench: Bench) -> Findings:
    """Gearing and offset of every mimic joint, rad or length: a line through follower over reference positions.

    The reference is driven over its whole range by its own drive, or a stiff one where it has none; joints without a
    part in a mimic joint are held. Only positions that the reference reaches with the follower off its limits make the
    line. A range that cannot be reached becomes a note.
    """
    findings = Findings()
    for mimic in bench.articulation.mimics:
        keys = mimic_keys(mimic)
        if not bench.is_requested(*keys):
            continue
        with findings.attempt(*keys):
            swept = _refined(bench, mimic, sweep(bench, mimic, np.linspace(*_range(bench, mimic), COARSE_COUNT)))
            line = _line(bench, mimic, swept)
            if line is not None:
                for key, value, error in zip(keys, line, _line_errors(bench, mimic, swept, line), strict=True):
                    findings.set_value(key, Measurement(-value, error))
            note = _range_note(bench, mimic, swept, line)
            if note:
                findings.notes[keys[0]] = note
    return findings


def mimic_keys(mimic: Mimic) -> tuple[Key, Key]:
    """The properties that author gearing and offset."""
    gearing, offset = ("gearing", "offset") if mimic.instance else ("mimicCoef1", "mimicCoef0")
    return Key(mimic.path, mimic.prefix + gearing), Key(mimic.path, mimic.prefix + offset)


# --- the sweep -----------------------------------------------------------------------------------------------------

def _range(bench: Bench, mimic: Mimic) -> tuple[float, float]:
    """The range of the sweep: the reference's limits, or a small range about the authored pose."""
    dof, follower = bench.dofs[mimic.reference], bench.dofs[mimic.follower]
    position = float(bench.pose[mimic.reference])
    if _limited(dof):
        return dof.lower, dof.upper
    span = UNLIMITED_SPAN * float(bench.units[mimic.reference])
    if _limited(follower):
        span = 0.25 * (follower.upper - follower.lower) / abs(mimic.gearing)
    return position - span, position + span


def _limited(dof: Dof) -> bool:
    return not (unlimited(dof.lower) or unlimited(dof.upper))


def sweep(bench: Bench, mimic: Mimic, references: DoubleArray) -> Sweep:
    """Drive the reference to each position in a world of its own until all joints rest.

    Raises UnsteadyError where they do not, or where positions become NaN.
    """
    sim = bench.simulation(len(references))
    for name, values in _drive_rows(bench, mimic).items():
        sim.set_row(name, values)
    targets = np.tile(bench.pose, (len(references), 1))
    targets[:, mimic.reference] = references
    sim.set_row("target_position", targets)
    _run_to_rest(sim, bench)
    return Sweep(references, np.asarray(sim.joint_position, dtype=np.float64))


def _refined(bench: Bench, mimic: Mimic, swept: Sweep) -> Sweep:
    """The sweep with more positions around both ends of the range that the reference reaches."""
    reached, _ = _tolerances(mimic, swept)
    excess = swept.positions[:, mimic.reference] - swept.targets
    above, below = np.flatnonzero(excess > reached), np.flatnonzero(excess < -reached)
    gaps = {(above[-1], above[-1] + 1) for _ in above[-1:]} | {(below[0] - 1, below[0]) for _ in below[:1]}
    sweeps = [swept] + [sweep(bench, mimic, np.linspace(swept.targets[a], swept.targets[b], FINE_COUNT))
                        for a, b in sorted(gaps) if a >= 0 and b < len(swept.targets)]
    targets = np.concatenate([item.targets for item in sweeps])
    order = np.argsort(targets, kind="stable")
    return Sweep(targets[order], np.concatenate([item.positions for item in sweeps])[order])


def _run_to_rest(sim: SteppedSimulation, bench: Bench) -> None:
    before = sim.joint_position
    for _ in range(math.ceil(MAX_SWEEP_TIME / CHECK_INTERVAL)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DivergenceWarning)      # said by the error below
            sim.step(math.ceil(CHECK_INTERVAL / bench.dt))
        now = sim.joint_position
        if sim.diverged.any():
            raise UnsteadyError("joint positions become NaN")
        if (np.abs(now - before) <= REST_TOLERANCE * bench.units).all():
            return
        before = now
    raise UnsteadyError(f"the joints do not settle within {MAX_SWEEP_TIME:g} s")


def coupled_dofs(mimics: Sequence[Mimic], dof: int) -> set[int]:
    """The degrees of freedom that mimic joints couple to `dof`, directly or through others, itself included."""
    group = {dof}
    for _ in mimics:
        group |= {x for m in mimics if {m.follower, m.reference} & group for x in (m.follower, m.reference)}
    return group


def _drive_rows(bench: Bench, mimic: Mimic) -> dict[str, DoubleArray]:
    """Gains: the reference's own, at least critically damped; stiff ones for joints to hold; none for tied joints."""
    reference, mimics = mimic.reference, bench.articulation.mimics
    inertia = bench.inertia.copy()
    inertia[reference] += sum(m.gearing ** 2 * bench.inertia[m.follower] for m in mimics if m.reference == reference)
    stiffness = inertia * (HOLDING_FREQUENCY / bench.dt) ** 2
    force = np.full(bench.size, math.inf)
    drive = bench.dofs[reference].drive
    if drive and drive.stiffness > 0.0 and not drive.acceleration:
        stiffness[reference], force[reference] = drive.stiffness, drive.max_force
    damping = 2.0 * np.sqrt(stiffness * inertia)
    if drive:
        damping[reference] = max(damping[reference], drive.damping)
    for dof in coupled_dofs(mimics, reference) - {reference}:
        stiffness[dof] = damping[dof] = 0.0
    return {"stiffness": stiffness, "damping": damping, "max_force": force, "target_velocity": np.zeros(bench.size)}


# --- what it shows -------------------------------------------------------------------------------------------------

def _tolerances(mimic: Mimic, swept: Sweep) -> tuple[float, float]:
    """Tolerances: of the reference's position as reached, and of the follower's as following."""
    span = float(np.ptp(swept.targets))
    return FOLLOWING_TOLERANCE * span, FOLLOWING_TOLERANCE * span * max(1.0, abs(mimic.gearing))


def _free(bench: Bench, mimic: Mimic, swept: Sweep) -> NDArray[np.bool_]:
    """(n_point,) where the reference arrives and the follower is off its limits."""
    reached, followed = _tolerances(mimic, swept)
    dof, q = bench.dofs[mimic.follower], swept.positions[:, mimic.follower]
    arrived = np.abs(swept.positions[:, mimic.reference] - swept.targets) <= reached
    return np.asarray(arrived & (q > dof.lower + followed) & (q < dof.upper - followed))


def _line(bench: Bench, mimic: Mimic, swept: Sweep) -> tuple[float, float] | None:
    """Slope and intercept of follower over reference where both move freely; None where they do not."""
    free = _free(bench, mimic, swept)
    q_reference, q_follower = swept.positions[free, mimic.reference], swept.positions[free, mimic.follower]
    if not free.any() or np.ptp(q_reference) <= _tolerances(mimic, swept)[0]:
        return None
    slope, start = np.polyfit(q_reference, q_follower, 1)
    return float(slope), float(start)


def _line_errors(bench: Bench, mimic: Mimic, swept: Sweep, line: tuple[float, float]) -> tuple[float, float]:
    """Uncertainties of slope and intercept, from the greatest distance of a position from the line."""
    free = _free(bench, mimic, swept)
    q_reference, q_follower = swept.positions[free, mimic.reference], swept.positions[free, mimic.follower]
    deviation = float(np.abs(q_follower - line[0] * q_reference - line[1]).max())
    deviation += REST_TOLERANCE * float(bench.units[mimic.follower])
    slope = 2.0 * deviation / float(np.ptp(q_reference))
    return slope, deviation + slope * float(np.abs(q_reference).min())


def _blocked(bench: Bench, mimic: Mimic, swept: Sweep, line: tuple[float, float] | None) -> NDArray[np.bool_]:
    """(n_point,) where the reference does not arrive, or the follower is off the line."""
    if line is None:
        return ~_free(bench, mimic, swept)
    reached, followed = _tolerances(mimic, swept)
    q_reference, q_follower = swept.positions[:, mimic.reference], swept.positions[:, mimic.follower]
    off = np.abs(q_follower - line[0] * q_reference - line[1]) > followed
    return np.asarray(off | (np.abs(q_reference - swept.targets) > reached))


def _range_note(bench: Bench, mimic: Mimic, swept: Sweep, line: tuple[float, float] | None) -> str:
    """What keeps the reference from its range, in a sentence; empty where nothing does."""
    blocked, dof = _blocked(bench, mimic, swept, line), bench.dofs[mimic.reference]
    if not blocked.any() or not _limited(dof):
        return ""
    worst = int(np.argmax(np.abs(swept.positions[:, mimic.reference] - swept.targets)))
    target, reached = swept.targets[worst], swept.positions[worst, mimic.reference]
    free = swept.targets[~blocked]
    remaining = display(dof, free.min(), free.max()) if free.size else "none"
    full, stops = display(dof, dof.lower, dof.upper), _stops(bench, mimic, swept, blocked)
    return (f"{stops} block {dof.path}; this joint reaches {remaining} of its range {full}, and with target "
            f"{display(dof, target)} it stops at {display(dof, reached)}")


def _stops(bench: Bench, mimic: Mimic, swept: Sweep, blocked: NDArray[np.bool_]) -> str:
    """The limits at which coupled joints are where the reference is blocked."""
    names = []
    for i in sorted(coupled_dofs(bench.articulation.mimics, mimic.reference) - {mimic.reference}):
        dof, q = bench.dofs[i], swept.positions[blocked, i]
        margin = FOLLOWING_TOLERANCE * (dof.upper - dof.lower) if _limited(dof) else 0.0
        if ((q <= dof.lower + margin) | (q >= dof.upper - margin)).any():
            names.append(f"the limits {display(dof, dof.lower, dof.upper)} of {dof.path}")
    return " and ".join(names) or "conflicting mimic joints"

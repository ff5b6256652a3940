"""Experiments on mimic joints: gearing and offset by a sweep of the reference joint, with all joint limits in place."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.verification.bench import Array, Bench, Stepped, stripped, with_dofs
from physx_runtime.verification.quantity import Findings, Key, Measured, UnsteadyError, shown
from physx_schema.description.model import Articulation, Dof, Drive, Mimic, unlimited

# Positions the reference is asked for over its range, and again between the last one reached and the next.
COARSE_COUNT, FINE_COUNT = 21, 61
# What counts as reached or as following, of the swept range.
FOLLOWING_TOLERANCE = 2e-4
# Natural frequency of the drives that hold joints, per step; they are critically damped.
HOLDING_FREQUENCY = 0.2
# A sweep is watched for this long and looked at this often, s; it rests when no joint moves by more than the last,
# rad or m, between two looks.
LONGEST_SWEEP, LOOK_INTERVAL, RESTING_CHANGE = 2000.0, 0.5, 1e-6
# Swept to either side of the authored pose where the reference has no limits, rad or m.
UNLIMITED_SPAN = 0.1


@dataclass(frozen=True, slots=True)
class Sweep:
    """Where a reference was asked to go, and where the joints came to rest; rad or length."""

    asked: Array            # (n_point,)
    positions: Array        # (n_point, n_dof)


def holders(articulation: Articulation) -> Articulation:
    """The articulation with limits and mimic joints, and a drive on every joint whose gains the experiments set."""
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
    found = Findings()
    for mimic in bench.articulation.mimics:
        keys = mimic_keys(mimic)
        if not bench.asks(*keys):
            continue
        with found.attempt(*keys):
            swept = _closely(bench, mimic, sweep(bench, mimic, np.linspace(*_range(bench, mimic), COARSE_COUNT)))
            line = _line(bench, mimic, swept)
            if line is not None:
                for key, value, error in zip(keys, line, _line_errors(bench, mimic, swept, line), strict=True):
                    found.put(key, Measured(-value, error))
            note = _reach(bench, mimic, swept, line)
            if note:
                found.notes[keys[0]] = note
    return found


def mimic_keys(mimic: Mimic) -> tuple[Key, Key]:
    """The properties that author gearing and offset."""
    gearing, offset = ("gearing", "offset") if mimic.instance else ("mimicCoef1", "mimicCoef0")
    return Key(mimic.path, mimic.prefix + gearing), Key(mimic.path, mimic.prefix + offset)


# --- the sweep -----------------------------------------------------------------------------------------------------

def _range(bench: Bench, mimic: Mimic) -> tuple[float, float]:
    """What the reference is asked to cover: its limits, or a little to both sides of the authored pose."""
    dof, follower, at = bench.dofs[mimic.reference], bench.dofs[mimic.follower], float(bench.pose[mimic.reference])
    if _limited(dof):
        return dof.lower, dof.upper
    span = UNLIMITED_SPAN * float(bench.units[mimic.reference])
    if _limited(follower):
        span = 0.25 * (follower.upper - follower.lower) / abs(mimic.gearing)
    return at - span, at + span


def _limited(dof: Dof) -> bool:
    return not (unlimited(dof.lower) or unlimited(dof.upper))


def sweep(bench: Bench, mimic: Mimic, asked: Array) -> Sweep:
    """Drive the reference to each position in a world of its own until all joints rest.

    Raises UnsteadyError where they do not, or where positions become NaN.
    """
    sim = bench.simulation(len(asked))
    for name, values in _drive_rows(bench, mimic).items():
        sim.set_row(name, values)
    targets = np.tile(bench.pose, (len(asked), 1))
    targets[:, mimic.reference] = asked
    sim.set_row("target_position", targets)
    _settle(sim, bench)
    return Sweep(asked, np.asarray(sim.joint_position, dtype=np.float64))


def _closely(bench: Bench, mimic: Mimic, swept: Sweep) -> Sweep:
    """The sweep with many positions more around both ends of what the reference reaches."""
    reached, _ = _tolerances(mimic, swept)
    excess = swept.positions[:, mimic.reference] - swept.asked
    above, below = np.flatnonzero(excess > reached), np.flatnonzero(excess < -reached)
    gaps = {(above[-1], above[-1] + 1) for _ in above[-1:]} | {(below[0] - 1, below[0]) for _ in below[:1]}
    sweeps = [swept] + [sweep(bench, mimic, np.linspace(swept.asked[a], swept.asked[b], FINE_COUNT))
                        for a, b in sorted(gaps) if a >= 0 and b < len(swept.asked)]
    asked = np.concatenate([part.asked for part in sweeps])
    order = np.argsort(asked, kind="stable")
    return Sweep(asked[order], np.concatenate([part.positions for part in sweeps])[order])


def _settle(sim: Stepped, bench: Bench) -> None:
    before = sim.joint_position
    for _ in range(math.ceil(LONGEST_SWEEP / LOOK_INTERVAL)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DivergenceWarning)      # said by the error below
            sim.step(math.ceil(LOOK_INTERVAL / bench.dt))
        now = sim.joint_position
        if sim.diverged.any():
            raise UnsteadyError("joint positions become NaN")
        if (np.abs(now - before) <= RESTING_CHANGE * bench.units).all():
            return
        before = now
    raise UnsteadyError(f"the joints do not come to rest within {LONGEST_SWEEP:g} s")


def tied(mimics: Sequence[Mimic], dof: int) -> set[int]:
    """The degrees of freedom that mimic joints tie to `dof`, directly or through others, itself included."""
    group = {dof}
    for _ in mimics:
        group |= {x for m in mimics if {m.follower, m.reference} & group for x in (m.follower, m.reference)}
    return group


def _drive_rows(bench: Bench, mimic: Mimic) -> dict[str, Array]:
    """Gains: the reference's own, at least critically damped; stiff ones for joints to hold; none for tied joints."""
    reference, mimics = mimic.reference, bench.articulation.mimics
    inertia = bench.inertia.copy()
    inertia[reference] += sum(m.gearing ** 2 * bench.inertia[m.follower] for m in mimics if m.reference == reference)
    stiffness = inertia * (HOLDING_FREQUENCY / bench.dt) ** 2
    force = np.full(bench.size, math.inf)
    own = bench.dofs[reference].drive
    if own and own.stiffness > 0.0 and not own.acceleration:
        stiffness[reference], force[reference] = own.stiffness, own.max_force
    damping = 2.0 * np.sqrt(stiffness * inertia)
    if own:
        damping[reference] = max(damping[reference], own.damping)
    for dof in tied(mimics, reference) - {reference}:
        stiffness[dof] = damping[dof] = 0.0
    return {"stiffness": stiffness, "damping": damping, "max_force": force, "target_velocity": np.zeros(bench.size)}


# --- what it shows -------------------------------------------------------------------------------------------------

def _tolerances(mimic: Mimic, swept: Sweep) -> tuple[float, float]:
    """What counts as reached by the reference and as following by the follower."""
    span = float(np.ptp(swept.asked))
    return FOLLOWING_TOLERANCE * span, FOLLOWING_TOLERANCE * span * max(1.0, abs(mimic.gearing))


def _free(bench: Bench, mimic: Mimic, swept: Sweep) -> NDArray[np.bool_]:
    """(n_point,) where the reference arrives and the follower is off its limits."""
    reached, followed = _tolerances(mimic, swept)
    dof, q = bench.dofs[mimic.follower], swept.positions[:, mimic.follower]
    arrived = np.abs(swept.positions[:, mimic.reference] - swept.asked) <= reached
    return np.asarray(arrived & (q > dof.lower + followed) & (q < dof.upper - followed))


def _line(bench: Bench, mimic: Mimic, swept: Sweep) -> tuple[float, float] | None:
    """Slope and start of follower over reference where both move freely; None where that is no range."""
    free = _free(bench, mimic, swept)
    q_reference, q_follower = swept.positions[free, mimic.reference], swept.positions[free, mimic.follower]
    if not free.any() or np.ptp(q_reference) <= _tolerances(mimic, swept)[0]:
        return None
    slope, start = np.polyfit(q_reference, q_follower, 1)
    return float(slope), float(start)


def _line_errors(bench: Bench, mimic: Mimic, swept: Sweep, line: tuple[float, float]) -> tuple[float, float]:
    """How far slope and start may be off: by a line through positions that are as far off as the farthest."""
    free = _free(bench, mimic, swept)
    q_reference, q_follower = swept.positions[free, mimic.reference], swept.positions[free, mimic.follower]
    off = float(np.abs(q_follower - line[0] * q_reference - line[1]).max())
    off += RESTING_CHANGE * float(bench.units[mimic.follower])
    slope = 2.0 * off / float(np.ptp(q_reference))
    return slope, off + slope * float(np.abs(q_reference).min())


def _blocked(bench: Bench, mimic: Mimic, swept: Sweep, line: tuple[float, float] | None) -> NDArray[np.bool_]:
    """(n_point,) where the reference does not arrive, or the follower is off the line."""
    if line is None:
        return ~_free(bench, mimic, swept)
    reached, followed = _tolerances(mimic, swept)
    q_reference, q_follower = swept.positions[:, mimic.reference], swept.positions[:, mimic.follower]
    off = np.abs(q_follower - line[0] * q_reference - line[1]) > followed
    return np.asarray(off | (np.abs(q_reference - swept.asked) > reached))


def _reach(bench: Bench, mimic: Mimic, swept: Sweep, line: tuple[float, float] | None) -> str:
    """What keeps the reference from its range, in a sentence; empty where nothing does."""
    blocked, dof = _blocked(bench, mimic, swept, line), bench.dofs[mimic.reference]
    if not blocked.any() or not _limited(dof):
        return ""
    worst = int(np.argmax(np.abs(swept.positions[:, mimic.reference] - swept.asked)))
    asked, came = swept.asked[worst], swept.positions[worst, mimic.reference]
    free = swept.asked[~blocked]
    part = shown(dof, free.min(), free.max()) if free.size else "no part"
    whole, stops = shown(dof, dof.lower, dof.upper), _stops(bench, mimic, swept, blocked)
    return (f"{stops} leave {dof.path} {part} of its range {whole}; asked for {shown(dof, asked)} "
            f"it comes to {shown(dof, came)}")


def _stops(bench: Bench, mimic: Mimic, swept: Sweep, blocked: NDArray[np.bool_]) -> str:
    """The limits that tied joints sit on where the reference is blocked."""
    names = []
    for i in sorted(tied(bench.articulation.mimics, mimic.reference) - {mimic.reference}):
        dof, q = bench.dofs[i], swept.positions[blocked, i]
        margin = FOLLOWING_TOLERANCE * (dof.upper - dof.lower) if _limited(dof) else 0.0
        if ((q <= dof.lower + margin) | (q >= dof.upper - margin)).any():
            names.append(f"the limits {shown(dof, dof.lower, dof.upper)} of {dof.path}")
    return " and ".join(names) or "mimic joints that disagree"

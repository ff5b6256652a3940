"""Computes how drives, tendons and mimic joints move in PhysX's step, in the numbers that tuning targets name.
`subjects` and `resolve_targets` find what a target is for. `motion_of` measures natural frequency, damping ratio,
settling time, sag or tip stiffness.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.dynamics.jacobian import point_jacobian
from physx_runtime.model.owners import acting_fixed_tendons, leaf_paths
from physx_runtime.simulation.arguments import as_float
from physx_runtime.verification.bench import Bench, Case, stripped
from physx_runtime.verification.laws.compliance import compliant, measure_compliance
from physx_runtime.verification.laws.fixed_tendons import TendonBench, fixed_tendon_bench, measured_axis
from physx_runtime.verification.laws.spatial_tendons import spatial_tendon_bench
from physx_runtime.verification.quantity import Key, UnsteadyError
from physx_runtime.verification.settling import single_joint_rows
from physx_schema.arguments import display, required_mapping, suggestion
from physx_schema.description.model import Articulation, Description, Drive
from physx_schema.description.units import DEGREES_PER_RADIAN


class TuningTarget(TypedDict, total=False):
    """The tuning targets of one drive, tendon, mimic joint or link. A key with the value None is ignored."""

    natural_frequency: float    # rad/s
    damping_ratio: float        # 1 without overshoot
    settling_time: float        # s until it stays within 2 % of where it rests; alone with a damping ratio of 1
    sag: float                  # of a drive under gravity, deg or length, from its target
    tip_stiffness: float        # of a link: force per length in the direction in which it gives way most


NAMES = tuple(TuningTarget.__annotations__)
DRIVE, FIXED, SPATIAL, MIMIC, LINK = "drive", "fixed tendon", "spatial tendon", "mimic joint", "link"
_MOTION = ("natural_frequency", "damping_ratio", "settling_time")
ALLOWED: Mapping[str, Sequence[str]] = {
    DRIVE: (*_MOTION, "sag"), FIXED: _MOTION, SPATIAL: _MOTION, MIMIC: _MOTION[:2], LINK: ("tip_stiffness",)}
# Targets that ask for the same number of a drive, a tendon or a mimic joint.
_EXCLUSIVE = ("natural_frequency", "settling_time", "sag")


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a target: a drive, a tendon, a mimic joint or a link."""

    kind: str
    name: str               # as targets name it: a prim path, and the axis or instance where the prim has several
    path: str               # prim of its gains
    prefix: str             # of their properties
    articulation: str       # prim path
    index: int              # of the degree of freedom, the acting tendon, the mimic joint or the link


def subjects(description: Description) -> Iterator[Subject]:
    """Everything on a stage that can have a target."""
    for robot in (item for item in description.articulations if item.enabled):
        for i, dof in enumerate(robot.dofs):
            if dof.drive is not None:
                yield Subject(DRIVE, dof.name, dof.drive.path, dof.drive.prefix, robot.path, i)
        yield from _tendons(robot)
        for i, mimic in enumerate(robot.mimics):
            if compliant(mimic):
                yield Subject(MIMIC, f"{mimic.path}:{mimic.instance}", mimic.path, mimic.prefix, robot.path, i)
        for i, link in enumerate(robot.links):
            yield Subject(LINK, link.path, link.path, "", robot.path, i)


def _tendons(robot: Articulation) -> Iterator[Subject]:
    for i, fixed in enumerate(acting_fixed_tendons(robot)):
        yield Subject(FIXED, _instance(fixed.path, fixed.prefix), fixed.path, fixed.prefix, robot.path, i)
    spatial = [tendon for tendon in robot.spatial_tendons if tendon.enabled]
    for i, (tendon_index, _) in enumerate(leaf_paths(robot)):
        tendon = spatial[tendon_index]
        yield Subject(SPATIAL, _instance(tendon.path, tendon.prefix), tendon.path, tendon.prefix, robot.path, i)


def _instance(path: str, prefix: str) -> str:
    """The prim and the instance that stands last in "physxTendon:t:"."""
    return f"{path}:{prefix.rstrip(':').rpartition(':')[2]}"


def resolve_targets(description: Description,
                    targets: Mapping[str, TuningTarget]) -> list[tuple[Subject, dict[str, float]]]:
    """The targets with their subjects. Raises ValueError, one line, for an invalid target."""
    candidates = list(subjects(description))
    required_mapping("targets", targets)
    if not targets:
        raise ValueError(f"targets is empty; give {{path: {{name: number}}}} with names {', '.join(NAMES)}")
    return [_resolve_target(candidates, path, dict(required_mapping(f"targets[{path!r}]", target)))
            for path, target in targets.items()]


def _resolve_target(candidates: Sequence[Subject], path: str, target: dict[str, object]) -> tuple[Subject,
                                                                                                  dict[str, float]]:
    unknown = sorted(set(target) - set(NAMES))
    if unknown or not target:
        problem = f"{unknown[0]!r} is not a tuning target" if unknown else "the target is empty"
        raise ValueError(f"{path}: {problem}; {suggestion(unknown[0] if unknown else '', NAMES)}")
    numbers = {name: _number(path, name, value) for name, value in target.items()}
    link_only = LINK if "tip_stiffness" in numbers else None
    matches = [item for item in candidates if path in (item.name, item.path) and (item.kind == LINK)
               == (link_only == LINK)]
    matches = [item for item in matches if item.name == path] or matches
    if len({item.name for item in matches}) != 1:
        raise ValueError(f"{path}: {_ambiguity(candidates, matches, link_only)}")
    subject = matches[0]
    disallowed = [name for name in numbers if name not in ALLOWED[subject.kind]]
    if disallowed:
        raise ValueError(f"{path}: {disallowed[0]!r} is not a tuning target of a {subject.kind}; "
                         f"choose from {', '.join(ALLOWED[subject.kind])}")
    exclusive = [name for name in _EXCLUSIVE if name in numbers]
    if len(exclusive) > 1:
        raise ValueError(f"{path}: {' and '.join(exclusive)} both determine the stiffness; give one of them")
    return subject, numbers


def _number(path: str, name: str, value: object) -> float:
    number = as_float(value)
    if not 0.0 < number < math.inf:
        raise ValueError(f"{path}: {name} is {display(value)}; give a positive, finite number")
    return number


def _ambiguity(candidates: Sequence[Subject], matches: Sequence[Subject], link_only: str | None) -> str:
    """The reason why a path does not name one subject."""
    if matches:
        return f"several tuning subjects match; choose one of {', '.join(dict.fromkeys(item.name for item in matches))}"
    names = dict.fromkeys(item.name for item in candidates if (item.kind == LINK) == (link_only == LINK))
    expected = "link of an articulation" if link_only else "drive, tendon or compliant mimic joint"
    return f"there is no {expected} with this path; the stage has {', '.join(names) or 'none'}"


# Part of a deviation below which something has settled, and most steps until then.
SETTLED_FRACTION, MAX_STEPS = 0.02, 20_000
# Times by which a critically damped drive has come to rest, of its own time.
SETTLING_PERIODS = 25.0

_CONSTRAINTS: Mapping[str, Mapping[str, bool]] = {
    DRIVE: {"drives": True}, LINK: {"drives": True}, FIXED: {"fixed_tendons": True},
    SPATIAL: {"spatial_tendons": True}, MIMIC: {"mimics": True}}


def motion_of(description: Description, articulation: Articulation, subject: Subject, names: set[str],
              dt: float) -> dict[str, float]:
    """Values of these numbers of a subject, each in its own unit. Raises UnsteadyError where they do not exist."""
    bench = Bench(description, stripped(articulation, **_CONSTRAINTS[subject.kind]), dt)
    if subject.kind == MIMIC:
        return _of_mimic(bench, subject)
    if subject.kind == LINK:
        return {"tip_stiffness": _tip_stiffness(bench, subject)}
    motion: dict[str, float] = {}
    if names & {"natural_frequency", "damping_ratio", "settling_time"}:
        step = _step_of(bench, subject)
        motion["natural_frequency"], motion["damping_ratio"] = _modes(step, dt)
        if "settling_time" in names:
            motion["settling_time"] = _settling_time(step, dt)
    if "sag" in names:
        motion["sag"] = _sag(bench, subject.index)
    return motion


def drive_of(bench: Bench, index: int) -> Drive:
    """The drive of a degree of freedom. Raises UnsteadyError where there is none."""
    drive = bench.dofs[index].drive
    if drive is None:
        raise UnsteadyError("the joint has no drive")
    return drive


def _of_mimic(bench: Bench, subject: Subject) -> dict[str, float]:
    keys = {"natural_frequency": Key(subject.path, f"{subject.prefix}naturalFrequency"),
            "damping_ratio": Key(subject.path, f"{subject.prefix}dampingRatio")}
    mimic = bench.articulation.mimics[subject.index]
    findings = measure_compliance(bench.variant(replace(bench.articulation, mimics=(mimic,))))
    return {name: findings.values[key] for name, key in keys.items() if key in findings.values}


# --- free motion ---------------------------------------------------------------------------------------------------

def _step_of(bench: Bench, subject: Subject) -> DoubleArray:
    """(2, 2): deviation and its rate after a free step, per deviation and rate before it."""
    rows, direction = _drive_at_rest(bench, subject.index) if subject.kind == DRIVE else _tendon_at_rest(bench, subject)
    length, speed = float(np.min(bench.lengths)), float(np.min(bench.speeds))
    cases = [Case(rows), Case(rows, shift=length * direction), Case(rows, velocity=speed * direction)]
    (q, v), = bench.sample_motion(cases, np.zeros((3, bench.size)), (1,))
    weights = direction / (direction @ direction)
    after = np.stack([(q - bench.pose) @ weights, v @ weights])
    return np.stack([(after[:, 1] - after[:, 0]) / length, (after[:, 2] - after[:, 0]) / speed], axis=1)


def _drive_at_rest(bench: Bench, i: int) -> tuple[dict[str, DoubleArray], DoubleArray]:
    """A drive at rest in the authored pose, all other joints held."""
    unit, drive = np.eye(bench.size)[i], drive_of(bench, i)
    return single_joint_rows(bench, i, limits=False) | {
        "stiffness": unit * drive.stiffness, "damping": unit * drive.damping, "target_position": bench.pose}, unit


def _tendon_at_rest(bench: Bench, subject: Subject) -> tuple[dict[str, DoubleArray], DoubleArray]:
    """A tendon at rest in the authored pose, and how the joints move when it pulls, the fastest at 1."""
    tendon_bench = spatial_tendon_bench(bench, subject.index) if subject.kind == SPATIAL else _fixed(bench,
                                                                                                     subject.index)
    if tendon_bench is None:
        raise UnsteadyError("the tendon's pull moves no joint in the authored pose")
    spring = bench.spring(tendon_bench.stiffness, tendon_bench.damping)
    stretched = tendon_bench.case(spring, -bench.probe(spring, tendon_bench.damping) * bench.meter)
    velocity = bench.step_from_rest([stretched], np.zeros((1, bench.size)))[0]
    return dict(tendon_bench.case(tendon_bench.stiffness, 0.0).rows), velocity / np.abs(velocity).max()


def _fixed(bench: Bench, i: int) -> TendonBench | None:
    tendon = acting_fixed_tendons(bench.articulation)[i]
    axis = measured_axis(tendon)
    return None if axis is None else fixed_tendon_bench(bench, i, tendon, axis)


def _modes(step: DoubleArray, dt: float) -> tuple[float, float]:
    """Natural frequency [rad/s] and damping ratio of the motion that a step repeats. Raises UnsteadyError."""
    modes = np.linalg.eigvals(step).astype(complex)
    if not np.isfinite(modes).all() or any(abs(mode) < 1e-12 or (mode.imag == 0.0 and mode.real < 0.0)
                                           for mode in modes):
        raise UnsteadyError("the deviation from rest changes its sign in every step")
    first, second = np.log(modes) / dt
    squared = float((first * second).real)
    if not squared > 0.0:
        raise UnsteadyError("no spring pulls the joint or link back")
    return math.sqrt(squared), -float((first + second).real) / (2.0 * math.sqrt(squared))


def _settling_time(step: DoubleArray, dt: float) -> float:
    """The time, s, after which a deviation stays below a fraction of itself. Raises UnsteadyError."""
    state, last = np.array([1.0, 0.0]), math.nan
    for count in range(MAX_STEPS):
        after = step @ state
        size, next_size = abs(float(state[0])), abs(float(after[0]))
        if size > SETTLED_FRACTION >= next_size:
            last = dt * (count + math.log(size / SETTLED_FRACTION) / math.log(size / max(next_size, 1e-300)))
        if np.abs(after).max() < 1e-6:
            return last
        state = after
    raise UnsteadyError(f"the motion does not settle within {MAX_STEPS} steps")


# --- under loads ---------------------------------------------------------------------------------------------------

def _sag(bench: Bench, i: int) -> float:
    """The deviation of a drive from its target under gravity, all other joints held; degrees or lengths."""
    unit, drive, dof = np.eye(bench.size)[i], drive_of(bench, i), bench.dofs[i]
    damping, steps = _critical_damping(bench, i, drive)
    rows = single_joint_rows(bench, i, limits=True) | {
        "stiffness": unit * drive.stiffness, "damping": unit * damping, "gravity": bench.base_rows("gravity"),
        "target_position": np.where(unit > 0.0, drive.target_position, bench.pose),
        "max_force": np.where(unit > 0.0, bench.base_rows("max_force"), math.inf)}
    case = Case(rows, shift=unit * (drive.target_position - bench.pose[i]))
    (q, _), = bench.sample_motion([case], np.zeros((1, bench.size)), (steps,))
    return abs(float(q[0, i]) - drive.target_position) * (DEGREES_PER_RADIAN if dof.angular else 1.0)


def _critical_damping(bench: Bench, i: int, drive: Drive) -> tuple[float, int]:
    """Critical damping of a drive, and the number of steps until it rests."""
    if not drive.stiffness > 0.0:
        raise UnsteadyError("stiffness is 0, and the drive does not hold the joint")
    inertia = 1.0 if drive.acceleration else float(bench.inertia[i])
    rate = math.sqrt(drive.stiffness / inertia)
    return 2.0 * inertia * rate, min(math.ceil(SETTLING_PERIODS / (rate * bench.dt)) + 50, MAX_STEPS)


def _tip_stiffness(bench: Bench, subject: Subject) -> float:
    """Force per length at the link's frame in the direction of least stiffness; other joints held."""
    _, k = bench.kinematics()
    link = list(bench.model.link_names).index(subject.path)
    jacobian = np.zeros((3, bench.size))
    for dof, column in point_jacobian(bench.topology, k, link, (0.0, 0.0, 0.0)).items():
        jacobian[:, dof] = column
    driven = [i for i, dof in enumerate(bench.dofs) if dof.drive and dof.drive.stiffness > 0.0]
    if not jacobian[:, driven].any():
        raise UnsteadyError("no drive with a stiffness moves the link")
    rows = {"target_position": bench.pose, "target_velocity": np.zeros(bench.size),
            "max_force": np.full(bench.size, math.inf)}
    shifts = np.eye(bench.size)[driven] * bench.lengths
    efforts = bench.hold([Case(rows, shift=sign * shift) for shift in shifts for sign in (1.0, -1.0)])
    stiffness = (efforts[0::2] - efforts[1::2])[:, driven] / (2.0 * bench.lengths[driven])
    compliance = jacobian[:, driven] @ np.linalg.solve(stiffness.T, jacobian[:, driven].T)
    return 1.0 / float(np.linalg.eigvalsh(0.5 * (compliance + compliance.T)).max())

"""`Bench` runs experiments on one articulation as worlds side by side: one family of constraints, and efforts that hold
a motion. `Bench.hold` finds the joint efforts that keep a pose or constant velocities from step to step. It varies a
state of motion and efforts until a step reproduces the motion. Nothing has to settle, so stiff, soft and unstable
set-ups are measured in the same way. The effort that holds against a constraint is its force.

`branches` splits an articulation at the held root into parts that do not affect each other, unless a tendon or mimic
joint couples them. Each branch is measured alone. Of equal branches, such as the fingers of a hand, only the first is
measured.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.dynamics.crba import mass_matrix
from physx_runtime.dynamics.kinematics import Kinematics, forward_kinematics
from physx_runtime.dynamics.spatial import quaternion
from physx_runtime.language.ops import Rows
from physx_runtime.model.row_specs import input_rows
from physx_runtime.model.topology import SPHERICAL
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.simulation.simulation import Simulation
from physx_runtime.verification.quantity import Key, UnsteadyError
from physx_runtime.worlds.store import AUTO, SCHEDULED
from physx_schema.description.model import Articulation, Description, Dof, Link

S = TypeVar("S", bound="SteppedSimulation")

# Speed of probing motions, rad/s or m/s, and displacement of joints, rad or m: small enough for poses to stay what they
# are, large against float64 rounding.
PROBE_SPEED, PROBE_LENGTH = 1e-4, 1e-4
# Largest change of a target or a rest length, which moves nothing while the pose is held, rad or m.
MAX_TARGET_CHANGE = 1.0
# The same where a drive sees the sine of half the angle: off by one part in a hundred thousand.
MAX_ANGLE_CHANGE = 1e-2
# The last correction of the efforts that hold a motion may be this large, of the efforts.
HOLDING_TOLERANCE = 1e-6
# The motions are almost linear in the efforts: the first correction finds them, the others remove what is left.
MAX_CORRECTIONS = 15


@dataclass(frozen=True, slots=True)
class Solver:
    """The solver of a bench: as authored, ideal, or without one feature of PhysX's solver to see its effect."""

    ideal: bool = False                 # solver="ideal": many iterations, no velocity iterations, no cfm
    velocity_iterations: bool = True    # False: none, the rest as authored
    softened: bool = True               # False: no cfm, the rest as authored


PHYSX, IDEAL = Solver(), Solver(ideal=True)
POSITION_ONLY = Solver(velocity_iterations=False)
POSITION_ONLY_HARD = Solver(velocity_iterations=False, softened=False)


@dataclass(frozen=True, slots=True)
class Case:
    """One experiment: parameter rows that differ from the stage, and the motion to hold."""

    rows: Mapping[str, DoubleArray] = field(default_factory=dict)
    shift: DoubleArray | None = None          # (n_dof,) from the authored pose, rad or length
    velocity: DoubleArray | None = None       # (n_dof,) rad/s or length/s
    effort: DoubleArray | None = None         # (n_dof,) size of the efforts to expect beyond those of inertia


class SteppedSimulation(Protocol):
    """The simulation of a bench."""

    @property
    def joint_position(self) -> NDArray[Any]:
        """(n_world, n_dof) rad or length."""
        ...

    @property
    def joint_velocity(self) -> NDArray[Any]:
        """(n_world, n_dof) rad/s or length/s."""
        ...

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Mask (n_world,) of worlds that are no longer finite."""
        ...

    def set_row(self, name: str, values: NDArray[Any], /) -> None:
        """Set a parameter, one for all worlds or one for each."""
        ...

    def set(self, name: str, values: NDArray[Any], /) -> None:
        """Set the joint efforts."""
        ...

    def reset(self, *, joint_position: NDArray[Any], joint_velocity: NDArray[Any]) -> None:
        """Set the state of every world."""
        ...

    def step(self, count: int = 1, /) -> None:
        """Step all worlds."""
        ...


@dataclass(frozen=True, slots=True)
class Balance:
    """Efforts and velocities that sustain motions, (n_case, 1, 2 n_dof), and how they were found."""

    start: DoubleArray            # (n_case, n_dof) poses
    target_velocity: DoubleArray           # (n_case, n_dof) velocities to keep
    scale: DoubleArray            # (n_case, 2 n_dof) units of efforts and velocities
    slope: DoubleArray            # (n_case, 2 n_dof, 2 n_dof) residual per these units
    solution: DoubleArray
    errors: DoubleArray           # (n_case, n_dof) how far the efforts may be off: their last correction


class Bench:
    """An articulation with a held base, without gravity, friction, limits, dampings and clamps.

    `articulation` brings the constraints under test. Lengths are stage units; dt [s]. The pose is the authored one, but
    spherical and generic joints stand at 0, where the rate of their position is their velocity.
    requested: the numbers to measure, None for all.
    """

    # A joint whose force is read is so heavy that it keeps its speed to this part of it.
    speed_tolerance = 1e-6
    # How much a settled joint may still move or speed up between two looks, rad or m and of what it was asked for.
    settled_tolerance = 1e-6

    def __init__(self, description: Description, articulation: Articulation, dt: float, solver: Solver = PHYSX,
                 requested: Collection[Key] | None = None) -> None:
        if not solver.velocity_iterations:
            articulation = replace(articulation, velocity_iterations=0)
        self.articulation, self.dt, self.solver, self._requested = articulation, dt, solver, requested
        self._description = description.only(articulation)
        self._name = "ideal" if solver.ideal else "physx"
        single = self.builtin(1)
        self.model, self.topology = single.model, single.topology
        self.dofs = articulation.dofs
        self.size = len(self.dofs)
        self.spherical = np.array([self.topology.kind_of(i) == SPHERICAL for i in range(self.size)], dtype=np.bool_)
        self.pose = np.where(self.spherical, 0.0, single.joint_position[0])
        self.meter = 1.0 / description.scene.meters_per_unit
        self.units = np.array([1.0 if dof.angular else self.meter for dof in self.dofs])    # rad or m
        self.speeds, self.lengths = PROBE_SPEED * self.units, PROBE_LENGTH * self.units
        self.length = PROBE_LENGTH * self.meter
        self.inertia = self._inertia()

    def simulation(self, worlds: int, path: str = AUTO) -> SteppedSimulation:
        """The simulation of the stripped articulation."""
        return self.builtin(worlds, path)

    def builtin(self, worlds: int, path: str = AUTO) -> Simulation:
        """This runtime's simulation of the stripped articulation."""
        sim = Simulation(self._description, worlds, dt=self.dt, dtype="float64", solver=self._name, path=path,
                         sleeping=False)
        links, dofs = len(sim.topology.links), len(sim.topology.dofs)
        for name, value, count in (("gravity", 0.0, 3), ("linear_damping", 0.0, links), ("angular_damping", 0.0, links),
                                   ("max_linear_velocity", np.inf, links), ("max_angular_velocity", np.inf, links),
                                   ("velocity_clamp", np.inf, dofs)):
            sim.set_row(name, np.full(count, value))
        for name in {"min_rotation", "single_rotation"} & input_rows(sim.topology).keys():
            sim.set_row(name, [0.0])
        if not self.solver.softened:
            sim.set_row("cfm_scale", np.zeros(links))
        return sim

    def variant(self, articulation: Articulation) -> Bench:
        """The same bench with another articulation on it."""
        return Bench(self._description, articulation, self.dt, self.solver, self._requested)

    def is_requested(self, *keys: Key) -> bool:
        """Whether one of these numbers is to be measured."""
        return self._requested is None or any(key in self._requested for key in keys)

    def base_rows(self, name: str) -> DoubleArray:
        """A parameter row as authored, (n,)."""
        return np.array(self.model.parameters[name])

    def _inertia(self) -> DoubleArray:
        """Diagonal of the mass matrix with armature at the authored pose, (n_dof,): the scale of efforts."""
        rows, k = self.kinematics()
        return np.diag(np.array(mass_matrix(self.topology, rows, k), dtype=np.float64)) + self.base_rows("armature")

    def kinematics(self) -> tuple[Rows, Kinematics]:
        """Every row as plain numbers, and the links' poses in the authored pose."""
        rows = {name: values.tolist() for name, values in {**self.model.parameters, **self.model.state}.items()}
        return rows, forward_kinematics(self.topology, rows, rows["q"], quaternion(rows, "root_rotation", 0))

    def hold(self, cases: Sequence[Case]) -> DoubleArray:
        """The joint efforts, (n_case, n_dof), that sustain each case's motion.

        Raises UnsteadyError where none are found.
        """
        return self.steady(cases)[0]

    def hold_with_errors(self, cases: Sequence[Case]) -> tuple[DoubleArray, DoubleArray]:
        """The same efforts, and how far each may be off, both (n_case, n_dof)."""
        balance = self.balance(cases)
        return np.asarray(balance.solution[:, 0, :self.size]), balance.errors

    def steady(self, cases: Sequence[Case]) -> tuple[DoubleArray, DoubleArray]:
        """The same efforts, and the joint velocities with which each step begins and ends, both (n_case, n_dof)."""
        solution = self.balance(cases).solution[:, 0]
        return np.asarray(solution[:, :self.size]), np.asarray(solution[:, self.size:])

    def balance(self, cases: Sequence[Case]) -> Balance:
        """Efforts and velocities, found with this runtime's step. Raises UnsteadyError where there are none."""
        n = self.size
        start = self._poses(cases)
        target_velocity = np.stack([case.velocity if case.velocity is not None else np.zeros(n) for case in cases])
        # of efforts and velocities, (n_case, 2 n_dof)
        scale = np.concatenate([self._efforts(cases), np.tile(self.speeds, (len(cases), 1))], axis=1)
        y = np.concatenate([np.zeros_like(start), target_velocity], axis=1)[:, None, :]
        probes = np.concatenate([np.zeros((1, 2 * n)), np.eye(2 * n)]) * scale[:, None, :]
        residual = self.residuals(self._set_up(self.builtin(len(cases) * (2 * n + 1)), cases, 2 * n + 1), start,
                                  target_velocity,
                                  y + probes)
        # slope of the residual with efforts and velocities, both in units of the probes
        slope, residual = np.moveaxis(residual[:, 1:] - residual[:, :1], 1, 2), residual[:, :1]
        sim, error = self._set_up(self.builtin(len(cases)), cases), math.inf
        for _ in range(MAX_CORRECTIONS):
            if not (np.isfinite(residual).all() and np.isfinite(slope).all()):
                break
            change = solve(slope, residual) * scale
            y = y - change[:, None, :]
            residual, last = self.residuals(sim, start, target_velocity, y), error
            error = self._error(y[:, 0, :n], change[:, :n], residual[:, 0], scale[:, :n])
            if error <= HOLDING_TOLERANCE and error > 0.5 * last:
                break
        if not error <= HOLDING_TOLERANCE:
            raise UnsteadyError("the experiment finds no joint efforts that hold the pose for one step; the "
                                "articulation seems unstable")
        return Balance(start, target_velocity, scale, slope, np.asarray(y, dtype=np.float64), np.abs(change[:, :n]))

    def _error(self, efforts: DoubleArray, change: DoubleArray, residual: DoubleArray, scale: DoubleArray) -> float:
        """The last change of the efforts and the motion left over, relative to the efforts and what they would do."""
        size = np.maximum(np.abs(efforts).max(axis=1, keepdims=True), scale.min(axis=1, keepdims=True))
        motion = np.tile(np.maximum(self.speeds, size / self.inertia * self.dt), 2)
        return float(max((np.abs(change) / size).max(), (np.abs(residual) / motion).max()))

    def _efforts(self, cases: Sequence[Case]) -> DoubleArray:
        """How large the joint efforts of each case are, (n_case, n_dof): against inertia and what the case adds."""
        inertial = self.inertia * self.speeds / self.dt
        return np.stack([inertial + (np.abs(case.effort) if case.effort is not None else 0.0) for case in cases])

    def probe(self, stiffness: float, damping: float, max_change: float = MAX_TARGET_CHANGE) -> float:
        """A change of target or rest length, rad or m, with a clear but moderate response of a spring."""
        if stiffness == 0.0:
            return max_change
        change = PROBE_SPEED * (float(np.min(self.inertia)) / self.dt + damping) / stiffness
        return min(max(change, PROBE_LENGTH), max_change)

    def spring(self, stiffness: float, damping: float) -> float:
        """A stiffness to measure lengths with: as authored, or greater where damping would dominate."""
        min_stiffness = 0.01 * damping / self.dt
        return max(stiffness, min_stiffness) or 1e-3 * float(np.min(self.inertia)) / self.dt ** 2

    def _poses(self, cases: Sequence[Case]) -> DoubleArray:
        return np.stack([self.pose + (case.shift if case.shift is not None else 0.0) for case in cases])

    def _simulation_of(self, cases: Sequence[Case], path: str = AUTO) -> SteppedSimulation:
        """A simulation with a world for every case."""
        return self._set_up(self.simulation(len(cases), path), cases)

    def _set_up(self, sim: S, cases: Sequence[Case], repeat: int = 1) -> S:
        """A simulation with the parameters of every case in `repeat` neighbouring worlds."""
        for name in {name for case in cases for name in case.rows}:
            values = np.stack([case.rows.get(name, self.base_rows(name)) for case in cases])
            sim.set_row(name, np.repeat(values, repeat, axis=0))
        return sim

    def residuals(self, sim: SteppedSimulation, start: DoubleArray, target_velocity: DoubleArray,
                  y: DoubleArray) -> DoubleArray:
        """Deviation of a step from the motion, (n_case, n_world_each, 2 n_dof) velocities; y: efforts, velocities."""
        per_case, n = y.shape[1], self.size
        q0 = np.repeat(start, per_case, axis=0)
        flat = y.reshape(-1, 2 * n)
        sim.set("joint_effort", flat[:, :n])
        q, v = self._stepped(sim, q0, flat[:, n:])
        velocity_error = (q - q0) / self.dt - np.repeat(target_velocity, per_case, axis=0)
        return np.concatenate([velocity_error, v - flat[:, n:]], axis=1).reshape(y.shape)

    def step_from_rest(self, cases: Sequence[Case], efforts: DoubleArray) -> DoubleArray:
        """Joint velocities after one step from rest under efforts (n_case, n_dof), (n_case, n_dof)."""
        sim = self._simulation_of(cases)
        sim.set("joint_effort", efforts)
        return self._stepped(sim, self._poses(cases), np.zeros((len(cases), self.size)))[1]

    def sample_motion(self, cases: Sequence[Case], efforts: DoubleArray,
                      step_counts: Sequence[int]) -> list[tuple[DoubleArray, DoubleArray]]:
        """Joint positions and velocities, both (n_case, n_dof), after each of several numbers of steps.

        Every case moves freely from its shift and velocity under its efforts, (n_case, n_dof); NaN once diverged.
        """
        start = np.stack([np.zeros(self.size) if case.velocity is None else case.velocity for case in cases])
        sim = self._simulation_of(cases, SCHEDULED)        # a few hundred steps are not worth compiling for
        sim.set("joint_effort", efforts)
        sim.reset(joint_position=self._poses(cases), joint_velocity=start)
        return [self._advance(sim, steps) for steps in step_counts]

    def step_from_velocity(self, case: Case) -> DoubleArray:
        """Joint velocities, (n_dof,), a free step after the case's velocity."""
        start = np.zeros(self.size) if case.velocity is None else case.velocity
        _, velocities = self._stepped(self._simulation_of([case]), self._poses([case]), start[None, :])
        return velocities.reshape(-1)

    def step(self, positions: DoubleArray, velocities: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """Joint positions and velocities a free step later; all (n_world, n_dof)."""
        return self._stepped(self.simulation(len(positions)), positions, velocities)

    def _stepped(self, sim: SteppedSimulation, positions: DoubleArray,
                 velocities: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        sim.reset(joint_position=positions, joint_velocity=velocities)
        return self._advance(sim, 1)

    @staticmethod
    def _advance(sim: SteppedSimulation, steps: int) -> tuple[DoubleArray, DoubleArray]:
        """Joint positions and velocities after `count` steps, NaN in worlds that diverged."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DivergenceWarning)      # the caller says what became of the experiment
            sim.step(steps)
        q, v = (np.asarray(x, dtype=np.float64) for x in (sim.joint_position, sim.joint_velocity))
        q[sim.diverged], v[sim.diverged] = np.nan, np.nan
        return q, v


def solve(slope: DoubleArray, residual: DoubleArray) -> DoubleArray:
    """slope^-1 residual of every case, (n_case, n); raises UnsteadyError where it is singular."""
    try:
        return np.asarray(np.linalg.solve(slope, np.moveaxis(residual, 1, 2))[..., 0], dtype=np.float64)
    except np.linalg.LinAlgError:
        raise UnsteadyError("the experiment's equations for the joint efforts have no unique solution") from None


def stripped(articulation: Articulation, *, drives: bool = False, limits: bool = False, axes: bool = False,
             fixed_tendons: bool = False, spatial_tendons: bool = False, mimics: bool = False,
             envelopes: bool = False) -> Articulation:
    """The articulation on a held base with only these constraints, without authored forces and colliders.

    axes: joint friction and maximum velocities stay; envelopes: those of drives.
    """
    result = with_dofs(articulation, lambda dof: _dof(dof, drives, limits, axes, envelopes))
    return replace(
        result, fixed_base=True, links=tuple(replace(link, external_forces=(), colliders=()) for link in result.links),
        mimics=articulation.mimics if mimics else (),
        fixed_tendons=articulation.fixed_tendons if fixed_tendons else (),
        spatial_tendons=articulation.spatial_tendons if spatial_tendons else ())


def with_dofs(articulation: Articulation, change: Callable[[Dof], Dof]) -> Articulation:
    """The articulation with every degree of freedom changed."""
    return replace(articulation, links=tuple(
        replace(link, joint=replace(link.joint, dofs=tuple(map(change, link.joint.dofs)))) if link.joint else link
        for link in articulation.links))


def _dof(dof: Dof, drives: bool, limits: bool, axes: bool, envelopes: bool) -> Dof:
    result = dof
    if not axes:
        result = replace(dof, static_friction=0.0, dynamic_friction=0.0, viscous_friction=0.0, max_velocity=np.inf)
    if not limits:
        result = replace(result, lower=-np.inf, upper=np.inf)
    drive = dof.drive if envelopes or dof.drive is None else replace(dof.drive, envelope=None)
    return replace(result, drive=drive if drives else None)


# Fields that differ between equal branches: names and poses.
_NAMES = frozenset({"path", "name", "prefix", "pose", "body0", "body1"})


def branches(articulation: Articulation) -> list[Articulation]:
    """The articulation's branches, each with the root, in the order of their first links."""
    tops = _tops(articulation)
    groups = _coupled(articulation, tops)
    if len(groups) < 2:
        return [articulation]
    return [_branch(articulation, [i for i, top in enumerate(tops) if i == 0 or top in group]) for group in groups]


def matching_branch(articulation: Articulation, branch: Articulation) -> Articulation | None:
    """The branch of an articulation that has the links of another one; None where there is none."""
    paths = {link.path for link in branch.links}
    return next((item for item in branches(articulation) if {link.path for link in item.links} == paths), None)


def structure_key(branch: Articulation) -> object:
    """A key that is equal for branches that differ only in names and in frames at the root."""
    root, *other_links = branch.links
    at_root = bool(branch.spatial_tendons)      # which may be fastened to the root
    links = [link if at_root or link.parent or link.joint is None else
             replace(link, joint=replace(link.joint, parent_frame=root.pose, authored_rotations=None))
             for link in other_links]
    return _canonical((replace(branch, links=()), links))


def with_renamed_paths(text: str, first: Articulation, other: Articulation) -> str:
    """A sentence about a branch with the paths of an equal one."""
    names = dict(zip(_paths(first.links), _paths(other.links), strict=True))
    pattern = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?:{pattern})(?![\w/])", lambda match: names[match.group()], text)


def _paths(links: Sequence[Link]) -> list[str]:
    return [path for link in links for path in (link.path, *([link.joint.path] if link.joint else []))]


def _canonical(value: Any) -> object:
    """Numbers without names."""
    if is_dataclass(value):
        return tuple(_canonical(getattr(value, item.name)) for item in fields(value) if item.name not in _NAMES)
    return tuple(map(_canonical, value)) if isinstance(value, list | tuple) else value


def _tops(articulation: Articulation) -> list[int]:
    """For every link the child of the root above it; 0 for the root."""
    tops = [0]
    for i, link in enumerate(articulation.links[1:], 1):
        tops.append(tops[link.parent] or i)
    return tops


def _coupled(articulation: Articulation, tops: Sequence[int]) -> list[set[int]]:
    """The root's children in groups that tendons and mimic joints tie together."""
    owners = [i for i, link in enumerate(articulation.links) if link.joint for _ in link.joint.dofs]
    ties: list[Iterable[int]] = [[axis.dof for axis in tendon.axes] for tendon in articulation.fixed_tendons]
    ties += [(mimic.follower, mimic.reference) for mimic in articulation.mimics]
    coupled = [{tops[owners[dof]] for dof in tie} for tie in ties]
    coupled += [{tops[attachment.link] for attachment in tendon.attachments} - {0}
                for tendon in articulation.spatial_tendons]
    groups = [{top} for top in dict.fromkeys(tops) if top]
    for tie in coupled:
        joined = [group for group in groups if group & tie]
        groups = [group for group in groups if not group & tie] + ([set().union(*joined)] if joined else [])
    return sorted(groups, key=min)


def _branch(articulation: Articulation, indices: Sequence[int]) -> Articulation:
    """The articulation with these links alone."""
    link_index = {link: i for i, link in enumerate(indices)}
    dofs = [(i, dof) for i, link in enumerate(articulation.links) if link.joint for dof in link.joint.dofs]
    dof_index = {dof: i for i, dof in enumerate(k for k, (link, _) in enumerate(dofs) if link in link_index)}
    return replace(
        articulation,
        links=tuple(_reindexed(articulation.links[i], link_index) for i in indices),
        fixed_tendons=tuple(
            replace(tendon, axes=tuple(replace(axis, dof=dof_index[axis.dof]) for axis in tendon.axes))
            for tendon in articulation.fixed_tendons if tendon.axes[0].dof in dof_index),
        spatial_tendons=tuple(
            replace(tendon, attachments=tuple(replace(item, link=link_index[item.link]) for item in tendon.attachments))
            for tendon in articulation.spatial_tendons
            if all(item.link in link_index for item in tendon.attachments)),
        mimics=tuple(replace(mimic, follower=dof_index[mimic.follower], reference=dof_index[mimic.reference])
                     for mimic in articulation.mimics if mimic.follower in dof_index))


def _reindexed(link: Link, link_index: Mapping[int, int]) -> Link:
    """The link with indices of the branch."""
    if link.joint is None:
        return link
    joint = replace(link.joint, parent=link_index[link.joint.parent], child=link_index[link.joint.child])
    return replace(link, parent=link_index[link.parent], joint=joint)

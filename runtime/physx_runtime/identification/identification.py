"""`identify` finds the parameters of a robot with which PhysX's step reproduces a log, and says what the log shows."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from physx_runtime.arrays import DoubleArray, Flags
from physx_runtime.identification.branches import joint_mean_squares, restarted, wrong_windows
from physx_runtime.identification.determinacy import Determinacy, determinacy
from physx_runtime.identification.estimation import NEAR_STEP, estimate_unknowns
from physx_runtime.identification.log import Log, read_log
from physx_runtime.identification.log_checks import log_for, require_supported, still_joints
from physx_runtime.identification.noise import noise_bounds
from physx_runtime.identification.profiles import Profile, grid_of, profile
from physx_runtime.identification.residuals import Estimate, Linearization, Residuals
from physx_runtime.identification.result import Delay, Identification, Identified, Prediction, property_of
from physx_runtime.identification.rollouts import Rollouts, new_simulation
from physx_runtime.identification.unknowns import DYNAMIC, Unknowns, find_unknowns, selected_parameters
from physx_runtime.identification.windows import LENGTH, command_table, cut_windows
from physx_runtime.model.row_specs import TABLE
from physx_runtime.simulation.arguments import required_time
from physx_runtime.simulation.simulation import Simulation
from physx_schema.arguments import display, required_texts
from physx_schema.description import describe
from physx_schema.description.stages import StageSource

FITTED_SHARE = 5 / 6            # of a log, where it is not said
Z95 = 1.96                      # standard deviations of a 95 % interval
FEATURES = frozenset(row.name for row in TABLE if row.feature)


def identify(stage: StageSource, log: str | Path | Log, unknowns: Sequence[str] = ("joints", "delay"),
             until: float | None = None, *, dt: float = 1 / 60, articulation: str | None = None, degrees: bool = False,
             say: Callable[[str], None] | None = None) -> Identification:
    """Identify parameters of a robot on a fixed base from a log of its commands and its motion.

    Example::

        result = physx_runtime.identify("robot.usda", "walk.csv", dt=1 / 240)
        result.table, result.undetermined, result.delay, result.explained
        result.author(stage)

    Args:
        stage: A stage or a file.
        log: A .csv or .npz file, or a Log.
        unknowns: "joints" (armature, frictions and drive gains), "delay", names of joint parameters, or
            PATTERN:PARAMETER for joints with a path or name that matches a pattern.
        until: Seconds of the log that are fitted; the rest is predicted. None fits five sixths of it.
        dt: Time step of the simulation that will use the values, in seconds.
        articulation: Prim path; required if the stage has several articulations.
        degrees: Whether the log's file is in degrees.
        say: Function that is called with each line of progress.

    Raises:
        UnreadableError: A file cannot be read.
        UnsupportedError: The robot has a floating base or no joints.
        ValueError: The log does not fit the robot, or an argument is out of range.
    """
    required_time(dt)
    required_texts("unknowns", unknowns)
    if not isinstance(log, Log | str | Path):
        raise ValueError(f"log is {display(log)}; give one file or one Log (several logs together are not supported)")
    recorded, missing = (log if isinstance(log, Log) else read_log(log, degrees)).without_missing()
    description = describe(stage)
    sim = Simulation(description, dt=dt, dtype="float64", articulation=articulation, sleeping=False)
    require_supported(sim)
    recorded = log_for(recorded, sim)
    fitted = _fitted_seconds(recorded, until)
    channels = [recorded.joint_position, *([] if recorded.joint_velocity is None else [recorded.joint_velocity])]
    bounds = noise_bounds(recorded.time, np.concatenate(channels, axis=1))
    noise = bounds.high
    still = still_joints(recorded, noise[:len(sim.topology.dofs)])
    selected = [(name, i) for name, i in selected_parameters(unknowns, sim.model.dof_names) if i < 0 or not still[i]]
    for name, i in selected:
        if i >= 0:
            property_of(sim.model.actor.dofs[i], name)      # raises for what no stage can hold
    randomize = sorted({name for name, _ in selected} & FEATURES)
    sim = new_simulation(description, articulation, 1, dt, randomize)
    unknown = find_unknowns(sim, selected)
    rollouts = Rollouts(description, articulation, dt, randomize, unknown, command_table(recorded, dt))
    windows = cut_windows(recorded, dt, noise, fitted)
    problem = Residuals(rollouts, windows, noise, np.ones(len(windows), np.bool_))
    problem, estimate = estimate_unknowns(problem, bounds, say or (lambda line: None))
    return _Judgement(sim, recorded, problem, estimate, fitted, dt, missing, still, _provenance(log, recorded, sim, dt)
                      ).result()


def _fitted_seconds(log: Log, until: float | None) -> float:
    if until is None:
        return math.floor(FITTED_SHARE * log.duration / LENGTH) * LENGTH
    if not LENGTH <= until < math.inf:
        raise ValueError(f"until is {display(until)}; give seconds of the log, at least {LENGTH:g}")
    return min(float(until), log.duration)


def _provenance(log: str | Path | Log, recorded: Log, sim: Simulation, dt: float) -> dict[str, object]:
    """What the layer says about where its values are from."""
    digest = (hashlib.sha256(recorded.joint_position.tobytes() + recorded.target_position.tobytes())
              if isinstance(log, Log) else hashlib.sha256(Path(log).read_bytes()))
    return {"log": "" if isinstance(log, Log) else Path(log).name, "logSha256": digest.hexdigest(), "timeStep": dt,
            "positionIterations": sim.iterations.position, "velocityIterations": sim.iterations.velocity}


@dataclass(frozen=True, eq=False)
class _Judgement:
    """What an estimate is worth."""

    sim: Simulation
    log: Log
    problem: Residuals
    estimate: Estimate
    fitted: float
    dt: float
    missing: int
    still: Flags
    source: dict[str, object]

    @property
    def unknowns(self) -> Unknowns:
        return self.problem.unknowns

    def result(self) -> Identification:
        mean_square = _mean_square(self.problem, self.estimate, len(self.unknowns))
        scale = max(1.0, mean_square)
        linear = self.problem.linearize(self.estimate, self.unknowns.smooth, NEAR_STEP)
        profiles = self._profiles(linear)
        more = sum((item.shift_variance(scale) for item in profiles.values()), np.zeros(len(linear.columns)))
        judged = determinacy(linear, self.unknowns, scale, more)
        rows = self._smooth_rows(judged) | self._static_rows(judged, profiles, scale)
        stuck = [f"the log does not move joint {name}; its unknowns are held"
                 for name, is_still in zip(self.sim.model.dof_names, self.still, strict=True) if is_still]
        left_out = tuple(float(start) * self.dt for start in self.problem.windows.start[~self.problem.active])
        return Identification(tuple(rows[i] for i in sorted(rows)), self._delay(profiles, scale),
                              (*judged.directions, *stuck), mean_square, self._prediction(), left_out, self.missing,
                              self.dt, self.source)

    def _row(self, i: int, low: float, high: float, determined: bool, reason: str) -> Identified:
        """The row of an unknown with an interval in rad and length units."""
        item = self.unknowns.items[i]
        path, name, scale = property_of(self.sim.model.actor.dofs[item.element], item.parameter)
        authored = float(getattr(self.sim.model.actor.dofs[item.element].drive if item.parameter in (
            "stiffness", "damping") else self.sim.model.actor.dofs[item.element], item.parameter))
        value = self.unknowns.value(i, self.estimate.x) * scale if determined else None
        return Identified(path, name, authored * scale, value, low * scale, high * scale, determined, reason)

    def _smooth_rows(self, judged: Determinacy) -> dict[int, Identified]:
        rows = {}
        for k, i in enumerate(map(int, self.unknowns.smooth)):
            value, spread = self.unknowns.value(i, self.estimate.x), math.exp(Z95 * float(judged.sigma[k]))
            determined = bool(judged.determined[k])
            rows[i] = self._row(i, value / spread, value * spread, determined,
                                "" if determined else "the log does not show it")
        return rows

    def _profiles(self, linear: Linearization) -> dict[int, Profile]:
        """Profiles of the static frictions and of the delay, over the whole range and near the estimate."""
        profiles = {}
        for i in (*self.unknowns.static, *([] if self.unknowns.delay is None else [self.unknowns.delay])):
            grid = np.concatenate([grid_of(self.problem, self.estimate, int(i), near) for near in (False, True)])
            profiles[int(i)] = profile(self.problem, self.estimate, linear, int(i), grid)
        return profiles

    def _static_rows(self, judged: Determinacy, profiles: Mapping[int, Profile], scale: float) -> dict[int, Identified]:
        """Static frictions by their profiles; where one ends within the interval, only a bound is known."""
        rows, smooth = {}, self.unknowns.smooth
        for i in map(int, self.unknowns.static):
            curve, value = profiles[i], self.unknowns.value(i, self.estimate.x)
            ends = curve.interval(scale)
            spread = [abs(math.log(self._static_at(curve, i, end) / value)) for end in ends]
            # of the dynamic friction, of which it is a multiple
            partner = [k for k, j in enumerate(smooth) if self.unknowns.items[j].parameter == DYNAMIC
                       and self.unknowns.items[j].element == self.unknowns.items[i].element]
            own = Z95 * float(judged.sigma[partner[0]]) if partner else 0.0
            low, high = (value * math.exp(sign * math.hypot(width, own))
                         for sign, width in zip((-1.0, 1.0), spread, strict=True))
            below, above = ends[0] <= curve.x[0], ends[1] >= curve.x[-1]
            reason = ("the log has no stick phase that shows it" if below and above else
                      f"the log only shows that it is at most {high:.4g}" if below else
                      f"the log only shows that it is at least {low:.4g}" if above else "")
            rows[i] = self._row(i, low, high, not reason, reason)
        return rows

    def _static_at(self, curve: Profile, i: int, x: float) -> float:
        """A static friction at a grid value of its profile, with the dynamic friction re-optimised."""
        changed = self.estimate.x.copy()
        changed[self.unknowns.smooth] += curve.shift_at(x)
        changed[i] = x
        return self.unknowns.value(i, changed)

    def _delay(self, profiles: Mapping[int, Profile], scale: float) -> Delay | None:
        i = self.unknowns.delay
        if i is None:
            return None
        low, high = (self.unknowns.items[i].start + end for end in profiles[i].interval(scale))
        return Delay(self.unknowns.value(i, self.estimate.x), low, high)

    def _prediction(self) -> Prediction | None:
        """The records that were not fitted, from the start of the last fitted window on."""
        times = self.log.time - self.log.time[0]
        after = np.flatnonzero(times > self.fitted)
        if not len(after) or times[-1] - self.fitted < LENGTH:
            return None
        last = int(np.flatnonzero(self.problem.active)[-1])
        start, state = self.problem.windows.start[last], self.estimate.z[last]
        authored = np.zeros_like(self.estimate.x)
        if self.unknowns.delay is not None:         # a stage has no delay
            authored[self.unknowns.delay] = self.estimate.x[self.unknowns.delay]
        x = np.stack([self.estimate.x, authored])
        steps = math.floor(times[-1] / self.dt) - int(start)
        motion = self.problem.rollouts.follow(x, np.repeat(state[None, None], 2, axis=0), np.full(2, start), steps)
        grid = (start + np.arange(steps + 1)) * self.dt
        after = after[times[after] <= grid[-1]]
        errors = [np.stack([np.interp(times[after], grid, column) for column in motion["q"][:, world].T], axis=1)
                  - self.log.joint_position[after] for world in (0, 1)]
        identified, before = (float(np.sqrt(np.mean(error**2))) for error in errors)
        return Prediction(identified, before, float(times[-1] - self.fitted), self._mean_square_after(times))

    def _mean_square_after(self, times: DoubleArray) -> float:
        """Mean square of residuals after the fitted span, with start states fitted and all unknowns held."""
        windows = cut_windows(self.log, self.dt, self.problem.sigma, float(times[-1]))
        windows = windows.subset(np.flatnonzero(windows.start * self.dt >= self.fitted - 1e-9))
        if not len(windows):
            return 0.0
        every = np.ones(len(windows), np.bool_)
        problem = replace(self.problem, windows=windows, active=every)
        estimate = restarted(problem, Estimate(self.estimate.x, windows.start_state.copy()), every)
        return _mean_square(problem.with_active(~wrong_windows(joint_mean_squares(problem, estimate))), estimate, 0)


def _mean_square(problem: Residuals, estimate: Estimate, unknowns: int) -> float:
    """Of residuals in standard deviations of the noise, per record that is free after the fit."""
    states = int(problem.active.sum()) * estimate.z.shape[1]
    return float((problem.one(estimate)**2).sum() / max(problem.count - unknowns - states, 1))

"""Random articulations in motion beside real PhysX, with the bar that one is held to the other by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime import Simulation, dump_step, simulate
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.packing.articulation import pack
from physx_runtime.solver.program import step_on_numbers
from physx_runtime.solver.settings import solver_settings

from physx_schema.description import describe
from physx_schema.description.model import Description
from support.chance.articulations import Features, RandomArticulation, engine_names, random_articulation

# (steps + 1, n_dof) joint positions of an articulation, by its description, itself and the names of its dofs
Motion = Callable[[Description, RandomArticulation, list[str]], NDArray[np.float64]]

DT, STEPS = 1 / 60, 60
# Position error in float32 over 60 steps of motion that does not amplify, rad or metres.
FLOAT32 = 5e-6
# Motion that amplifies is held against PhysX's own spread under 1-ulp changes of the start.
SPREAD_FACTOR, NUDGES = 10.0, 8
BATCH = 20
# What is compiled takes longer than it steps: trees of more links are stepped on numbers, by the same algorithms.
COMPILED_LINKS = 10

BALLS = {"spherical": 0.5, "generic": 0.5, "swapped": 0.3}
STRANGE = Features(links=(2, 8), spherical=0.15, generic=0.5, swapped=0.2, fixed_tendon=0.5, spatial_tendon=0.5,
                   envelope=0.5, tendon_limits=0.5, leaves=0.5, units=0.6, scale=0.3, once=0.4,
                   bodies=0.3, disabled=0.1)
LARGE = replace(STRANGE, links=(10, 30))
# first seed -> (seeds, features)
FAMILIES = {
    0: (100, Features()), 1000: (100, replace(Features(), floating=True)),
    2000: (100, Features(**BALLS)), 3000: (100, Features(floating=True, **BALLS)),      # type: ignore[arg-type]
    4000: (40, STRANGE), 5000: (40, replace(STRANGE, floating=True)),
    6000: (6, LARGE), 7000: (6, replace(LARGE, floating=True)),
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Our motion beside PhysX's."""

    seed: int
    description: Description
    art: RandomArticulation
    names: list[str]            # of dofs, as PhysX gives them
    real: dict[str, Any]
    error: NDArray[np.float64]  # (steps + 1,) largest position error, rad or metres
    spread: float               # of PhysX under changes of the start; 0 where it was not asked for

    @property
    def start(self) -> NDArray[np.float64]:
        return np.array([self.art.positions[n] for n in self.names])

    @property
    def metres(self) -> NDArray[np.float64]:
        return np.array([self.art.lengths[n] for n in self.names])

    def apart(self, positions: NDArray[Any]) -> float:
        """How far another motion of PhysX is from this one."""
        far = float(np.abs((positions - self.real["q"]) * self.metres).max())
        return far if np.isfinite(far) else np.inf

    @property
    def bar(self) -> float:
        return max(FLOAT32, SPREAD_FACTOR * self.spread)

    @property
    def ratio(self) -> float:
        return float(self.error.max()) / self.bar if self.error.any() else 0.0

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.error.max():.1e} is {self.ratio:.2f} of the bar {self.bar:.1e}"

    def dump(self) -> str:
        """The step in which the two part, from the state that PhysX starts it from.

        What locked axes have drifted by is in no state that PhysX gives: with them another step parts as well.
        """
        part = int(np.argmax(self.error > 0.1 * self.bar))
        sim = Simulation(self.description, dt=DT)
        sim.set("joint_effort", [self.art.efforts[n] for n in self.names])
        links = [list(self.real["link_paths"]).index(path) for path in sim.model.link_names]
        before, after = ({"joint_position": self.real["q"][i], "joint_velocity": self.real["qd"][i],
                          "link_pose": self.real["link_pose"][i][links],
                          "link_velocity": self.real["link_vel"][i][links]} for i in (part - 1, part))
        root = {} if sim.topology.fixed_base else {"root_pose": before["link_pose"][0],
                                                   "root_velocity": before["link_velocity"][0]}
        sim.reset(joint_position=before["joint_position"], joint_velocity=before["joint_velocity"], **root)
        return f"{self}, parts in step {part}\n{dump_step(sim, reported=after)}"


def nudged(values: np.ndarray, seed: int) -> np.ndarray:
    """Every value moved to a neighbouring float32."""
    up = np.random.default_rng(seed).random(len(values)) < 0.5
    return np.nextafter(values.astype(np.float32), np.where(up, np.inf, -np.inf).astype(np.float32))


def compare(seeds: range, features: Features, folder: Path, ours: Motion | None = None) -> Iterator[Comparison]:
    """Every articulation with joints beside PhysX; its spread is asked for where the error leaves FLOAT32 only.

    `ours` gives our motion of it, by default `motion`.
    """
    from physx_oracle import run_jobs, sim_job

    def jobs(row: Comparison, starts: Iterable[NDArray[Any]]) -> list[dict[str, Any]]:
        velocities, efforts = ([values[n] for n in row.names] for values in (row.art.velocities, row.art.efforts))
        return [sim_job(folder / f"seed{row.seed}.usda", DT, STEPS, q, velocities, effort=efforts) for q in starts]

    rows = list(_articulations(seeds, features, folder))
    results = run_jobs([job for row in rows for job in jobs(row, [row.start])])
    rows = [_beside(row, real, ours or motion) for row, real in zip(rows, results, strict=True)]
    doubtful = [row for row in rows if not row.ratio <= 1.0]
    changed = [job for row in doubtful for job in jobs(row, (nudged(row.start, k) for k in range(NUDGES)))]
    nudges = iter(run_jobs(changed) if changed else ())
    for row in rows:
        yield row if row.ratio <= 1.0 else replace(row, spread=max(
            row.apart(next(nudges)["q"]) for _ in range(NUDGES)))


def _articulations(seeds: range, features: Features, folder: Path) -> Iterator[Comparison]:
    """Those with joints, before they have moved."""
    for seed in seeds:
        art = random_articulation(seed, features)
        path = folder / f"seed{seed}.usda"
        path.write_text(art.text)
        description = describe(path)
        if names := engine_names(description.articulations[0]):
            yield Comparison(seed, description, art, names, {}, np.zeros(1), 0.0)


def _beside(row: Comparison, real: dict[str, Any], motion: Motion) -> Comparison:
    """With PhysX's motion, and how far ours is from it."""
    assert list(real["dof_names"]) == row.names, f"seed {row.seed}: order of dofs"
    ours = motion(row.description, row.art, row.names)
    error = np.abs((ours - real["q"]) * row.metres).max(axis=1)
    if not np.isfinite(real["q"]).all():
        # PhysX's motion ends in NaN: ours has to diverge too, and nothing else can be compared
        error = np.full(len(error), 0.0 if diverged(ours) else np.inf)
    return replace(row, real=real, error=error)


def diverged(positions: NDArray[np.float64]) -> bool:
    """Whether a motion stands still at its end to the last bit, as a world that has diverged does."""
    return bool(np.array_equal(positions[-1], positions[-2]))


def motion(description: Description, art: RandomArticulation, names: list[str]) -> NDArray[np.float64]:
    """(steps + 1, n_dof) joint positions in float32."""
    q, v, effort = ([values[n] for n in names] for values in (art.positions, art.velocities, art.efforts))
    if len(description.articulations[0].links) <= COMPILED_LINKS:
        ours = simulate(description, DT, STEPS, joint_position=q, joint_velocity=v, joint_effort=effort)
        return ours.joint_position[:, 0].astype(np.float64)
    return large_motion(description, q, v, effort)


def large_motion(description: Description, q: list[float], v: list[float], effort: list[float]) -> NDArray[np.float64]:
    """As `motion`, with the step run on numbers."""
    articulation = description.articulations[0]
    model = pack(articulation, description.scene_of(articulation))
    t, settings = model.topology, solver_settings("physx", model)
    given = {name: np.zeros(n) for name, n in (state_rows(t) | input_rows(t)).items()}
    given |= {**model.parameters, **model.state, "joint_effort": np.array(effort), "q": np.array(q)}
    given["v"] = np.concatenate([model.state["v"][:t.root_size], v])
    given |= {name: np.array([value]) for name, value in settings.rows(DT).items()}
    rows: dict[str, Any] = {name: list(np.asarray(x, dtype=np.float32)) for name, x in given.items()}
    positions = [rows["q"]]
    for _ in range(STEPS):
        rows = step_on_numbers(t, rows, settings)
        positions.append(rows["q"])
    assert all(np.asarray(x).dtype == np.float32 for x in rows["q"])
    return np.array(positions, dtype=np.float64)

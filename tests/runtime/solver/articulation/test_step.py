"""The runtime moves recorded articulations as real PhysX did.

Random articulations move as in real PhysX: every feature of the step at once, fixed and floating.

Random trees of welded and moving links, thrown into the air, move as in real PhysX.

Joints of tiny and of huge bodies move as in real PhysX: its step has no least inertia and no least response.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Simulation, dump_step, simulate
from support.chance.articulations import Features, engine_names, random_articulation
from support.chance.thrown_trees import thrown_tree
from support.physx.random_motions import BATCH, FAMILIES
from support.physx.random_motions import compare as compare_family
from support.places import MOTIONS
from support.stages.robots import base, joint, link, opened, prim, robot

from physx_schema.description import describe

# Recorded with ovphysx; these travel with the repository, the others lie with the shared cases.
HERE = ("double_pendulum_n4", "drive_force_chain", "fixed_tendon_finger", "freefall_slider", "mimic_hard",
        "spatial_tendon_chain")
ELSEWHERE = ("centimetre_drives", "defaults_only", "envelope_slider", "joint_state_frames", "limit_pendulum",
             "mimic_compliant_vel1", "mimic_rack_pinion", "pendulum_free", "pendulum_once_per_step",
             "slider_friction_armature", "spherical_pendulum")
# Link velocities are J qd of arms up to this long; their tolerance is twice that of qd, times it.
REACH = 2.0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", HERE)
def test_recorded_motion_is_reproduced_within_the_cases_tolerance(name: str, dtype: str) -> None:
    compare(MOTIONS / name, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ELSEWHERE)
def test_every_other_recorded_motion_is_reproduced_too(name: str, dtype: str, shared_cases: Path) -> None:
    compare(shared_cases / "dynamics" / name, dtype)


@pytest.mark.parametrize("name", HERE)
def test_the_generic_path_reproduces_recorded_motion_too(name: str) -> None:
    compare(MOTIONS / name, "float32", "generic")


def compare(folder: Path, dtype: str, path: str = "auto") -> None:
    """Step the stage of a case as it was recorded, and hold joints and links against the recording."""
    case, expected = json.loads((folder / "case.json").read_text()), np.load(folder / "expected.npz")
    description = describe(folder / "stage.usda")
    names = engine_names(description.articulations[0])
    order = [list(expected["dof_names"]).index(n) for n in names]

    def given(key: str) -> np.ndarray | None:
        return None if case[key] is None else np.array(case[key])[order]

    record = simulate(description, case["dt"], case["steps"], joint_position=given("q"), joint_velocity=given("qd"),
                      joint_effort=given("effort"), every=case["every"], dtype=dtype,
                      path=path)

    half = len(expected["time"]) // 2
    for key, ours in (("q", record.joint_position), ("qd", record.joint_velocity)):
        error = np.abs(ours[:, 0] - expected[key][:, order]).max(axis=1)
        assert error[:half].max() <= case["tolerance"][key][0], f"{key}, first half"
        assert error.max() <= case["tolerance"][key][1], f"{key}, whole motion"
    links = [list(expected["link_paths"]).index(n) for n in record.link_names]
    position = np.abs(record.link_pose[:, 0, :, :3] - expected["link_pose"][:, links, :3]).max()
    assert position <= 2 * REACH * case["tolerance"]["q"][1]
    velocity = np.abs(record.link_velocity[:, 0] - expected["link_vel"][:, links]).max()
    assert velocity <= 2 * REACH * case["tolerance"]["qd"][1]


# --- random in PhysX -------------------------------------------------------------------------------------------------

# Share of the seeds of a family within their bar, and how far beyond it one without an explanation may be: every rule
# that was missing showed at 2.7 times the bar or more.
SHARE, UNEXPLAINED = 0.98, 2.0

# Seeds beyond their bar, how far, and why.
EXPLAINED = {
    1084: "1.2: it falls 4.9 m with a spatial tendon, whose length PhysX takes from world positions, there rounded to "
          "2.4e-7. In float64 it parts as well (4.5e-6 against a bar of 5.5e-6); without gravity the error is 2.3e-6, "
          "without the tendon 1.8e-6.",
    2025: "1.5: a slider rests on its limit, on an arm that turns. Its travel is a difference of link positions, "
          "rounded to 6e-8 and divided by the substep of 5e-4 s: from step 11 on every velocity is off by up to 2e-4 "
          "in PhysX and here alike (from PhysX's own state float64 parts as far in one step as float32).",
    2086: "2.5: an axis of a generic joint rests on its limit. In step 30 float32 rounding decides, in the velocity "
          "iterations, whether it keeps v or v cfm / (r + cfm), 0.016 rad/s apart. In float64 all 60 steps agree to "
          "1e-5.",
}


@pytest.mark.sweep
@pytest.mark.parametrize("first", FAMILIES)
def test_random_articulations_move_as_in_physx(first: int, oracle_folder: Path, tmp_path: Path) -> None:
    count, features = FAMILIES[first]
    rows = [row for start in range(first, first + count, BATCH)
            for row in compare_family(range(start, min(start + BATCH, first + count)), features, tmp_path)]
    assert len(rows) > 0.8 * count
    beyond = [row for row in rows if not row.ratio <= 1.0]
    unknown = [row for row in beyond if row.ratio > UNEXPLAINED and row.seed not in EXPLAINED]
    assert not unknown, "\n\n".join(row.dump() for row in unknown)
    assert len(beyond) <= (1.0 - SHARE) * len(rows), "\n\n".join(row.dump() for row in beyond)


def test_the_table_of_explained_seeds_leaves_the_share_of_all() -> None:
    assert len(EXPLAINED) <= (1.0 - SHARE) * sum(count for count, _ in FAMILIES.values())


def test_a_dump_shows_the_step_in_which_two_engines_part(tmp_path: Path) -> None:
    path = tmp_path / "tree.usda"
    art = random_articulation(9, Features())
    path.write_text(art.text)
    description = describe(path)
    sim = Simulation(description, dtype="float64")
    iterations = sim.settings.position_iterations
    reported = {"joint_position": np.zeros(len(sim.topology.dofs))}
    start = {name: sim.get(name) for name in sim.model.state}
    text = dump_step(sim, reported=reported)
    for part in ("tau coriolis", "start clamp", "Coriolis and damping", f"iteration {iterations}:", "end: link_pose"):
        assert part in text, part
    assert all(np.array_equal(sim.get(name), values) for name, values in start.items())
    ended = [line for line in text.split("end: joint_position")[1].splitlines()[1:] if line.startswith("  /World")]
    sim.step()
    own = [float(line.split("(")[1].split(")")[0]) for line in ended[:len(sim.topology.dofs)]]
    assert np.allclose(own, sim.joint_position[0], atol=1e-5)
    q = [float(line.split()[-1]) for line in text.split("end: v, q")[1].splitlines()[1:len(own) + 1]]
    assert np.allclose(q, sim.joint_position[0], rtol=0, atol=1e-11)


# --- thrown trees in PhysX -------------------------------------------------------------------------------------------

# Of the seeds, so many are also stepped by code of their own, which takes longer to compile than to step.
DT, STEPS, SEEDS, SPECIALISED = 1 / 60, 60, 30, 8
# Of positions in metres, and of components of quaternions; float64 does not round as PhysX does.
LEAST = {"float32": 5e-6, "float64": 5e-5}
# Beyond that, of PhysX's own spread when masses and the root's start change by one step of float32.
SPREAD_FACTOR, NUDGES = 10.0, 8
WAYS = [("generic", "float32"), ("generic", "float64"), ("specialised", "float32")]
Poses = NDArray[np.float64]     # (steps + 1, n_link, 7)


def apart(a: Poses, b: Poses) -> float:
    """How far two motions part, in positions or in quaternions of either sign."""
    sign = np.sign((a[..., 3:] * b[..., 3:]).sum(axis=-1, keepdims=True))
    return float(max(np.abs(a[..., :3] - b[..., :3]).max(), np.abs(a[..., 3:] * sign - b[..., 3:]).max()))


def poses(real: dict[str, Any]) -> Poses:
    """Of a recording of PhysX."""
    return np.concatenate([real["pos"], real["quat"]], axis=-1).astype(np.float64)


def ours(seed: int, paths: list[str], path: str, dtype: str) -> Poses:
    """The motion of the links `paths` here."""
    motion = simulate(opened(thrown_tree(seed)), DT, STEPS, path=path, dtype=dtype)
    return motion.link_pose[:, 0, [motion.link_names.index(name) for name in paths]].astype(np.float64)


def recorded(stages: list[str]) -> list[dict[str, Any]]:
    """PhysX's motion of stages."""
    from scene_recorder import record

    found: list[dict[str, Any]] = record([{"usd": text, "dt": DT, "steps": STEPS} for text in stages])
    return found


def test_thrown_trees_move_as_in_physx(oracle_folder: Path) -> None:
    errors: dict[tuple[int, str, str], float] = {}
    motions = recorded([thrown_tree(seed) for seed in range(SEEDS)])
    for seed, real in enumerate(motions):
        for path, dtype in WAYS[:3 if seed < SPECIALISED else 2]:
            errors[seed, path, dtype] = apart(ours(seed, real["paths"], path, dtype), poses(real))
    doubtful = sorted({seed for (seed, _, dtype), error in errors.items() if not error <= LEAST[dtype]})
    spread = dict.fromkeys(range(SEEDS), 0.0)
    nudged = recorded([thrown_tree(seed, nudge) for seed in doubtful for nudge in range(NUDGES)]) if doubtful else []
    for i, other in enumerate(nudged):
        seed = doubtful[i // NUDGES]
        spread[seed] = max(spread[seed], apart(poses(other), poses(motions[seed])))
    beyond = [f"seed {seed} {path} {dtype}: {error:.1e}, PhysX's own spread {spread[seed]:.1e}"
              for (seed, path, dtype), error in errors.items()
              if not error <= max(LEAST[dtype], SPREAD_FACTOR * spread[seed])]
    assert not beyond, "\n".join(beyond)


def test_a_nudge_changes_a_stage_by_single_steps_of_float32() -> None:
    stages = [opened(thrown_tree(2, nudge)) for nudge in (None, 5)]
    for name in ("physics:mass", "physics:velocity", "physics:angularVelocity", "xformOp:translate"):
        a, b = (np.array(stage.GetAttributeAtPath(f"/R/l0.{name}").Get(), np.float32) for stage in stages)
        assert ((np.nextafter(a, np.float32(np.inf)) == b) | (np.nextafter(a, np.float32(-np.inf)) == b)).all(), name


# --- torque units in PhysX -------------------------------------------------------------------------------------------

TORQUE_DT, TORQUE_STEPS, START = 0.01, 20, 0.5
# Of the largest velocity, over 20 steps in float32.
ROUNDING = 2e-5
# Inertias and masses, from a dust grain's in kilogram metres to a ship's in gram millimetres.
SIZES = (1e-18, 1e-14, 1e-11, 1e-9, 1.0, 1e9, 1e13, 1e16)
SCENE = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {"float physics:gravityMagnitude": 0.0})
FEATURES = ("drive", "limit", "friction", "maximum velocity")


def lone(kind: str, feature: str, size: float) -> str:
    """One joint whose inertia or mass is `size`, with a feature in proportion."""
    axis, unit = ("angular", np.pi / 180.0) if kind == "Revolute" else ("linear", 1.0)
    drive, own = f"float drive:{axis}:physics", f"float physxJointAxis:{axis}"
    schemas, values = {
        "drive": ((f"PhysicsDriveAPI:{axis}",), {
            f"{drive}:stiffness": 100.0 * size * unit, f"{drive}:damping": 5.0 * size * unit,
            f"{drive}:targetPosition": 0.5 / unit}),
        "limit": ((), {"float physics:lowerLimit": -0.005 / unit, "float physics:upperLimit": 0.005 / unit}),
        "friction": ((f"PhysxJointAxisAPI:{axis}",), {
            f"{own}:staticFrictionEffort": 2.0 * size, f"{own}:dynamicFrictionEffort": size}),
        "maximum velocity": ((f"PhysxJointAxisAPI:{axis}",), {f"{own}:maxJointVelocity": 0.3 / unit}),
    }[feature]
    mass, moment = (1.0, size) if kind == "Revolute" else (size, 1.0)
    return robot(base(), weighing("l", mass, moment), joint(kind, "j", "base", "l", schemas, along("X", values)),
                 outside=SCENE)


def carried(kinds: tuple[str, str], size: float) -> str:
    """A link of mass 1 on a tiny one, as importers make joints of several axes."""
    return robot(base(), weighing("a", size, size), link("b", (0, 0.3, 0)),
                 joint(kinds[0], "j0", "base", "a", (), along("X", {})),
                 joint(kinds[1], "j1", "a", "b", (), along("Y", {"point3f physics:localPos1": (0, -0.3, 0)})),
                 outside=SCENE)


def weighing(name: str, mass: float, moment: float) -> str:
    """A link with one moment of inertia about all axes."""
    return link(name, mass=mass, more={"float3 physics:diagonalInertia": (moment, moment, moment)})


def along(axis: str, values: Mapping[str, object]) -> dict[str, object]:
    """Attributes of a joint about or along an axis."""
    return {"uniform token physics:axis": axis, **{name: float(value) if isinstance(value, float) else value
                                                   for name, value in values.items()}}


def test_joints_of_any_size_move_as_in_physx(oracle_folder: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    cases = {f"{kind}, {feature}, {size:g}": lone(kind, feature, size)
             for kind in ("Revolute", "Prismatic") for feature in FEATURES for size in SIZES}
    pairs = (("Revolute", "Revolute"), ("Prismatic", "Revolute"), ("Revolute", "Prismatic"))
    cases |= {f"{kinds} over {size:g}": carried(kinds, size) for kinds in pairs for size in SIZES if size < 1.0}
    counts = [1 if "over" not in name else 2 for name in cases]
    jobs = [sim_job(text, TORQUE_DT, TORQUE_STEPS, [0.0] * n, [START] * n)
            for text, n in zip(cases.values(), counts, strict=True)]
    wrong = []
    for (name, text), n, real in zip(cases.items(), counts, run_jobs(jobs), strict=True):
        for path in ("specialised", "generic"):
            found = simulate(opened(text), TORQUE_DT, TORQUE_STEPS, joint_velocity=[START] * n, path=path)
            error = np.abs(found.joint_velocity[:, 0] - real["qd"]).max() / np.abs(real["qd"]).max()
            if not error < ROUNDING:
                wrong.append(f"{name}, {path}: {error:.1e}")
    assert not wrong, "\n".join(wrong)

"""Forces and torques on links, set by row or authored with PhysxForceAPI, move articulations as in real PhysX."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Session, Simulation, simulate
from physx_runtime.model.topology import Topology
from physx_runtime.solver.program import step_program
from pxr import Gf, Sdf, Usd, UsdGeom
from support.chance.articulations import Features, engine_names, random_articulation
from support.physx.pushed import pushed, run_pushed
from support.places import SLIDER
from support.stages.forces import author

from physx_schema.description import Description, describe

LINK_DT, STEPS = 1 / 60, 20
ROUNDING = 2e-5         # rad or length over 20 steps in float32; the worst of the cases below is 1e-5
MOVES = 4e-3            # what the forces change in each case


@dataclass(frozen=True)
class Case:
    """A random articulation and the random forces on its links."""

    path: Path
    description: Description
    start: dict[str, Any]               # arguments of simulate
    wrenches: NDArray[np.float64]       # (n_link, 6)


def case(seed: int, features: Features, once: bool, folder: Path) -> Case:
    art, random = random_articulation(seed, features), np.random.default_rng(seed)
    text = art.text
    if once:
        line = "bool physxScene:enableGPUDynamics = 0"
        text = text.replace(line, f"{line}\n        bool physxScene:enableExternalForcesEveryIteration = 0")
    path = folder / f"forces{seed}{once}.usda"
    path.write_text(text)
    description = describe(path)
    names = engine_names(description.articulations[0])
    wrenches = np.round(random.uniform(-1, 1, (len(description.articulations[0].links), 6)) * [3, 3, 3, 1, 1, 1], 3)
    start = {f"joint_{key}": [values[name] for name in names] for key, values in (
        ("position", art.positions), ("velocity", art.velocities), ("effort", art.efforts))}
    return Case(path, description, start, wrenches)


def job(c: Case, wrenches: NDArray[np.float64] | None) -> dict[str, Any]:
    script = {} if wrenches is None else {"*": {"link_force": wrenches}}
    return pushed(c.path, LINK_DT, STEPS, script, c.start["joint_position"], c.start["joint_velocity"],
                  effort=c.start["joint_effort"])


def difference(description: Description, result: dict[str, Any], **arguments: Any) -> float:
    """Largest difference in joint positions and in the root's place."""
    leaves = [link.path.rpartition("/")[2] for link in description.articulations[0].links]
    assert result["link_names"] == leaves
    ours = simulate(description, LINK_DT, STEPS, **arguments)
    joints = np.abs(ours.joint_position[:, 0] - result["q"]).max(initial=0.0)
    return float(max(joints, np.abs(ours.link_pose[:, 0, 0, :3] - result["link_pose"][:, 0, :3]).max()))


def check_rows(seeds: range, features: Features, once: bool, folder: Path) -> None:
    cases = [case(seed, features, once, folder) for seed in seeds]
    results = run_pushed([job(c, wrenches) for c in cases for wrenches in (c.wrenches, None)])
    for c, result, free in zip(cases, results[::2], results[1::2], strict=True):
        forces = {"link_force": c.wrenches[:, :3], "link_torque": c.wrenches[:, 3:]}
        assert difference(c.description, result, **c.start, **forces) < ROUNDING, c.path.name
        assert np.abs(result["q"] - free["q"]).max() > MOVES, c.path.name


@pytest.mark.parametrize(("floating", "once"), [(False, True), (True, False)])
def test_link_forces_move_articulations_as_in_physx(floating: bool, once: bool, oracle_folder: Path,
                                                    tmp_path: Path) -> None:
    check_rows(range(7004, 7005), Features(links=(2, 3), floating=floating), once, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("floating", [False, True])
def test_link_forces_on_many_articulations(floating: bool, once: bool, oracle_folder: Path, tmp_path: Path) -> None:
    check_rows(range(7010, 7020), Features(floating=floating, spherical=0.2, generic=0.2), once, tmp_path)


# --- PhysxForceAPI ---------------------------------------------------------------------------------------------------

def with_pushes(c: Case, folder: Path) -> Path:
    """The stage with a force on every link: on the link, or on a turned prim below it, of every kind in turn."""
    stage = Usd.Stage.Open(str(c.path))
    random = np.random.default_rng(len(c.wrenches))
    for i, link in enumerate(c.description.articulations[0].links):
        prim = stage.GetPrimAtPath(link.path)
        if i % 3:
            below = UsdGeom.Xform.Define(stage, link.path + "/thruster")
            below.AddTranslateOp().Set(Gf.Vec3d(*np.round(random.uniform(-0.3, 0.3, 3), 3)))
            below.AddRotateXYZOp().Set(Gf.Vec3f(*np.round(random.uniform(-180, 180, 3), 1)))
            prim = below.GetPrim()
        author(prim, c.wrenches[i], world=bool(i % 2), mode="force" if i % 4 < 2 else "acceleration")
    path = folder / f"pushes_{c.path.name}"
    stage.Export(str(path))
    return path


def check_pushes(seeds: range, features: Features, folder: Path) -> None:
    cases = [case(seed, features, False, folder) for seed in seeds]
    paths = [with_pushes(c, folder) for c in cases]
    results = run_pushed([pushed(path, LINK_DT, STEPS, {}, c.start["joint_position"], c.start["joint_velocity"],
                                 effort=c.start["joint_effort"])
                          for c, own in zip(cases, paths, strict=True) for path in (own, c.path)])
    for c, path, result, free in zip(cases, paths, results[::2], results[1::2], strict=True):
        assert difference(describe(path), result, **c.start) < ROUNDING, path.name
        assert np.abs(result["q"] - free["q"]).max() > MOVES, path.name


@pytest.mark.parametrize("floating", [False, True])
def test_authored_forces_move_articulations_as_in_physx(floating: bool, oracle_folder: Path, tmp_path: Path) -> None:
    check_pushes(range(7004, 7005), Features(links=(3, 3), floating=floating), tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("floating", [False, True])
def test_authored_forces_on_many_articulations(floating: bool, oracle_folder: Path, tmp_path: Path) -> None:
    check_pushes(range(7020, 7030), Features(links=(4, 6), floating=floating, spherical=0.2), tmp_path)


def sliding(**values: Any) -> Usd.Stage:
    """The falling slider with PhysxForceAPI on its link."""
    stage = Usd.Stage.Open(str(SLIDER))
    stage = Usd.Stage.Open(stage.Flatten())
    prim = stage.GetPrimAtPath(describe(stage).articulations[0].links[-1].path)
    author(prim, np.array([3.0, 2.0, 1.0, 0.0, 0.0, 0.0]), world=True, mode="force")
    for name, value in values.items():
        prim.CreateAttribute(f"physxForce:{name}", Sdf.ValueTypeNames.Bool, custom=False).Set(value)
    return stage


def test_disabled_force_does_nothing() -> None:
    still = simulate(SLIDER, steps=3).joint_position
    assert np.array_equal(simulate(sliding(forceEnabled=False), steps=3).joint_position, still)
    assert not np.array_equal(simulate(sliding(), steps=3).joint_position, still)


@pytest.mark.parametrize(("size", "felt"), [(0.0031, False), (0.0032, True)])
def test_smallest_forces_are_left_out(size: float, felt: bool) -> None:
    stage = sliding()
    link = describe(stage).articulations[0].links[-1].path
    stage.GetPrimAtPath(link).GetAttribute("physxForce:force").Set(Gf.Vec3f(size, 0, 0))
    push, = describe(stage).articulations[0].links[-1].pushes
    assert any(push.force) is felt


def test_force_without_a_body_is_reported_as_unused() -> None:
    stage = sliding()
    prim = UsdGeom.Xform.Define(stage, "/nowhere").GetPrim()
    author(prim, np.ones(6), world=True, mode="force")
    assert ("/nowhere", "idle") in {(opinion.path, opinion.code) for opinion in describe(stage).unused}


def test_session_applies_an_edited_force() -> None:
    stage = sliding(forceEnabled=False)
    link = describe(stage).articulations[0].links[-1].path
    with Session(stage) as session:
        session.step()
        before = session.simulation().joint_velocity[0, 0]
        stage.GetPrimAtPath(link).GetAttribute("physxForce:forceEnabled").Set(True)
        session.step()
        gained = session.simulation().joint_velocity[0, 0] - before
    reference = simulate(SLIDER, steps=2).joint_velocity[:, 0, 0]
    assert abs(gained - (reference[2] - reference[1])) > 1e-3


# --- rows ------------------------------------------------------------------------------------------------------------

def test_step_without_link_forces_does_not_read_them() -> None:
    t: Topology = Simulation(SLIDER).topology
    assert not any(row.startswith("link_force") for row in step_program(t).layout)


def test_each_world_feels_its_own_force() -> None:
    sim = Simulation(SLIDER, worlds=3, dt=0.01)
    links = len(sim.model.link_names)
    force = np.zeros((3, links, 3))
    force[1, -1] = force[2, -1] = 5.0
    sim.step()
    sim.set("link_force", force.reshape(3, -1))
    sim.step(2)
    one = Simulation(SLIDER, dt=0.01)
    one.step(3)
    assert np.array_equal(sim.joint_position[0], one.joint_position[0])
    assert np.array_equal(sim.joint_position[1], sim.joint_position[2])
    assert not np.array_equal(sim.joint_position[0], sim.joint_position[1])


def test_link_force_reads_as_zero_before_it_is_set() -> None:
    assert not Simulation(SLIDER, worlds=2).get("link_torque").any()


def test_force_that_is_not_finite_is_refused_with_the_link() -> None:
    sim = Simulation(SLIDER)
    links = sim.model.link_names
    values = np.zeros(3 * len(links))
    values[-2] = np.nan
    with pytest.raises(ValueError, match=f"link_force of world 0 at {links[-1]} y is nan; give finite numbers"):
        sim.set("link_force", values)


def test_force_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"link_torque has shape \(2,\); give \(2, 3\) or \(1, 2, 3\)"):
        simulate(SLIDER, steps=1, link_torque=[1.0, 2.0])

"""Pushes act in one step by the closed forms of mechanics, and what is put to sleep rests until something wakes it.

Forces and torques on links, set by row or authored with PhysxForceAPI, move articulations as in real PhysX.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Scene, Session, Simulation, simulate
from physx_runtime.model.topology import Topology
from physx_runtime.solver.program import step_program
from pxr import Gf, Sdf, Usd, UsdGeom
from support.chance.articulations import Features, engine_names, random_articulation
from support.physx.pushed import pushed, run_pushed
from support.places import SLIDER
from support.stages.iteration_stages import DT, WEIGHTLESS, free, opened, prim, slider, stage
from support.stages.parts import author

from physx_schema.description import Description, describe

Array = NDArray[Any]

MASS, MOMENTS, CENTER = 2.0, np.array([0.1, 0.2, 0.3]), np.array([0.1, -0.2, 0.3])
# Of the prim x to z, y to x, z to y; and of the principal moments the same again.
TURN = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
PLACE = np.array([1.0, 2.0, 3.0])
QUATERNION = "(0.5, -0.5, -0.5, -0.5)"                  # w x y z of TURN
UNDAMPED = {"float physxRigidBody:linearDamping": "0", "float physxRigidBody:angularDamping": "0"}
BODY = prim("Xform", "Body", "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
    "float physics:mass": "2", "float3 physics:diagonalInertia": "(0.1, 0.2, 0.3)",
    "point3f physics:centerOfMass": "(0.1, -0.2, 0.3)", "quatf physics:principalAxes": QUATERNION,
    "double3 xformOp:translate": "(1, 2, 3)", "quatf xformOp:orient": QUATERNION,
    "uniform token[] xformOpOrder": '["xformOp:translate", "xformOp:orient"]',
    "bool physxRigidBody:enableGyroscopicForces": "0", **UNDAMPED, **WEIGHTLESS})
INERTIA = (TURN @ TURN) @ np.diag(MOMENTS) @ (TURN @ TURN).T
COM = PLACE + TURN @ CENTER
PUSH, TWIST, POINT = np.array([0.3, -0.5, 0.2]), np.array([0.02, 0.01, -0.03]), np.array([0.7, 2.4, 3.3])
# float32 and the turning of the inertia over a step in which w stays below 1: 1/2 w^2 dt of it
SAME = 5e-3
EXACT = 2e-6            # of linear velocities, a sum of 16 float32 parts


def body(worlds: int = 1, **options: Any) -> Simulation:
    """The body at rest."""
    return Simulation(opened(stage(BODY)), worlds, dt=DT, **options)


def gained(sim: Simulation) -> tuple[Array, Array]:
    """Linear and angular velocity after a step from rest, world by world."""
    sim.step()
    found = sim.get("v").astype(np.float64)
    return found[:, :3], found[:, 3:]


def test_an_impulse_at_a_point_gives_the_velocities_of_a_blow() -> None:
    sim = body()
    sim.apply_force(PUSH, TWIST, point=POINT, mode="impulse")
    (linear,), (angular,) = gained(sim)
    assert linear == pytest.approx(PUSH / MASS, abs=EXACT)
    assert angular == pytest.approx(np.linalg.solve(INERTIA, TWIST + np.cross(POINT - COM, PUSH)), rel=SAME, abs=SAME)


@pytest.mark.parametrize(("mode", "over", "linear", "turn"), [
    ("force", 1.0, DT / MASS, DT * np.linalg.inv(INERTIA)), ("impulse", 1.0, 1 / MASS, np.linalg.inv(INERTIA)),
    ("acceleration", 1.0, DT, DT * np.eye(3)), ("velocity_change", 1.0, 1.0, np.eye(3))])
def test_every_mode_gives_its_own_velocity(mode: Any, over: float, linear: float, turn: Array) -> None:
    sim = body()
    sim.apply_force(PUSH, TWIST, mode=mode)
    (v,), (w,) = gained(sim)
    assert v == pytest.approx(linear * PUSH, abs=EXACT)
    assert w == pytest.approx(turn @ TWIST, rel=SAME, abs=1e-4)


def test_local_pushes_are_in_the_axes_of_the_prim() -> None:
    sim, other = body(), body()
    sim.apply_force(PUSH, TWIST, point=CENTER + PUSH, mode="impulse", local=True)
    other.apply_force(TURN @ PUSH, TURN @ TWIST, point=COM + TURN @ PUSH, mode="impulse")
    assert np.concatenate(gained(sim)) == pytest.approx(np.concatenate(gained(other)), abs=EXACT)


def test_a_push_moves_as_a_link_force_of_one_step_and_no_longer() -> None:
    pushed, held = body(), body()
    pushed.apply_force(PUSH, TWIST)
    held.set("link_force", PUSH)
    held.set("link_torque", TWIST)
    pushed.step(5)
    held.step()
    for name in ("link_force", "link_torque"):
        held.set(name, np.zeros(3))
    held.step(4)
    assert np.array_equal(pushed.get("v"), held.get("v"))
    assert np.array_equal(pushed.link_pose, held.link_pose)


def test_pushes_add_to_each_other_and_to_the_force_that_holds() -> None:
    sim = body()
    sim.set("link_force", PUSH)
    sim.apply_force(PUSH)
    sim.apply_force(PUSH * DT, mode="impulse")
    assert gained(sim)[0][0] == pytest.approx(3 * PUSH * DT / MASS, abs=EXACT)
    assert sim.get("link_force")[0].tolist() == np.float32(PUSH).tolist()
    assert gained(sim)[0][0] == pytest.approx(4 * PUSH * DT / MASS, abs=EXACT)


def test_each_chosen_world_takes_its_own_push_under_its_own_mass() -> None:
    sim = body(3)
    sim.set_parameter("mass", [[1.0], [2.0], [4.0]])
    sim.apply_force([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], mode="impulse", worlds=[0, 2])
    sim.apply_force([0.0, 1.0, 0.0], mode="velocity_change", worlds=[False, True, True])
    assert gained(sim)[0] == pytest.approx(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 1.0, 0.0]]), abs=EXACT)


def test_an_impulse_is_that_of_the_step_that_is_taken() -> None:
    sim = body()
    sim.apply_force(PUSH, mode="impulse")
    sim.set_time_step(2 * DT)
    sim.step(0)
    assert gained(sim)[0][0] == pytest.approx(PUSH / MASS, abs=EXACT)


@pytest.mark.parametrize("path", ["specialised", "generic"])
def test_a_pushed_link_takes_the_momentum_along_its_joint(path: str) -> None:
    robot = stage(slider("S", of_links={**WEIGHTLESS, **UNDAMPED}))
    sim, held = (Simulation(opened(robot), dt=DT, path=path) for _ in range(2))
    for either in (sim, held):
        either.step()
    sim.apply_force([3.0, 0.0, 0.5], link="/S/tip", mode="impulse")
    held.set("link_force", [0.0, 0.0, 0.0, 3.0 / DT, 0.0, 0.5 / DT])
    for either in (sim, held):
        either.step()
    assert sim.joint_velocity[0, 0] == pytest.approx(0.5, abs=EXACT)
    assert sim.joint_velocity[0, 0] == pytest.approx(held.joint_velocity[0, 0], abs=EXACT)


# --- islands and sleep -----------------------------------------------------------------------------------------------

def pair() -> Scene:
    """Two weightless bodies that a ball joint holds at the middle between them, a robot and a free body."""
    ball = prim("PhysicsSphericalJoint", "Ball", "", {
        "rel physics:body0": "</A>", "rel physics:body1": "</B>", "point3f physics:localPos0": "(1, 0, 0)",
        "point3f physics:localPos1": "(-1, 0, 0)"})
    still = {**WEIGHTLESS, **UNDAMPED}
    return Scene(opened(stage(free("A", x=0.0, more=still), free("B", x=2.0, more=still), ball,
                              slider("S", x=9.0, of_links=still), free("Free", x=20.0, more=still))), 2, dt=DT)


def test_a_blow_on_a_member_of_an_island_is_the_momentum_of_all_of_it() -> None:
    scene = pair()
    scene["/B"].apply_force([0.0, 0.4, 0.0], point=[2.5, 0.0, 0.0], mode="impulse", worlds=[1])
    scene.step()
    linear, angular = np.split(scene.body_velocity[1].astype(np.float64), 2, axis=-1)
    a, b = scene.body_names.index("/A"), scene.body_names.index("/B")
    # masses and moments are 1, the joint's arms 1, the blow's 0.5: the joint gives P with 0.4 - 0.2 - 2 P = 2 P
    assert linear[[a, b], 1] == pytest.approx([0.05, 0.35], abs=1e-4)
    assert linear[a] + linear[b] == pytest.approx([0.0, 0.4, 0.0], abs=1e-4)
    assert angular[[a, b], 2] == pytest.approx([0.05, 0.25], abs=1e-4)
    assert not scene.body_velocity[0].any()                    # the other world


@pytest.mark.parametrize("actor", ["/S", "/Free"])
def test_what_is_put_to_sleep_stays_until_a_push_wakes_it(actor: str) -> None:
    scene = pair()
    for name in scene.actors:
        scene[name].set("v", np.full(scene[name].get("v").shape[1], 0.1))
    scene.step(2)
    scene[actor].put_to_sleep([1])
    there = scene[actor].link_pose[1]
    scene.step(60)
    assert scene[actor].asleep.tolist() == [False, True]
    assert np.array_equal(scene[actor].link_pose[1], there)
    assert not scene[actor].link_velocity[1].any()
    link = scene[actor].model.link_names[-1]
    scene[actor].apply_force([0.0, 0.0, 1.0], link=link)
    assert not scene[actor].asleep.any()
    scene.step()
    assert scene[actor].link_pose[1, -1, 2] > there[-1, 2]


def test_a_body_that_something_awake_holds_loses_only_its_velocity() -> None:
    scene, other = pair(), pair()
    for found in (scene, other):
        found["/A"].set("v", np.full(6, 0.1))
        found.step(2)
    scene["/B"].put_to_sleep()
    other["/B"].set("v", np.zeros(6))
    assert not scene["/B"].asleep.any()
    scene.step(5)
    other.step(5)
    assert np.array_equal(scene.body_pose, other.body_pose)


def test_an_island_rests_once_all_of_it_is_put_to_sleep_and_wakes_as_a_whole() -> None:
    scene = pair()
    scene["/A"].set("v", np.full(6, 0.1))
    scene.step(2)
    scene["/B"].put_to_sleep()
    scene["/A"].put_to_sleep()
    assert [scene[name].asleep.all() for name in ("/A", "/B", "/S", "/Free")] == [True, True, False, False]
    before = scene.body_pose[:, :2]
    scene.step(5)
    assert np.array_equal(scene.body_pose[:, :2], before)
    scene["/A"].apply_force([0.0, 1.0, 0.0], worlds=[0])
    scene.step()
    assert [scene[name].asleep.tolist() for name in ("/A", "/B")] == [[False, True]] * 2


def test_sleep_forgets_the_push_of_the_next_step() -> None:
    sim = body()
    sim.apply_force(PUSH)
    sim.put_to_sleep()
    assert not np.concatenate(gained(sim)).any()
    assert sim.asleep[0]


def test_a_force_that_holds_wakes_what_is_put_to_sleep() -> None:
    sim = body()
    sim.set("link_force", PUSH)
    sim.put_to_sleep()
    assert gained(sim)[0][0] == pytest.approx(PUSH * DT / MASS, abs=EXACT)
    assert not sim.asleep[0]


# --- refusals --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("arguments", "message"), [
    ({"link": "/Body/arm"}, "/Body/arm is not a link of /Body; did you mean /Body"),
    ({"mode": "push"}, "mode is 'push'; allowed are 'force', 'impulse', 'acceleration', 'velocity_change'"),
    ({"torque": [1.0]}, r"torque on /Body has shape \(1,\); give \(3,\) or \(2, 3\)"),
    ({"point": [[0.0, np.nan, 0.0]] * 2, "worlds": [1, 2]}, r"point of world 1 at /Body y is nan \(and 1 more\)"),
    ({"force": [np.inf, 0.0, 0.0]}, "force of world 0 at /Body x is inf"),
    ({"force": [1e38, 0.0, 0.0], "mode": "impulse"}, "link_force of world 0 at /Body x is inf"),
    ({"worlds": [3]}, "worlds is")])
def test_pushes_that_do_not_fit_are_refused_and_push_nothing(arguments: dict[str, Any], message: str) -> None:
    sim = body(3) if "worlds" in arguments else body(2)
    with pytest.raises(ValueError, match=message):
        sim.apply_force(**{"force": PUSH, **arguments})
    assert not np.concatenate(gained(sim)).any()


def test_a_push_on_a_robot_needs_the_name_of_its_link() -> None:
    with pytest.raises(ValueError, match="no link is given; give one of /S/base, /S/tip"):
        Simulation(opened(stage(slider("S")))).apply_force(PUSH)


def test_what_never_sleeps_is_not_put_to_sleep() -> None:
    with pytest.raises(ValueError, match="/Body cannot be put to sleep: the simulation was created with sleeping="):
        body(sleeping=False).put_to_sleep()
    with pytest.raises(ValueError, match="/Body cannot be put to sleep: solver='ideal' has no sleeping"):
        body(solver="ideal").put_to_sleep()


# --- link forces -----------------------------------------------------------------------------------------------------

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
    for c, result, unforced in zip(cases, results[::2], results[1::2], strict=True):
        forces = {"link_force": c.wrenches[:, :3], "link_torque": c.wrenches[:, 3:]}
        assert difference(c.description, result, **c.start, **forces) < ROUNDING, c.path.name
        assert np.abs(result["q"] - unforced["q"]).max() > MOVES, c.path.name


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
    for c, path, result, unforced in zip(cases, paths, results[::2], results[1::2], strict=True):
        assert difference(describe(path), result, **c.start) < ROUNDING, path.name
        assert np.abs(result["q"] - unforced["q"]).max() > MOVES, path.name


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
    push, = describe(stage).articulations[0].links[-1].external_forces
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

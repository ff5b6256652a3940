"""Actors of one structure are stepped in one buffer, and none of them feels it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import DivergenceWarning, NotSimulatedWarning, Scene, Session, Simulation, simulate
from physx_runtime.worlds.store import SCHEDULED
from support.stages.iteration_stages import DT, free, opened, slider, stage
from support.stages.robots import link, prim, robot

Array = NDArray[Any]
WORLDS = 3      # of neither fewer lanes than a block has nor a multiple of them
TURNING = {"vector3f physics:angularVelocity": "(10, 20, 30)"}
MANY = stage(*(slider(f"S{i}", (1 + i % 2, i % 3), x=3.0 * i) for i in range(5)),
             *(free(f"B{i}", x=30.0 + 3 * i, more=TURNING) for i in range(21)))


def scene(worlds: int = WORLDS, **options: Any) -> Scene:
    """A scene of five robots and twenty-one bodies."""
    return Scene(opened(MANY), worlds, dt=DT, path=SCHEDULED, **options)


def alone(actor: str, worlds: int = WORLDS) -> Simulation:
    """One of the actors by itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        return Simulation(opened(MANY), worlds, dt=DT, path=SCHEDULED, articulation=actor, sleeping=False)


def bits(actor: Any) -> dict[str, bytes]:
    """The state of an actor."""
    return {name: values.tobytes() for name, values in actor.state().items()}


def vary(actor: Any, seed: int) -> None:
    """Give an actor's worlds masses and velocities of their own, drawn at random."""
    random = np.random.default_rng(seed)
    actor.set_parameter("mass", random.uniform(1.0, 3.0, actor.parameter("mass").shape))
    actor.set_parameter("center_of_mass", random.uniform(-0.1, 0.1, actor.parameter("center_of_mass")[0].shape), [1])
    actor.set("v", random.uniform(-1.0, 1.0, actor.get("v").shape))


def test_robots_of_one_structure_and_bodies_have_a_buffer_each() -> None:
    found = scene()
    assert len({found[name].group for name in found.actors}) == 2
    assert found["/S0"].group is found["/S4"].group
    assert found["/B0"].group is found["/B20"].group


def test_actors_alike_move_bit_for_bit_as_each_in_a_simulation_of_its_own() -> None:
    together = scene(sleeping=False)
    others = {name: alone(name) for name in ("/S1", "/S4", "/B0", "/B20")}
    for seed, name in enumerate(together.actors):
        vary(together[name], seed)
        if name in others:
            vary(others[name], seed)
    together.step(20)
    for name, other in others.items():
        other.step(20)
        assert bits(together[name]) == bits(other), name
        assert np.array_equal(together[name].link_pose, other.link_pose)
        assert np.array_equal(together[name].parameter("mass"), other.parameter("mass"))


def test_bodies_of_a_scene_are_where_each_actor_has_its_links() -> None:
    found = scene()
    for seed, name in enumerate(found.actors):
        vary(found[name], seed)
    found.step(5)
    for rows, own in ((found.body_pose, "link_pose"), (found.body_velocity, "link_velocity")):
        assert np.array_equal(rows, np.concatenate([getattr(found[name], own) for name in found.actors], axis=1))


def test_a_recording_of_actors_alike_has_each_in_its_place() -> None:
    found, recording = scene(), simulate(opened(MANY), DT, 6, WORLDS, path=SCHEDULED)
    for step in range(7):
        assert np.array_equal(found.body_pose, recording.body_pose[step])
        assert np.array_equal(found.body_velocity, recording.body_velocity[step])
        assert np.array_equal(found.joint_position, recording.joint_position[step])
        found.step()


def test_a_scene_of_actors_alike_rests_bit_for_bit_as_a_session_which_has_each_apart() -> None:
    together = scene(1)
    with Session(opened(MANY)) as session:
        for _ in range(50):
            session.step(DT)
            together.step()
        for name in together.actors:
            assert bits(together[name]) == bits(session.simulation(name)), name
            assert together[name].iterations == session.simulation(name).iterations


def test_a_force_on_one_of_the_bodies_moves_no_other() -> None:
    pushed, left = scene(), scene()
    pushed["/B3"].set("link_force", [5.0, 0.0, 0.0], [1])
    for found in (pushed, left):
        found.step(3)
    differing = {name for name in pushed.actors if bits(pushed[name]) != bits(left[name])}
    assert differing == {"/B3"}
    assert np.array_equal(pushed["/B3"].link_pose[[0, 2]], left["/B3"].link_pose[[0, 2]])


def test_one_of_the_robots_answers_to_the_direct_api_as_by_itself() -> None:
    together, other = scene(sleeping=False)["/S3"], alone("/S3")
    answers = []
    for actor in (together, other):
        vary(actor, 7)
        answers.append(actor.dynamics.mass_matrix())
    assert answers[0].shape == (WORLDS, 1, 1)
    assert np.array_equal(*answers)


def test_reset_puts_worlds_with_masses_of_their_own_where_the_reset_of_each_actor_does() -> None:
    at_once, one_by_one = scene(), scene()
    for found in (at_once, one_by_one):
        for seed, name in enumerate(found.actors):
            vary(found[name], seed)
        found.step(10)
    at_once.reset([0, 1])
    for name in one_by_one.actors:
        one_by_one[name].reset([0, 1])
    for name in at_once.actors:
        assert bits(at_once[name]) == bits(one_by_one[name]), name


def test_of_bodies_alike_the_one_that_diverges_is_named() -> None:
    found = scene()
    found["/B7"].set("v", [3e38, 3e38, 3e38, 0.0, 0.0, 0.0], [2])
    with pytest.warns(DivergenceWarning, match=r"^/B7: 1 of 3 worlds diverged \(world 2\)") as warned:
        found.step(3)
    assert len(warned) == 1
    assert found.diverged.tolist() == [False, False, True]
    assert not found["/B8"].diverged.any()


def test_an_authored_number_that_is_none_is_refused_by_name_among_actors_alike() -> None:
    text = stage(free("B0"), free("B1", more={"float physxRigidBody:linearDamping": "nan"}))
    with pytest.raises(ValueError, match="linear_damping of world 0 at /B1 is nan"):
        Scene(opened(text), dt=DT)


def test_two_bases_without_degrees_of_freedom_are_stepped() -> None:
    """They have parameters of no numbers."""
    held = {name: prim("PhysicsFixedJoint", "anchor", (), {"rel physics:body1": f"</Robot/{name}/base>"})
            for name in ("left", "right")}
    robots = [prim("Xform", name, ("PhysicsArticulationRootAPI",), {}, link("base") + anchor)
              for name, anchor in held.items()]
    found = simulate(opened(robot(*robots, schemas=())), DT, 2)
    assert np.array_equal(found.link_pose[2], found.link_pose[0])

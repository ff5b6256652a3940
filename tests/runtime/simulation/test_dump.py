"""A dump shows one actor's own dynamics, and says of what else moves it that it is left out."""

from __future__ import annotations

import pytest
from physx_runtime import NotSimulatedWarning, Scene, Simulation, dump, dump_step
from support.stages.iteration_stages import free, opened, prim, slider, stage

WELD = prim("PhysicsFixedJoint", "J", "", {"rel physics:body0": "</A/tip>", "rel physics:body1": "</B>",
                                           "bool physics:excludeFromArticulation": "1"})
BALL = prim("Sphere", "shape", "PhysicsCollisionAPI", {})
HELD = stage(slider("A"), free("B", x=0.0), WELD)
TOUCHING = stage(*(free(name, x=x).removesuffix("}\n") + BALL + "}\n" for name, x in (("B", 0.0), ("C", 1.5))))
LEFT_OUT = "left out: "


def said(text: str) -> list[str]:
    """What a dump says that it leaves out."""
    return [line.removeprefix(LEFT_OUT) for line in text.splitlines() if line.startswith(LEFT_OUT)]


def test_a_dump_names_the_joint_that_it_leaves_out() -> None:
    with pytest.warns(NotSimulatedWarning):
        sim = Simulation(opened(HELD), articulation="/A")
    with pytest.warns(NotSimulatedWarning):
        text = dump(opened(HELD))
    [line] = said(dump_step(sim))
    assert line.startswith("/J: not simulated: a fixed joint outside articulations between /A/tip and /B")
    [line] = said(text)
    assert line.startswith("/J: not simulated: ")


def test_a_dump_of_a_scenes_actor_names_the_joints_that_hold_it() -> None:
    scene = Scene(opened(HELD))
    for name in scene.actors:
        assert said(dump_step(scene[name])) == ["/J: a joint outside articulations; the scene's step includes this"]


def test_a_dump_of_what_touches_says_that_contacts_are_left_out() -> None:
    with pytest.warns(NotSimulatedWarning):
        [line] = said(dump_step(Simulation(opened(TOUCHING), articulation="/B")))
    assert line.startswith("/B/shape.physics:collisionEnabled: not simulated: contacts, for example with /C/shape")
    assert said(dump_step(Scene(opened(TOUCHING))["/B"])) == ["contacts; the scene's step includes this"]


def test_a_dump_of_what_nothing_else_moves_leaves_nothing_out() -> None:
    alone = opened(stage(slider("A")))
    assert said(dump(alone)) == said(dump_step(Simulation(alone))) == said(dump_step(Scene(alone)["/A"])) == []

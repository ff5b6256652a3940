"""Actors of one structure share a buffer in a session, and go on to the bit where others of them come and go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from physx_runtime import Session
from pxr import Sdf, Usd
from support.stages.iteration_stages import DT, KINEMATIC, free, opened, stage

SPUN = {"vector3f physics:angularVelocity": "(10, 20, 30)", "float3 physics:diagonalInertia": "(0.1, 0.2, 0.3)"}
COUNT = 5
BODIES = [free(f"B{i}", x=3.0 * i, more=SPUN) for i in range(COUNT)]
BODIES_TEXT = stage(*BODIES)
Edit = Callable[[Usd.Stage], Any]
EDITS: dict[str, Edit] = {
    "one removed": lambda live: live.RemovePrim("/B2"),
    "one deactivated": lambda live: live.GetPrimAtPath("/B2").SetActive(False),
    "one of another structure": lambda live: live.GetPrimAtPath("/B2").CreateAttribute(
        "physxRigidBody:lockedRotAxis", Sdf.ValueTypeNames.Int).Set(2),
    "one heavier": lambda live: live.GetPrimAtPath("/B2").GetAttribute("physics:mass").Set(7.0),
}


def rows(session: Session, name: str) -> dict[str, Any]:
    actor = session.simulation(name)
    return {row: actor.store.rows(row) for row in (*actor.model.state, "wake_counter", "asleep")}


def test_alike_bodies_are_stepped_by_one_call() -> None:
    with Session(opened(BODIES_TEXT)) as session:
        assert len({session.simulation(name).group for name in session.articulations}) == 1


@pytest.mark.parametrize("name", EDITS)
def test_others_go_on_to_the_bit_where_one_is_edited(name: str) -> None:
    live, alone = opened(BODIES_TEXT), opened(BODIES_TEXT)
    with Session(live) as session, Session(alone) as other:
        for _ in range(7):
            session.step(DT)
            other.step(DT)
        EDITS[name](live)
        for _ in range(7):
            session.step(DT)
            other.step(DT)
        for body in ("/B0", "/B1", "/B3", "/B4"):
            expected = rows(other, body)
            for row, values in rows(session, body).items():
                assert np.array_equal(values, expected[row]), (body, row)


def test_a_force_that_is_held_goes_on_where_another_body_leaves() -> None:
    live = opened(BODIES_TEXT)
    with Session(live) as session:
        session.simulation("/B1").set("link_force", [3.0, 0.0, 0.0])
        session.step(DT)
        live.RemovePrim("/B2")
        session.step(DT)
        assert session.simulation("/B1").get("link_force")[0].tolist() == [3.0, 0.0, 0.0]
        assert session.simulation("/B1").link_velocity[0, 0, 0] == pytest.approx(2 * 3.0 * DT, rel=1e-5)


def test_a_body_whose_mass_is_edited_sleeps_on_as_in_physx() -> None:
    weightless = {"bool physxRigidBody:disableGravity": "1"}
    live = opened(stage(free("A", more=weightless), free("B", x=3.0, more=weightless)))
    with Session(live) as session:
        for _ in range(60):
            session.step(DT)
        assert session.simulation("/A").asleep[0]
        live.GetPrimAtPath("/B").GetAttribute("physics:mass").Set(7.0)
        session.step(DT)
        assert session.simulation("/A").asleep[0]
        assert session.simulation("/B").asleep[0]
        assert session.simulation("/B").model.actor.links[0].mass == 7.0


def test_an_edit_of_the_default_transform_of_a_sampled_body_is_named() -> None:
    place = "double3 xformOp:translate"
    live = opened(stage(free("B"), free("K", x=0.0, more={
        **KINEMATIC, f"{place}.timeSamples": "{ 0: (1, 0, 0), 48: (1, 2, 0) }"})))
    with Session(live) as session:
        session.step(DT)
        attribute = live.GetPrimAtPath("/K").GetAttribute("xformOp:translate")
        attribute.Set((1, 4, 0), 48)
        session.step(DT)
        assert not [m for m in session.messages if m.kind == "ignored-edit"]
        attribute.Set((5, 5, 5))
        session.step(DT)
        assert [(m.path, m.property) for m in session.messages if m.kind == "ignored-edit"] == [("/K", "xformOpOrder")]

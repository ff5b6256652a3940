"""What is in triggers is what real PhysX finds by its overlap queries, and is told as it enters and leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Scene, Session, simulate
from physx_runtime.packing.not_simulated import NotSimulatedWarning
from physx_runtime.simulation.recorder import write_recording
from support.physx.engine import answers
from support.physx.falling_through import DT, STEPS, ZONES
from support.stages.collider_settings import falling
from support.stages.meshes import box, mesh_prim
from support.stages.robots import opened, placed, prim

# How many pairs of a zone and a body may enter or leave a step before or after PhysX: a graze of less than the
# 1e-6 m by which poses differ.
GRAZES = 2
ZONE = prim("Cube", "zone", ("PhysicsCollisionAPI", "PhysxTriggerAPI"), {"double size": 1.0})
BALL = prim("Xform", "ball", ("PhysicsRigidBodyAPI",), placed((0, 0, 1.0)), prim(
    "Sphere", "shape", ("PhysicsCollisionAPI",), {"double radius": 0.25}))
STAGE = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n' + prim("PhysicsScene", "scene")
PAIR, BODIES = ("/zone", "/ball/shape"), ("/zone", "/ball")


@pytest.fixture(scope="module")
def queried(oracle_folder: Path) -> list[dict[str, list[str]]]:
    """What PhysX finds in each zone before each step."""
    found: list[dict[str, list[str]]] = answers("support.physx.falling_through", [falling()])[0]
    return found


def test_what_is_in_a_trigger_is_what_physx_finds_there(queried: list[dict[str, list[str]]]) -> None:
    scene = Scene(opened(falling()), dt=DT)
    differing: dict[str, int] = {}
    seen = set()
    for step in range(STEPS):
        scene.step()
        ours: dict[str, list[str]] = {}
        for overlap in scene.trigger_overlaps:
            ours.setdefault(overlap.pair[0], []).append(overlap.pair[1])
        for zone in ZONES:
            seen |= {zone} if queried[step][zone] else set()
            if sorted(ours.get(zone, [])) != queried[step][zone]:
                differing[zone] = differing.get(zone, 0) + 1
    assert seen == set(ZONES)
    assert all(count == 1 for count in differing.values()) and len(differing) <= GRAZES, json.dumps(differing)


def kinds(events: Any) -> list[tuple[str, int, tuple[str, str], tuple[str, str]]]:
    return [(event.kind, event.world, event.pair, event.bodies) for event in events]


def test_a_ball_enters_and_leaves_once() -> None:
    recording = simulate(opened(STAGE + ZONE + BALL), steps=60)
    told = [(record, *event) for record, events in enumerate(recording.trigger_events) for event in kinds(events)]
    height = recording.body_pose[:, 0, 0, 2]
    # of the step that leads to a record, made at its start
    first, last = (int((height < 0.75).argmax()) + 1, int((height < -0.75).argmax()) + 1)
    assert told == [(first, "enter", 0, PAIR, BODIES), (last, "leave", 0, PAIR, BODIES)]


def test_a_file_of_a_recording_has_its_events(tmp_path: Path) -> None:
    for number, zone in enumerate((ZONE, "")):
        recording = simulate(opened(STAGE + zone + BALL), steps=60)
        write_recording(tmp_path / f"{number}.npz", recording)
        with np.load(tmp_path / f"{number}.npz") as kept:
            assert kept["trigger_kind"].tolist() == ([] if number else ["enter", "leave"])
            assert [tuple(pair) for pair in kept["trigger_pair"]] == ([] if number else [PAIR, PAIR])
            assert kept["trigger_record"].tolist() == [record for record, events in enumerate(recording.trigger_events)
                                                       for _ in events]


def test_a_trigger_pushes_nothing() -> None:
    with_zone, without = (simulate(opened(STAGE + zone + BALL), steps=40).body_pose for zone in (ZONE, ""))
    assert (with_zone == without).all()


def test_worlds_have_triggers_of_their_own_and_forget_them_when_reset() -> None:
    scene = Scene(opened(STAGE + ZONE + BALL), worlds=2)
    scene["/ball"].set("root_position", [[0, 0, 0.5], [0, 0, 3.0]])
    scene.step()
    assert kinds(scene.trigger_events) == [("enter", 0, PAIR, BODIES)]
    scene.reset([0])
    assert scene.trigger_overlaps == scene.trigger_events == ()


def test_a_run_of_several_steps_has_the_events_of_its_last() -> None:
    one, several = Scene(opened(STAGE + ZONE + BALL)), Scene(opened(STAGE + ZONE + BALL))
    while not one.trigger_events:
        one.step()
    several.step(round(0.5 + (2 * 0.25 / 9.81) ** 0.5 * 60) + 1)
    assert len(several.trigger_overlaps) == 1


def test_a_session_tells_of_triggers() -> None:
    stage = opened(STAGE + ZONE + BALL.replace("(0, 0, 1.0)", "(0, 0, 0.5)"))
    with Session(stage) as session:
        session.step(1 / 60)
        assert kinds(session.trigger_events) == [("enter", 0, PAIR, BODIES)]
        session.step(1 / 60)
        assert session.trigger_events == () and len(session.trigger_overlaps) == 1


def test_groups_and_filtered_pairs_keep_nothing_from_a_trigger() -> None:
    filtered = ZONE.replace('"PhysxTriggerAPI"', '"PhysxTriggerAPI", "PhysicsFilteredPairsAPI"').replace(
        "double size", "rel physics:filteredPairs = </ball>\ndouble size")
    scene = Scene(opened(STAGE + filtered + BALL.replace("(0, 0, 1.0)", "(0, 0, 0.5)")))
    scene.step()
    assert len(scene.trigger_overlaps) == 1


def test_triggers_do_not_see_triggers() -> None:
    ghost = BALL.replace('"PhysicsCollisionAPI"', '"PhysicsCollisionAPI", "PhysxTriggerAPI"')
    scene = Scene(opened(STAGE + ZONE + ghost.replace("(0, 0, 1.0)", "(0, 0, 0.5)")))
    scene.step()
    assert scene.trigger_overlaps == ()


def test_what_a_trigger_does_not_see_is_named() -> None:
    filled = mesh_prim(box(1, 1, 1), "sphereFill", ["PhysxTriggerAPI"], "zone")
    with pytest.warns(NotSimulatedWarning, match="overlap of this trigger with /ball/shape"):
        Scene(opened(STAGE + filled + BALL))

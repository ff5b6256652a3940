"""What is reported of contacts, and of whom, is what PhysX's contact sensors get."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Scene, Session, simulate
from physx_runtime.simulation.events import ContactEvent
from physx_runtime.simulation.recorder import write_recording
from support.recorded.contact_answers import EVENTS, FORCES, STEP, told

Array = NDArray[Any]
FORCE = 5e-2        # of the sum of a pair's impulses; measured 2.4e-2 where two links share what lies on them
PLACE = 1e-4        # m, of points of what has bounced; measured 2e-5


def in_order(points: Array) -> Array:
    """Points by their places, to the nearest centimetre."""
    return np.asarray(points[np.lexsort(np.round(points, 2).T)])


def of_sensors(step: dict[str, Any]) -> dict[tuple[str, tuple[str, str]], dict[str, Any]]:
    """What PhysX reported in a step, by kind and pair of colliders."""
    found = {}
    for sensor in step["sensors"].values():
        for event in sensor["events"]:
            pair = (event["Collider"], event["OtherCollider"])
            found[event["kind"], pair[::-1] if event["side"] else pair] = event
    return found


@pytest.mark.parametrize("name", [*EVENTS, *FORCES])
def test_events_are_those_that_physx_reports(name: str) -> None:
    real = told(name)
    scene = Scene(real.stage)
    for step in real.steps:
        scene.step()
        found: dict[Any, ContactEvent] = {(event.kind, event.pair): event for event in scene.contact_events}
        expected = of_sensors(step)
        assert found.keys() == expected.keys()
        for key, event in expected.items():
            own = found[key]
            points = np.reshape(event["PointPosition"], (-1, 3))
            np.testing.assert_allclose(in_order(own.points), in_order(points), atol=PLACE)
            np.testing.assert_allclose(sorted(own.separations), sorted(event["PointSeparation"]), atol=PLACE)
            impulses = np.reshape(event["PointImpulse"], (-1, 3))
            np.testing.assert_allclose((own.impulses[:, None] * own.normals).sum(axis=0), impulses.sum(axis=0),
                                       atol=FORCE * np.abs(impulses).sum())
            assert len(own.anchors) == len(event["AnchorPosition"])


def test_a_run_of_several_steps_has_the_events_of_its_last() -> None:
    one, several = Scene(told("bounces").stage), Scene(told("bounces").stage)
    for _ in range(18):
        one.step()
    several.step(18)
    assert [event.kind for event in one.contact_events] == [event.kind for event in several.contact_events] == ["lost"]


def test_worlds_report_for_themselves() -> None:
    scene = Scene(told("bounces").stage, 2)
    high = scene["/a"].get("root_position")
    high[1, 2] += 1.0
    scene["/a"].set("root_position", high)
    scene.step(15)
    assert [(event.kind, event.world) for event in scene.contact_events] == [("found", 0)]
    scene.reset([0])
    scene.step()
    assert scene.contact_events == ()


def test_recordings_files_and_sessions_have_the_events(tmp_path: Path) -> None:
    recording = simulate(told("bounces").stage, STEP, 18)
    events = enumerate(recording.contact_events)
    kinds = {record: [event.kind for event in found] for record, found in events if found}
    assert kinds == {15: ["found"], 16: ["persists"], 17: ["persists"], 18: ["lost"]}
    write_recording(tmp_path / "motion.npz", recording)
    file = np.load(tmp_path / "motion.npz")
    assert file["event_record"].tolist() == [15, 16, 17, 18]
    assert file["event_kind"].tolist() == ["found", "persists", "persists", "lost"]
    assert file["event_pair"][0].tolist() == ["/a/shape", "/ground"]
    with Session(told("slides").stage) as session:
        session.step()
        assert [(event.kind, event.pair) for event in session.contact_events] == [("found", ("/a/shape", "/ground"))]

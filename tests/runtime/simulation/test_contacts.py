"""Forces of contacts and friction anchors are those that PhysX's contact sensors report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Scene, Session, simulate
from physx_runtime.simulation.contacts import NO_CONTACTS, ColliderPairs, Contacts, normal_force
from physx_runtime.simulation.recorder import write_recording
from support.recorded.link_poses import FORCES, STEP, told

# Of net forces, by the largest of a step; measured 1.2e-3, where a kinematic cube holds another off.
FORCE = 3e-3
# Of an anchor, by what the points of its pair press; measured 3e-3: how anchors share is a matter of last bits.
SHARE = 1e-2
# Of places of friction anchors, m; measured 5e-7.
PLACE = 5e-6


@pytest.mark.parametrize("name", FORCES)
def test_net_forces_are_those_of_the_contact_sensors(name: str) -> None:
    real = told(name)
    scene = Scene(real.stage)
    for step in real.steps:
        scene.step()
        sensors = step["sensors"]
        largest = max(np.abs(sensor["normal"]).max() for sensor in sensors.values())
        for path, sensor in sensors.items():
            np.testing.assert_allclose(scene.net_contact_force(path)[0], sensor["normal"], atol=FORCE * largest)
            np.testing.assert_allclose(scene.net_friction_force(path)[0], sensor["friction"], atol=FORCE * largest)


@pytest.mark.parametrize("name", [name for name in FORCES if told(name).pairs])
def test_forces_of_partners_are_those_of_the_force_matrices(name: str) -> None:
    real = told(name)
    scene = Scene(real.stage)
    for step in real.steps:
        scene.step()
        for (sensor, partners), (normal, friction) in zip(real.pairs, step["matrices"], strict=True):
            largest = FORCE * np.abs(normal).max()
            np.testing.assert_allclose(scene.net_contact_force(sensor, partners)[0], normal, atol=largest)
            np.testing.assert_allclose(scene.net_friction_force(sensor, partners)[0], friction, atol=largest)


@pytest.mark.parametrize("name", FORCES)
def test_friction_anchors_are_those_that_physx_reports(name: str) -> None:
    real = told(name)
    scene = Scene(real.stage)
    for step in real.steps:
        scene.step()
        found = scene.contacts.friction
        for path, sensor in step["sensors"].items():
            for event in sensor["events"]:
                pair = (event["Collider"], event["OtherCollider"])
                own = [i for i, known in enumerate(found.pairs) if known == (pair[::-1] if event["side"] else pair)]
                places, impulses = np.array(event["AnchorPosition"]), np.array(event["AnchorImpulse"])
                assert len(own) == len(places), (path, event["OtherBody"])
                np.testing.assert_allclose(found.points[own], places, atol=PLACE)
                largest = np.abs(event["PointImpulse"]).sum()
                np.testing.assert_allclose(found.impulses[own], impulses, atol=SHARE * largest)


def test_links_get_what_carries_them_and_what_lies_on_them() -> None:
    real = told("links")
    scene = Scene(real.stage)
    for step in real.steps:
        scene.step()
        forces, paths = step["sensors"], ["/robot/a", "/robot/b"]
        weight = sum(forces[path]["normal"][2] for path in paths)
        # how the two share it follows from last bits: a hinge between them that lies on the ground bears nothing
        np.testing.assert_allclose(scene.net_contact_force(paths)[0, :, 2].sum(), weight, atol=FORCE * weight)
        ((_, on_cube), _), = step["matrices"]
        np.testing.assert_allclose(scene.net_contact_force("/robot/a", ["/c"])[0, 0], on_cube, atol=FORCE * weight)


def test_a_recording_has_the_forces_of_every_step(tmp_path: Path) -> None:
    real = told("stands on another")
    recording = simulate(real.stage, STEP, len(real.steps), worlds=2)
    forces = recording.net_contact_force(["/a", "/b"])
    assert forces.shape == (len(real.steps) + 1, 2, 2, 3)
    assert not forces[0].any()
    np.testing.assert_array_equal(forces[:, 0], forces[:, 1])
    expected = [[step["sensors"][path]["normal"] for path in ("/a", "/b")] for step in real.steps]
    np.testing.assert_allclose(forces[1:, 0], expected, atol=20 * FORCE)
    partners = recording.net_friction_force("/a", ["/b", "/ground"])
    np.testing.assert_allclose(partners.sum(axis=2), recording.net_friction_force("/a"), atol=1e-5)


def test_force_is_by_the_time_of_the_step_that_was_taken() -> None:
    scene = Scene(told("slides").stage)
    scene.step(2)
    before = scene.net_contact_force("/a")
    scene.set_time_step(1 / 120)
    np.testing.assert_array_equal(scene.net_contact_force("/a"), before)


def test_a_path_of_nothing_that_can_touch_is_refused() -> None:
    scene = Scene(told("slides").stage)
    for bodies, partners in (("/nothing", None), ("/a", ["/nothing"])):
        with pytest.raises(ValueError, match=r"^/nothing is neither a body nor a collider"):
            scene.net_contact_force(bodies, partners)


def test_a_world_that_was_reset_has_no_contacts() -> None:
    scene = Scene(told("slides").stage, 2)
    scene.step(2)
    scene.reset([1])
    assert set(scene.contacts.worlds.tolist()) == set(scene.contacts.friction.worlds.tolist()) == {0}
    scene.reset()
    assert len(scene.contacts) == len(scene.contacts.friction) == 0


def test_a_session_has_the_contacts_and_forces_of_a_scene() -> None:
    scene = Scene(told("stands on another").stage)
    scene.step(2)
    with Session(told("stands on another").stage) as session:
        session.step()
        session.step()
        assert session.contacts.pairs == scene.contacts.pairs
        np.testing.assert_allclose(session.net_contact_force("/a"), scene.net_contact_force("/a")[0], rtol=1e-5)
        forces = session.net_friction_force("/a", ["/b", "/ground"])
        np.testing.assert_allclose(forces, scene.net_friction_force("/a", ["/b", "/ground"])[0], atol=1e-5)


def test_a_file_has_the_friction_of_every_record(tmp_path: Path) -> None:
    recording = simulate(told("slides").stage, STEP, 3, every=2)
    write_recording(tmp_path / "motion.npz", recording)
    found, friction = np.load(tmp_path / "motion.npz"), recording.contacts[1].friction
    assert found["friction_record"].tolist() == [1, 1]
    assert found["friction_pair"].tolist() == [["/a/shape", "/ground"]] * 2 == list(map(list, friction.pairs))
    np.testing.assert_array_equal(found["friction_impulse"], friction.impulses)
    np.testing.assert_array_equal(found["friction_point"], friction.points)
    np.testing.assert_array_equal(found["contact_impulse"], recording.contacts[1].impulses)


class Counted(tuple[str, ...]):
    """Names that count how often they are gone through."""

    times = 0

    def __iter__(self) -> Iterator[str]:
        Counted.times += 1
        return super().__iter__()


def in_a_row(count: int) -> Contacts:
    """Balls side by side, each pressed by its neighbour with its number."""
    names, sides = Counted(f"/ball{i}" for i in range(count)), np.arange(count - 1)
    normals = np.tile([1.0, 0.0, 0.0], (count - 1, 1))
    return Contacts(ColliderPairs(names, names, np.stack([sides + 1, sides], axis=1)), np.zeros(count - 1, np.int64),
                    normals,
                    normals, np.zeros(count - 1), sides + 1.0, NO_CONTACTS.friction, 1.0)


def test_forces_of_many_bodies_go_through_the_colliders_no_more_often_than_that_of_one() -> None:
    contacts, times = in_a_row(100), []
    for bodies in (["/ball5"], [f"/ball{i}" for i in range(100)]):
        Counted.times = 0
        found = normal_force(contacts, 1, bodies, bodies[:1])
        times.append(Counted.times)
    assert times[0] == times[1]
    assert found[0, :2, 0, 0].tolist() == [0.0, 1.0]


def test_a_body_gets_what_its_neighbours_give_and_nothing_from_itself() -> None:
    contacts = in_a_row(3)
    assert normal_force(contacts, 1, ["/ball0", "/ball1", "/ball2"], None)[0, :, 0].tolist() == [-1.0, -1.0, 2.0]
    assert normal_force(contacts, 1, "/ball1", ["/ball0", "/ball1", "/ball2"])[0, :, 0].tolist() == [1.0, 0.0, -2.0]

"""Contact arrows: a body at rest on the ground is held by its weight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from physx_runtime import simulate
from physx_runtime.simulation.recording import Recording
from physx_runtime.viewing.robot.forces import MAX_ARROWS, contact_arrows
from physx_runtime.viewing.robot.marks import body_index
from support.stages.iteration_stages import GRAVITY, opened, prim
from support.stages.iteration_stages import stage as stage_of

MASS = 2.0


@pytest.fixture(scope="module")
def recording() -> Recording:
    """A block of 2 kg that stands on the ground."""
    ground = prim("Plane", "ground", "PhysicsCollisionAPI", {"uniform token axis": '"Z"'})
    block = prim("Cube", "block", "PhysicsCollisionAPI", {"double size": "1"})
    body = prim("Xform", "B", "PhysicsRigidBodyAPI PhysicsMassAPI", {
        "float physics:mass": f"{MASS}", "double3 xformOp:translate": "(9, 0, 0.5)",
        "uniform token[] xformOpOrder": '["xformOp:translate"]'}, block)
    return simulate(opened(stage_of(ground, body)), 0.01, 20)


def test_the_arrow_of_a_body_at_rest_is_its_weight_upwards(recording: Recording) -> None:
    arrows = contact_arrows(recording.contacts, body_index(recording.body_names), 0)
    row, = arrows.rows[arrows.starts[-2]:arrows.starts[-1]]
    assert row[0] == recording.body_names.index("/B")
    np.testing.assert_allclose(row[1:4], [9.0, 0.0, 0.0], atol=0.01)
    np.testing.assert_allclose(row[4:], [0.0, 0.0, MASS * GRAVITY], atol=0.02 * MASS * GRAVITY)


def test_the_arrow_is_the_same_with_the_static_partner_first(recording: Recording) -> None:
    index = body_index(recording.body_names)
    contacts = recording.contacts[-1]
    swapped, friction = (replace(pairs.colliders, rows=pairs.colliders.rows[:, ::-1])
                         for pairs in (contacts, contacts.friction))
    turned = replace(contacts, colliders=swapped, normals=-contacts.normals, friction=replace(
        contacts.friction, colliders=friction, impulses=-contacts.friction.impulses))
    np.testing.assert_allclose(contact_arrows([turned], index, 0).rows, contact_arrows([contacts], index, 0).rows)


def test_every_record_has_its_rows(recording: Recording) -> None:
    arrows = contact_arrows(recording.contacts, body_index(recording.body_names), 0)
    assert len(arrows.starts) == len(recording.time) + 1
    assert arrows.starts[0] == arrows.starts[1] == 0
    assert arrows.starts[-1] == len(arrows.rows)
    assert np.diff(arrows.starts).max() <= MAX_ARROWS


def test_a_body_that_is_not_drawn_has_no_arrow(recording: Recording) -> None:
    assert not len(contact_arrows(recording.contacts, {}, 0).rows)

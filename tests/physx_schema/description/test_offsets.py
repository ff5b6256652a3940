"""Contact and rest offsets are read as PhysX takes them, from its own schema and Newton's."""

from __future__ import annotations

import pytest
from support.stages.offsets import MEASURED, Offsets, ball
from support.stages.robots import opened

from physx_schema import describe


@pytest.mark.parametrize("asked", MEASURED, ids=str)
def test_offsets_are_those_that_physx_shows(asked: Offsets) -> None:
    collider = describe(opened(ball(asked, 0.1))).bodies[0].colliders[0]
    assert (collider.contact_offset, collider.rest_offset) == pytest.approx(MEASURED[asked], abs=1e-8)

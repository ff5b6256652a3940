"""Large trees are observed without tracing and articulations alike at once, with the bits of one that is traced."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from physx_runtime.model.row_specs import state_rows
from physx_runtime.packing.body import pack_actor
from physx_runtime.session import link_states
from physx_runtime.session.link_states import NUMBERS_A_LINK, Observer, links_of_many
from support.stages.robots import described, finger

COUNT, DT = 5, 1 / 60


@pytest.fixture(scope="module")
def seen() -> Observer:
    description = described(finger())
    actor = description.articulations[0]
    return Observer.of(pack_actor(actor, description.scene_of(actor), "physx"))


def states(seen: Observer, seed: int) -> dict[str, Any]:
    """States of several such articulations, row name -> (n, size)."""
    rng = np.random.default_rng(seed)
    return {name: np.tile(seen.model.state[name], (COUNT, 1)) + rng.uniform(-0.3, 0.3, (COUNT, size))
            for name, size in state_rows(seen.model.topology).items()}


def one(rows: dict[str, Any], place: int) -> dict[str, Any]:
    return {name: row[place] for name, row in rows.items()}


def test_what_is_not_traced_has_the_bits_of_what_is(seen: Observer, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = states(seen, 0), states(seen, 1)
    traced = seen.links(one(before, 0), one(after, 0), DT)
    monkeypatch.setattr(link_states, "MAX_TRACED_LINKS", 0)
    np.testing.assert_array_equal(seen.links(one(before, 0), one(after, 0), DT), traced)


def test_many_at_once_have_the_bits_of_each(seen: Observer) -> None:
    before, after = states(seen, 0), states(seen, 1)
    many = links_of_many([seen] * COUNT, before, after, DT)
    assert many.shape == (COUNT, len(seen.model.link_names), NUMBERS_A_LINK)
    for place in range(COUNT):
        np.testing.assert_array_equal(many[place], seen.links(one(before, place), one(after, place), DT))

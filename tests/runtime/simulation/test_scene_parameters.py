"""A scene reads and sets a parameter of all its actors in one array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from physx_runtime import Scene
from support.stages.cart_pole import two_cart_poles

WORLDS = 3
LINKS = tuple(f"/{robot}/{link}" for robot in ("Left", "Right") for link in ("rail", "cart", "pole"))


@pytest.fixture
def scene() -> Scene:
    """Two cart-poles in three worlds."""
    return Scene(two_cart_poles(), WORLDS)


def test_a_parameter_has_the_elements_of_all_actors(scene: Scene) -> None:
    assert scene.parameters["mass"].elements == LINKS and scene.parameters["mass"].shape == (6,)
    assert scene.parameter("mass").tolist() == [pytest.approx([1.0, 1.0, 0.1] * 2)] * WORLDS
    assert scene.parameter("diagonal_inertia").shape == (WORLDS, 6, 3)


def test_values_are_split_by_actor(scene: Scene) -> None:
    scene.set_parameter("mass", [1, 2, 3, 4, 5, 6])
    assert scene["/Left"].parameter("mass").tolist() == [[1, 2, 3]] * WORLDS
    assert scene["/Right"].parameter("mass").tolist() == [[4, 5, 6]] * WORLDS


def test_one_number_is_set_on_every_actor_of_the_chosen_worlds(scene: Scene) -> None:
    before = scene.parameter("armature")
    scene.set_parameter("armature", 0.5, worlds=[2])
    assert scene.parameter("armature")[2].tolist() == [0.5] * 4
    assert np.array_equal(scene.parameter("armature")[:2], before[:2])


def test_a_heavier_cart_is_slower(scene: Scene) -> None:
    masses = scene.parameter("mass").copy()
    masses[1, LINKS.index("/Right/cart")] = 10.0
    scene.set_parameter("mass", masses)
    for robot in ("/Left", "/Right"):
        scene[robot].set("joint_effort", [1.0, 0.0])
    scene.step()
    slow, fast = (scene["/Right"].get("v")[world, 0] for world in (1, 0))
    assert slow == pytest.approx(1.0 / (10.0 + 0.025) / 60.0, rel=1e-3) and fast > 5.0 * slow


def test_no_actor_is_changed_if_the_value_of_one_is_refused(scene: Scene) -> None:
    before = scene.parameter("mass")
    with pytest.raises(ValueError, match="mass of world 0 at /Right/pole is -1"):
        scene.set_parameter("mass", [1, 2, 3, 4, 5, -1])
    assert np.array_equal(scene.parameter("mass"), before)


@pytest.mark.parametrize(("name", "values", "message"), [
    ("weight", 1.0, "'weight' is not a parameter of the scene's actors; "),
    ("mas", 1.0, "did you mean mass?"),
    ("mass", [1.0, 2.0], r"mass has shape \(2,\); give one number, \(6,\) or \(3, 6\)"),
    ("mass", "heavy", "mass is 'heavy'; give real numbers")])
def test_a_wrong_argument_is_refused(scene: Scene, name: str, values: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scene.set_parameter(name, values)

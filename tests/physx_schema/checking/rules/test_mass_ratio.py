"""Light bodies that carry heavy ones are reported where PhysX was seen to let their joints come apart."""

from __future__ import annotations

import pytest
from support.stages.robots import joint, link, opened, robot

from physx_schema.checking import check


def found(text: str) -> set[str]:
    return {item.path for item in check(opened(text)).findings if item.code == "joint/mass-ratio"}


def chain(masses: tuple[float, ...], kind: str = "Revolute", schemas: tuple[str, ...] = (), held: bool = True) -> str:
    """Bodies b0, b1 ... that hang from one another, the first from the world."""
    bodies = [link(f"b{i}", mass=mass) for i, mass in enumerate(masses)]
    joints = [joint(kind, f"j{i}", f"b{i - 1}" if i else "", f"b{i}") for i in range(0 if held else 1, len(masses))]
    return robot(*bodies, *joints, schemas=schemas)


@pytest.mark.parametrize(("masses", "paths"), [
    ((1.0, 1.0), set()), ((1.0, 500.0), set()), ((1.0, 2000.0), {"/Robot/j1"}), ((2000.0, 1.0), set()),
    ((1e-6, 1.0, 5000.0), {"/Robot/j1", "/Robot/j2"}), ((5000.0, 1.0, 2.0), set()),
    ((5000.0, 1.0, 5000.0), {"/Robot/j2"})])
@pytest.mark.parametrize("kind", ["Revolute", "Spherical", "Fixed"])
def test_a_body_a_thousand_times_lighter_than_what_it_carries_is_reported(
    masses: tuple[float, ...], paths: set[str], kind: str,
) -> None:
    assert found(chain(masses, kind)) == paths


@pytest.mark.parametrize(("count", "ratio", "is_found"), [
    (4, 50.0, False), (4, 100.0, True), (64, 1e4, False), (64, 2e4, True)])
def test_more_iterations_carry_more(count: int, ratio: float, is_found: bool) -> None:
    more = {"int physxRigidBody:solverPositionIterationCount": count}
    bodies = "".join(link(name, mass=mass, schemas=("PhysxRigidBodyAPI",), more=more)
                     for name, mass in (("light", 1.0), ("heavy", ratio)))
    joints = joint("Revolute", "j", "", "light") + joint("Revolute", "k", "light", "heavy")
    assert found(robot(bodies, joints, schemas=())) == ({"/Robot/k"} if is_found else set())


def test_articulations_carry_any_mass() -> None:
    assert found(chain((1.0, 1e6), schemas=("PhysicsArticulationRootAPI",))) == set()


def test_a_heavy_body_on_light_legs_is_carried_by_all_of_them() -> None:
    legs = "".join(link(f"leg{i}") + joint("Revolute", f"foot{i}", "", f"leg{i}") + joint(
        "Revolute", f"knee{i}", f"leg{i}", "plate") for i in range(2))
    plate = link("plate", mass=5000.0)
    assert found(robot(plate, legs, schemas=())) == {"/Robot/knee0", "/Robot/knee1"}
    assert found(robot(plate, legs, joint("Fixed", "held", "", "plate"), schemas=())) == set()


def test_two_bodies_that_nothing_holds_are_not_reported() -> None:
    assert found(chain((1.0, 1e6), held=False)) == set()

"""What holds of all contacts: momentum and energy, action and reaction, and that stacks and boxes on slopes stand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Recording, Scene, simulate
from support.stages.contact_scenes import SCENES
from support.stages.contact_scenes.parts import (
    ASKEW,
    Attributes,
    ball,
    body,
    box,
    capsule,
    ground,
    material,
    rod,
    still,
    turn,
    world,
)
from support.stages.robots import opened

Array = NDArray[np.float64]
DT, STEPS = 1 / 60, 60
# kg m/s, float32 velocities over 60 steps; kg m2/s, what the centres move while a step's arms stay those of its start:
# PhysX's own motions of these stages part from theirs by 1.2e-3 to 8.3e-3, and ours by the same digits.
MOMENTUM, ANGULAR_MOMENTUM = 2e-6, 1e-2
ENERGY = 1e-5       # of the start's, per step: float32 (PhysX 2e-6)
FORCES = 1e-4       # of the largest: float32 differences of velocities over dt
CREEP = 1e-6        # m in 4 s; PhysX's own box by 4e-8
STACKED = 0.01      # m by which cubes of a stack may move from the first second to the fifth; PhysX's own do by 5.2e-3
MASSES, INERTIAS = np.array([1.0, 0.7]), np.array([0.02, 0.012])
RUBBER: Attributes = {"material": "rubber"}
SHAPES = {"balls": (ball(0.2, more=RUBBER), ball(0.15, more=RUBBER)),
          "boxes": (box((0.4, 0.3, 0.2), more=RUBBER), box((0.3, 0.3, 0.3), more=RUBBER)),
          "a capsule and a cylinder": (capsule(0.1, 0.4, more=RUBBER), rod("Cylinder", 0.2, 0.3, more=RUBBER))}
SLOPE = world(material("grip", 0.6, 0.6), still("slope", box((4, 4, 0.5), more={"material": "grip"}), (0, 0, 0),
                                                turn((0, 1, 0), 20)),
              body("a", box((0.4, 0.4, 0.2), more={"material": "grip"}), (0.12, 0, 0.3298), turn((0, 1, 0), 20)))


def meeting(name: str, restitution: float) -> Recording:
    """Two round-weighing bodies that hit each other in free space, off their centres."""
    weights: list[Attributes] = [{"float physics:mass": float(mass), "float3 physics:diagonalInertia": (float(i),) * 3,
                                 "float physxRigidBody:angularDamping": 0.0}
                                 for mass, i in zip(MASSES, INERTIAS, strict=True)]
    first, second = SHAPES[name]
    return simulate(opened(world(
        material("rubber", 0.5, 0.4, restitution), body("a", first, (0, 0, 1), ASKEW, velocity=(1.5, 0, 0),
                                                        spin=(40, 0, 20), more=weights[0]),
        body("b", second, (0.8, 0.08, 1.05), velocity=(-1, 0.1, 0), more=weights[1]), gravity=0.0)), DT, STEPS)


def momenta(found: Recording) -> tuple[Array, Array, Array]:
    """Linear and angular momentum and kinetic energy of both bodies at every record."""
    order = [found.body_names.index(path) for path in ("/World/a", "/World/b")]
    place, velocity = (x[:, 0, order].astype(np.float64) for x in (found.body_pose, found.body_velocity))
    linear = MASSES[:, None] * velocity[..., :3]
    angular = np.cross(place[..., :3], linear) + INERTIAS[:, None] * velocity[..., 3:]
    spun = INERTIAS[:, None] * velocity[..., 3:]
    energy = (linear * velocity[..., :3] + spun * velocity[..., 3:]).sum(axis=(1, 2)) / 2
    return linear, angular, energy


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("name", SHAPES)
def test_bodies_that_meet_keep_their_momentum_and_gain_no_energy(name: str, restitution: float) -> None:
    linear, angular, energy = momenta(meeting(name, restitution))
    assert np.abs(linear[-1, 0] - linear[0, 0]).max() > 0.1
    assert np.abs(linear.sum(axis=1) - linear[0].sum(axis=0)).max() < MOMENTUM
    assert np.abs(angular.sum(axis=1) - angular[0].sum(axis=0)).max() < ANGULAR_MOMENTUM
    assert np.diff(energy).max() < ENERGY * energy[0]


def test_forces_told_are_what_each_body_gained_and_the_other_lost() -> None:
    found = meeting("boxes", 0.5)
    linear, *_ = momenta(found)
    gained = np.diff(linear, axis=0) / DT
    told = np.stack([(found.net_contact_force(path) + found.net_friction_force(path))[1:, 0]
                     for path in ("/World/a", "/World/b")], axis=1)
    assert np.abs(told).max() > 10.0
    np.testing.assert_array_equal(told[:, 0], -told[:, 1])
    assert np.abs(told - gained).max() < FORCES * np.abs(told).max()


@pytest.mark.parametrize("name", ["stack of ten boxes", "stack of ten boxes, smaller above"])
def test_a_stack_of_ten_stands_for_five_seconds(name: str) -> None:
    scene = Scene(opened(SCENES[name].text), dt=DT)
    scene.step(60)
    settled = scene.body_pose[0, :, :3].copy()
    scene.step(240)
    assert np.abs(scene.body_pose[0, :, :3] - settled).max() < STACKED
    assert np.diff(scene.body_pose[0, :, 2]).min() > 0.1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_box_on_a_slope_does_not_creep(dtype: str) -> None:
    scene = Scene(opened(SLOPE), dt=DT, dtype=dtype)
    scene.step(60)
    settled = scene.body_pose.copy()
    assert len(scene.contacts)
    scene.step(240)
    assert np.abs(scene.body_pose - settled).max() < CREEP


def test_a_box_on_the_slope_slides_without_the_friction() -> None:
    scene = Scene(opened(SLOPE.replace("Friction = 0.6", "Friction = 0.3")), dt=DT)
    scene.step(60)
    settled = scene.body_pose.copy()
    scene.step(60)
    assert np.abs(scene.body_pose - settled).max() > 0.1


def test_the_ground_gives_back_no_energy_to_a_box_that_comes_to_rest() -> None:
    mass = 2.0
    found = simulate(opened(world(ground(), body("a", box((0.3, 0.3, 0.3)), (0, 0, 0.6), ASKEW, more={
        "float physics:mass": mass, "float3 physics:diagonalInertia": (0.03, 0.03, 0.03)}))), DT, 120)
    height, velocity = found.body_pose[:, 0, 0, 2], found.body_velocity[:, 0, 0].astype(np.float64)
    linear, angular = ((velocity[:, part] ** 2).sum(axis=1) / 2 for part in (slice(0, 3), slice(3, 6)))
    energy = mass * (9.81 * height + linear) + 0.03 * angular
    assert np.diff(energy).max() < 0.01 * mass * 9.81 * 0.15
    assert energy[-1] == pytest.approx(mass * 9.81 * 0.15, rel=1e-3)

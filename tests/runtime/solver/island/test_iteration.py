"""What joints outside articulations keep, whatever they hold: momentum, energy, the order in which PhysX solves them.

Stages of a few free bodies; no PhysX is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Recording, simulate
from physx_runtime.worlds.store import SCHEDULED
from support.stages.parts import Attributes, frames
from support.stages.robots import HEAD, opened, placed, prim

GRAVITY, STEPS = 9.81, 60
MASSES, MOMENT = (1.0, 1.25, 0.75), 0.125      # exact in float32, in which they are authored
SPINS = ((20.0, 40.0, -30.0), (0.0, 10.0, 60.0), (-40.0, 0.0, 15.0))        # degrees per second
# Of a body that turns freely, over one second: PhysX's steps rescale its angular momentum, and turn it by O(dt^2).
ANGULAR_DRIFT = 1e-2
ROUNDING = 1e-12
# Of the energy of a chain of 3 kg that falls by a metre: what 16 substeps of 1/240 s, explicit in gravity, add to it.
WANDERING = 1e-3


def stage(*prims: str, gravity: float = 0.0) -> str:
    """A stage of bodies and joints under /World."""
    values: Attributes = {"vector3f physics:gravityDirection": (0.0, 0.0, -1.0),
                          "float physics:gravityMagnitude": gravity, "bool physxScene:enableGPUDynamics": False}
    return HEAD.format(meters=1.0, kilograms=1.0).replace("Robot", "World") + prim(
        "Xform", "World", (), {}, prim("PhysicsScene", "scene", ("PhysxSceneAPI",), values) + "".join(prims))


def body(name: str, x: float, mass: float = 1.0, spin: tuple[float, ...] = (0, 0, 0),
         moments: tuple[float, ...] = (MOMENT,) * 3, counts: tuple[int, int] = (4, 1)) -> str:
    """A body on the x axis."""
    return prim("Xform", name, ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"), {
        "float physics:mass": mass, "float3 physics:diagonalInertia": tuple(moments),
        "vector3f physics:angularVelocity": spin, "float physxRigidBody:angularDamping": 0.0,
        "float physxRigidBody:sleepThreshold": 0.0,
        "int physxRigidBody:solverPositionIterationCount": counts[0],
        "int physxRigidBody:solverVelocityIterationCount": counts[1], **placed((x, 0.0, 0.0))})


def joint(kind: str, name: str, body0: str, body1: str, at: float = 0.5) -> str:
    """A joint between two bodies a metre apart; an empty name is the world."""
    held = {f"rel physics:body{i}": f"</World/{path}>" for i, path in enumerate((body0, body1)) if path}
    return prim(f"Physics{kind}Joint", name, (), {**held, **frames((at, 0, 0) if body0 else (0, 0, 0), (-at, 0, 0),
                                                                  axis="Y")})


def moved(text: str, steps: int = STEPS, dt: float = 1 / 60) -> Recording:
    """The stage in motion, in float64."""
    return simulate(opened(text), dt, steps, dtype="float64", path=SCHEDULED)


def free_chain(kind: str) -> str:
    """Three spinning bodies in a row, which nothing else holds."""
    bodies = [body(f"b{i}", float(i), mass, spin) for i, (mass, spin) in enumerate(zip(MASSES, SPINS, strict=True))]
    return stage(*bodies, joint(kind, "j0", "b0", "b1"), joint(kind, "j1", "b1", "b2"))


def momenta(motion: Recording) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(T, 3) linear and angular momentum about the origin of bodies whose inertia is the same about every axis."""
    order = [motion.body_names.index(f"/World/b{i}") for i in range(len(MASSES))]
    position, velocity = motion.body_pose[:, 0, order, :3], motion.body_velocity[:, 0, order]
    linear = np.array(MASSES)[:, None] * velocity[..., :3]
    angular = np.cross(position, linear) + MOMENT * velocity[..., 3:]
    return linear.sum(axis=1), angular.sum(axis=1)


# --- conservation ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", ["Fixed", "Revolute", "Spherical", "Prismatic"])
def test_momentum_of_linked_bodies_is_kept_to_rounding(kind: str) -> None:
    linear, _ = momenta(moved(free_chain(kind)))
    assert np.abs(linear - linear[0]).max() < ROUNDING


@pytest.mark.parametrize("kind", ["Fixed", "Revolute", "Spherical"])
def test_angular_momentum_of_linked_bodies_is_kept(kind: str) -> None:
    _, angular = momenta(moved(free_chain(kind)))
    assert np.abs(angular - angular[0]).max() < ANGULAR_DRIFT * np.abs(angular[0]).max()


def energy(motion: Recording, names: Sequence[str], moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """(T,) kinetic and potential energy of bodies of 1 kg."""
    order = [motion.body_names.index(name) for name in names]
    pose, velocity = motion.body_pose[:, 0, order], motion.body_velocity[:, 0, order]
    q = pose[..., 3:]
    # w in body axes: w + 2 u x (u x w - s w), with the quaternion (u, s) conjugated
    u, s, w = -q[..., :3], q[..., 3:], velocity[..., 3:]
    own = w + 2.0 * np.cross(u, np.cross(u, w) + s * w)
    kinetic = 0.5 * (velocity[..., :3]**2).sum(axis=-1) + 0.5 * (moments * own**2).sum(axis=-1)
    return (kinetic + GRAVITY * pose[..., 2]).sum(axis=1)


@pytest.mark.parametrize("kind", ["Revolute", "Spherical"])
def test_energy_of_a_swinging_chain_does_not_grow(kind: str) -> None:
    moments = (0.02, 0.1, 0.1)
    bodies = [body(f"b{i}", i + 0.5, moments=moments, counts=(16, 1)) for i in range(3)]
    joints = [joint(kind, f"j{i}", f"b{i - 1}" if i else "", f"b{i}") for i in range(3)]
    found = energy(moved(stage(*bodies, *joints, gravity=GRAVITY), 240, 1 / 240), [f"/World/b{i}" for i in range(3)],
                   np.array(moments))
    assert (found - found[0]).max() < WANDERING * 3 * GRAVITY


# --- order ----------------------------------------------------------------------------------------------------------

def chain(names: Sequence[str], kinds: Sequence[str] = ("Revolute",) * 3, shuffled: bool = False) -> str:
    """Three bodies that hang from the world by joints of these names, first at the world."""
    bodies = [body(f"b{i}", i + 0.5, moments=(0.02, 0.1, 0.1)) for i in range(3)]
    joints = [joint(kind, name, f"b{i - 1}" if i else "", f"b{i}")
              for i, (name, kind) in enumerate(zip(names, kinds, strict=True))]
    prims = [*bodies, *joints]
    return stage(*(reversed(prims) if shuffled else prims), gravity=GRAVITY)


def same(first: str, second: str) -> bool:
    """Whether two stages move alike, bit for bit."""
    one, other = moved(first, 10), moved(second, 10)
    order = [other.body_names.index(name) for name in one.body_names]
    return bool(np.array_equal(one.body_pose, other.body_pose[:, :, order]))


def test_the_order_of_prims_does_not_matter() -> None:
    assert same(chain(("j0", "j1", "j2")), chain(("j0", "j1", "j2"), shuffled=True))


def test_joints_of_a_kind_are_solved_by_path() -> None:
    assert not same(chain(("j0", "j1", "j2")), chain(("j0", "j2", "j1")))


def test_a_joint_to_the_world_is_solved_behind_others_whatever_its_name() -> None:
    assert same(chain(("j0", "j1", "j2")), chain(("j3", "j1", "j2")))


def test_only_the_order_of_names_counts() -> None:
    assert same(chain(("j0", "j1", "j2")), chain(("a", "k", "z")))


def test_names_are_compared_as_plain_strings() -> None:
    assert same(chain(("a", "j10", "j2")), chain(("a", "b", "c")))
    assert not same(chain(("a", "j10", "j2")), chain(("a", "c", "b")))


def test_kinds_come_before_names() -> None:
    kinds = ("Spherical", "Spherical", "Revolute")
    assert same(chain(("a", "b", "c"), kinds), chain(("a", "c", "b"), kinds))


def test_names_of_bodies_do_not_matter() -> None:
    text = chain(("j0", "j1", "j2"))
    renamed = text.replace("b0", "z0")
    one, other = moved(text, 10), moved(renamed, 10)
    order = [other.body_names.index(name.replace("b0", "z0")) for name in one.body_names]
    assert np.array_equal(one.body_pose, other.body_pose[:, :, order])

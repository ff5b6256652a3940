"""Bodies and links that PhysX's own contacts push, against PhysX: their motion, and the impulse of every contact.

Impacts slower than the scene's bounce threshold do not bounce, as in PhysX.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Scene
from support.physx.replayed_contacts import Pair, ReplayedScene, replayed
from support.stages.robots import opened

# Contacts are known of the first 120 steps. What rolls on one point is unstable with contacts that do not follow it:
# 1e-7 m is 1e-5 m after 30 steps.
RECORDED, ROLLING = 120, 20
SCENES = {
    "sphere_bounce": (Pair(restitution=0.8), RECORDED),
    "sphere_slide_to_roll": (Pair(), ROLLING),
    "sphere_torsion": (Pair(torsion_radius=0.1, min_torsion_radius=0.02), ROLLING),
    "box_tumble": (Pair(), RECORDED),
    "box_static_dynamic_friction": (Pair(0.8, 0.3), RECORDED),
    "box_friction_multiply": (Pair(0.24, 0.12), RECORDED),
    "slope_stick": (Pair(), RECORDED),
    "depenetration": (Pair(max_depenetration=0.3), RECORDED),
    "iterations_4_1": (Pair(), RECORDED),
    "capsule_fall": (Pair(), ROLLING),
    "capsule_on_box": (Pair(), RECORDED),
    "box_on_static_box": (Pair(), RECORDED),
    "sphere_over_edge": (Pair(), RECORDED),
}
# Of articulations on the ground: to which step, and how far joints [rad] may part from PhysX's; measured 6e-7, 4e-6.
ARTICULATIONS = {"arm_hits_plane": (RECORDED, 5e-6), "three_links_fall": (RECORDED, 1e-5)}
# Impulses of contacts [N s] on bodies of 20 to 113 kg; they come to 920.
IMPULSES_APART = 0.01


@pytest.fixture(params=["float32", "float64"])
def scene(request: pytest.FixtureRequest, shared_cases: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayedScene:
    name, dtype = request.node.callspec.params["name"], request.param
    pair, last = SCENES[name] if name in SCENES else (Pair(), ARTICULATIONS[name][0])
    found = replayed(shared_cases / "scenes" / name, pair, last, dtype)
    monkeypatch.setattr("physx_runtime.worlds.contact.worlds.generate", found.replay)
    return found.run()


@pytest.mark.parametrize("name", SCENES)
def test_a_body_moves_as_in_physx_by_the_contacts_that_physx_had(name: str, scene: ReplayedScene) -> None:
    assert scene.apart() == []


@pytest.mark.parametrize("name", SCENES)
def test_every_contact_gives_the_impulse_that_it_gave_in_physx(name: str, scene: ReplayedScene) -> None:
    sizes = {step: np.abs(known) for step, known in scene.impulses_of.items() if step in scene.impulses}
    assert sum(map(len, sizes.values())) > 0
    for step, size in sizes.items():
        np.testing.assert_allclose(scene.impulses[step], size, atol=IMPULSES_APART, rtol=0, err_msg=f"step {step}")


@pytest.mark.parametrize("name", ARTICULATIONS)
def test_links_move_as_in_physx_by_the_contacts_that_physx_had(name: str, scene: ReplayedScene,
                                                               shared_cases: Path) -> None:
    with np.load(shared_cases / "scenes" / name / "expected.npz") as expected:
        real, order = expected["q"][:len(scene.real.steps)], [str(joint) for joint in expected["joints"]]
    dofs = [order.index(name.partition(":")[0]) for name in scene.model.dof_names]
    found = np.array(scene.joint_positions)[scene.real.steps]
    np.testing.assert_allclose(found, real[:, dofs], atol=ARTICULATIONS[name][1], rtol=0)


# --- bounce threshold ------------------------------------------------------------------------------------------------

# By height of the drop, the fastest that a ball of restitution 0.5 rises within a second in real PhysX under gravity
# 9.81 and a threshold of 2 m/s, in steps of 1/60 s.
RISES = {0.05: 0.0, 0.1: 0.0, 0.2: 0.0, 0.3: 1.2260, 0.5: 1.5533, 1.0: 2.2073}
ROUNDING = 1e-4     # m/s
BALL = '"PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "MaterialBindingAPI"'


def balls() -> str:
    """Balls of radius 0.1 at the heights, on one material with their ground."""
    bound = "rel material:binding:physics = </rubber>"
    return f"""#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" (apiSchemas = ["PhysxSceneAPI"]) {{
    float physxScene:bounceThreshold = 2
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 9.81
}}
def Material "rubber" (apiSchemas = ["PhysicsMaterialAPI"]) {{
    float physics:restitution = 0.5
}}
def Plane "ground" (apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]) {{
    uniform token axis = "Z"
    {bound}
}}
""" + "".join(f"""def Sphere "b{i}" (apiSchemas = [{BALL}]) {{
    double radius = 0.1
    {bound}
    double3 xformOp:translate = ({i}, 0, {0.1 + height})
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
""" for i, height in enumerate(RISES))


def test_balls_bounce_from_the_threshold_on_as_in_physx() -> None:
    scene = Scene(opened(balls()))
    fastest = dict.fromkeys(range(len(RISES)), 0.0)
    for _ in range(60):
        scene.step()
        fastest = {i: max(speed, float(scene[f"/b{i}"].get("v")[0, 2])) for i, speed in fastest.items()}
    assert list(fastest.values()) == pytest.approx(list(RISES.values()), abs=ROUNDING)

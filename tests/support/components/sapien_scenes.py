"""The forty recorded scenes of SAPIEN, built through the component API: of this project, or SAPIEN itself.

`sapien` and `px` are the modules `physx_runtime.components` and its `physx`, or SAPIEN's own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from support.places import SHARED

FOLDER = SHARED / "cases" / "sapien"
UPRIGHT = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)      # turns x down
AROUND_Y = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))     # turns x to y
Array = np.ndarray


def cases() -> dict[str, Any]:
    """Name -> setup and headline results."""
    found: dict[str, Any] = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))["cases"]
    return found


def recorded(name: str) -> Array:
    """What SAPIEN did."""
    found: Array = np.load(FOLDER / f"{name}.npz")["traj"]
    return found


def tumbled(seed: int, sapien: Any, px: Any, steps: int = 100) -> Array:
    """(steps, 3) positions of a box of 0.6 to 1.6 m that drops onto a box by chance.

    Contacts of boxes and hulls have margins of at most a share of the usual length, which smaller ones stay below.
    """
    random = np.random.default_rng(seed)
    half, turn = random.uniform(0.3, 0.8, 3), random.normal(size=4)
    scene = sapien.Scene([px.PhysxCpuSystem()])
    scene.set_timestep(0.01)
    ground, box = scene.create_actor_builder(), scene.create_actor_builder()
    ground.add_box_collision(half_size=[3.0, 3.0, 0.5])
    ground.build_static()
    box.add_box_collision(half_size=half.tolist())
    box.set_initial_pose(sapien.Pose([0.0, 0.0, 2.2], turn / np.linalg.norm(turn)))
    dropped, found = box.build(), []
    for _ in range(steps):
        scene.step()
        found.append(np.array(dropped.pose.p))
    return np.array(found)


class Bodies:
    """A scene of bodies; `run` gives their trajectory as the recordings have it."""

    def __init__(self, sapien: Any, px: Any, dt: float = 0.01) -> None:
        self.sapien, self.px = sapien, px
        self.scene = sapien.Scene([px.PhysxCpuSystem()])
        self.scene.set_timestep(dt)
        self.watched: list[Any] = []

    def material(self, friction: float = 0.5, restitution: float = 0.0, dynamic: float | None = None) -> Any:
        return self.px.PhysxMaterial(friction, friction if dynamic is None else dynamic, restitution)

    def ground(self, material: Any, tilt: float = 0.0) -> Any:
        pose = self.sapien.Pose(q=_turn_y(tilt - math.pi / 2))
        builder = self.scene.create_actor_builder().add_plane_collision(pose, material)
        builder.set_physx_body_type("static")
        return builder.build("ground")

    def body(self, shape: str, at: Any, q: Any = (1.0, 0.0, 0.0, 0.0), **sizes: Any) -> Any:
        builder = self.scene.create_actor_builder()
        getattr(builder, f"add_{shape}_collision")(**sizes)
        entity = builder.build(f"{shape}{len(self.watched)}")
        entity.set_pose(self.sapien.Pose(at, q))
        self.watched.append(entity)
        return entity.find_component_by_type(self.px.PhysxRigidDynamicComponent)

    def state(self) -> Array:
        rows = []
        for entity in self.watched:
            body = entity.find_component_by_type(self.px.PhysxRigidDynamicComponent)
            rows.append(np.concatenate([entity.pose.p, entity.pose.q, body.linear_velocity, body.angular_velocity]))
        return np.array(rows)

    def run(self, steps: int, before: Callable[[int], None] | None = None) -> Array:
        found = [self.state()]
        for step in range(steps):
            if before is not None:
                before(step)
            self.scene.step()
            found.append(self.state())
        return np.array(found)


def _turn_y(angle: float) -> tuple[float, float, float, float]:
    return math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0


def _box_on_plane(b: Bodies) -> Array:
    m = b.material()
    b.ground(m)
    b.body("box", [0, 0, 0.5], half_size=[0.1] * 3, material=m)
    return b.run(200)


def _sphere_rolling(b: Bodies) -> Array:
    m = b.material()
    b.ground(m)
    ball = b.body("sphere", [0, 0, 0.1], radius=0.1, material=m)
    ball.linear_damping = ball.angular_damping = 0.0
    ball.linear_velocity = [1, 0, 0]
    return b.run(150)


def _sphere_bounce(b: Bodies, height: float, restitution: float) -> Array:
    m = b.material(0.5, restitution)
    b.ground(m)
    b.body("sphere", [0, 0, 0.1 + height], radius=0.1, material=m)
    return b.run(400)


def _pusher(b: Bodies) -> Array:
    m = b.material(0.3)
    b.ground(m)
    builder = b.scene.create_actor_builder().add_box_collision(half_size=[0.05, 0.3, 0.1], material=m)
    pusher = builder.build_kinematic("pusher")
    pusher.set_pose(b.sapien.Pose([0, 0, 0.101]))
    b.body("box", [0.5, 0, 0.1], half_size=[0.1] * 3, material=m)
    b.watched.append(pusher)
    return b.run(200, lambda i: pusher.set_pose(b.sapien.Pose([min(0.005 * (i + 1), 0.6), 0, 0.101])))


def _slope(b: Bodies, degrees: float) -> Array:
    m, angle = b.material(), math.radians(degrees)
    b.ground(m, angle)
    normal = 0.1 * np.array([math.sin(angle), 0.0, math.cos(angle)])
    b.body("box", normal, _turn_y(angle), half_size=[0.2, 0.2, 0.1], material=m)
    return b.run(100)


def _sliding(b: Bodies, ground: Any, own: Any) -> Array:
    b.ground(b.material(*ground))
    box = b.body("box", [0, 0, 0.1], half_size=[0.2, 0.2, 0.1], material=b.material(*own))
    box.linear_velocity = [2, 0, 0]
    return b.run(150)


def _lying(b: Bodies, shape: str) -> Array:
    m = b.material()
    b.ground(m)
    b.body(shape, [0, 0, 0.3], (math.cos(0.1), 0, 0, math.sin(0.1)), radius=0.1, half_length=0.2, material=m)
    return b.run(300)


def _upright(b: Bodies) -> Array:
    m = b.material()
    b.ground(m)
    b.body("cylinder", [0, 0, 0.3], UPRIGHT, radius=0.1, half_length=0.2, material=m)
    return b.run(300)


def hull_points() -> Array:
    """Eight corners of a box and an apex."""
    corners = [[x, y, z] for x in (-0.1, 0.1) for y in (-0.15, 0.15) for z in (-0.05, 0.05)]
    return np.array([*corners, [0, 0, 0.12]], np.float32)


def _convex(b: Bodies) -> Array:
    m = b.material()
    b.ground(m)
    body = b.px.PhysxRigidDynamicComponent()
    body.attach(b.px.PhysxCollisionShapeConvexMesh(vertices=hull_points(), scale=[1, 1, 1], material=m))
    entity = b.sapien.Entity()
    entity.add_component(body)
    entity.set_pose(b.sapien.Pose([0, 0, 0.3]))
    b.scene.add_entity(entity)
    b.watched.append(entity)
    return b.run(300)


def _stack(b: Bodies) -> Array:
    m = b.material()
    b.ground(m)
    for z in (0.1, 0.31, 0.52):
        b.body("box", [0, 0, z], half_size=[0.1] * 3, material=m)
    return b.run(300)


def _depenetration(b: Bodies, velocity: float) -> Array:
    m = b.material()
    b.ground(m)
    b.body("box", [0, 0, 0.05], half_size=[0.1] * 3, material=m).max_depenetration_velocity = velocity
    return b.run(len(recorded(f"depenetration_{velocity:g}")) - 1)


def _damping(b: Bodies) -> Array:
    ball = b.body("sphere", [0, 0, 0], radius=0.1, material=b.material())
    ball.disable_gravity = True
    ball.linear_damping, ball.angular_damping = 1.5, 0.7
    ball.linear_velocity, ball.angular_velocity = [1, 0, 0], [0, 2, 0]
    return b.run(100)


def _impulse(b: Bodies) -> Array:
    m = b.material()
    b.ground(m)
    b.body("box", [0, 0, 0.3], half_size=[0.1] * 3, material=m).max_contact_impulse = 0.3
    return b.run(len(recorded("max_contact_impulse")) - 1)


def _tumbling(b: Bodies) -> Array:
    box = b.body("box", [0, 0, 0], half_size=[0.05, 0.1, 0.2], material=b.material())
    box.disable_gravity, box.angular_damping, box.linear_damping = True, 0.0, 0.0
    box.angular_velocity = [0.1, 8, 0.1]
    return b.run(300)


def _free_fall(b: Bodies) -> Array:
    b.body("sphere", [0, 0, 10], radius=0.1, material=b.material())
    return b.run(100)


# --- joints ----------------------------------------------------------------------------------------------------------

def arm(sapien: Any, px: Any, second: float, gravity: bool, dt: float) -> tuple[Any, Any]:
    """A scene with an arm of two links that turn about +y, and the arm."""
    scene = sapien.Scene([px.PhysxCpuSystem()])
    scene.set_timestep(dt)
    builder, along_y = scene.create_articulation_builder(), sapien.Pose(q=AROUND_Y)
    base = builder.create_link_builder()
    base.set_mass_and_inertia(1.0, sapien.Pose(), [0.1] * 3)
    base.set_joint_properties("fixed", [], sapien.Pose(), sapien.Pose())
    first = builder.create_link_builder(base)
    first.set_mass_and_inertia(1.0, sapien.Pose([0.25, 0, 0]), [0.002, 0.02, 0.02])
    first.set_joint_properties("revolute", [[-math.inf, math.inf]], along_y, along_y)
    last = builder.create_link_builder(first)
    last.set_mass_and_inertia(second, sapien.Pose([0.2, 0, 0]), [second * x for x in (0.001, 0.012, 0.012)])
    last.set_joint_properties("revolute", [[-math.inf, math.inf]], sapien.Pose([0.5, 0, 0]) * along_y, along_y)
    for i, link in enumerate((base, first, last)):
        link.set_name(f"link{i}")
        link.set_joint_name(f"joint{i}")
    made = builder.build()
    made.sleep_threshold = 0.0
    for link in made.links:
        link.linear_damping = link.angular_damping = 0.0
        link.disable_gravity = not gravity
    for joint in made.active_joints:
        joint.friction = 0.0
    return scene, made


def single(sapien: Any, px: Any, kind: str, limit: Any) -> tuple[Any, Any]:
    """A scene with one joint on a fixed base, and the articulation."""
    scene = sapien.Scene([px.PhysxCpuSystem()])
    scene.set_timestep(0.01)
    builder = scene.create_articulation_builder()
    base = builder.create_link_builder()
    base.set_mass_and_inertia(1.0, sapien.Pose(), [0.1] * 3)
    base.set_joint_properties("fixed", [], sapien.Pose(), sapien.Pose())
    link = builder.create_link_builder(base)
    link.set_mass_and_inertia(1.0, sapien.Pose(), [0.02] * 3)
    link.set_joint_properties(kind, [limit], sapien.Pose(), sapien.Pose())
    base.set_name("base")
    link.set_name("link")
    link.set_joint_name("joint")
    made = builder.build()
    made.sleep_threshold = 0.0
    for part in made.links:
        part.linear_damping = part.angular_damping = 0.0
        part.disable_gravity = True
    made.active_joints[0].friction = 0.0
    return scene, made


def joint_run(scene: Any, made: Any, steps: int, first: bool) -> Array:
    """(n_record, 2 dof) coordinates and rates, the state before step 1 too where `first`."""
    found = [np.concatenate([made.qpos, made.qvel])] if first else []
    for _ in range(steps):
        scene.step()
        found.append(np.concatenate([made.qpos, made.qvel]))
    return np.array(found)


def _driven(sapien: Any, px: Any, mode: str, second: float, gravity: bool) -> Array:
    scene, made = arm(sapien, px, second, gravity, 0.01)
    for joint, target in zip(made.active_joints, (0.8, -0.5), strict=True):
        joint.set_drive_properties(100.0, 20.0, 1e6, mode)
        joint.set_drive_target(target)
    return joint_run(scene, made, 300, True)


def _swing(sapien: Any, px: Any) -> Array:
    scene, made = arm(sapien, px, 1.0, True, 0.005)
    made.set_qpos(np.array([0.3, 0.6], np.float32))
    return joint_run(scene, made, 400, True)


def _force_limit(sapien: Any, px: Any) -> Array:
    scene, made = arm(sapien, px, 0.5, False, 0.01)
    for joint, target in zip(made.active_joints, (1.0, 0.0), strict=True):
        joint.set_drive_properties(1000.0, 50.0, 2.0, "force")
        joint.set_drive_target(target)
    return joint_run(scene, made, 100, True)


def _limited(sapien: Any, px: Any, name: str) -> Array:
    kind, low, high = name.removeprefix("limit_").rsplit("_", 2)
    scene, made = single(sapien, px, kind, [float(low), float(high)])
    made.set_qvel(np.array([1.0 if kind == "prismatic" else 5.0], np.float32))
    return joint_run(scene, made, 600, False)


def _rubbed(sapien: Any, px: Any, friction: float) -> Array:
    scene, made = single(sapien, px, "revolute", [-math.inf, math.inf])
    made.active_joints[0].friction = friction
    made.set_qvel(np.array([2.0], np.float32))
    return joint_run(scene, made, len(recorded(f"joint_friction_{friction:g}")), False)


def _effort(sapien: Any, px: Any) -> Array:
    scene, made = single(sapien, px, "revolute", [-math.inf, math.inf])
    made.set_qf(np.array([0.1], np.float32))
    return joint_run(scene, made, 20, False)


def _arm_case(name: str) -> Callable[[Any, Any], Array]:
    mode, mass, gravity = name.removeprefix("arm2_").split("_")
    return partial(_driven, mode=mode, second=float(mass[1:]), gravity=gravity == "g1")


_BODIES: dict[str, Callable[[Bodies], Array]] = {
    "box_on_plane": _box_on_plane,
    "sphere_rolling": _sphere_rolling,
    "sphere_bounce_h1.0_e0.8": partial(_sphere_bounce, height=1.0, restitution=0.8),
    "sphere_bounce_h0.15_e0.8": partial(_sphere_bounce, height=0.15, restitution=0.8),
    "sphere_bounce_h1.0_e0.0": partial(_sphere_bounce, height=1.0, restitution=0.0),
    "pusher_set_pose": _pusher,
    "slope_20deg": partial(_slope, degrees=20.0),
    "slope_25deg": partial(_slope, degrees=25.0),
    "slope_40deg": partial(_slope, degrees=40.0),
    "box_sliding_stop": partial(_sliding, ground=(0.3,), own=(0.3,)),
    "box_sliding_static_gt_dynamic": partial(_sliding, ground=(0.8, 0.0, 0.3), own=(0.8, 0.0, 0.3)),
    "combine_friction": partial(_sliding, ground=(0.1,), own=(0.7,)),
    "capsule_on_ground": partial(_lying, shape="capsule"),
    "cylinder_on_ground": partial(_lying, shape="cylinder"),
    "convex_on_ground": _convex,
    "cylinder_upright": _upright,
    "box_stack3": _stack,
    "depenetration_0.5": partial(_depenetration, velocity=0.5),
    "depenetration_1e+32": partial(_depenetration, velocity=1e32),
    "damping": _damping,
    "max_contact_impulse": _impulse,
    "tumbling_box": _tumbling,
    "free_fall": _free_fall,
}
_ARMS = [f"arm2_{mode}_m{mass}_g{gravity}" for mode, mass, gravity in (
    ("force", 0.5, 0), ("force", 0.5, 1), ("force", 5.0, 0), ("force", 5.0, 1), ("acceleration", 0.5, 0),
    ("acceleration", 0.5, 1), ("acceleration", 5.0, 1))]
_LIMITS = ["limit_revolute_-inf_inf", "limit_revolute_unwrapped_-inf_inf", "limit_revolute_-1_1",
           "limit_revolute_unwrapped_-1_20", "limit_prismatic_-0.2_0.3"]
_JOINTS: dict[str, Callable[[Any, Any], Array]] = {
    **{name: _arm_case(name) for name in _ARMS},
    "arm2_passive_swing": _swing,
    "arm2_force_limit": _force_limit,
    **{name: partial(_limited, name=name) for name in _LIMITS},
    "joint_friction_0.05": partial(_rubbed, friction=0.05),
    "joint_friction_0.5": partial(_rubbed, friction=0.5),
    "qf_persistence": _effort,
}
NAMES = (*_BODIES, *_JOINTS)


def simulated(name: str, sapien: Any, px: Any) -> Array:
    """The trajectory of a recorded scene, stepped by these modules."""
    if name in _BODIES:
        dt = 0.005 if name.startswith("sphere_bounce") else 0.01
        return _BODIES[name](Bodies(sapien, px, dt))
    return _JOINTS[name](sapien, px)


class _Built(Exception):        # noqa: N818 - no error: what ends the building of a scene
    """A scene is about to take its first step."""


def exported(name: str, sapien: Any, px: Any) -> tuple[Any, float]:
    """The stage of a recorded scene before its first step, and its time step; of this project's components alone."""

    class Recipe(sapien.Scene):         # type: ignore[misc]
        def step(self) -> None:
            raise _Built(self.to_stage(), self.timestep)

    modules = SimpleNamespace(Scene=Recipe, Pose=sapien.Pose, Entity=sapien.Entity)
    try:
        simulated(name, modules, px)
    except _Built as built:
        return built.args[0], built.args[1]
    raise AssertionError(f"{name} took no step")

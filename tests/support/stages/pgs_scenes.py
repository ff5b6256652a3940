"""PGS stages, one feature each: bodies and links that touch, and small articulations.

PGS stages whose bodies and links touch, one feature each; the start of each can be moved a little.

Small PGS stages, one feature each: sliders along x (or z under gravity) and a chain of hinges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from support.stages.iteration_stages import prim, stage
from support.stages.resting_stages import BALL, CUBE, GROUND, TURNED, Place, body, moving, placed, robot
from support.stages.robots import HEAD, base, joint, link
from support.stages.robots import placed as robot_placed
from support.stages.robots import prim as robot_prim
from support.stages.tendon_stages import Part, attachment, axis, both, mimic

MOVED = 1e-7        # m
PGS = {"uniform token physxScene:solverType": '"PGS"', "float physxScene:bounceThreshold": "0.2"}
SURFACE = "surface"
Parts = Callable[["Start"], tuple[str, ...]]


class Start:
    """Where bodies begin, as authored or moved."""

    def __init__(self, move: int | None) -> None:
        self._random = None if move is None else np.random.default_rng(move)

    def at(self, *place: float) -> Place:
        """A place, moved by so little that only rounding is felt."""
        if self._random is None:
            return place[0], place[1], place[2]
        x, y, z = np.array(place) + self._random.uniform(-MOVED, MOVED, 3)
        return float(x), float(y), float(z)


def surface(**values: str) -> str:
    """The material of the balls and boxes that have one."""
    return prim("Material", SURFACE, "PhysicsMaterialAPI PhysxMaterialAPI", {
        key.replace("__", " ").replace("_", ":"): value for key, value in values.items()})


BOUND = {"rel__material_binding_physics": f"</{SURFACE}>"}
SLOPE = prim("Cube", "slope", "PhysicsCollisionAPI", {"double size": "10", **placed((0, 0, -5.177), TURNED)})
COUNTS = {"int__physxRigidBody_solverPositionIterationCount": "2",
          "int__physxRigidBody_solverVelocityIterationCount": "0"}
AWAKE = {"float__physxRigidBody_sleepThreshold": "0"}
SPIN = {"vector3f__physics_angularVelocity": "(200, 100, 50)"}


def awake(name: str, place: Place, shape: str = CUBE, turn: str = "(1, 0, 0, 0)", **more: str) -> str:
    return body(name, place, shape, turn, **{**AWAKE, **more})


def bouncing(s: Start) -> tuple[str, ...]:
    return (GROUND, surface(float__physics_restitution="0.6"), awake("B", s.at(0, 0, 1.2), BALL, **BOUND,
                                                                      **moving((1, 0, 0))))


def springs(s: Start) -> tuple[str, ...]:
    return (GROUND, surface(float__physxMaterial_compliantContactStiffness="2000",
                            float__physxMaterial_compliantContactDamping="20"),
            awake("B", s.at(0, 0, 0.6), BALL, **BOUND), awake("C", s.at(3, 0, 0.55), **BOUND))


def light_springs(s: Start) -> tuple[str, ...]:
    return (GROUND, surface(float__physxMaterial_compliantContactStiffness="800",
                            float__physxMaterial_compliantContactDamping="5",
                            bool__physxMaterial_compliantContactAccelerationSpring="1"),
            awake("B", s.at(0, 0, 0.6), BALL, **BOUND, **moving((0.5, 0, 0))))


def falling_robot(s: Start) -> tuple[str, ...]:
    return GROUND, robot("R", s.at(0, 0, 0.7), threshold=0.0), awake("B", s.at(0.1, 0, 1.9), BALL)


def slipping(s: Start) -> tuple[str, ...]:
    return (GROUND, surface(float__physics_staticFriction="0.4", float__physics_dynamicFriction="0.2"),
            awake("B", s.at(0, 0, 0.501), **BOUND, **moving((2, 1, 0))))


def soft_robot(s: Start) -> tuple[str, ...]:
    return (GROUND, surface(float__physxMaterial_compliantContactStiffness="3000",
                            float__physxMaterial_compliantContactDamping="30"),
            robot("R", s.at(0, 0, 0.6), threshold=0.0, **BOUND))


def held(kind: str, name: str, first: str, second: str, at: tuple[Place, Place], schemas: str = "",
         **more: str) -> str:
    """A joint outside articulations, its axis y."""
    sides = {f"rel physics:body{k}": f"</{path}>" for k, path in enumerate((first, second)) if path}
    return prim(f"Physics{kind}Joint", name, schemas, {
        **sides, **({"uniform token physics:axis": '"Y"'} if kind in ("Revolute", "Prismatic") else {}),
        "point3f physics:localPos0": str(at[0]), "point3f physics:localPos1": str(at[1]),
        **{key.replace("__", " ").replace("_", ":"): value for key, value in more.items()}})


def chain(s: Start) -> tuple[str, ...]:
    bodies = [awake(f"A{i}", s.at(1.2 * i + 0.6, 0, 3), vector3f__physics_angularVelocity="(20, 0, 30)")
              for i in range(3)]
    hinges = [held("Spherical", f"j{i}", f"A{i - 1}" if i else "", f"A{i}",
                   ((0.6, 0, 0) if i else (0, 0, 3), (-0.6, 0, 0))) for i in range(3)]
    return *bodies, *hinges


def driven(s: Start) -> tuple[str, ...]:
    drive = held("Revolute", "force", "", "A", ((0, 0, 3), (-0.6, 0, 0)), "PhysicsDriveAPI:angular",
                 float__drive_angular_physics_stiffness="2", float__drive_angular_physics_damping="0.1",
                 float__drive_angular_physics_targetPosition="-40")
    free = held("Revolute", "acceleration", "", "B", ((0, 3, 3), (-0.6, 0, 0)), "PhysicsDriveAPI:angular",
                float__drive_angular_physics_stiffness="3", float__drive_angular_physics_damping="0.2",
                float__drive_angular_physics_maxForce="20",
                uniform__token__drive_angular_physics_type='"acceleration"')
    return awake("A", s.at(0.6, 0, 3)), awake("B", s.at(0.6, 3, 3)), drive, free


def limited(s: Start) -> tuple[str, ...]:
    hard = held("Revolute", "hard", "", "A", ((0, 0, 3), (-0.6, 0, 0)), float__physics_lowerLimit="-10",
                float__physics_upperLimit="20")
    soft = held("Revolute", "soft", "", "B", ((0, 3, 3), (-0.6, 0, 0)), "PhysxLimitAPI:angular",
                float__physics_lowerLimit="-10", float__physics_upperLimit="20",
                float__physxLimit_angular_stiffness="200", float__physxLimit_angular_damping="5")
    cone = held("Spherical", "cone", "", "C", ((0, 6, 3), (-0.6, 0, 0)), float__physics_coneAngle0Limit="20",
                float__physics_coneAngle1Limit="30")
    return (*(awake(name, s.at(0.6, y, 3)) for name, y in (("A", 0), ("B", 3), ("C", 6))), hard, soft, cone)


def on_ropes(s: Start) -> tuple[str, ...]:
    rope = held("Distance", "rope", "", "A", ((0, 0, 3), (-0.6, 0, 0)), float__physics_minDistance="0.1",
                float__physics_maxDistance="0.3")
    return awake("A", s.at(0.8, 0, 3)), rope


def jointed_robot(s: Start) -> tuple[str, ...]:
    return (robot("R", s.at(0, 0, 3), threshold=0.0), awake("B", s.at(0.05, 0, 1.8)),
            held("Revolute", "hanger", "", "R/base", ((0, 0, 3.6), (0, 0, 0.6))),
            held("Spherical", "holder", "R/base", "B", ((0, 0, -0.6), (0, 0, 0.6))))


def hinged_on_ground(s: Start) -> tuple[str, ...]:
    return (GROUND, awake("A", s.at(0, 0, 0.7)), awake("B", s.at(1.2, 0, 0.6)),
            held("Revolute", "hinge", "A", "B", ((0.6, 0, 0), (-0.6, 0, 0))))


def locked(s: Start) -> tuple[str, ...]:
    return (GROUND, awake("A", s.at(0, 0, 0.501), int__physxRigidBody_lockedRotAxis="4",
                          int__physxRigidBody_lockedPosAxis="2"),
            awake("B", s.at(-1.3, 0.4, 0.501), BALL, **moving((3, 0, 0))))


STAGES: Mapping[str, Parts] = {
    "a ball that bounces": bouncing,
    "a box that is thrown": lambda s: (GROUND, awake("B", s.at(0, 0, 1), **moving((1, 0.5, 0)), **SPIN)),
    "a box on a slope": lambda s: (SLOPE, awake("B", s.at(0, 0, 0.52), CUBE, TURNED)),
    "a box that slips": slipping,
    "a ball that begins to roll": lambda s: (GROUND, awake("B", s.at(0, 0, 0.501), BALL, **moving((3, 0.5, 0)))),
    "a stack of four": lambda s: (GROUND, *(awake(f"T{i}", s.at(0.01 * i, 0, 0.502 + 1.002 * i)) for i in range(4))),
    "a box that starts in the ground": lambda s: (GROUND, awake(
        "B", s.at(0, 0, 0.3), float__physxRigidBody_maxDepenetrationVelocity="1")),
    "two iterations": lambda s: (GROUND, awake("B", s.at(0, 0, 0.6), **moving((2, 0, 0)), **COUNTS)),
    "balls that meet": lambda s: (GROUND, *(awake(
        f"B{i}", s.at(1.1 * i, 0.2 * (i % 2), 0.6), BALL, **moving((2.0 - i, 0, 0))) for i in range(6))),
    "contacts that give way": lambda s: (GROUND, awake(
        "B", s.at(0, 0, 0.8), BALL, float__physxRigidBody_maxContactImpulse="0.1")),
    "springs": springs,
    "springs that feel no mass": light_springs,
    "a ball that spins on the spot": lambda s: (
        GROUND, awake("B", s.at(0, 0, 0.501), BALL.replace(
            '"PhysicsCollisionAPI"', '"PhysicsCollisionAPI", "PhysxCollisionAPI"').replace(
                "double radius", "float physxCollision:torsionalPatchRadius = 0.1\n    double radius"),
                      vector3f__physics_angularVelocity="(0, 0, 300)")),
    "a robot that falls": falling_robot,
    "a robot on springs": soft_robot,
    "a body with locked axes that is hit": locked,
    "a chain of bodies": chain,
    "drives": driven,
    "limits": limited,
    "a rope": on_ropes,
    "boxes with a hinge on the ground": hinged_on_ground,
    "a robot on joints": jointed_robot,
}


def text(name: str, move: int | None = None) -> str:
    """A stage; with a number its start is moved in the way of that number."""
    return stage(*STAGES[name](Start(move)), scene=PGS)


# --- PGS stages ------------------------------------------------------------------------------------------------------

NOTHING: Part = ((), {})
LENGTH = 0.5            # of a hinged link


@dataclass(frozen=True)
class Stage:
    """Sliders or hinges and their start; one entry per joint in order, each on the one before or on the base."""

    joints: tuple[Part, ...]
    position: tuple[float, ...]         # rad or length
    velocity: tuple[float, ...]
    effort: tuple[float, ...] = ()
    masses: tuple[float, ...] = (2.0, 1.0)
    serial: bool = False
    hinged: bool = False
    gravity: float = 0.0
    tendon: tuple[Part, Part] = (NOTHING, NOTHING)      # on the base and on the first link
    more: Part = NOTHING                                # of the scene

    def text(self, iterations: tuple[int, int]) -> str:
        """The stage with these position and velocity iterations."""
        scene = robot_prim("PhysicsScene", "Scene", ("PhysxSceneAPI",), {
            "vector3f physics:gravityDirection": (0, 0, -1), "float physics:gravityMagnitude": self.gravity,
            "bool physxScene:enableGPUDynamics": False, "uniform token physxScene:broadphaseType": "MBP",
            "uniform token physxScene:solverType": "PGS", **self.more[1]})
        counts = {"int physxArticulation:solverPositionIterationCount": iterations[0],
                  "int physxArticulation:solverVelocityIterationCount": iterations[1]}
        parts = [self._base(), *(self._link(i) + self._joint(i) for i in range(len(self.joints)))]
        schemas = ("PhysicsArticulationRootAPI", "PhysxArticulationAPI")
        robot = robot_prim("Xform", "Robot", schemas, counts, "".join(parts))
        return HEAD.format(meters=1.0, kilograms=1.0) + scene + robot

    def _base(self) -> str:
        schemas, attributes = self.tendon[0]
        if not schemas:
            return base()
        return link("base", schemas=schemas, more=attributes) + joint("Fixed", "anchor", "", "base")

    def _link(self, i: int) -> str:
        schemas, attributes = self.tendon[1] if i == 0 else NOTHING
        height = -LENGTH * (i + 0.5) if self.hinged else 0.0
        still = _floats("physxRigidBody", {"linearDamping": 0.0, "angularDamping": 0.0})
        return link(f"l{i}", schemas=("PhysxRigidBodyAPI", *schemas), mass=self.masses[i],
                    more={**robot_placed((0, 0, height)), **still, "float3 physics:diagonalInertia": (0.1, 0.1, 0.1),
                          **attributes})

    def _joint(self, i: int) -> str:
        schemas, attributes = self.joints[i]
        parent = f"l{i - 1}" if i and (self.serial or self.hinged) else "base"
        own: dict[str, object] = {"uniform token physics:axis": "Z" if self.gravity and not self.hinged else "X"}
        if self.hinged:
            own = {"uniform token physics:axis": "Y", "point3f physics:localPos1": (0, 0, 0.5 * LENGTH),
                   "point3f physics:localPos0": (0, 0, -0.5 * LENGTH if i else 0.0)}
        kind = "Revolute" if self.hinged else "Prismatic"
        return joint(kind, f"j{i}", parent, f"l{i}", schemas, {**own, **attributes})


def _floats(prefix: str, values: Mapping[str, float]) -> dict[str, object]:
    return {f"float {prefix}:{name}": float(value) for name, value in values.items()}


def drive(stiffness: float, damping: float, target: float, token: str = "linear", acceleration: bool = False,
          **values: float) -> Part:
    """A drive to a position."""
    own = _floats(f"drive:{token}:physics",
                  {"stiffness": stiffness, "damping": damping, "targetPosition": target, **values})
    if acceleration:
        own[f"uniform token drive:{token}:physics:type"] = "acceleration"
    return (f"PhysicsDriveAPI:{token}",), own


def joint_axis(token: str = "linear", **values: float) -> Part:
    """Armature, friction and maximum velocity."""
    return (f"PhysxJointAxisAPI:{token}",), _floats(f"physxJointAxis:{token}", values)


def envelope(**values: float) -> Part:
    """A performance envelope of the linear drive."""
    return (("PhysxDrivePerformanceEnvelopeAPI:linear",), _floats("physxDrivePerformanceEnvelope:linear", values))


def limits(lower: float, upper: float) -> Part:
    """Position limits."""
    return (), _floats("physics", {"lowerLimit": lower, "upperLimit": upper})


def spatial(rest: float, leaf: Mapping[str, float], **root: float) -> tuple[Part, Part]:
    """A spatial tendon from the base's origin to the first link's."""
    return (attachment("r", 0.0, **root), attachment("f", 0.0, ("base", "r"), True, restLength=rest, **leaf))


SPRING = drive(200.0, 1.0, 0.3, maxForce=20.0)
RUBBING = joint_axis(staticFrictionEffort=5.0, dynamicFrictionEffort=3.0, viscousFrictionCoefficient=1.0)
ARTICULATION_STAGES = {
    "free fall": Stage((NOTHING,), (0.0,), (0.5,), gravity=10.0),
    "force drive": Stage((both(drive(20.0, 1.0, 0.3, targetVelocity=0.7), joint_axis(armature=3.0)),), (0.0,), (0.2,)),
    "acceleration drive": Stage((drive(2000.0, 100.0, 0.3, acceleration=True, targetVelocity=0.4),), (0.0,), (0.2,)),
    "drive and effort share maxForce": Stage((drive(2000.0, 1.0, 0.3, maxForce=5.0),), (0.0,), (0.2,), (3.0,)),
    "effort alone under maxForce": Stage((drive(0.0, 0.0, 0.0, maxForce=20.0),), (0.0,), (0.2,), (30.0,)),
    "envelope": Stage((both(SPRING, envelope(maxActuatorVelocity=0.6, velocityDependentResistance=30.0,
                                             speedEffortGradient=0.01)),), (0.0,), (0.2,), (3.0,)),
    "friction that sticks": Stage((RUBBING,), (0.0,), (0.02,), (2.0,)),
    "friction that slips": Stage((both(drive(200.0, 1.0, 0.3), RUBBING),), (0.0,), (0.2,)),
    "maximum velocity": Stage((joint_axis(maxJointVelocity=0.1),), (0.0,), (0.2,)),
    "start-of-step clamp": Stage((NOTHING, NOTHING), (0.0, 0.0), (200.0, 10.0)),
    "limit, reached": Stage((limits(-1.0, 0.02),), (0.0,), (3.0,)),
    "limit, started beyond": Stage((limits(-1.0, 0.02),), (0.1,), (0.0,)),
    "limits that lock": Stage((limits(0.1, -0.1),), (0.02,), (1.0,)),
    "two sliders": Stage(
        (both(drive(200.0, 5.0, 0.3, maxForce=8.0), joint_axis(staticFrictionEffort=1.0, dynamicFrictionEffort=0.5,
                                                               maxJointVelocity=0.3)),
         both(drive(300.0, 5.0, -0.3, acceleration=True), limits(-0.1, 0.21))),
        (0.1, 0.2), (0.5, 1.0), (1.0, -2.0), serial=True),
    "fixed tendon": Stage(
        (axis(root=True, gearing=[1.3], force=[0.9], stiffness=500.0, damping=9.0, limitStiffness=1000.0,
              upperLimit=0.5, restLength=0.1, offset=0.05), axis(gearing=[0.7], force=[1.1])),
        (0.4, 0.3), (1.0, -2.0), serial=True),
    "spatial tendon": Stage((NOTHING,), (1.0,), (0.5,), tendon=spatial(
        0.2, {"upperLimit": 0.3}, stiffness=500.0, limitStiffness=1000.0, damping=20.0, offset=0.1)),
    "hard mimic joint": Stage((NOTHING, mimic("j0", gearing=-1.5, offset=0.02)), (0.0, 0.1), (0.3, 0.2)),
    "compliant mimic joint": Stage((NOTHING, mimic("j0", gearing=1.0, naturalFrequency=10.0, dampingRatio=1.0)),
                                   (0.0, 1.0), (0.0, 0.0)),
    "hinges": Stage(
        (both(drive(0.5, 0.05, 10.0, "angular", maxForce=3.0), joint_axis(
            "angular", staticFrictionEffort=0.2, dynamicFrictionEffort=0.1, viscousFrictionCoefficient=0.001,
            maxJointVelocity=100.0, armature=0.1), limits(-60.0, 60.0)),
         both(drive(1.0, 0.1, 0.0, "angular", acceleration=True), limits(-30.0, 20.0))),
        (1.0, 0.3), (1.0, 2.0), (0.5, -0.2), hinged=True, gravity=9.81),
}
ITERATIONS = ((1, 0), (4, 0), (4, 4), (32, 1))
DT, STEPS = 0.01, 3

"""Small PGS stages, one feature each: sliders along x (or z under gravity) and a chain of hinges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from support.stages.robots import HEAD, base, joint, link
from support.stages.robots import placed as robot_placed
from support.stages.robots import prim as robot_prim
from support.stages.tendon_stages import Part, attachment, axis, both, mimic

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

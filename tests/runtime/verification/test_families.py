"""A step that takes any one number a tenth too large is found out by `verify`, in every class of properties."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from physx_runtime.packing.body import pack_actor
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.simulation import Simulation
from physx_runtime.verification import Row, verify
from physx_runtime.verification.bodies import experiments as body_bench
from pxr import Usd
from support.stages.robots import link, opened, prim, robot
from support.stages.verified_robots import (
    Part,
    attachment,
    axis,
    both,
    chain,
    drive,
    envelope,
    limits,
    mimic,
    part,
    turning,
)

from physx_schema.description import describe
from physx_schema.description.model import ActorDescription, FreeBody, Scene

ERROR = 1.1
SOFT, HARD = (64, 0), (4, 0)
HINGE_AXIS = part("PhysxJointAxisAPI:angular", "physxJointAxis:angular", armature=0.3, staticFrictionEffort=0.5,
                  dynamicFrictionEffort=0.3, viscousFrictionCoefficient=0.02, maxJointVelocity=200.0)
MOTOR = both(drive("angular", stiffness=0.5, damping=0.1, maxForce=5.0, targetPosition=20.0),
             envelope("angular", maxActuatorVelocity=300.0, velocityDependentResistance=0.01,
                      speedEffortGradient=0.5))
TENDON = axis(2.0, 0.7, root=True, stiffness=1.0, damping=0.1, restLength=0.3, offset=0.1, lowerLimit=-1.0,
              upperLimit=1.0, limitStiffness=2.0)
ROOT = attachment("r", (2.0, 0.0, 0.0), stiffness=1.0, damping=0.1, offset=0.1, limitStiffness=2.0)
LEAF = attachment("f", (0.0, 0.0, 0.0), ("base", "r"), leaf=True, restLength=2.0, lowerLimit=1.0, upperLimit=3.0)
HEAVY: Part = (("PhysxRigidBodyAPI",), {
    "float physics:mass": 2.0, "float3 physics:diagonalInertia": (0.3, 0.2, 0.4), "point3f physics:centerOfMass":
    (0.1, -0.2, 0.3), "quatf physics:principalAxes": (0.8, 0.6, 0.0, 0.0), "float physxRigidBody:linearDamping": 0.5,
    "float physxRigidBody:angularDamping": 0.7, "float physxRigidBody:maxLinearVelocity": 3.0,
    "float physxRigidBody:maxAngularVelocity": 100.0})


def ball() -> Usd.Stage:
    """A spherical joint within a cone."""
    return chain(((), {"float physics:coneAngle0Limit": 40.0, "float physics:coneAngle1Limit": 50.0}), kind="Spherical",
                 iterations=SOFT)


def generic() -> Usd.Stage:
    """A generic joint that turns about three axes."""
    return chain(turning(drive("rotX", stiffness=0.5, damping=0.1, targetPosition=20.0),
                         part("PhysicsLimitAPI:rotY", "limit:rotY:physics", low=-30.0, high=40.0)), kind="",
                 iterations=SOFT)


def thrown() -> Usd.Stage:
    """A body that falls, with a first speed."""
    more = {**HEAVY[1], "vector3f physics:velocity": (1.0, 2.0, 3.0),
            "vector3f physics:angularVelocity": (40.0, 0.0, 5.0)}
    scene = prim("PhysicsScene", "Scene", (), {"float physics:gravityMagnitude": 5.0,
                                               "vector3f physics:gravityDirection": (0.0, 0.6, 0.8)})
    return opened(robot(link("thing", schemas=HEAVY[0], more=more), schemas=(), outside=scene))


STAGES: Mapping[str, Callable[[], Usd.Stage]] = {
    "motor": lambda: chain(MOTOR, kind="Revolute", iterations=HARD),
    "hinge": lambda: chain(HINGE_AXIS, kind="Revolute", iterations=HARD),
    "limits": lambda: chain(limits(-40.0, 50.0), kind="Revolute", iterations=SOFT),
    "speed": lambda: chain(drive("linear", damping=2.0, targetVelocity=0.5), iterations=HARD),
    "tendon": lambda: chain(TENDON, iterations=SOFT),
    "two axes": lambda: chain(TENDON, axis(1.0, 0.5), iterations=SOFT),
    "spatial tendon": lambda: chain(((), {}), links={0: LEAF}, on_base=ROOT, iterations=SOFT),
    "mimic": lambda: chain(limits(-90.0, 90.0), both(limits(-90.0, 90.0), mimic(gearing=-0.5, offset=5.0)),
                           kind="Revolute", serial=False, iterations=SOFT),
    "soft mimic": lambda: chain(limits(-90.0, 90.0), both(limits(-90.0, 90.0), mimic(
        gearing=-1.0, naturalFrequency=5.0, dampingRatio=0.5)), kind="Revolute", serial=False, iterations=(255, 0)),
    "ball": ball, "generic": generic, "link": lambda: chain(((), {}), links={0: HEAVY}, iterations=HARD),
    "body": thrown,
}
MOVE, TURN = "drive:angular:physics:", "physxJointAxis:angular:"
BOUND, GIVEN = "physxDrivePerformanceEnvelope:angular:", "physxRigidBody:"
J0, L0, BODY = "/Robot/j0", "/Robot/l0", "/Robot/thing"
# Stage, prim, property, and the row of the step that is a tenth too large.
ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("motor", J0, f"{MOVE}stiffness", "stiffness"), ("motor", J0, f"{MOVE}damping", "damping"),
    ("motor", J0, f"{MOVE}maxForce", "max_force"), ("motor", J0, f"{MOVE}targetPosition", "target_position"),
    ("motor", J0, f"{BOUND}maxActuatorVelocity", "max_actuator_velocity"),
    ("motor", J0, f"{BOUND}velocityDependentResistance", "velocity_dependent_resistance"),
    ("motor", J0, f"{BOUND}speedEffortGradient", "speed_effort_gradient"),
    ("speed", J0, "drive:linear:physics:targetVelocity", "target_velocity"),
    ("hinge", J0, f"{TURN}armature", "armature"), ("hinge", J0, f"{TURN}staticFrictionEffort", "static_friction"),
    ("hinge", J0, f"{TURN}dynamicFrictionEffort", "dynamic_friction"),
    ("hinge", J0, f"{TURN}viscousFrictionCoefficient", "viscous_friction"),
    ("hinge", J0, f"{TURN}maxJointVelocity", "max_velocity"),
    ("limits", J0, "physics:lowerLimit", "lower_limit"), ("limits", J0, "physics:upperLimit", "upper_limit"),
    *(("tendon", J0, f"physxTendon:t:{name}", f"fixed_tendon0_{row}") for name, row in (
        ("stiffness", "stiffness"), ("damping", "damping"), ("limitStiffness", "limit_stiffness"),
        ("restLength", "rest_length"), ("offset", "offset"), ("lowerLimit", "lower_limit"),
        ("upperLimit", "upper_limit"), ("gearing", "gearing"))),
    ("spatial tendon", "/Robot/base", "physxTendon:r:stiffness", "spatial_tendon0_stiffness"),
    ("spatial tendon", "/Robot/base", "physxTendon:r:damping", "spatial_tendon0_damping"),
    ("spatial tendon", "/Robot/base", "physxTendon:r:offset", "spatial_tendon0_offset"),
    ("spatial tendon", "/Robot/base", "physxTendon:r:limitStiffness", "spatial_tendon0_limit_stiffness"),
    *(("spatial tendon", L0, f"physxTendon:f:{name}", f"spatial_tendon0_{row}") for name, row in (
        ("restLength", "rest_length"), ("lowerLimit", "lower_limit"), ("upperLimit", "upper_limit"),
        ("gearing", "gearing"))),
    ("mimic", "/Robot/j1", "physxMimicJoint:rotX:gearing", "mimic0_gearing"),
    ("mimic", "/Robot/j1", "physxMimicJoint:rotX:offset", "mimic0_offset"),
    ("soft mimic", "/Robot/j1", "physxMimicJoint:rotX:naturalFrequency", "mimic0_natural_frequency"),
    ("soft mimic", "/Robot/j1", "physxMimicJoint:rotX:dampingRatio", "mimic0_damping_ratio"),
    ("ball", J0, "physics:coneAngle0Limit", "upper_limit"),
    ("generic", J0, "drive:rotX:physics:stiffness", "stiffness"),
    ("generic", J0, "drive:rotX:physics:targetPosition", "target_position"),
    ("generic", J0, "limit:rotY:physics:high", "upper_limit"),
    ("link", L0, "physics:mass", "mass"), ("link", L0, "physics:diagonalInertia", "inertia"),
    ("link", L0, f"{GIVEN}linearDamping", "linear_damping"),
    ("link", L0, f"{GIVEN}angularDamping", "angular_damping"),
    ("link", L0, f"{GIVEN}maxLinearVelocity", "max_linear_velocity"),
    ("link", L0, f"{GIVEN}maxAngularVelocity", "max_angular_velocity"),
    ("body", BODY, "physics:mass", "mass"), ("body", "/Scene", "physics:gravityMagnitude", "gravity"),
)
# Those of a body that are no rows of the step: where it is placed, and how it starts.
FACTS: tuple[tuple[str, str, str, str], ...] = (
    ("link", L0, "physics:centerOfMass", "center_of_mass"),
    ("body", BODY, "physics:principalAxes", "principal_axes"), ("body", BODY, "physics:velocity", "linear_velocity"),
    ("body", BODY, "physics:angularVelocity", "angular_velocity"),
)
# Of numbers that are told by their ratio one alone, by its place in the row.
PARTS: tuple[tuple[str, str, str, str, int], ...] = (
    ("two axes", J0, "physxTendon:t:forceCoefficient", "fixed_tendon0_force_coefficient", 0),
    ("body", "/Scene", "physics:gravityDirection", "gravity", 1),
)
# One of each kind of experiment runs with every change.
QUICK = {"motor stiffness", "limits upperLimit", "link mass", "link centerOfMass", "body gravityMagnitude"}


def named(case: tuple[str, str, str, str]) -> str:
    return f"{case[0]} {case[2].rpartition(':')[2]}"


def cases(table: tuple[tuple[str, str, str, str], ...]) -> list[object]:
    return [pytest.param(*case, id=named(case), marks=() if named(case) in QUICK else (pytest.mark.sweep,))
            for case in table]


def verified(stage: str, path: str, name: str) -> list[Row]:
    """The rows of a property: one, or one for each side. A description has no remedies to seek."""
    return [row for row in verify(describe(STAGES[stage]())).rows if (row.path, row.property) == (path, name)]


def require_sound(stage: str, path: str, name: str) -> None:
    assert {row.verdict for row in verified(stage, path, name)} == {"as authored"}


def require_found_out(stage: str, path: str, name: str) -> None:
    assert "altered" in {row.verdict for row in verified(stage, path, name)}


def plant(monkeypatch: pytest.MonkeyPatch, row: str, place: int | None = None) -> None:
    """Have every step take a row a tenth too large, or the number in one place of it."""
    step = Simulation.step

    def wrong(sim: Simulation, count: int = 1) -> None:
        true = sim.store.rows(row) if row in sim.model.parameters else None
        if true is not None:
            larger = true * ERROR
            if place is not None:
                larger = true.copy()
                larger[:, place] *= ERROR
            sim.set_row(row, larger)
        step(sim, count)
        if true is not None:
            sim.set_row(row, true)

    monkeypatch.setattr(Simulation, "step", wrong)


@pytest.mark.parametrize(("stage", "path", "name", "row"), cases(ROWS))
def test_a_row_a_tenth_too_large_is_found_out(stage: str, path: str, name: str, row: str,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    require_sound(stage, path, name)
    plant(monkeypatch, row)
    require_found_out(stage, path, name)


@pytest.mark.sweep
@pytest.mark.parametrize(("stage", "path", "name", "row", "place"), PARTS)
def test_a_part_of_a_row_a_tenth_too_large_is_found_out(stage: str, path: str, name: str, row: str, place: int,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    require_sound(stage, path, name)
    plant(monkeypatch, row, place)
    require_found_out(stage, path, name)


@pytest.mark.parametrize(("stage", "path", "name", "fact"), cases(FACTS))
def test_a_fact_a_tenth_too_large_is_found_out(stage: str, path: str, name: str, fact: str,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    require_sound(stage, path, name)

    def wrong(actor: ActorDescription, scene: Scene, solver: str = "physx") -> PackedModel:
        own = actor.links[0]
        values = getattr(own, fact)
        larger = tuple(ERROR * x for x in values[:3])
        turn = (math.sqrt(1.0 - math.hypot(*larger) ** 2),) if fact == "principal_axes" else ()
        changed = replace(own, **{fact: (*larger, *turn)})
        planted = replace(actor, body=changed) if isinstance(actor, FreeBody) else replace(actor, links=(changed,))
        return pack_actor(planted, scene, solver)

    monkeypatch.setattr(body_bench, "pack_actor", wrong)
    require_found_out(stage, path, name)

"""Materials and settings of contact: friction, restitution, compliance, torsion, offsets, limits, iterations."""

from __future__ import annotations

from support.stages.contact_scenes.parts import (
    ASKEW,
    Attributes,
    ContactScene,
    Vector,
    ball,
    body,
    box,
    capsule,
    ground,
    material,
    still,
    turn,
    world,
)

MODES = ("average", "min", "multiply", "max")
CUBE: Vector = (0.4, 0.4, 0.4)


def of(name: str, **more: object) -> Attributes:
    """What a collider of a material has."""
    return {"material": name, **more}


def counts(position: int, velocity: int) -> Attributes:
    """Iteration counts of a body."""
    return {"int physxRigidBody:solverPositionIterationCount": position,
            "int physxRigidBody:solverVelocityIterationCount": velocity}


def swung(e: float, count: int) -> list[str]:
    """Balls in a row, the first of which hits the others."""
    made = [material("steel", 0.1, 0.1, e, restitutionCombineMode="max")]
    return made + [body(f"b{i}", ball(0.1, more=of("steel")), (0.201 * i - (0.5 if i == 0 else 0.0), 0.001 * i, 1),
                        velocity=(2.0, 0, 0) if i == 0 else (0, 0, 0)) for i in range(count)]


SURFACES = {
    "friction by four modes": ContactScene(world(
        *(material(f"m{i}", 0.7 - 0.1 * i, 0.6 - 0.1 * i, frictionCombineMode=mode) for i, mode in enumerate(MODES)),
        material("floor", 0.4, 0.3, frictionCombineMode="average"), ground(of("floor")),
        *(body(f"b{i}", box(CUBE, more=of(f"m{i}")), (0, 0.8 * i, 0.2004), velocity=(2, 0.1, 0)) for i in range(4)))),
    "restitution by four modes": ContactScene(world(
        *(material(f"m{i}", 0.5, 0.5, 0.9 - 0.1 * i, restitutionCombineMode=mode) for i, mode in enumerate(MODES)),
        material("floor", 0.5, 0.4, 0.6, restitutionCombineMode="average"), ground(of("floor")),
        *(body(f"b{i}", ball(0.2, more=of(f"m{i}")), (0, 0.8 * i, 1), spin=(90, 200, 0)) for i in range(4)))),
    "restitution of 1": ContactScene(world(
        material("rubber", 0.6, 0.6, 1.0, restitutionCombineMode="max"), ground(),
        body("a", ball(0.2, more=of("rubber")), (0, 0, 1)), body("b", ball(0.3, more=of("rubber")), (1, 0, 1.3),
                                                                velocity=(0.5, 0, -1)))),
    "bouncing box": ContactScene(world(
        material("rubber", 0.6, 0.4, 0.8, restitutionCombineMode="max"), ground(),
        body("a", box((0.4, 0.3, 0.2), more=of("rubber")), (0, 0, 0.9), ASKEW, velocity=(0.5, 0, 0))), steps=120),
    "bounce threshold": ContactScene(world(
        material("rubber", 0.6, 0.4, 0.7, restitutionCombineMode="max"), ground(),
        body("a", ball(0.2, more=of("rubber")), (0, 0, 0.6)), body("b", ball(0.2, more=of("rubber")), (1, 0, 0.25)),
        scene={"float physxScene:bounceThreshold": 1.0})),
    "row of balls of restitution 1": ContactScene(world(*swung(1.0, 5), gravity=0.0), steps=120),
    "soft ground": ContactScene(world(
        material("foam", 0.5, 0.5, compliantContactStiffness=2000.0, compliantContactDamping=20.0), ground(of("foam")),
        body("a", ball(0.2), (0, 0, 0.6), more={"float physics:mass": 2.0}),
        body("b", box((0.4, 0.3, 0.2)), (1, 0, 0.6), ASKEW, more={"float physics:mass": 3.0}),
        body("c", capsule(0.1, 0.4), (2, 0, 0.6), ASKEW, more={"float physics:mass": 1.0}))),
    "soft ground by acceleration": ContactScene(world(
        material("foam", 0.5, 0.5, compliantContactStiffness=500.0, compliantContactDamping=10.0,
                 compliantContactAccelerationSpring=True), ground(of("foam")),
        body("a", ball(0.2), (0, 0, 0.6)), body("b", box((0.4, 0.3, 0.2)), (1, 0, 0.6), ASKEW))),
    "spinning balls": ContactScene(world(
        material("felt", 0.8, 0.7), ground(of("felt")),
        material("foam", 0.8, 0.7, compliantContactStiffness=5000.0, compliantContactDamping=50.0),
        body("a", ball(0.2, more=of("foam", **{"float physxCollision:torsionalPatchRadius": 0.05})), (0, 0, 0.25),
             spin=(0, 0, 600)),
        body("b", ball(0.2, more=of("felt", **{"float physxCollision:minTorsionalPatchRadius": 0.02})), (1, 0, 0.25),
             spin=(0, 0, 600)),
        body("c", ball(0.2, more=of("felt")), (2, 0, 0.25), spin=(60, 0, 600)))),
    "boxes that overlap at the start": ContactScene(world(ground(), *(
        body(f"{name}{i}", box(CUBE), (1.0 * i, 0.01 * k, 0.15 + 0.34 * k),
             more={"float physxRigidBody:maxDepenetrationVelocity": speed})
        for i, speed in enumerate((0.3, 1.0, 5.0)) for k, name in enumerate("ab"))), steps=120),
    "impulses that are limited": ContactScene(world(ground(), *(
        body(f"b{i}", box(CUBE), (1.0 * i, 0, 0.5), more={"float physxRigidBody:maxContactImpulse": limit,
                                                          "float physics:mass": 10.0})
        for i, limit in enumerate((0.2, 0.5, 20.0)))), steps=60),
    "offsets": ContactScene(world(ground(), *(
        body(f"b{i}", box(CUBE, more={"float physxCollision:contactOffset": reach,
                                      "float physxCollision:restOffset": rest}), (0.8 * i, 0, 0.5), turn((1, 0, 0), 5))
        for i, (reach, rest) in enumerate(((0.1, 0.05), (0.02, -0.01), (0.3, 0.0)))))),
    "friction of a scene": ContactScene(world(
        ground(), body("a", box(CUBE), (0, 0, 0.25), velocity=(2, 0, 0)),
        body("b", box((0.8, 0.2, 0.2)), (0, 1, 0.3), turn((0, 0, 1), 30), velocity=(1, 1, 0), spin=(0, 0, 200)),
        scene={"float physxScene:frictionCorrelationDistance": 0.2,
               "float physxScene:frictionOffsetThreshold": 0.002})),
    "few and many iterations": ContactScene(world(
        ground(), *(body(f"{name}{i}", box(CUBE), (1.0 * i, 0, 0.21 + 0.41 * k), more=counts(*pair))
                    for i, pair in enumerate(((1, 0), (64, 4))) for k, name in enumerate("abc")))),
    "one iteration": ContactScene(world(
        ground(), *(body(f"b{k}", box(CUBE), (0.02 * k, 0, 0.21 + 0.41 * k), more=counts(1, 0)) for k in range(3)))),
    "damped and slow": ContactScene(world(
        ground(), body("a", box(CUBE), (0, 0, 0.6), ASKEW, velocity=(3, 0, 0), more={
            "float physxRigidBody:linearDamping": 1.0, "float physxRigidBody:angularDamping": 2.0,
            "float physxRigidBody:maxLinearVelocity": 2.0, "float physxRigidBody:maxAngularVelocity": 180.0}))),
    "slopes of three angles": ContactScene(world(
        *(part for i, angle in enumerate((15, 25, 30)) for part in (
            still(f"slope{i}", box((6, 0.8, 0.5)), (0, i, 0), turn((0, 1, 0), angle)),
            body(f"b{i}", box((0.4, 0.4, 0.2)), (0, i, 0.4 + 0.05 * i), turn((0, 1, 0), angle))))), steps=120),
    "low gravity in short steps": ContactScene(world(
        ground(), body("a", box(CUBE), (0, 0, 0.205), more={"float physics:mass": 2.0}),
        body("b", ball(0.2), (1, 0, 0.205)), gravity=0.5), steps=120, dt=1 / 240),
}

"""What the remedies of the borders of articulations do, and of masses, inertias, colliders and gravity at odds."""

from __future__ import annotations

from physx_schema.checking.engine.finding import ApplySchema, RemoveProperty, SetValue
from support.physx.effects import Freed, Gone, Made, Moves, Reaches, Reads, Same
from support.physx.remedy_effects.names import BASE, DROPPED, J2, JOINTED, REST, THING, B
from support.physx.remedy_rows import Row, also, row
from support.physx.remedy_stages import (
    BETWEEN,
    CHAIN,
    DROP,
    FLOOR,
    GENERIC,
    HANGING,
    HELD_THING,
    SMALL_DROP,
    SWITCHED_OFF,
    WITH_SHAPE,
)

FOOTPRINT = "/Robot/base_footprint"
ITERATIONS, MESH = "physxRigidBody:solverPositionIterationCount", "physics:approximation"


def diagonal(moment: float) -> Reads:
    """The inertia of the thing is that of a ball."""
    return Reads("INERTIA thing", (moment, 0.0, 0.0, 0.0, moment, 0.0, 0.0, 0.0, moment))


def approximated(token: str) -> SetValue:
    """How a mesh collides."""
    return SetValue("/Robot/thing/shape", MESH, token, "token")


APART = "the joints hold what they let come apart"
LOWER_STAYS = Reaches("/Robot/b1", (2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))

BORDERS: dict[str, Row] = {
    "articulation/fixed-base-joint": row(Made("joint", "/Robot/turn"), Freed()),
    "articulation/root-chosen": row(Made("articulation", "/Robot/c"), Gone("articulation", "/Robot/d"), stages=CHAIN),
    "articulation/disabled": row(Made("articulation", BASE), JOINTED, Gone("free joint", J2), stages=SWITCHED_OFF,
                                 untried="to leave it changes nothing"),
    "articulation/empty-root-link": row(
        Freed(), Moves("/Robot/cart"),
        also=(also(f"make {FOOTPRINT} a rigid body with mass and inertia", Freed(), Made("link", FOOTPRINT), edits=(
            ApplySchema(FOOTPRINT, "PhysicsRigidBodyAPI"), ApplySchema(FOOTPRINT, "PhysicsMassAPI"),
            SetValue(FOOTPRINT, "physics:mass", 1.0, "float"),
            SetValue(FOOTPRINT, "physics:diagonalInertia", (1.0, 1.0, 1.0), "float3"))),)),
    "joint/frames-apart": row(Reaches(THING, REST), untried="which pose is meant nobody knows"),
    "joint/locked-pair": row(
        Freed(), Moves("j2"),
        also=(also("replace these joints by one generic joint (PhysicsJoint)", Freed(), Moves(B), after=GENERIC),
              also("a body between each two of these joints", Freed(), Moves(B), after=BETWEEN))),
    "joint/mass-ratio": row(
        LOWER_STAYS, Made("articulation", "/Robot/b0"), stages=HANGING, loses=APART,
        also=(also("author masses closer to each other", LOWER_STAYS, edits=(
            SetValue("/Robot/b0", "physics:mass", 2000.0, "float"),)),
              also("raise physxRigidBody:solverPositionIterationCount of both", LOWER_STAYS, loses=APART,
                   edits=tuple(edit for path in ("/Robot/b0", "/Robot/b1") for edit in (
                      ApplySchema(path, "PhysxRigidBodyAPI"), SetValue(path, ITERATIONS, 255, "int")))))),
}

PLAUSIBILITY: dict[str, Row] = {
    "body/no-collider": row(Made("shape", "/Robot/thing/shape"), Moves(THING), beside=FLOOR,
                            loses="it touches the body that it passed through",
                            untried="a simpler shape below it is a collider as its geometry is"),
    "body/shapeless": row(Made("shape", "/Robot/b/shape"), Moves(B), stages=WITH_SHAPE,
                          untried="below another body the prim is a part of that"),
    "body/inertia-size": row(
        diagonal(0.17),
        also=(also("about (0.167, 0.167, 0.167) for a solid box", diagonal(0.167), edits=(
            SetValue(THING, "physics:diagonalInertia", (0.167, 0.167, 0.167), "float3"),)),
              also("remove physics:diagonalInertia", diagonal(1 / 6), edits=(
                  RemoveProperty(THING, "physics:diagonalInertia"),)),
              also("if the moments are in kg mm^2, multiply them by 1e-06", diagonal(0.1), edits=(
                  SetValue(THING, "physics:diagonalInertia", (0.1, 0.1, 0.1), "float3"),)))),
    "body/point-inertia": row(diagonal(1.0), untried="a collider's inertia is proved by body/inertia-size"),
    "collider/hull-for-mesh": row(
        Moves(DROPPED), Freed(), beside=HELD_THING + SMALL_DROP,
        also=(also("sdf keeps the hollow", Moves(DROPPED), edits=(approximated("sdf"),)),
              also("convexHull confirms the hull", Same(), edits=(approximated("convexHull"),)))),
    "material/on-collider": row(Made("material", "/Robot/rubber"), Gone("material", "/Robot/shape"), Moves(DROPPED),
                                beside=DROP),
    "scene/gravity-up": row(Moves(B)),
    "scene/gravity-negative": row(Same("gravity is the same, and other programs refuse a negative magnitude")),
    "scene/gravity-sideways": row(Moves(B), untried="another up axis is another stage"),
}

"""What the remedies of composition do, and those of the letter of published rules, which PhysX does without."""

from __future__ import annotations

from physx_schema.checking.engine.finding import ApplySchema, SetValue
from support.physx.effects import Gone, Made, Moves, Reaches, Reads, Same, Starts, Unstepped
from support.physx.remedy_effects.names import BASE, JOINTED, THING, B, at
from support.physx.remedy_rows import Row, also, row
from support.physx.remedy_stages import (
    DROP,
    IN_CENTIMETRES,
    LONELY,
    OTHER_UNITS,
    OUTSIDE,
    ROOTLESS,
    STILL,
    WITHOUT_KILOGRAMS,
    Y_UP,
)

INNER = "/Robot/thing/inner"
LETTER = "the published rule asks for it, and PhysX does without"
MASS = "physics:mass"


def weighed(path: str) -> tuple[ApplySchema, SetValue]:
    """An authored mass of 2."""
    return ApplySchema(path, "PhysicsMassAPI"), SetValue(path, MASS, 2.0, "float")


COMPOSITION: dict[str, Row] = {
    "stage/target-dropped": row(
        Moves(THING), stages=OUTSIDE, untried="the prim that the reference brings in is one body"),
    "stage/usd": Row((Unstepped("USD warns of many things, each with a remedy of its own"),)),
    "stage/units-differ": row(Reaches(THING, at(-2.7629)), stages=OTHER_UNITS,
                              untried="a layer that is converted is another robot"),
    "stage/variant-unselected": row(Made("body", "/Robot/holder/thing")),
    "stage/over-misspelt": row(
        Made("body", "/Robot/thingg"),
        also=(also("Rename the over", Reads("MASS thing", 2.0), edits=(
            SetValue(THING, MASS, 2.0, "float"),)),)),
    "unused/below-instance": row(
        Same(),
        also=(also("author the opinion on /Robot/kind, which all instances share", Same(), edits=(
            SetValue("/Robot/kind/shape", "physics:collisionEnabled", False, "bool"),)),)),
    "unused/static-mass": row(
        Same(), also=(also("apply PhysicsRigidBodyAPI", Made("body", "/Robot/floor"), edits=(
            ApplySchema("/Robot/floor", "PhysicsRigidBodyAPI"),)),)),
}

PUBLISHED: dict[str, Row] = {
    "material/unbound-collider": row(Made("material", "/Robot/rubber"), beside=DROP),
    "collider/invisible-mesh": row(Same(LETTER), beside=DROP),
    "stage/kilograms": row(Same(LETTER), stages=WITHOUT_KILOGRAMS, untried="another unit of mass is another stage"),
    "stage/no-body": row(Made("body", "/Robot/crate"), stages=STILL),
    "stage/one-body": row(Made("body", "/Robot/lid"), stages=LONELY, untried="what is not claimed has no motion"),
    "articulation/root-count": row(Made("articulation", BASE), JOINTED, stages=ROOTLESS),
    "body/not-xformable": row(Same(LETTER)),
    "body/nested-in-body": row(
        Made("body", "/Robot/inner"), Gone("body", INNER),
        also=(also("author !resetXformStack!", Same(LETTER), edits=(
            SetValue(INNER, "xformOpOrder", ("!resetXformStack!",), "token[]"),)),)),
    "body/nested-unjoined": row(
        Made("body", "/Robot/inner"), Gone("body", INNER),
        also=(also("connect the two bodies by a joint", Made("free joint", "/Robot/weld"), adds=(
            f'def PhysicsFixedJoint "weld" {{\nrel physics:body0 = <{THING}>\nrel physics:body1 = <{INNER}>\n'
            "bool physics:excludeFromArticulation = true\n}\n"), loses="a joint holds the two bodies together"),)),
    "body/mass-unauthored": row(Reads("MASS thing", 1.0)),
    "body/mass-partial": row(
        Reads("MASS thing", 2.0),
        also=(also("author physics:mass on the body", Reads("MASS thing", 2.0), edits=weighed(THING)[1:]),)),
    "collider/not-geometry": row(Made("shape", "/Robot/shapes/shape"), Gone("shape", "/Robot/shapes")),
    "collider/mesh-schema": row(Same(LETTER), beside=DROP),
    "stage/not-z-up": row(Starts(B, at(1.0)), Moves(B), stages=Y_UP),
    "stage/not-metres": row(Starts(B, at(1.0)), Moves(B), stages=IN_CENTIMETRES),
}

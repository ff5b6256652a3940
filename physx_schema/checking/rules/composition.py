"""Rules on USD composition: dropped targets, overrides, variants, units of layers."""

from __future__ import annotations

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES
from physx_schema.checking.engine.rule import Explains, ReaderRule
from physx_schema.checking.rules.stages import MISSING

TARGET_DROPPED = ReaderRule("stage/target-dropped", "error", """
    Relationship target outside a reference

    A reference, payload or inherit adds one prim and its descendants. USD drops relationship targets outside the added
    prim and its descendants.

    Measured: A fixed joint in a reference connects a body to another body outside the reference. PhysX fixes the body
    at the world's origin instead. (`experiments/measure_composition.py`)
    """,
    profiles=PROFILES,
    explains=(Explains("prim", MISSING),),
)

USD_WARNING = ReaderRule("stage/usd", "info", """
    Warning from USD

    USD warned about the stage while it was opened or read, and no other rule covers this warning.
    """,
    profiles=PROFILES,
)

UNITS_DIFFER = ReaderRule("stage/units-differ", "error", """
    Referenced layer with other units

    PhysX reads metersPerUnit, kilogramsPerUnit and upAxis from the root layer. USD does not convert the values of
    referenced layers. A scale on the referencing prim corrects only positions and shapes.

    Measured: The same drive holds the same arm at 2.45 degrees on a stage in metres, and at 73.33 degrees on a stage in
    centimetres. (`experiments/measure_composition.py`)
    """,
    profiles=PROFILES,
    explains=(Explains("below", ("unit",)),),
)

VARIANT_UNSELECTED = ReaderRule("stage/variant-unselected", "warning", """
    Physics in an unselected variant

    USD composes only the selected variant of each variant set. Physics in variants that are not selected is not on the
    stage.

    Measured: PhysX does not create a body in an unselected variant. If the variant is selected, the body falls.
    (`experiments/measure_composition.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("Xform", "holder", {}, metadata='prepend variantSets = "Physics"', children=(
        'variantSet "Physics" = {\n    "physx" {\n' + "".join(
            f"        {line}\n" for line in usda.body().splitlines()) + "    }\n}\n")),
    remedy=usda.prim("Xform", "holder", {}, metadata=(
        'variants = { string Physics = "physx" }\nprepend variantSets = "Physics"'), children=(
        'variantSet "Physics" = {\n    "physx" {\n' + "".join(
            f"        {line}\n" for line in usda.body().splitlines()) + "    }\n}\n")),
)

OVER_MISSPELT = ReaderRule("stage/over-misspelt", "warning", """
    Misspelt name of an override

    An over is on a prim that no layer defines, but the stage has a prim with a similar name or at another path. PhysX
    ignores the over.

    Measured: PhysX creates no body for an over without a def. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body() + usda.body({"float physics:mass": "2"}, name="thingg").replace("def Xform", "over", 1),
    remedy=usda.body() + usda.body({"float physics:mass": "2"}, name="thingg"),
)

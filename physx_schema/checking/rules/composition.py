"""What composition drops or brings in otherwise than it was meant: targets, overrides, variants, units of layers."""

from __future__ import annotations

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES
from physx_schema.checking.engine.rule import Explains, ReaderRule
from physx_schema.checking.rules.stages import MISSING

TARGET_DROPPED = ReaderRule("stage/target-dropped", "error", """
    Target outside a reference

    A reference, payload or inherit brings in one prim and what is below it. USD drops relationship targets that lead
    out of it, and the relationship is left with those that remain.

    Measured: A body welded to another that the reference leaves outside is held at the world's origin instead. With
    body0 authored on the stage it falls with the other by 5.005 in a second.
    (`experiments/measure_composition.py`)
    """,
    profiles=PROFILES,
    explains=(Explains("prim", MISSING),),
)

USD_WARNING = ReaderRule("stage/usd", "info", """
    Warning of USD

    USD warned of something on the stage while it was opened or read, and no other rule says more of it.
    """,
    profiles=PROFILES,
)

UNITS_DIFFER = ReaderRule("stage/units-differ", "error", """
    Layer in other units than the stage

    PhysX reads metersPerUnit, kilogramsPerUnit and upAxis of the stage's root layer. USD converts no number of a layer
    that is referenced with others. A scale of the prim that brings it in mends places and shapes alone.

    Measured: A drive holds an arm of 0.25 m at 2.45 degrees below level in metres. Referenced by a stage in centimetres
    it sinks by 73.33 degrees, scaled by 100 by 96.83, with inertias and gains times 1e4 as well by 2.45. A body of a
    layer with upAxis Y falls across the layer's up axis on a stage with Z, and along it once turned by 90 degrees.
    (`experiments/measure_composition.py`)
    """,
    profiles=PROFILES,
    explains=(Explains("below", ("unit",)),),
)

VARIANT_UNSELECTED = ReaderRule("stage/variant-unselected", "warning", """
    Physics in a variant that is not selected

    Only the selected variant of a set is composed. The stage is without the physics of the others.

    Measured: PhysX makes no body of one in a variant that nothing selects; once selected it falls by 5.005 in a second.
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
    Override of a prim whose name is another

    An over whose prim no layer defines. A prim with a similar name is there, or one of the same name elsewhere.

    Measured: PhysX makes nothing of a body that is an over alone. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body() + usda.body({"float physics:mass": "2"}, name="thingg").replace("def Xform", "over", 1),
    remedy=usda.body() + usda.body({"float physics:mass": "2"}, name="thingg"),
)

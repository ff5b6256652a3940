"""Conventions that SimReady requires and PhysX does not need: materials, purposes and units of mass.

They have the profile driven, which is not part of the default.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import DRIVEN, Finding, SetValue, safe
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Collider, Description

_BINDING = "rel material:binding:physics"
_GUIDE = "guide"
_HIDDEN = {"token visibility": '"invisible"'}

UNBOUND_COLLIDER = Rule("material/unbound-collider", "error", """
    Collider without a physics material

    SimReady PMT.001, unlike PhysX, requires the relationship material:binding:physics on every collider. The target of
    this relationship must have PhysicsMaterialAPI.

    Measured: A cube without a material slows from 3 to 1.501 m/s in 18 steps, as with friction 0.5.
    (`experiments/measure_plausibility.py`)
    """,
    fix="bind the collider with material:binding:physics to a Material that has PhysicsMaterialAPI",
    profiles=(DRIVEN,),
    example=usda.cube(),
    remedy=usda.prim("Material", "rubber", {}, "PhysicsMaterialAPI") + usda.cube(
        {_BINDING: "</Robot/rubber>"}, "MaterialBindingAPI"),
)

INVISIBLE_MESH = Rule("collider/invisible-mesh", "warning", """
    Invisible collider without the purpose "guide"

    SimReady RB.010, unlike PhysX, requires the purpose "guide" on invisible colliders. The purpose "guide" marks prims
    that are not rendered.

    Measured: A cube rests on the ground at height 0.500, with any visibility and with any purpose.
    (`experiments/measure_plausibility.py`)
    """,
    why='SimReady RB.010 requires the purpose "guide"; PhysX uses the collider with any purpose',
    fix='author purpose = "guide"',
    profiles=(DRIVEN,),
    example=usda.cube(_HIDDEN),
    remedy=usda.cube({**_HIDDEN, "uniform token purpose": '"guide"'}),
)

KILOGRAMS = Rule("stage/kilograms", "error", """
    Missing kilogramsPerUnit

    SimReady UN.003, unlike PhysX, requires kilogramsPerUnit on stages with bodies, colliders or masses.

    Measured: A cube of size 1 has mass 1000 if kilogramsPerUnit is not authored, and also if kilogramsPerUnit is 1.
    (`experiments/measure_plausibility.py`)
    """,
    why="USD and PhysX assume kilograms; SimReady UN.003 requires an authored kilogramsPerUnit",
    fix="author kilogramsPerUnit in the metadata of the root layer: 1 for kilograms, or another unit of the masses",
    profiles=(DRIVEN,),
)


@finder("bound-materials", UNBOUND_COLLIDER)
def unbound_colliders(description: Description) -> Iterator[Finding]:
    """Find colliders without a material binding."""
    for collider in _by_path(description):
        if not collider.material_bound:
            why = (f"PhysX uses {collider.material} from a prim above or the scene" if collider.material else
                   "PhysX uses friction 0.5 and no restitution")
            yield UNBOUND_COLLIDER.at(
                collider.path, "material:binding:physics", "no physics material is bound to the collider itself",
                why=f"{why}; SimReady PMT.001 requires a binding on every collider",
            )


@finder("invisible-colliders", INVISIBLE_MESH)
def invisible_colliders(description: Description) -> Iterator[Finding]:
    """Find invisible colliders without the purpose guide."""
    for collider in _by_path(description):
        if collider.invisible_purpose not in ("", _GUIDE):
            yield INVISIBLE_MESH.at(
                collider.path, "purpose", f"the collider is invisible, but its purpose is {collider.invisible_purpose}",
                repair=safe(SetValue(collider.path, "purpose", _GUIDE, "token")),
            )


@finder("kilograms", KILOGRAMS)
def kilograms(description: Description) -> Iterator[Finding]:
    """Find a stage with physics and no kilogramsPerUnit."""
    physical = description.body_paths or any(_by_path(description)) or any(
        item.schema == "PhysicsMassAPI" for item in description.authored)
    if physical and "kilogramsPerUnit" not in description.scene.stage_metadata:
        yield KILOGRAMS.at("/", "kilogramsPerUnit", "kilogramsPerUnit is not authored")


def _by_path(description: Description) -> Iterator[Collider]:
    """The colliders of a stage, one for each prim with PhysicsCollisionAPI."""
    links = chain(description.bodies, *(item.links for item in description.articulations))
    every = chain(description.static_colliders, *(link.colliders for link in links))
    return iter({collider.path: collider for collider in every}.values())

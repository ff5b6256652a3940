"""Conventions that published rules ask for and PhysX does without: materials, purposes and units of mass.

They have the profile driven, which only who names it gets, as does who names simready by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import DRIVEN, Finding, SetValue, safe
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.checking.rules.driven import ONLY_PUBLISHED
from physx_schema.description import Collider, Description

_BINDING = "rel material:binding:physics"
_GUIDE = "guide"
_HIDDEN = {"token visibility": '"invisible"'}

UNBOUND_COLLIDER = Rule("material/unbound-collider", "error", f"""
    Collider that binds no physics material

    The published rule PMT.001 wants material:binding:physics on every collider, with a prim that has
    PhysicsMaterialAPI as its target. {ONLY_PUBLISHED} Bindings of prims above a collider count in PhysX.

    Measured: A cube without a material slows down on the ground from 3 to 1.501 m/s in 18 steps, which is a friction
    of 0.5; with a material of friction 0 it keeps 2.250. (`experiments/measure_plausibility.py`)
    """,
    fix="bind a Material with PhysicsMaterialAPI by material:binding:physics",
    profiles=(DRIVEN,),
    example=usda.cube(),
    remedy=usda.prim("Material", "rubber", {}, "PhysicsMaterialAPI") + usda.cube(
        {_BINDING: "</Robot/rubber>"}, "MaterialBindingAPI"),
)

INVISIBLE_MESH = Rule("collider/invisible-mesh", "warning", f"""
    Invisible collider whose purpose is not guide

    The published rule RB.010 wants the purpose guide on geometry that collides and is invisible, so that programs know
    that it is not to be rendered. {ONLY_PUBLISHED}

    Measured: A body with a cube rests on the ground at 0.500, whether or not the cube is invisible and its purpose
    guide. (`experiments/measure_plausibility.py`)
    """,
    why="PhysX collides with it as with others; the published rule wants the purpose guide",
    fix='author purpose = "guide"',
    profiles=(DRIVEN,),
    example=usda.cube(_HIDDEN),
    remedy=usda.cube({**_HIDDEN, "uniform token purpose": '"guide"'}),
)

KILOGRAMS = Rule("stage/kilograms", "error", f"""
    Physics without a unit of mass

    The published rule UN.003 wants kilogramsPerUnit authored on stages with bodies, colliders or masses.
    {ONLY_PUBLISHED} USD and PhysX take 1 where it is missing.

    Measured: Without kilogramsPerUnit a cube of size 1 weighs 1000 in metres, as with 1.
    (`experiments/measure_plausibility.py`)
    """,
    why="masses count in kilograms; the published rule wants the unit authored",
    fix="author kilogramsPerUnit = 1 at the head of the root layer, or the unit that the masses are in",
    profiles=(DRIVEN,),
)


@finder("bound-materials", UNBOUND_COLLIDER)
def unbound_colliders(description: Description) -> Iterator[Finding]:
    """Colliders without a binding of their own."""
    for collider in _by_path(description):
        if not collider.material_bound:
            why = (f"PhysX takes {collider.material} from a prim above or the scene" if collider.material else
                   "PhysX takes a friction of 0.5 and no restitution")
            yield UNBOUND_COLLIDER.at(
                collider.path, "material:binding:physics", "no physics material is bound to the collider itself",
                why=f"{why}; the published rule wants a binding on every collider",
            )


@finder("invisible-colliders", INVISIBLE_MESH)
def invisible_colliders(description: Description) -> Iterator[Finding]:
    """Colliders that are not seen and do not say that they are guides."""
    for collider in _by_path(description):
        if collider.invisible_purpose not in ("", _GUIDE):
            yield INVISIBLE_MESH.at(
                collider.path, "purpose", f"invisible, with the purpose {collider.invisible_purpose}",
                repair=safe(SetValue(collider.path, "purpose", _GUIDE, "token")),
            )


@finder("kilograms", KILOGRAMS)
def kilograms(description: Description) -> Iterator[Finding]:
    """A stage with physics whose head has no unit of mass."""
    physical = description.body_paths or any(_by_path(description)) or any(
        item.schema == "PhysicsMassAPI" for item in description.authored)
    if physical and "kilogramsPerUnit" not in description.scene.stage_metadata:
        yield KILOGRAMS.at("/", "kilogramsPerUnit", "kilogramsPerUnit is not authored")


def _by_path(description: Description) -> Iterator[Collider]:
    """The colliders of a stage, one for each prim with PhysicsCollisionAPI."""
    links = chain(description.bodies, *(item.links for item in description.articulations))
    every = chain(description.static_colliders, *(link.colliders for link in links))
    return iter({collider.path: collider for collider in every}.values())

"""Measure in real PhysX what composition loses: units and up axes of layers, targets, overrides below instances, overs.

Needs the environment that `oracle.py` describes. Layers are written to a folder and referenced by stages. Of the arm,
0.25 m long with a mass of 1 kg at its end and held by a drive, the angle after 10 s is printed; of bodies, where they
are after a second.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rule_stages import (
    BODY,
    MASS,
    ROOT,
    Fact,
    at,
    body,
    collider,
    ground,
    joint,
    ordered,
    physics_scene,
    places,
    prim,
    print_facts,
    robot,
    world,
)

EARTH = physics_scene(more={"float physics:gravityMagnitude": "", "vector3f physics:gravityDirection": ""})
LONG = 600      # steps, 10 s


def arm(lengths: float = 1.0, masses: float = 1.0, gains: float = 1.0) -> str:
    """A layer with an arm whose drive holds it level, with its numbers times these."""
    mass = {"float physics:mass": f"{masses}",
            "float3 physics:diagonalInertia": f"({0.1 * gains}, {0.1 * gains}, {0.1 * gains})"}
    drive = {"uniform token physics:axis": '"Y"', "float drive:angular:physics:stiffness": f"{gains}",
             "float drive:angular:physics:damping": f"{0.1 * gains}",
             "point3f physics:localPos1": f"({-0.25 * lengths}, 0, 0)"}
    links = (prim("Xform", "base", {**mass, **at()}, *BODY),
             prim("Xform", "l", {**mass, **at(x=0.25 * lengths)}, *BODY))
    held = (joint("Fixed", "anchor", "", "/robot/base"),
            joint("Revolute", "j", "/robot/base", "/robot/l", drive, "PhysicsDriveAPI:angular"))
    return world(robot(*links, *held, schemas=(ROOT,)), scenes="")


def referring(layer: Path, place: Mapping[str, str] | None = None, path: str = "/robot") -> str:
    """A prim that brings in another, with transform operations."""
    return prim("Xform", "held", place or {}, metadata=f"prepend references = @{layer}@<{path}>")


def angle(result: Any) -> str:
    """How far the arm has sunk."""
    return f"{np.degrees(float(np.ravel(result['q'][-1])[0])):.4g} degrees"


def units(folder: Path) -> dict[str, Fact]:
    """An arm whose numbers are in metres and kilograms, in stages of other units."""
    metres = folder / "metres.usda"
    metres.write_text(arm(), encoding="utf-8")
    facts = {"alone": Fact(arm() + EARTH, angle, LONG)}
    for name, stage in (("metres", {}), ("centimetres", {"meters": "0.01"}), ("grams", {"kilograms": "0.001"})):
        facts[f"in a stage of {name}"] = Fact(world(referring(metres), scenes=EARTH, **stage), angle, LONG)
    facts["in centimetres, scaled by 100"] = Fact(
        world(referring(metres, at(scale="(100, 100, 100)")), scenes=EARTH, meters="0.01"), angle, LONG)
    stronger = folder / "stronger.usda"
    stronger.write_text(arm(gains=1e4), encoding="utf-8")
    facts["the same, gains and inertias times 1e4"] = Fact(
        world(referring(stronger, at(scale="(100, 100, 100)")), scenes=EARTH, meters="0.01"), angle, LONG)
    centimetres = folder / "centimetres.usda"
    centimetres.write_text(arm(lengths=100.0, gains=1e4), encoding="utf-8")
    facts["in centimetres, every number converted"] = Fact(
        world(referring(centimetres), scenes=EARTH, meters="0.01"), angle, LONG)
    grams = folder / "grams.usda"
    grams.write_text(arm(masses=1000.0, gains=1000.0), encoding="utf-8")
    facts["in grams, every number converted"] = Fact(
        world(referring(grams), scenes=EARTH, kilograms="0.001"), angle, LONG)
    return facts


def up_axes(folder: Path) -> dict[str, Fact]:
    """A body 10 above the origin of a layer whose up axis is Y, in stages of both."""
    layer = folder / "up.usda"
    place = {"double3 xformOp:translate": "(0, 10, 0)", "uniform token[] xformOpOrder": ordered("xformOp:translate")}
    layer.write_text(world(body(place=place), scenes="", up="Y"), encoding="utf-8")
    return {
        "in a stage of up axis Y": Fact(world(referring(layer, path="/thing"), scenes=EARTH, up="Y"), places),
        "in a stage of up axis Z": Fact(world(prim("Xform", "up", {}, children=referring(layer, path="/thing")),
                                              scenes=EARTH), places),
        "the same, turned by 90 degrees about x": Fact(world(prim("Xform", "up", at(turn="(90, 0, 0)"),
                                                                  children=referring(layer, path="/thing")),
                                                             scenes=EARTH), places),
    }


def targets(folder: Path) -> dict[str, Fact]:
    """A body welded to another, which the reference brings in or leaves outside."""
    parts = body("a", place=at(10.0)) + joint("Fixed", "j", "/other", "/robot/a")
    layer = folder / "targets.usda"
    layer.write_text(world(robot(parts, schemas=()), body("other", place=at(10.0)), scenes=""), encoding="utf-8")
    inside = folder / "inside.usda"
    inside.write_text(world(robot(
        body("a", place=at(10.0)), body("other", place=at(10.0)), joint("Fixed", "j", "/robot/other", "/robot/a"),
        schemas=()), scenes=""), encoding="utf-8")
    mended = referring(layer).rpartition("}")[0] + (
        '    over "j"\n    {\n        rel physics:body0 = </other>\n    }\n}\n')
    return {
        "other inside the reference": Fact(world(referring(inside)), places),
        "other outside of it": Fact(world(referring(layer), body("other", place=at(10.0))), places),
        "the same, body0 authored on the stage": Fact(world(mended, body("other", place=at(10.0))), places),
    }


def overrides(folder: Path) -> dict[str, Fact]:
    """Opinions below an instance, on the instance itself and on its prototype."""
    off = '    over "shape"\n    {\n        bool physics:collisionEnabled = 0\n    }\n'
    proto = prim("Xform", "proto", {}, children=collider()).replace("def ", "class ", 1)

    def landing(inside: str, instanceable: str = "true", prototype: str = proto) -> Fact:
        copy = prim("Xform", "copy", {}, metadata=f"instanceable = {instanceable}\nprepend inherits = </proto>",
                    children=inside)
        thing = prim("Xform", "thing", {**MASS, **at(1.0)}, *BODY, children=copy)
        return Fact(world(prototype, thing, ground()), places)

    switched_off = prim("Xform", "proto", {}, children=collider(more={"bool physics:collisionEnabled": "0"}))
    return {
        "nothing authored below the instance": landing(""),
        "collisionEnabled 0 below the instance": landing(off),
        "the same, not instanceable": landing(off, "false"),
        "the same, on the prototype": landing("", prototype=switched_off.replace("def ", "class ", 1)),
    }


def prototypes() -> dict[str, Fact]:
    """An over that a reference brings in, and the same prim defined."""
    proto = prim("Xform", "proto", {}, children=collider(more=at(0.0)))

    def resting(specifier: str) -> Fact:
        copy = prim("Xform", "copy", {}, metadata="prepend references = </proto>")
        thing = prim("Xform", "thing", {**MASS, **at(0.5, 0.4)}, *BODY, children=copy)
        return Fact(world(proto.replace("def Xform", specifier, 1), thing, gravity="0"), places)

    return {"over, referenced by a body": resting("over"), "def, referenced by the same body": resting("def Xform")}


def variants(folder: Path) -> dict[str, Fact]:
    """A body in a variant that nothing selects."""
    layer = folder / "body.usda"
    layer.write_text(world(body(), scenes=""), encoding="utf-8")
    text = (f'def Xform "thing" (\n    SELECTED\n    prepend variantSets = "Physics"\n)\n{{\n'
            f'    variantSet "Physics" = {{\n        "physx" (\n            prepend references = @{layer}@</thing>\n'
            '        ) {\n        }\n    }\n}\n')
    chosen = 'variants = { string Physics = "physx" }'
    return {"nothing selected": Fact(world(text.replace("    SELECTED\n", "")), places),
            "physx selected": Fact(world(text.replace("SELECTED", chosen)), places)}


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print_facts("units of a referenced layer", units(folder))
        print_facts("up axis of a referenced layer", up_axes(folder))
        print_facts("targets outside a reference", targets(folder))
        print_facts("overrides below an instance", overrides(folder))
        print_facts("an over as a prototype", prototypes())
        print_facts("a variant that is not selected", variants(folder))


if __name__ == "__main__":
    main()

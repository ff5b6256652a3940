"""Measure in real PhysX what units, gravities, owners, instances and transforms become, and which prims it passes over.

Needs the environment that `oracle.py` describes. A body is let go 10 above the origin; printed is where it is
after a second, under gravity 10 at 4.995, or its place and rotation after one step.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from rule_stages import (
    BODY,
    KINEMATIC,
    MASS,
    ROOT,
    Attributes,
    Fact,
    at,
    base,
    body,
    box,
    collider,
    ground,
    instanced,
    joint,
    made_and_placed,
    ordered,
    physics_scene,
    places,
    pose,
    prim,
    print_facts,
    print_refused,
    robot,
    weight,
    world,
)

TURN = "float3 xformOp:rotateXYZ"
PLACE = "double3 xformOp:translate"


def units() -> dict[str, str]:
    """Units that are no numbers above 0, and extreme ones."""
    values = ("0", "-1", "nan", "inf")
    meters = ("0.01", *values, "2.9e-38", "2.95e-38", "3.4e38", "3.5e38")
    kilograms = (*values, "6e-46", "8e-46", "3.4e38", "3.41e38")
    return {**{f"metersPerUnit {value}": world(body(), meters=value) for value in meters},
            **{f"kilogramsPerUnit {value}": world(body(), kilograms=value) for value in kilograms}}


def scene_of(more: Attributes, up: str = "Z") -> Fact:
    """A falling body in a scene with attributes of its own."""
    return Fact(world(body(), scenes=physics_scene("10", more=more), up=up), places)


def gravities() -> dict[str, Fact]:
    """Gravities that are no numbers, of time samples, and up axes."""
    magnitude, direction = "float physics:gravityMagnitude", "vector3f physics:gravityDirection"
    return {
        "gravity 10": Fact(world(body()), places),
        **{f"gravityMagnitude {value}": Fact(world(body(), gravity=value), places)
           for value in ("nan", "inf", "-inf", "-10")},
        "gravityDirection (nan, 0, -1)": scene_of({direction: "(nan, 0, -1)"}),
        "gravityMagnitude as string": scene_of({magnitude: "", "string physics:gravityMagnitude": '"10"'}),
        "gravityMagnitude of time samples alone": scene_of({magnitude: "", f"{magnitude}.timeSamples": "{ 0: 10 }"}),
        "gravityDirection of time samples alone": scene_of({
            direction: "", f"{direction}.timeSamples": "{ 0: (0, 0, -1) }"}),
        **{f"no gravityDirection, upAxis {axis}": scene_of({direction: ""}, axis) for axis in "YZXW"},
    }


def owners() -> dict[str, Fact]:
    """Which scene steps a body, which collides, where /one has gravity 10 and /two gravity 1."""
    one, two = physics_scene("10", "one"), physics_scene("1", "two")

    def owned(targets: str) -> Attributes:
        return {"rel physics:simulationOwner": targets} if targets else {}

    def falling(targets: str, scenes: str = one + two) -> Fact:
        return Fact(world(body(more=owned(targets)), scenes=scenes), places)

    def resting(of_body: str, of_ground: str, scenes: str = one + two) -> Fact:
        return Fact(world(box(0.6, owned(of_body)), ground(owned(of_ground)), scenes=scenes), places)

    def welded(first: str, second: str) -> Fact:
        parts = body("a", owned(first), place=at()) + body("b", owned(second), place=at())
        return Fact(world(parts, joint("Fixed", "j", "", "/a"), joint("Fixed", "k", "/a", "/b"), scenes=one + two),
                    places)

    return {
        "no owner": falling(""), "no owner, /two authored first": falling("", two + one),
        "owner /two": falling("</two>"), "owners /one, /two": falling("[</one>, </two>]"),
        "owners /two, /one": falling("[</two>, </one>]"), "owners /missing, /two": falling("[</missing>, </two>]"),
        "owner /missing": falling("</missing>"),
        "weld of bodies without owner": welded("", ""), "weld of one of /one and one without": welded("</one>", ""),
        "ground of /one, body without": resting("", "</one>"), "ground without, body of /two": resting("</two>", ""),
        "ground of /two, body of /two": resting("</two>", "</two>"),
        "ground of /missing": resting("", "</missing>", one), "ground without owner": resting("", "", one),
    }


def instances() -> dict[str, Fact]:
    """Bodies in instances and instancers, and prims that USD passes over."""
    still = {"bool physxRigidBody:disableGravity": "1"}
    probes = "".join(box(3.0, still, name=name, x=x, on_body=("PhysxRigidBodyAPI",))
                     for name, x in (("p", 0.0), ("q", 3.0), ("r", 6.0)))
    copies = prim("PointInstancer", "many", {
        "rel prototypes": "</many/a>", "int[] protoIndices": "[0, 0]", "point3f[] positions": "[(0, 0, 5), (3, 0, 5)]",
    }, children=box(0.0))
    plain = body()
    return {
        "body inside an instance": Fact(world(instanced(plain)), made_and_placed),
        "the same, not instanceable": Fact(world(instanced(plain, instanceable=False)), made_and_placed),
        "kinematic body inside an instance": Fact(world(instanced(body(more=KINEMATIC))), made_and_placed),
        "instance that is a body, collider inside": Fact(
            world(instanced(collider(), "PhysicsRigidBodyAPI"), ground(at(-7.0, scale="(100, 100, 10)"))), places, 120),
        "instancer above resting p and q, not r": Fact(world(copies, probes), places),
        "inactive": Fact(world(plain.replace(" (\n", " (\n    active = false\n", 1)), made_and_placed),
        "over": Fact(world(plain.replace("def Xform", "over", 1)), made_and_placed),
        "class": Fact(world(plain.replace("def ", "class ", 1)), made_and_placed),
    }


def print_composed() -> None:
    """Arcs and variants."""
    sizes = ""
    for name, height in (("low", 10.0), ("high", 20.0)):
        lines = "".join(f"        {key} = {value}\n" for key, value in at(height).items())
        sizes += f'    "{name}" {{\n{lines}    }}\n'
    varied = prim("Xform", "thing", MASS, *BODY).replace(" (\n", ' (\n    variants = { string place = "low" }\n'
                                                         '    prepend variantSets = "place"\n', 1)
    varied = varied.rpartition("}")[0] + f'variantSet "place" = {{\n{sizes}}}\n}}\n'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "part.usda")
        path.write_text(world(body(), scenes=""), encoding="utf-8")
        print_facts("composition", {
            "payload with a body": Fact(world(f'def "held" (\n    payload = @{path}@</thing>\n)\n{{\n}}\n'), places),
            "reference to a missing file beside a body": Fact(
                world(f'def "held" (\n    references = @{path}.none@\n)\n{{\n}}\n', body()), places),
            "variant low at 10 selected, high at 20": Fact(world(varied), places),
        })


def thing(operations: Attributes, order: str = "") -> Fact:
    """A body without gravity after one step."""
    listed = {"uniform token[] xformOpOrder": order} if order else {}
    return Fact(world(prim("Xform", "thing", {**MASS, **operations, **listed}, *BODY), gravity="0"), pose, 1)


def operations() -> dict[str, Fact]:
    """Transform operations that do not count, or are no rotations."""
    both = ordered("xformOp:translate", "xformOp:rotateX")
    half = 0.70710678
    return {
        "translate (1, 2, 3)": thing({PLACE: "(1, 2, 3)"}, ordered("xformOp:translate")),
        "rotateX in the order, not authored": thing({PLACE: "(1, 2, 3)"}, both),
        "rotateX of type string": thing({PLACE: "(1, 2, 3)", "string xformOp:rotateX": '"90"'}, both),
        "operation that does not exist": thing({PLACE: "(1, 2, 3)", "double3 xformOp:push": "(4, 5, 6)"}, ordered(
            "xformOp:translate", "xformOp:push")),
        "an empty name in the order": thing({PLACE: "(1, 2, 3)"}, '["", "xformOp:translate"]'),
        "no xformOpOrder": thing({PLACE: "(1, 2, 3)"}),
        "xformOpOrder of type string[]": thing({
            PLACE: "(1, 2, 3)", "uniform string[] xformOpOrder": '["xformOp:translate"]'}),
        **{f"orient by 90 degrees, of length {length}": thing(
            {"quatf xformOp:orient": f"({half * length}, 0, 0, {half * length})"}, ordered("xformOp:orient"))
           for length in (1.0, 1.02, 2.0, 0.5)},
        "orient (NaN, 0, 0, 0)": thing({"quatf xformOp:orient": "(nan, 0, 0, 0)"}, ordered("xformOp:orient")),
        "translate (NaN, 0, 0)": thing({PLACE: "(nan, 0, 0)"}, ordered("xformOp:translate")),
        "translate (inf, 0, 0)": thing({PLACE: "(inf, 0, 0)"}, ordered("xformOp:translate")),
    }


def scales() -> dict[str, Fact]:
    """Scales of 0, negative ones, and shears."""
    turn = "(0, 0, 30)"

    def landing(scale: str) -> Fact:
        return Fact(world(body("a", at(3.0, scale=scale), children=collider()), ground()), places, 120)

    def mirrored(scale: str) -> Fact:
        shape = collider("Cube", "shape", {PLACE: "(0, 1, 0)", "uniform token[] xformOpOrder": ordered(
            "xformOp:translate")})
        link = prim("Xform", "l", {"float physics:mass": "1", **at(scale=scale)}, *BODY, children=shape)
        return Fact(world(robot(base(), link, joint("Revolute", "j", "/robot/base", "/robot/l")), gravity="0"), weight,
                    0)

    return {
        "turned by 30 degrees about z": thing(at(1.0, turn=turn)),
        **{f"the same, scale {scale}": thing(at(1.0, scale=scale, turn=turn))
           for scale in ("(1, 0, 1)", "(0, 1, 1)", "(-1, 1, 1)")},
        "scale (-1, 1, 1)": thing(at(1.0, scale="(-1, 1, 1)")),
        "scale (1, -1, 1)": thing(at(1.0, scale="(1, -1, 1)")),
        "turned by 45 degrees about x below scale (1, 1, 2)": Fact(world(prim(
            "Xform", "up", at(scale="(1, 1, 2)"), children=body(place=at(turn="(45, 0, 0)"))), gravity="0"), pose, 1),
        "cube on the ground, scale (1, 1, 1)": landing("(1, 1, 1)"),
        "cube on the ground, scale (1, 1, 0)": landing("(1, 1, 0)"),
        "link with a cube at y = 1": mirrored("(1, 1, 1)"),
        "link with a cube at y = 1, scale (-1, 1, 1)": mirrored("(-1, 1, 1)"),
        "NaN body of an articulation": Fact(world(robot(
            body("a", place=at("nan")), body("b", place=at(3.0)), body("c", place=at(3.0)),
            joint("Revolute", "j", "/robot/a", "/robot/b"), joint("Revolute", "k", "/robot/b", "/robot/c"),
            schemas=(ROOT,))), made_and_placed),
    }


def main() -> None:
    """Print the tables."""
    print_refused("units", units())
    print_facts("gravity", gravities())
    print_facts("owners", owners())
    print_facts("instances", instances())
    print_composed()
    print_facts("transform operations", operations())
    print_facts("scales", scales())


if __name__ == "__main__":
    main()

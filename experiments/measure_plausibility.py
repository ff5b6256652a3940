"""Measure in real PhysX what implausible gravity, mass properties, colliders and materials do to the motion.

Needs the environment that `oracle.py` describes. Prints tables; writes nothing. Steps of 1/60 s.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from measure_contact_rules import BIND, bound, material
from rule_stages import (
    BODY,
    CUBE,
    ROOT,
    Attributes,
    Fact,
    arm,
    at,
    body,
    box,
    collider,
    ground,
    joint,
    physics_scene,
    pose,
    prim,
    print_facts,
    weight,
    world,
)

MESH = "PhysicsMeshCollisionAPI"
MOMENTS = "float3 physics:diagonalInertia"
# A tray of five boxes, 1 wide and 0.6 high, with a floor of 0.1 and walls of 0.1; its hull is a box.
BOXES = (((-0.5, -0.5, 0.0), (0.5, 0.5, 0.1)), ((-0.5, -0.5, 0.1), (-0.4, 0.5, 0.6)),
         ((0.4, -0.5, 0.1), (0.5, 0.5, 0.6)), ((-0.4, -0.5, 0.1), (0.4, -0.4, 0.6)),
         ((-0.4, 0.4, 0.1), (0.4, 0.5, 0.6)))
SIDES = (0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5)


def tray_mesh() -> dict[str, str]:
    """The tray's points and faces."""
    points = [tuple(corner[bit >> axis & 1][axis] for axis in range(3)) for corner in BOXES for bit in range(8)]
    indices = [8 * i + corner for i in range(len(BOXES)) for corner in SIDES]
    return {"point3f[] points": str(points), "int[] faceVertexCounts": str([4] * 6 * len(BOXES)),
            "int[] faceVertexIndices": str(indices), 'uniform token subdivisionScheme': '"none"'}


def height(result: Any) -> str:
    """How high the first body is at the end."""
    return f"at {float(result['rigid_pose'][-1][0][2]):.3f}"


def gravity() -> dict[str, Fact]:
    """Where a body is after a second of gravity of a sign or direction."""
    def of(magnitude: str, direction: str, up: str = "Z") -> Fact:
        scene = physics_scene(magnitude, more={"vector3f physics:gravityDirection": direction})
        return Fact(world(body(place=at()), scenes=scene, up=up), pose)

    return {f"magnitude {m or 'left out'}, direction {d or 'left out'}, up axis {up}": of(m, d, up) for m, d, up in (
        ("10", "(0, 0, -1)", "Z"), ("-10", "(0, 0, -1)", "Z"), ("-10", "", "Z"), ("-1", "", "Z"),
        ("-10", "(0, 0, 1)", "Z"), ("10", "(0, 0, 1)", "Z"), ("", "(0, 0, 1)", "Z"), ("-10", "", "Y"),
        ("10", "(0, 0, -1)", "Y"), ("10", "(0, 1, 0)", "Y"))}


def point_masses() -> dict[str, Fact]:
    """The inertia of a link without colliders."""
    def link(more: Attributes | None = None, meters: str = "1", kilograms: str = "1", children: str = "") -> Fact:
        own = {"float physics:mass": "0.01", **at(), **(more or {})}
        usda = arm(link=prim("Xform", "l", own, *BODY, children=children))
        usda = usda.replace("metersPerUnit = 1\n", f"metersPerUnit = {meters}\n").replace(
            "kilogramsPerUnit = 1\n", f"kilogramsPerUnit = {kilograms}\n")
        return Fact(usda, precise, 0)

    seen = prim("Cube", "seen", CUBE)
    return {
        "mass 0.01": link(), "mass 0.01, centimetres": link(meters="0.01"),
        "mass 0.01, millimetres": link(meters="0.001"),
        "mass 0.01, grams": link(kilograms="0.001"), "mass 0.01, a cube that does not collide": link(children=seen),
        "mass 0.01, centre (1, 0, 0)": link({"point3f physics:centerOfMass": "(1, 0, 0)"}),
        "mass 0.01, a cube that is switched off": link(children=collider(
            "Cube", "shape", {"bool physics:collisionEnabled": "0"})),
        "mass 0.01, a trigger": link(children=collider("Cube", "shape", {}, "PhysxTriggerAPI")),
        "density 500": link({"float physics:mass": "0", "float physics:density": "500"}),
        "moments 0": link({MOMENTS: "(0, 0, 0)"}),
    }


def precise(result: Any) -> str:
    """Mass and inertia of the link l, small ones too."""
    i = list(result["link_names"]).index("l")
    return f"mass {result['body_mass'][i]:.4g} inertia {np.asarray(result['body_inertia'][i], float)[[0, 4, 8]]}"


def rods() -> dict[str, Fact]:
    """A rod of 1 kg and 0.2 x 0.04 x 0.04 m that swings from its end for half a second, with moments times a factor."""
    own = (1 / 12 * (0.04**2 + 0.04**2), 1 / 12 * (0.2**2 + 0.04**2), 1 / 12 * (0.2**2 + 0.04**2))
    shape = collider("Cube", "shape", at(scale="(0.2, 0.04, 0.04)"))

    def of(factor: float) -> Fact:
        moments = "(" + ", ".join(f"{factor * moment:.8g}" for moment in own) + ")"
        rod = body("l", {**at(0.0, 0.1), MOMENTS: moments}, children=shape)
        base = body("base", place=at()) + joint("Fixed", "anchor", "", "/robot/base")
        hinge = joint("Revolute", "j", "/robot/base", "/robot/l", {
            "uniform token physics:axis": '"Y"', "point3f physics:localPos1": "(-0.1, 0, 0)"})
        return Fact(world(prim("Xform", "robot", {}, ROOT, children=base + rod + hinge)), angle, 30)

    def fall(factor: float, across: float | None = None) -> Fact:
        factors = (factor, *(2 * (factor if across is None else across,)))
        moments = "(" + ", ".join(f"{one * moment:.8g}" for one, moment in zip(factors, own, strict=True)) + ")"
        turn = "(0, 30, 0)" if across is None else "(10, 30, 0)"
        rod = body("l", {**at(0.25, turn=turn), MOMENTS: moments}, children=shape)
        return Fact(world(rod, ground()), settle, 120)

    factors = (1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e6)
    return {f"swings, moments times {f:g}": of(f) for f in factors} | {
        f"dropped at 30 degrees, moments times {f:g}": fall(f) for f in factors} | {
        f"the same turned by 10, axial moment times {f:g}": fall(f, 1.0) for f in factors if f <= 1.0}


def angle(result: Any) -> str:
    """The angle of the only joint at the end."""
    return f"at {np.degrees(float(result['q'][-1][0])):.2f} degrees"


def settle(result: Any) -> str:
    """How high the first body is at the end, and how fast it then turns."""
    last, v = result["rigid_pose"][-1][0], result["rigid_vel"][-1][0]
    spin = np.linalg.norm(np.asarray(result["rigid_vel"][:, 0, 3:], float), axis=1).max()
    return f"at {float(last[2]):.3f}, turns at {float(np.linalg.norm(v[3:])):.3f} rad/s, at most at {spin:.1f}"


def meshes() -> dict[str, Fact]:
    """Where a ball of radius 0.1 comes to rest that is dropped into a tray, which moves, is kinematic or stands."""
    def of(approximation: str | None, moving: tuple[str, ...], more: Attributes | None = None, *api: str) -> Fact:
        token = {} if approximation is None else {"uniform token physics:approximation": f'"{approximation}"'}
        tray = prim("Mesh", "tray", {**tray_mesh(), **token, **(more or {})}, "PhysicsCollisionAPI", *api, *moving)
        ball = body("a", at(0.9, 0.02), children=collider("Sphere", "shape", {"double radius": "0.1"}))
        return Fact(world(ball, tray, ground()), ball_height)

    moving = BODY
    heavy = {"float physics:mass": "20"}
    kinds = ("none", "meshSimplification", "convexHull", "convexDecomposition", "sdf", "boundingCube", "boundingSphere",
             "sphereFill", "Hull")
    return {
        **{f"moving, {kind}": of(kind, moving, heavy, MESH) for kind in kinds},
        "moving, no approximation": of(None, moving, heavy, MESH),
        "moving, no MeshCollisionAPI": of(None, moving, heavy),
        "moving, none without MeshCollisionAPI": of("none", moving, heavy),
        "kinematic, none": of("none", moving, {**heavy, "bool physics:kinematicEnabled": "1"}, MESH),
        "static, none": of("none", (), {}, MESH),
    }


def ball_height(result: Any) -> str:
    """How high the ball is at the end."""
    i = [str(path) for path in result["rigid_paths"]].index("/a")
    return f"ball at {float(result['rigid_pose'][-1][i][2]):.3f}"


def speed(result: Any) -> str:
    """How fast the first body is along x at the end."""
    return f"{float(result['rigid_vel'][-1][0][0]):.3f} m/s"


def frictions() -> dict[str, Fact]:
    """How fast a cube is after 18 steps that starts at 3 m/s on ground without a material."""
    slick = {"float physics:dynamicFriction": "0", "float physics:staticFriction": "0"}
    slider = {"vector3f physics:velocity": "(3, 0, 0)"}
    itself = {"rel material:binding:physics": "</a/shape>"}

    def of(of_shape: Attributes, *schemas: str, more: str = "") -> Fact:
        return Fact(world(box(0.5, slider, of_shape, *schemas), ground(), more), speed, 18)

    on_body = Fact(world(box(0.5, {**slider, **slick}, {}, on_body=("PhysicsMaterialAPI",)), ground()), speed, 18)
    return {
        "no material": of({}), "material of friction 0 bound": of(bound("m"), BIND, more=material("m", "0", "0")),
        "friction 0 on the collider": of(slick), "friction 0 and PhysicsMaterialAPI on the collider": of(
            slick, "PhysicsMaterialAPI"),
        "friction 0 and PhysicsMaterialAPI on the body": on_body,
        "the collider bound to itself": of({**slick, **itself}, "PhysicsMaterialAPI", BIND),
        "bound to an Xform with PhysicsMaterialAPI": of(bound("m"), BIND, more=prim(
            "Xform", "m", slick, "PhysicsMaterialAPI")),
    }


def letters() -> dict[str, Fact]:
    """What the published rules ask for and what happens without it."""
    hidden = {"token visibility": '"invisible"'}
    mass = {"float physics:mass": "0", **at()}
    unit = arm(link=prim("Xform", "l", mass, *BODY, children=collider())).replace("    kilogramsPerUnit = 1\n", "")
    return {
        "body without a collider over the ground": Fact(world(body(place=at(0.6)), ground()), height),
        "body whose cube has no PhysicsCollisionAPI": Fact(world(body(place=at(0.6), children=prim(
            "Cube", "seen", CUBE)), ground()), height),
        "body with a cube": Fact(world(box(0.6), ground()), height),
        "body with a cube that is invisible": Fact(world(box(0.6, {}, hidden), ground()), height),
        "the same with purpose guide": Fact(
            world(box(0.6, {}, {**hidden, "uniform token purpose": '"guide"'}), ground()), height),
        "link of a cube of size 1, no kilogramsPerUnit": Fact(unit, weight, 0),
    }


def ratios() -> dict[str, Fact]:
    """How far a chain of two balls is stretched by a mass at its end, 1 below it, in an articulation and outside."""
    def of(last: float, root: tuple[str, ...], iterations: int = 16) -> Fact:
        counts = {"int physxRigidBody:solverPositionIterationCount": str(iterations)}
        parts = body("base", {"bool physics:kinematicEnabled": "1"} if not root else {}, place=at(10.0))
        held = {"point3f physics:localPos0": "(0, 0, 10)"}
        anchor = joint("Fixed", "anchor", "", "/robot/base", held) if root else ""
        for i, mass in enumerate((1.0, last), 1):
            moment = 0.4 * mass * 0.01
            parts += body(f"l{i}", {**at(10.0 - i), "float physics:mass": f"{mass:g}", **counts,
                                    MOMENTS: f"({moment:g}, {moment:g}, {moment:g})"}, "PhysxRigidBodyAPI")
            above = "base" if i == 1 else f"l{i - 1}"
            parts += joint("Spherical", f"j{i}", f"/robot/{above}", f"/robot/l{i}", {
                "point3f physics:localPos1": "(0, 0, 1)"})
        return Fact(world(prim("Xform", "robot", {}, *root, children=parts + anchor)), chain_end, 60)

    return {f"{'articulation' if root else 'outside'}, masses 1 and {last:g}": of(last, root)
            for root in ((ROOT,), ()) for last in (1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6)} | {
        f"outside, masses 1 and {last:g}, {n} iterations": of(last, (), n) for last in (100.0, 1e3)
        for n in (4, 64, 255)}


def chain_end(result: Any) -> str:
    """How far the last link is below where it should hang, which is at 8."""
    names = {str(path): float(place[2]) for path, place in zip(
        result["rigid_paths"], result["rigid_pose"][-1], strict=False)} if "rigid_pose" in result else {}
    for one in (result, *result.get("others", {}).values()):
        if "link_pose" in one:
            names |= {str(path): float(place[2]) for path, place in zip(
                one.get("link_paths", ()), one["link_pose"][-1], strict=False)}
    return f"{1000.0 * (8.0 - names['/robot/l2']):.3f} mm"


def main() -> None:
    """Print the tables."""
    print_facts("gravity", gravity())
    print_facts("links without colliders", point_masses())
    print_facts("moments of a rod", rods())
    print_facts("a ball and a tray", meshes())
    print_facts("friction", frictions())
    print_facts("published rules", letters())
    print_facts("mass ratios", ratios())


if __name__ == "__main__":
    main()

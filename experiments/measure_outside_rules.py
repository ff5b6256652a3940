"""Measure in real PhysX what rules say of joints outside articulations that start at a point, couple or close loops.

Needs the environment that `oracle.py` describes. Bodies have mass 1 and moments of 1 and are looked at after
60 steps of 1/60 s, without gravity where nothing else is said. The loops are four-bars of 0.4 by 0.3 under gravity
9.81; printed is how far the anchors of the joint that closes them part at most in the second half second.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from rule_stages import (
    DISABLED,
    KINEMATIC,
    ROOT,
    Attributes,
    Fact,
    at,
    base,
    body,
    instanced,
    joint,
    numbers,
    places,
    prim,
    print_facts,
    robot,
    world,
)

APART = "(0, 0, 10)"
DRIVE = {f"float drive:angular:physics:{name}": value for name, value in (
    ("stiffness", "0.1"), ("damping", "0.01"), ("targetPosition", "20"))}
EXCLUDED = {"bool physics:excludeFromArticulation": "1"}
_Y = {"uniform token physics:axis": '"Y"'}


def distance(low: str, high: str, offset: str = "(0, 0, 0)", gravity: str = "0", **values: str) -> Fact:
    """A body on a distance joint to the point of the world where its origin is, or off by a little."""
    held = {"float physics:minDistance": low, "float physics:maxDistance": high, "point3f physics:localPos0": APART,
            "point3f physics:localPos1": offset, **values}
    schemas = ("PhysxPhysicsDistanceJointAPI",) if values else ()
    return Fact(world(body(), joint("Distance", "j", "", "/thing", held, *schemas), gravity=gravity), places)


def distances() -> dict[str, Fact]:
    """Distance joints whose anchors coincide."""
    spring = {"bool physxPhysicsDistanceJoint:springEnabled": "1",
              "float physxPhysicsDistanceJoint:springStiffness": "10"}
    return {
        "anchors coincide, max 0.5": distance("-1", "0.5"),
        "anchors coincide, max 0.5, gravity 10": distance("-1", "0.5", gravity="10"),
        "anchors coincide, min 0.5": distance("0.5", "-1"),
        "anchors coincide, min 0.01": distance("0.01", "-1"),
        "anchors coincide, min 0.03": distance("0.03", "-1"),
        "anchors coincide, min and max 0.5": distance("0.5", "0.5"),
        "anchors coincide, min and max 0.5, gravity 10": distance("0.5", "0.5", gravity="10"),
        "anchors coincide, min and max 0": distance("0", "0"),
        "anchors coincide, min 0.5, soft": distance("0.5", "-1", **spring),
        **{f"anchors {gap} apart along y, min 0.5": distance("0.5", "-1", f"(0, {gap}, 0)")
           for gap in ("1e-8", "1e-7", "2e-7", "1e-6", "1e-3")},
    }


def generic(driven: Mapping[str, str], locked: tuple[str, ...], kind: str = "", **more: str) -> Fact:
    """A body on a joint to the world with drives of stiffness 20 and damping 2 to targets by axis."""
    values: dict[str, str] = {"point3f physics:localPos0": APART, **more}
    for axis, target in driven.items():
        values |= {f"float drive:{axis}:physics:{name}": value for name, value in (
            ("stiffness", "20"), ("damping", "8"), ("targetPosition", target))}
    for axis in locked:
        values |= {f"float limit:{axis}:physics:low": "1", f"float limit:{axis}:physics:high": "-1"}
    schemas = (*(f"PhysicsDriveAPI:{axis}" for axis in driven), *(f"PhysicsLimitAPI:{axis}" for axis in locked))
    return Fact(world(body(), joint(kind, "j", "", "/thing", values, *schemas),
                      gravity="0"), turned, 240)


def turned(result: Any) -> str:
    """Where the body is and how it is turned at the end."""
    return numbers(result["rigid_pose"][-1][0])


def drives() -> dict[str, Fact]:
    """Drives of axes that the joint locks."""
    moves = ("transX", "transY", "transZ")
    return {
        "transX locked and driven to 1": generic({"transX": "1"}, (*moves, "rotX", "rotY", "rotZ")),
        "transX locked and driven to 1, transY driven to 1": generic({"transX": "1", "transY": "1"}, (
            "transX", "transZ", "rotX", "rotY", "rotZ")),
        "rotY driven to 40, rotX locked": generic({"rotY": "40"}, (*moves, "rotX", "rotZ")),
        "rotY driven to 40, rotX locked and driven to 50": generic(
            {"rotX": "50", "rotY": "40"}, (*moves, "rotX", "rotZ")),
        "rotY and rotZ driven to 40 and 0, rotX locked": generic({"rotY": "40", "rotZ": "0"}, (*moves, "rotX")),
        "rotY and rotZ driven to 40 and 0, rotX locked and driven to 50": generic(
            {"rotX": "50", "rotY": "40", "rotZ": "0"}, (*moves, "rotX")),
    }


def wheels(coupling: str, *more: str, hinge: Attributes | None = None, second: str = "Revolute",
           driven: int = 0) -> str:
    """Two wheels on hinges about y, one driven to 1 rad/s, and what couples them; `hinge` changes the second."""
    drive = {"float drive:angular:physics:damping": "100", "float drive:angular:physics:targetVelocity": "57.29578"}
    axis = {"uniform token physics:axis": '"X"'} if second == "Prismatic" else _Y
    hinges = [("Revolute", {**_Y, "point3f physics:localPos0": APART}),
              (second, {**axis, "point3f physics:localPos0": "(2, 0, 10)", **(hinge or {})})]
    joints = [joint(kind, f"h{i}", "", f"/{'ab'[i]}", {**values, **(drive if i == driven else {})},
                    *(("PhysicsDriveAPI:angular",) if i == driven else ())) for i, (kind, values) in enumerate(hinges)]
    return world(body("a"), body("b", place=at(10.0, 2.0)), *joints, coupling, *more, gravity="0")


def gear(ratio: str = "2", first: str = "/h0", second: str = "/h1", name: str = "g") -> str:
    """A gear between the wheels."""
    return prim("PhysxPhysicsGearJoint", name, {
        "rel physics:body0": "</a>", "rel physics:body1": "</b>", "rel physics:hinge0": f"<{first}>",
        "rel physics:hinge1": f"<{second}>", "float physics:gearRatio": ratio})


def rack(ratio: str = "90") -> str:
    """A rack-and-pinion joint between a wheel and a slider."""
    return prim("PhysxPhysicsRackAndPinionJoint", "g", {
        "rel physics:body0": "</a>", "rel physics:body1": "</b>", "rel physics:hinge": "</h0>",
        "rel physics:prismatic": "</h1>", "float physics:ratio": ratio})


def spins(result: Any) -> str:
    """The two wheels at the end: turning about y, and speed along x."""
    names = [str(path) for path in result["rigid_paths"]]
    return ", ".join(f"{name[1:]} turns {result['rigid_vel'][-1][names.index(name)][4]:.4g} slides "
                     f"{result['rigid_vel'][-1][names.index(name)][0]:.4g}" for name in ("/a", "/b"))


def couplings() -> dict[str, Fact]:
    """Gears and racks with doubtful hinges and ratios."""
    off = {"bool physics:jointEnabled": "0"}
    elsewhere = body("c", place=at(10.0, 4.0)) + joint("Revolute", "h2", "", "/c", {
        **_Y, "point3f physics:localPos0": "(4, 0, 10)"})
    return {
        "gear 2": Fact(wheels(gear()), spins),
        "gear 2, hinge1 switched off": Fact(wheels(gear(), hinge=off), spins),
        "gear 2, hinge1 switched off, on another joint beside": Fact(wheels(gear(), joint(
            "Revolute", "h3", "", "/b", {**_Y, "point3f physics:localPos0": "(2, 0, 10)"}), hinge=off), spins),
        "gear 2, hinge1 does not exist": Fact(wheels(gear(second="/none")), spins),
        "gear 2, hinge1 inactive": Fact(wheels(gear()).replace(
            'def PhysicsRevoluteJoint "h1"', 'def PhysicsRevoluteJoint "h1" (active = false)'), spins),
        "gear 2, hinge1 of another body": Fact(wheels(gear(second="/h2"), elsewhere), spins),
        "gear 2, hinge1 a joint of a body with itself": Fact(wheels(gear(second="/h3"), joint(
            "Revolute", "h3", "/b", "/b", _Y)), spins),
        **{f"gear {ratio}": Fact(wheels(gear(ratio)), spins) for ratio in ("0", "nan", "inf", "-2", "1e-6")},
        "gear 0, the second wheel driven": Fact(wheels(gear("0"), driven=1), spins),
        "rack 90": Fact(wheels(rack(), second="Prismatic"), spins),
        **{f"rack {ratio}": Fact(wheels(rack(ratio), second="Prismatic"), spins)
           for ratio in ("0", "nan", "inf", "-90")},
    }


def anchored(other: str, path: str = "/rock", gravity: str = "10", place: str = "(0, 0, 0)") -> Fact:
    """A body on a fixed joint to another one that stands 2 beside it."""
    return Fact(world(other, body(), joint("Fixed", "j", path, "/thing", {
        "point3f physics:localPos0": place, "point3f physics:localPos1": "(2, 0, 0)"}), gravity=gravity), places)


def anchors() -> dict[str, Fact]:
    """Joints to bodies that are not there or do not move."""
    rock, bare = body("rock", place=at(10.0, 2.0)), prim("Xform", "rock", at(10.0, 2.0))
    return {
        "to a body": anchored(rock),
        "to an inactive body": anchored(rock.replace('def Xform "rock" (', 'def Xform "rock" (\n    active = false')),
        "to a prim that does not exist": anchored(""),
        "to the inside of an inactive prim": anchored(prim("Xform", "up", {}, children=rock).replace(
            'def Xform "up"', 'def Xform "up" (active = false)'), "/up/rock"),
        "to a body that is disabled": anchored(body("rock", DISABLED, place=at(10.0, 2.0))),
        "to a body that no scene owns": anchored(
            body("rock", {"rel physics:simulationOwner": "</nowhere>"}, place=at(10.0, 2.0))),
        "to a body at NaN": anchored(body("rock", place=at("nan", 2.0))),
        "to a body in an instance": anchored(instanced(rock), "/copy/rock"),
        "to a body that is only overridden": anchored(rock.replace('def Xform "rock"', 'over Xform "rock"')),
        "to a class": anchored(rock.replace('def Xform "rock"', 'class Xform "rock"')),
        "to an Xform": anchored(bare),
        "to an inactive Xform": anchored(bare.replace('"rock"', '"rock" (active = false)')),
        "to an Xform in an instance": anchored(instanced(bare), "/copy/rock"),
        "to a collider in an instance": anchored(instanced(prim("Cube", "rock", at(10.0, 2.0), "PhysicsCollisionAPI")),
                                                 "/copy/rock"),
    }


def fourbar(closing: str, held: str, mass: float = 1.0, iterations: tuple[int, int] | None = None, drive: bool = True,
            ) -> Fact:
    """A four-bar under link a: b at x = 0.2 and d at x = 0.6 hang down 0.3, c joins their ends.

    `closing` is what closes it: "c-d" with b and d on a, or "d-a" with a chain a, b, c, d. `held`: the link a of some
    mass is the base ("base"), swings on a hinge to it ("swinging"), or flies ("flying") while the hinge of b is driven.
    """
    def link(name: str, x: float, z: float, mass: float = 1.0) -> str:
        moments = f"({0.02 * mass}, {0.02 * mass}, {0.02 * mass})"
        return prim("Xform", name, {"float physics:mass": str(mass), "float3 physics:diagonalInertia": moments,
                                    **at(z, x)}, "PhysicsRigidBodyAPI", "PhysicsMassAPI")

    def hinge(name: str, first: str, second: str, pos0: tuple[float, float], pos1: tuple[float, float],
              more: Attributes | None = None, *schemas: str) -> str:
        ends = {f"point3f physics:localPos{i}": f"({x}, 0, {z})" for i, (x, z) in enumerate((pos0, pos1))}
        return joint("Revolute", name, f"/robot/{first}", f"/robot/{second}", {**_Y, **ends, **(more or {})}, *schemas)

    parts = [link("a", 0.0, 0.0, mass), link("b", 0.2, -0.15), link("c", 0.4, -0.3), link("d", 0.6, -0.15)]
    if held == "base":
        parts.append(joint("Fixed", "anchor", "", "/robot/a"))
    elif held == "swinging":
        parts += [base(), hinge("j0", "base", "a", (0.0, 0.0), (0.0, 0.0))]
    parts.append(hinge("j1", "a", "b", (0.2, 0.0), (0.0, 0.15), *((DRIVE, "PhysicsDriveAPI:angular") if drive else ())))
    parts.append(hinge("j2", "b", "c", (0.0, -0.15), (-0.2, 0.0)))
    if closing == "c-d":
        parts += [hinge("j3", "a", "d", (0.6, 0.0), (0.0, 0.15)),
                  hinge("k", "c", "d", (0.2, 0.0), (0.0, -0.15), EXCLUDED)]
        ends = ("c", (0.2, 0.0)), ("d", (0.0, -0.15))
    else:
        parts += [hinge("j3", "c", "d", (0.2, 0.0), (0.0, -0.15)),
                  hinge("k", "d", "a", (0.0, 0.15), (0.6, 0.0), EXCLUDED)]
        ends = ("d", (0.0, 0.15)), ("a", (0.6, 0.0))
    counts = {} if iterations is None else {
        f"int physxArticulation:solver{kind}IterationCount": str(count)
        for kind, count in zip(("Position", "Velocity"), iterations, strict=True)}
    usda = world(robot(*parts, schemas=(ROOT, "PhysxArticulationAPI"), more=counts), gravity="9.81")
    return Fact(usda, lambda result: opened(result, *ends))


def opened(result: Any, first: tuple[str, tuple[float, float]], second: tuple[str, tuple[float, float]]) -> str:
    """How far two anchors are apart at most in the second half of the run."""
    places = []
    for name, (x, z) in (first, second):
        pose = np.asarray(result["link_pose"], float)[:, list(result["link_names"]).index(name)]
        u, w, p = pose[:, 3:6], pose[:, 6:7], np.array([x, 0.0, z])
        cross = np.cross(u, p)
        places.append(pose[:, :3] + p + 2.0 * (w * cross + np.cross(u, cross)))
    gap = np.linalg.norm(places[0] - places[1], axis=1)
    return f"{1e3 * gap[len(gap) // 2:].max():.3g} mm, after 1 s {1e3 * gap[-1]:.3g} mm"


def loops() -> dict[str, Fact]:
    """The same four-bar closed in two ways, on the base, on a moving link and on a floating base."""
    return {f"closed by {closing}, a {held}, {mass:g} kg, {'driven' if drive else 'free'}, {counts or 'as authored'}":
            fourbar(closing, held, mass, counts, drive)
            for closing in ("c-d", "d-a") for held in ("base", "swinging", "flying") for mass in (1.0, 10.0, 100.0)
            for drive in (True, False) for counts in (None, (64, 4))
            if (held != "base" or mass == 1.0) and (held != "flying" or drive)}


def moving() -> dict[str, Fact]:
    """Dynamic bodies with time samples of their transform."""
    samples = 'double3 xformOp:translate.timeSamples'
    two, one = "{ 0: (0, 0, 10), 24: (3, 0, 10) }", "{ 0: (0, 0, 10) }"
    plain = {"double3 xformOp:translate": "(0, 0, 10)", "uniform token[] xformOpOrder": '["xformOp:translate"]'}
    return {
        "a body with two samples and a default": Fact(world(body(place={**plain, samples: two})), places),
        "a kinematic body with two samples and a default": Fact(world(body(more=KINEMATIC, place={
            **plain, samples: two})), places),
        "a body with one sample and a default": Fact(world(body(place={**plain, samples: one})), places),
        "a body with two samples alone": Fact(world(body(place={
            samples: two, "uniform token[] xformOpOrder": '["xformOp:translate"]'})), places),
        "a body below a prim with two samples and a default": Fact(world(prim(
            "Xform", "up", {**plain, samples: two}, children=body(place={}))), places),
    }


TABLES = {"distances": distances, "drives": drives, "couplings": couplings, "anchors": anchors, "loops": loops,
          "time samples": moving}


def main() -> None:
    """Print the tables, or those that are named."""
    for name in sys.argv[1:] or TABLES:
        print_facts(name, TABLES[name]())


if __name__ == "__main__":
    main()

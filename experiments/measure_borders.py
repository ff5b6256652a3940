"""Measure in real PhysX what holds an articulation at its border, and what joints of the same two bodies leave free.

Needs the environment that `oracle.py` describes. Printed are the degrees of freedom that PhysX makes, where bodies
are, and how far they turn and how fast they fly where the frames of a joint stand apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from rule_stages import ROOT, Attributes, Fact, at, body, joint, prim, print_facts, robot, world

EXCLUDED = {"bool physics:excludeFromArticulation": "1"}
OFF = {"bool physics:jointEnabled": "0"}
FOOTPRINT = prim("Xform", "base_footprint", {})
ABOUT = {"X": "(1, 0, 0, 0)", "Y": "(0.70710678, 0, 0, 0.70710678)", "Z": "(0.70710678, 0, -0.70710678, 0)"}


def link(name: str, more: Attributes | None = None, *schemas: str, x: float = 0.0, z: float = 0.0,
         turn: str = "") -> str:
    """A link of mass 1 and moments of 0.1."""
    return body(name, {"float3 physics:diagonalInertia": "(0.1, 0.1, 0.1)", **(more or {})}, *schemas,
                place=at(z, x, turn=turn))


def held(kind: str, name: str, first: str, second: str, more: Attributes | None = None, *schemas: str) -> str:
    """A joint between links of the robot, "" for the world."""
    return joint(kind, name, first and f"/robot/{first}", f"/robot/{second}", more, *schemas)


def frames(first: str = "(0, 0, 0)", second: str = "(0, 0, 0)", axis: str = "", turned: str = "") -> dict[str, str]:
    """Places of the joint's frames, its axis, and a turn of both frames."""
    values = {"point3f physics:localPos0": first, "point3f physics:localPos1": second}
    if axis:
        values["uniform token physics:axis"] = f'"{axis}"'
    if turned:
        values |= {"quatf physics:localRot0": turned, "quatf physics:localRot1": turned}
    return values


# --- frames that stand apart -----------------------------------------------------------------------------------------

def apart() -> dict[str, Fact]:
    """A body or base 1 m, 0.2 m, or 30 degrees from where its joint is."""
    base, arm = link("base", x=1.0, z=1.0), link("l", x=1.25, z=1.0)
    hinge = held("Revolute", "j", "base", "l", frames(second="(-0.25, 0, 0)", axis="Y"))
    on_base = link("base", {}, ROOT, x=1.0, z=1.0)
    anchor = held("Fixed", "anchor", "", "base")
    four_bar = [
        link("base"), held("Fixed", "anchor", "", "base"), link("a", z=0.25), link("b", x=0.5, z=0.25),
        held("Revolute", "ja", "base", "a", frames(second="(0, 0, -0.25)", axis="Y")),
        held("Revolute", "jb", "base", "b", frames("(0.5, 0, 0)", "(0, 0, -0.25)", "Y")),
        link("c", x=0.25, z=0.5), held("Revolute", "jc", "a", "c", frames("(0, 0, 0.25)", "(-0.25, 0, 0)", "Y"))]

    def closing(z: str) -> str:
        return held("Revolute", "k", "b", "c", {**frames(f"(0, 0, {z})", "(0.25, 0, 0)", "Y"), **EXCLUDED})

    def free(kind: str, more: Attributes | None = None, **place: Any) -> Fact:
        return Fact(world(robot(link("l", **place), held(kind, "k", "", "l", more), schemas=()), gravity="0"), moved)

    return {
        "fixed joint from the world, body 0.97 m above": free("Fixed", z=0.97),
        "the same, body turned by 30 degrees": free("Fixed", turn="(30, 0, 0)"),
        "spherical joint from the world, body 0.97 m above": free("Spherical", z=0.97),
        "slider along z, body 0.97 m above": free("Prismatic", frames(axis="Z"), z=0.97),
        "hinge about x, body turned by 30 degrees about x": free("Revolute", frames(axis="X"), turn="(30, 0, 0)"),
        "hinge about y, body turned by 30 degrees about x": free("Revolute", frames(axis="Y"), turn="(30, 0, 0)"),
        "root API on the base, 1.414 m from its anchor": Fact(
            world(robot(on_base, anchor, arm, hinge, schemas=()), gravity="0"), moved),
        "root API above, base 1.414 m from its anchor": Fact(
            world(robot(base, anchor, arm, hinge), gravity="0"), moved),
        "four-bar whose closing frames meet": Fact(world(robot(*four_bar, closing("0.25"))), moved, 120),
        "four-bar whose closing frames are 0.2 m apart": Fact(
            world(robot(*four_bar, closing("0.45"))), moved, 120),
    }


def moved(result: Any) -> str:
    """Where each body is before, after one step and at the end, and the highest speed on the way."""
    lines = []
    for kind in ("rigid", "link"):
        if f"{kind}_pose" not in result:
            continue
        for index, path in enumerate(result[f"{kind}_paths"]):
            track = np.asarray(result[f"{kind}_pose"])[:, index]
            speed = float(np.max(np.linalg.norm(np.asarray(result[f"{kind}_vel"])[:, index, :3], axis=1)))
            steps = " to ".join(str(np.round(track[step, :3], 3).tolist()) for step in (0, 1, -1))
            lines.append(f"{str(path).rpartition('/')[2]} {steps}, turned {_turn(track[0], track[-1]):.2f}, "
                         f"speed {speed:.3g}")
    return "; ".join(lines)


def _turn(first: Sequence[float], last: Sequence[float]) -> float:
    """The angle in degrees between two poses."""
    return math.degrees(2.0 * math.acos(min(1.0, abs(float(np.dot(first[3:], last[3:]))))))


# --- what fixes a base -----------------------------------------------------------------------------------------------

def bases() -> dict[str, Fact]:
    """A joint from the world under a root above the bodies, driven or pulled, and the same with a body between."""
    drives = {"Revolute": ("angular", "Z"), "Prismatic": ("linear", "X"), "": ("rotZ", "")}
    locked = {f"float limit:{axis}:physics:{bound}": value for axis in ("transX", "transY", "transZ", "rotX", "rotY")
              for bound, value in (("low", "1"), ("high", "-1"))}
    arm = link("l", x=0.25) + held("Revolute", "j", "base", "l", frames(second="(-0.25, 0, 0)", axis="Y"))
    facts = {}
    for kind in ("Fixed", "Revolute", "Prismatic", "Spherical", "", "Distance"):
        name, axis = drives.get(kind, ("", ""))
        more = {**frames(axis=axis), **({f"float drive:{name}:physics:damping": "100",
                                         f"float drive:{name}:physics:targetVelocity": "1"} if name else {})}
        schemas = (f"PhysicsDriveAPI:{name}",) if name else ()
        if kind == "":
            more, schemas = {**more, **locked}, (*schemas, *dict.fromkeys(
                f"PhysicsLimitAPI:{key.split(':')[1]}" for key in locked))
        direct = held(kind, "turn", "", "base", more, *schemas)
        between = link("rail") + held("Fixed", "anchor", "", "rail") + held(
            kind, "turn", "rail", "base", more, *schemas)
        facts[f"{kind or 'generic'} joint from the world"] = Fact(world(robot(link("base"), direct, arm)), built)
        if kind not in ("Fixed", "Distance"):
            facts[f"{kind or 'generic'} joint from a body fixed to the world"] = Fact(
                world(robot(link("base"), between, arm)), built)
    rope = held("Distance", "rope", "", "base", {**EXCLUDED, "float physics:maxDistance": "0.5"})
    return facts | {"excluded distance joint from the world": Fact(world(robot(link("base"), rope, arm)), built)}


def built(result: Any) -> str:
    """Whether the base is fixed, the joints' degrees of freedom, and how far each link has moved and turned."""
    poses = np.asarray(result["link_pose"])
    far = ", ".join(
        f"{name} {float(np.linalg.norm(poses[-1][i][:3] - poses[0][i][:3])):.3f} and "
        f"{_turn(poses[0][i], poses[-1][i]):.1f} degrees" for i, name in enumerate(result["link_names"]))
    dofs = [str(name) for name in result.get("dof_names", ())]
    return f"{'fixed' if result['fixed_base'] else 'floating'}, degrees of freedom {dofs}, moved {far}"


# --- joints of the same two bodies -----------------------------------------------------------------------------------

def hinge(name: str, about: str, more: Attributes | None = None, first: str = "base", second: str = "leg",
          place: str = "(0, 0, 0.3)") -> str:
    """A driven hinge of the leg."""
    drive = {"float drive:angular:physics:stiffness": "5", "float drive:angular:physics:damping": "0.5"}
    return held("Revolute", name, first, second, {**frames(second=place, axis="X", turned=ABOUT[about]), **drive,
                                                  **(more or {})}, "PhysicsDriveAPI:angular")


def generic(*free: str) -> str:
    """A generic joint of the leg with driven rotations, all else locked."""
    locked = [axis for axis in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ") if axis not in free]
    limits = {f"float limit:{axis}:physics:{bound}": value for axis in locked
              for bound, value in (("low", "1"), ("high", "-1"))}
    drives = {f"float drive:{axis}:physics:{gain}": value for axis in free
              for gain, value in (("stiffness", "5"), ("damping", "0.5"))}
    return held("", "hip", "base", "leg", {**frames(second="(0, 0, 0.3)"), **limits, **drives}, *(
        f"PhysicsLimitAPI:{axis}" for axis in locked), *(f"PhysicsDriveAPI:{axis}" for axis in free))


def several() -> dict[str, Fact]:
    """A leg under sideways gravity on joints of the same two bodies."""
    base = link("base") + held("Fixed", "anchor", "", "base")
    leg = link("leg", z=-0.3)
    light = {"float physics:mass": "0.01", "float3 physics:diagonalInertia": "(0.001, 0.001, 0.001)"}
    between = link("m", light) + link("n", light) + leg + hinge("x", "X", None, "base", "m", "(0, 0, 0)") + hinge(
        "y", "Y", None, "m", "n", "(0, 0, 0)") + hinge("z", "Z", None, "n", "leg")
    x, y, z = hinge("x", "X"), hinge("y", "Y"), hinge("z", "Z")
    y_out, z_out = hinge("y", "Y", EXCLUDED), hinge("z", "Z", EXCLUDED)
    in_line, aside = (held("Revolute", "x2", "base", "leg", {**frames(*places, "X"), **EXCLUDED}) for places in (
        ("(0.1, 0, 0)", "(0.1, 0, 0.3)"), ("(0, 0.1, 0)", "(0, 0.1, 0.3)")))
    slider = held("Prismatic", "s", "base", "leg", {**frames(second="(0, 0, 0.3)", axis="Y"), **EXCLUDED})
    slid = link("m", light) + leg + held("Prismatic", "s", "base", "m", frames(axis="Y")) + hinge("x", "X", None, "m")
    sliders = "".join(held("Prismatic", f"s{axis}", "base", "leg", frames(second="(0, 0, 0.3)", axis=axis))
                      for axis in "YZ")
    loose = {"sliders along y and z, a hinge about x": sliders + x,
             "a generic joint along y and z and about x": generic("transY", "transZ", "rotX"), "one hinge": x,
             "two hinges": x + y, "hinges on one line": x + in_line}
    tree = {
        "one hinge about x": leg + x, "hinges about x, y and z": leg + x + y + z,
        "the same, y excluded": leg + x + y_out + z, "the same, y and z excluded": leg + x + y_out + z_out,
        "hinges about x and y, y excluded": leg + x + y_out,
        "two hinges about x on one line, one excluded": leg + x + in_line,
        "two hinges about x 0.1 m apart, one excluded": leg + x + aside,
        "a hinge about x and an excluded slider along y": leg + x + slider, "a body between the two": slid,
        "a generic joint that turns about x, y and z": leg + generic("rotX", "rotY", "rotZ"),
        "a generic joint that turns about x and y": leg + generic("rotX", "rotY"),
        "two bodies between the hinges": between,
    }
    robots = {label: robot(base, parts) for label, parts in tree.items()}
    robots |= {f"outside articulations: {label}": robot(base, leg, parts, schemas=()) for label, parts in loose.items()}
    down, sideways = (f"vector3f physics:gravityDirection = {way}" for way in ("(0, 0, -1)", "(0, 1, 0)"))
    return {label: Fact(world(parts).replace(down, sideways), swung, 120) for label, parts in robots.items()}


def swung(result: Any) -> str:
    """How far the leg has turned and moved, and the degrees of freedom."""
    kind = "link" if "link_pose" in result else "rigid"
    index = [str(path) for path in result[f"{kind}_paths"]].index("/robot/leg")
    poses = np.asarray(result[f"{kind}_pose"])
    far = float(np.linalg.norm(poses[-1][index][:3] - poses[0][index][:3]))
    return (f"{_turn(poses[0][index], poses[-1][index]):.4f} degrees, {far:.3f} m, "
            f"dofs {len(result.get('dof_names', ()))}")


# --- roots -----------------------------------------------------------------------------------------------------------

def roots() -> dict[str, Fact]:
    """Which link of a floating tree is the root, and robots whose root link is no body."""
    def chain(*of_first: str) -> list[str]:
        parts = [link("chassis", {"float physics:mass": "40"}, *of_first)]
        names = ["chassis", *(f"arm{i}" for i in range(6))]
        parts += [link(name, z=0.2 * i) for i, name in enumerate(names) if i]
        return parts + [held("Revolute", f"a{i}", first, second, frames("(0, 0, 0.1)", "(0, 0, -0.1)", "Y"))
                        for i, (first, second) in enumerate(pairwise(names))]

    def mobile(more: Attributes | None = None, *of_base: str, above: tuple[str, ...] = (ROOT,),
               footprint: str = FOOTPRINT) -> Fact:
        wheels = [link("wheel"), held("Revolute", "w", "base", "wheel", frames(axis="Y"))]
        stand = held("Fixed", "fix", "base_footprint", "base", more)
        return Fact(world(robot(footprint, link("base", {}, *of_base), stand, *wheels, schemas=above)), built)

    return {
        "a chassis and six links in a row": Fact(world(robot(*chain())), order, 0),
        "the same, root API on the chassis": Fact(world(robot(*chain(ROOT), schemas=())), order, 0),
        "base fixed to an Xform base_footprint": mobile(),
        "the same, root API on the base": mobile(None, ROOT, above=()),
        "root API above, base_footprint a body": mobile(footprint=link("base_footprint")),
        "root API on the base, base_footprint a body": mobile(None, ROOT, above=(), footprint=link("base_footprint")),
        "root API above, the joint switched off": mobile(OFF),
        "root API on the base, the joint switched off": mobile(OFF, ROOT, above=()),
    }


def order(result: Any) -> str:
    """The links as PhysX orders them."""
    return " ".join(str(name) for name in result["link_names"])


def switched_off() -> dict[str, Fact]:
    """Four welded links as an articulation, and with articulationEnabled off."""
    def cantilever(flag: str) -> Fact:
        parts = [link(f"l{i}", x=i) for i in range(4)]
        parts += [held("Fixed", f"f{i}", f"l{i}", f"l{i + 1}", frames("(1, 0, 0)")) for i in range(3)]
        return Fact(world(robot(*parts, held("Fixed", "anchor", "", "l0"), schemas=(ROOT, "PhysxArticulationAPI"),
                                more={"bool physxArticulation:articulationEnabled": flag})), sag, 120)

    return {"articulationEnabled 1": cantilever("1"), "articulationEnabled 0": cantilever("0")}


def sag(result: Any) -> str:
    """What PhysX makes of the links, and how far the last one is below the others."""
    kind = "link" if "link_pose" in result else "rigid"
    last = [str(path) for path in result[f"{kind}_paths"]].index("/robot/l3")
    return f"{kind}, {1e3 * float(result[f'{kind}_pose'][-1][last][2]):.4f} mm"


TABLES: dict[str, Callable[[], dict[str, Fact]]] = {
    "where bodies go whose joint frames stand apart, without gravity but for the four-bar": apart,
    "joints from the world to the base, the root API above": bases,
    "how far a leg turns on joints of the same two bodies, 1 g sideways": several,
    "roots of floating trees, and robots whose root link is no body": roots,
    "how far the end of four welded links sags, 3 m from the world": switched_off,
}


def main() -> None:
    """Print the tables."""
    for title, facts in TABLES.items():
        print_facts(title, facts())


if __name__ == "__main__":
    main()

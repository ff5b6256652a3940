"""Measure in real PhysX what becomes of joints whose bodies, frames or scenes are doubtful, and of gears.

Needs the environment that `oracle.py` describes. A link hangs half a unit beside a fixed base on a hinge under
gravity 1 and swings for 30 steps of 1/60 s: it reaches -10.23 degrees then, and a free body falls by 0.125. The gears
turn two wheels on hinges, the first driven to 1 rad/s, at a ratio of -2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from oracle import Oracle, Part, load_oracle
from oracle_tables import Case, Result, loose, place, print_messages, run

STEPS, STEP = 30, 1 / 60
DEGREES = 180.0 / math.pi


def hinge(text: ModuleType, name: str = "j0", body0: str | None = "base", body1: str = "l0", **values: object) -> str:
    """A hinge about y; `values` are properties of physics:, as "type__name"."""
    attributes = {key.replace("__", " physics:", 1): value for key, value in values.items()}
    return str(text.joint("Revolute", name, body0, body1, "Y", (0, 0, 0), (0.5, 0, 0), ([], attributes)))


def hanging(text: ModuleType, *parts: str, base: bool = True) -> Case:
    """A base, the link l0 and what else is given, in an articulation."""
    body = (text.fixed_base() if base else "") + text.link("l0") + "".join(parts)
    return Case(str(text.stage(body, text.scene(1.0))), STEPS)


def paths(*names: str) -> list[str]:
    """Targets of a relationship."""
    return [f"</World/art/{name}>" for name in names]


def ends(text: ModuleType) -> dict[str, Case]:
    """Joints that hold several bodies, none, or the same one twice; disabled and locked ones."""
    second = text.link("l1", (1, 0, 0))
    rock = text.prim("Xform", "rock")

    def held(side: str, names: tuple[str, ...], *extra: str, base: bool = True) -> Case:
        values: dict[str, Any] = {f"rel__{side}": paths(*names)}
        return hanging(text, *extra, hinge(text, **values), base=base)

    same = text.joint("Fixed", "j1", "l0", "l0")
    none = text.joint("Fixed", "j1", None, "l0", part=([], {"rel physics:body1": []}))
    return {
        "sound": hanging(text, hinge(text)),
        "body1: l0 and l1": held("body1", ("l0", "l1"), second),
        "body1: l1 and l0": held("body1", ("l1", "l0"), second),
        "body0: nothing and l1, no base": held("body0", ("nothing", "l1"), second, base=False),
        "body0 does not exist, no base": held("body0", ("nothing",), base=False),
        "body0 is no body, no base": held("body0", ("rock",), rock, base=False),
        "body1 does not exist": held("body1", ("nothing",)),
        "jointEnabled false": hanging(text, hinge(text, bool__jointEnabled=False)),
        "limits 10 and 10": hanging(text, hinge(text, float__lowerLimit=10.0, float__upperLimit=10.0)),
        "limits 0 and 0": hanging(text, hinge(text, float__lowerLimit=0.0, float__upperLimit=0.0)),
        "a second joint from l0 to l0": hanging(text, hinge(text), same),
        "l0 joined to itself alone": Case(loose(text, text.link("l0") + same, text.scene(1.0)), STEPS),
        "a second joint without bodies": hanging(text, hinge(text), none),
    }


def loops(text: ModuleType) -> dict[str, Case]:
    """Base, l0 and l1 in a chain of the hinges j0 and j1, and a third joint that closes it."""
    def closed(kind: str, name: str, body0: str, body1: str, **values: bool) -> Case:
        attributes = {f"bool physics:{key}": value for key, value in values.items()}
        third = text.joint(kind, name, body0, body1, "Y", part=([], attributes)) if kind else ""
        return hanging(text, text.link("l1", (1, 0, 0)), hinge(text), hinge(text, "j1", "l0", "l1"), third)

    def several(axes: str) -> Case:
        more = (text.joint("Revolute", f"j{i}", "base", "l0", axis, (0, 0, 0), (0.5, 0, 0))
                for i, axis in enumerate(axes, 1))
        return hanging(text, hinge(text), *more)

    return {
        **{f"hinges from base to l0 about {', '.join('y' + axes.lower())}": several(axes) for axes in ("", "X", "XZ")},
        "chain": closed("", "", "", ""), "closed by the hinge j2": closed("Revolute", "j2", "l1", "base"),
        "closed by the hinge a0": closed("Revolute", "a0", "l1", "base"),
        "closed by the fixed joint j2": closed("Fixed", "j2", "l1", "base"),
        "a second hinge j2 from l0 to l1": closed("Revolute", "j2", "l0", "l1"),
        "a second hinge a2 from l1 to l0": closed("Revolute", "a2", "l1", "l0"),
        "closed by a disabled joint": closed("Fixed", "j2", "l1", "base", jointEnabled=False),
        "closed by an excluded joint": closed("Fixed", "j2", "l1", "base", excludeFromArticulation=True),
    }


def frames(text: ModuleType) -> dict[str, Case]:
    """Joint frames that are none."""
    nan = math.nan
    return {
        "sound": hanging(text, hinge(text)),
        "localRot0 (2, 0, 0, 0)": hanging(text, hinge(text, quatf__localRot0=(2, 0, 0, 0))),
        "localRot0 (0, 0, 0, 0)": hanging(text, hinge(text, quatf__localRot0=(0, 0, 0, 0))),
        "localPos0 NaN": hanging(text, hinge(text, point3f__localPos0=(nan, 0, 0))),
        "localRot1 (0, 0, 0, 0)": hanging(text, hinge(text, quatf__localRot1=(0, 0, 0, 0))),
        "localPos1 NaN": hanging(text, hinge(text, point3f__localPos1=(nan, 0, 0))),
    }


def owners(text: ModuleType) -> dict[str, Case]:
    """Bodies that are kinematic or disabled, and bodies of two scenes."""
    def body(name: str, **values: object) -> str:
        attributes = {key.replace("__", " physics:", 1): value for key, value in values.items()}
        return str(text.link(name, part=([], attributes)))

    def joined(other: Mapping[str, object], own: Mapping[str, object], count: int = 1) -> Case:
        scenes = "".join(text.scene(1.0).replace('"scene"', f'"s{index}"') for index in range(count))
        return Case(loose(text, body("a", **other) + body("l0", **own) + hinge(text, body0="a"), scenes), STEPS)

    kinematic, disabled = {"bool__kinematicEnabled": True}, {"bool__rigidBodyEnabled": False}
    first, second = {"rel__simulationOwner": "</World/s0>"}, {"rel__simulationOwner": "</World/s1>"}
    return {
        "kinematic and dynamic": joined(kinematic, {}),
        "disabled and dynamic": joined(disabled, {}),
        "kinematic and kinematic": joined(kinematic, kinematic),
        "disabled and kinematic": joined(disabled, kinematic),
        "both of scene 0": joined({**kinematic, **first}, first, 2),
        "of scene 0 and of scene 1": joined({**kinematic, **first}, second, 2),
    }


def gear(hinge0: str, hinge1: str, ratio: float = 2.0) -> dict[str, Any]:
    """Relationships of a gear joint between the wheels a and b."""
    named = {f"rel physics:hinge{index}": f"</World/art/{name}>" for index, name in enumerate((hinge0, hinge1)) if name}
    return {"rel physics:body0": "</World/art/a>", "rel physics:body1": "</World/art/b>",
            "float physics:gearRatio": ratio, **named}


def gears(text: ModuleType) -> dict[str, Case]:
    """Wheels a and b of a gear, a third one c and a slider d beside them; whose joints the gear names."""
    drive: Part = text.drive("angular", damping=100.0, targetVelocity=DEGREES)
    upright = {f"quatf physics:localRot{index}": (0.7071068, 0.0, 0.0, 0.7071068) for index in range(2)}

    def turning(joint: dict[str, Any] | None, axis: str = "X") -> Case:
        body = "".join(text.link(name) for name in "abcd")
        body += "".join(text.joint("Prismatic" if name == "d" else "Revolute", f"j{name}", None, name, axis,
                                   part=drive if name == "a" else ([], {})) for name in "abcd")
        body += text.prim("PhysxPhysicsGearJoint", "gear", [], joint) if joint else ""
        return Case(loose(text, body, text.scene(0.0)), STEPS)

    return {
        "no gear": turning(None), "its own hinges": turning(gear("ja", "jb")),
        "its own hinges, about y": turning(gear("ja", "jb"), "Y"),
        "no hinges": turning(gear("", "")), "no hinges, about y": turning(gear("", ""), "Y"),
        "no hinges, about y, its frames too": turning({**gear("", ""), **upright}, "Y"),
        "hinge1 does not exist": turning(gear("ja", "none")), "hinges swapped": turning(gear("jb", "ja")),
        "hinges swapped, ratio 1": turning(gear("jb", "ja", 1.0)),
        "hinges swapped, ratio -1": turning(gear("jb", "ja", -1.0)),
        "hinge1 of another body": turning(gear("ja", "jc")), "hinge1 a slider": turning(gear("ja", "jd")),
    }


def print_hanging(results: dict[str, Result]) -> None:
    """The place of the link l0, and every joint angle."""
    for label, result in results.items():
        x, y, z = place(result, "l0")[:3]
        names = list(map(str, result["dof_names"])) if "q" in result else []
        angles = ", ".join(f"{name} {float(angle) * DEGREES:.3f}"
                           for name, angle in zip(names, result["q"][-1] if names else (), strict=True))
        print(f"{label:34} l0 at ({x:8.4f}, {y:7.4f}, {z:8.4f})   {angles or 'no degree of freedom'}")
    print_messages(results.values())


def print_turning(results: dict[str, Result]) -> None:
    """Velocities of the wheels of a gear about their axis."""
    for label, result in results.items():
        names = [path.rpartition("/")[2] for path in result["rigid_paths"]]
        first, second = (sum(map(float, result["rigid_vel"][-1][names.index(name)][3:])) for name in "ab")
        print(f"{label:34} speeds {first:9.4f} {second:9.4f}")
    print_messages(results.values())


def measure(oracle: Oracle) -> None:
    """Every table."""
    for title, cases in (("ends", ends), ("loops", loops), ("frames", frames), ("bodies and scenes", owners)):
        print(f"--- {title}")
        print_hanging(run(oracle, cases(oracle.text), STEP))
    print("--- gears")
    print_turning(run(oracle, gears(oracle.text), STEP))


if __name__ == "__main__":
    measure(load_oracle())

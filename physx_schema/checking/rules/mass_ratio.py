"""Light bodies that carry heavy ones by joints outside articulations."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Description
from physx_schema.description.bodies import WITHOUT_ANCHORS

_RATIO = 100.0          # of masses, from which joints are seen to come apart
_LOOSE = {"bool physics:excludeFromArticulation": "true"}


def _hanging(mass: str) -> str:
    """A body that hangs from the world, and another of a mass that hangs from it."""
    heavy = usda.body({"float physics:mass": mass}, name="heavy")
    return usda.body() + heavy + usda.joint("top", _LOOSE, parent="", child="thing") + usda.joint(
        "low", _LOOSE, parent="thing", child="heavy")


MASS_RATIO = Rule("joint/mass-ratio", "warning", """
    Light body that carries a heavy one

    Joints outside articulations are solved one after another. A light body between a joint that holds it and a body of
    a hundred times its mass does not get the forces across, and the joints come apart. Inside an articulation the ratio
    does not matter.

    Measured: Of two balls that hang by joints 1 m apart from a held body the lower one is too low after a second: by
    0.7 mm with masses 1 and 1, 3.8 mm with 1 and 10, 38.5 mm with 1 and 100, 170 mm with 1 and 1000, and by 3.9 m with
    1 and 10000. In an articulation by 0.000 mm up to masses of 1 and 1000000. (`experiments/measure_plausibility.py`)
    """,
    why="its joints come apart under the weight",
    fix="put the bodies into an articulation by PhysicsArticulationRootAPI, or author masses closer to each other",
    example=_hanging("1000"),
    remedy=_hanging("5"),
)


_Sides = Mapping[str, set[str]]     # by body, what joints hold it to


@finder("mass-ratios", MASS_RATIO)
def mass_ratios(description: Description) -> Iterator[Finding]:
    """Joints by which a light body carries a heavy one that nothing else holds."""
    masses = {body.path: body.mass for body in description.separate_bodies if not body.kinematic}
    holding = [joint for joint in description.separate_joints if joint.kind not in WITHOUT_ANCHORS]
    sides: dict[str, set[str]] = {}
    for joint in holding:
        sides.setdefault(joint.body0, set()).add(joint.body1)
        sides.setdefault(joint.body1, set()).add(joint.body0)
    for joint in holding:
        if not (joint.body0 in masses and joint.body1 in masses):
            continue
        light, heavy = sorted((joint.body0, joint.body1), key=lambda path: masses[path])
        if not masses[heavy] >= _RATIO * masses[light] > 0.0:
            continue
        strong = {path for path, mass in masses.items() if mass * _RATIO > masses[heavy]}
        if _is_held(light, sides, masses, masses.keys() - {heavy}) and not _is_held(heavy, sides, masses, strong):
            yield MASS_RATIO.at(
                joint.path, "",
                f"{heavy} weighs {masses[heavy]:g}, {masses[heavy] / masses[light]:.3g} times {light}, which carries it")


def _is_held(start: str, sides: _Sides, movable: Collection[str], through: Collection[str]) -> bool:
    """Whether joints lead from a body to one that forces do not move, or the world, through some movable ones alone."""
    reached, remaining = {start}, [start]
    while remaining:
        for other in sides.get(remaining.pop(), ()):
            if other not in movable:
                return True
            if other in through and other not in reached:
                reached.add(other)
                remaining.append(other)
    return False

"""Light bodies that carry heavy ones by joints outside articulations."""

from __future__ import annotations

from collections.abc import Iterator

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


@finder("mass-ratios", MASS_RATIO)
def mass_ratios(description: Description) -> Iterator[Finding]:
    """Joints between free bodies of which the lighter one is held by another joint."""
    masses = {body.path: body.mass for body in description.separate_bodies if not body.kinematic}
    holding = [joint for joint in description.separate_joints if joint.kind not in WITHOUT_ANCHORS]
    held: dict[str, set[str]] = {}
    for joint in holding:
        for body, other in ((joint.body0, joint.body1), (joint.body1, joint.body0)):
            held.setdefault(body, set()).add(other)
    for joint in holding:
        if not (joint.body0 in masses and joint.body1 in masses):
            continue
        light, heavy = sorted((joint.body0, joint.body1), key=lambda path: masses[path])
        ratio = masses[heavy] / masses[light] if masses[light] > 0.0 else 0.0
        if ratio >= _RATIO and held[light] - {heavy}:
            yield MASS_RATIO.at(
                joint.path, "",
                f"{heavy} weighs {masses[heavy]:g}, {ratio:.3g} times {light}, which another joint holds")

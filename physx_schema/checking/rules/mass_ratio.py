"""Light bodies that carry heavy ones by joints outside articulations."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Description, Link
from physx_schema.description.bodies import WITHOUT_ANCHORS

_STRAIN = 1000.0 / 16.0**2       # ratio of masses over iterations squared, from which joints are seen to come apart
_Sides = Mapping[str, set[str]]     # by body, what joints hold it to

MASS_RATIO = Rule("joint/mass-ratio", "warning", """
    Light body that carries a heavy one

    Joints outside articulations are solved one after another, iteration by iteration. A light body between a joint that
    holds it and a much heavier body does not get the forces across, and the joints come apart. The rule reports masses
    1000 times apart at 16 position iterations, the default of bodies; what is allowed grows with their square. Inside
    an articulation the ratio does not matter.

    Measured: Of two balls that hang by joints 1 m apart from a held body the lower one is too low after a second: by
    0.1 mm with masses 1 and 1, 4.3 mm with 1 and 100, 65 mm with 1 and 1000, and by 401 mm with 1 and 10000. With 1 and
    1000 it is by 170 mm at 4 position iterations, 6.2 mm at 64 and 0.7 mm at 255. In an articulation it is by 0.000 mm
    up to masses of 1 and 1000000. (`experiments/measure_plausibility.py`)
    """,
    why="its joints come apart under the weight",
    fix="put the bodies into an articulation by PhysicsArticulationRootAPI, author masses closer to each other, or a "
        "larger physxRigidBody:solverPositionIterationCount of both",
)


@finder("mass-ratios", MASS_RATIO)
def mass_ratios(description: Description) -> Iterator[Finding]:
    """Joints by which a light body carries a heavy one that nothing else holds."""
    bodies = {body.path: body for body in description.separate_bodies if not body.kinematic}
    holding = [joint for joint in description.separate_joints if joint.kind not in WITHOUT_ANCHORS]
    sides: dict[str, set[str]] = {}
    for joint in holding:
        sides.setdefault(joint.body0, set()).add(joint.body1)
        sides.setdefault(joint.body1, set()).add(joint.body0)
    for joint in holding:
        if not (joint.body0 in bodies and joint.body1 in bodies):
            continue
        light, heavy = sorted((bodies[joint.body0], bodies[joint.body1]), key=lambda body: body.mass)
        allowed = _STRAIN * max(_iterations(light), _iterations(heavy)) ** 2
        if not heavy.mass >= allowed * light.mass > 0.0:
            continue
        strong = {path for path, body in bodies.items() if body.mass * allowed > heavy.mass}
        others = bodies.keys() - {heavy.path}
        if _is_supported(light.path, sides, bodies, others) and not _is_supported(heavy.path, sides, bodies, strong):
            yield MASS_RATIO.at(
                joint.path, "",
                f"{heavy.path} weighs {heavy.mass:g}, {heavy.mass / light.mass:.3g} times {light.path} that carries it",
            )


def _iterations(body: Link) -> int:
    """The position iterations that a body asks for."""
    return body.body.position_iterations if body.body is not None else 1


def _is_supported(start: str, sides: _Sides, movable: Collection[str], through: Collection[str]) -> bool:
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

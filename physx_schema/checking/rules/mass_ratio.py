"""Light bodies that carry heavy ones by joints outside articulations."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Description, Link
from physx_schema.description.bodies import WITHOUT_ANCHORS

_STRAIN = 1000.0 / 16.0**2       # ratio of masses over iterations squared, from which joints are seen to come apart
_Sides = Mapping[str, set[str]]     # by body, the bodies that joints hold it to

MASS_RATIO = Rule("joint/mass-ratio", "warning", """
    Light body that carries a heavy body

    PhysX solves joints outside articulations one after another. Outside articulations, with 16 position iterations a
    light body cannot carry a body with 1000 times its mass, and the joints come apart. The mass ratio that PhysX can
    hold grows with the square of the number of iterations.

    Measured: The lower of two hanging balls sinks by 0.1 mm if both have mass 1. A lower ball of mass 1000 sinks by 65
    mm.
    (`experiments/measure_plausibility.py`)
    """,
    why="the joints of the light body come apart under the weight",
    fix="put the bodies into an articulation with PhysicsArticulationRootAPI, author masses closer to each other, or "
        "raise physxRigidBody:solverPositionIterationCount of both bodies",
)


@finder("mass-ratios", MASS_RATIO)
def mass_ratios(description: Description) -> Iterator[Finding]:
    """Find joints by which a light body alone carries a heavy one."""
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
                f"{heavy.path} has mass {heavy.mass:g}, {heavy.mass / light.mass:.3g} times the mass of "
                f"{light.path}, which carries it",
            )


def _iterations(body: Link) -> int:
    """The position iterations of a body."""
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

"""Joints between the same two bodies that together allow no motion."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Articulation, Description, Joint, MaximalJoint
from physx_schema.description.articulation.freedom import hold_of_link, hold_outside, instead_of, lock_each_other
from physx_schema.description.bodies import WITHOUT_ANCHORS

_Pair = tuple[str, str]         # two bodies in order of path, "" for the world
_LOOPS = ("DJ.011/loop", "DJ.011/beside")       # the same fault of joints that are not excluded
_EXCLUDED = {"bool physics:excludeFromArticulation": "true"}


def _hinge(axis: str) -> str:
    """An excluded hinge between two links that have a hinge about x."""
    return usda.joint("j2") + usda.joint("k", {"uniform token physics:axis": axis, **_EXCLUDED})


LOCKED_PAIR = Rule("joint/locked-pair", "error", """
    Joints that lock each other

    If several joints connect two bodies, the bodies can move only in ways that every one of these joints allows. For
    example, two revolute joints with different axes lock the two bodies to each other. The rule ignores joints with a
    break force.

    Measured: Under gravity a leg on one revolute joint turns by 0.592 degrees. With a second revolute joint about y the
    same leg does not turn. (`experiments/measure_borders.py`)
    """,
    why="PhysX applies all these joints together, which locks the two bodies to each other",
    example=_hinge('"Y"'),
    remedy=_hinge('"X"'),
)


@finder("locked-pairs", LOCKED_PAIR)
def locked_pairs(description: Description) -> Iterator[Finding]:
    """Find joints of two bodies that together allow no motion, at least one of them outside articulations."""
    reported = {problem.path for problem in description.problems if problem.code in _LOOPS}
    outside = _outside(description)
    within = _within(description, outside)
    for pair, joints in outside.items():
        holds = [hold_of_link(joint, pair[0]) for joint in within.get(pair, ())]
        holds += [hold_outside(joint, pair[0]) for joint in joints]
        if reported.intersection(hold.path for hold in holds):
            continue
        meters = description.scene.meters_per_unit
        if lock_each_other(holds, meters):
            first, second = (body or "the world" for body in pair)
            yield LOCKED_PAIR.at(
                joints[-1].path, "",
                f"{', '.join(hold.path for hold in holds)} join {first} and {second}, and together allow no "
                "motion", fix=instead_of(holds, meters, pair in within))


def _outside(description: Description) -> Mapping[_Pair, list[MaximalJoint]]:
    """Joints outside articulations that hold anchors together for good, by pair of bodies."""
    pairs: dict[_Pair, list[MaximalJoint]] = {}
    for joint in description.separate_joints:
        if joint.kind not in WITHOUT_ANCHORS and math.isinf(joint.break_force) and math.isinf(joint.break_torque):
            pairs.setdefault(_pair(joint.body0, joint.body1), []).append(joint)
    return pairs


def _within(description: Description, outside: Mapping[_Pair, list[MaximalJoint]]) -> Mapping[_Pair, list[Joint]]:
    """Joints of articulations between such bodies, and of bases with excluded joints: DJ.011/world-loop."""
    excluded = {item.path for item in description.authored if item.base == "excludeFromArticulation" and item.value}
    pairs: dict[_Pair, list[Joint]] = {}
    for articulation in description.articulations:
        for joint in _joints(articulation) if articulation.enabled else ():
            pair = _pair(joint.body0, joint.body1)
            joints = outside.get(pair, ())
            if joints and (joint is not articulation.base_joint or all(item.path in excluded for item in joints)):
                pairs.setdefault(pair, []).append(joint)
    return pairs


def _joints(articulation: Articulation) -> Iterator[Joint]:
    yield from (link.joint for link in articulation.links if link.joint is not None)
    if articulation.base_joint is not None:
        yield articulation.base_joint


def _pair(first: str, second: str) -> _Pair:
    return (first, second) if first <= second else (second, first)

"""Articulations that are missing, or more than was meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from physx_schema.checking.edits import SetValue, unsafe
from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import Rule
from physx_schema.description import Description


def roots(description: Description) -> Iterator[Finding]:
    """Robots without a root, and roots with several robots."""
    joined = [joint for joint in description.joints if joint.body0 and joint.body1]
    rooted = any(item.schema == "PhysicsArticulationRootAPI" for item in description.applied) or any(
        problem.property == "apiSchemas" and problem.code.startswith("articulation/")
        for problem in description.problems)
    if joined and not description.articulations and not rooted:
        yield Finding(
            "articulation/no-root", "warning", joined[0].path, "",
            "joints between bodies, and no articulation on the stage",
            "PhysX solves them as separate joints, which are softer and have no state to drive",
            "apply PhysicsArticulationRootAPI to a prim above the bodies, or leave it if loose joints are meant",
        )
    for path, count in Counter(item.path for item in description.articulations).items():
        if count > 1:
            starts = ", ".join(item.links[0].path for item in description.articulations if item.path == path)
            yield Finding(
                "articulation/several-trees", "warning", path, "apiSchemas",
                f"{count} separate trees of bodies below one articulation root: {starts}",
                "PhysX makes one articulation of each, all under this path",
                "apply PhysicsArticulationRootAPI once for each tree",
            )


def world_loops(description: Description) -> Iterator[Finding]:
    """Joints beside the one that fixes an articulation's base, from its links to the world."""
    links = {link.path: item for item in description.articulations for link in item.links if item.fixed_base}
    excluded = {item.path for item in description.authored if item.base == "excludeFromArticulation" and item.value}
    for joint in description.joints:
        held = joint.body0 or joint.body1
        if (joint.body0 and joint.body1) or held not in links or joint.path in excluded:
            continue
        base = links[held].base_joint
        yield Finding(
            "DJ.011/world-loop", "warning", joint.path, "physics:excludeFromArticulation",
            f"holds {held} to the world, which {base.path if base else ''} already does for its articulation",
            "PhysX solves it beside the articulation, as a separate and softer constraint",
            "remove one of the two, or set physics:excludeFromArticulation where the loop is meant",
            repair=unsafe(SetValue(joint.path, "physics:excludeFromArticulation", True, "bool")),
        )


def disabled_joints(description: Description) -> Iterator[Finding]:
    """Joints that are switched off, which splits what they would hold together."""
    for item in description.authored:
        if item.base == "jointEnabled" and item.value is False:
            yield Finding(
                "joint/disabled", "info", item.path, item.property, "the joint is switched off",
                "PhysX makes no joint of it; the bodies beyond it are in no articulation of this side",
                "set physics:jointEnabled to true to use it",
            )


RULES = (
    Rule("world-loops", world_loops, ("DJ.011/world-loop",)),
    Rule("articulation-roots", roots, ("articulation/no-root", "articulation/several-trees")),
    Rule("disabled-joints", disabled_joints, ("joint/disabled",)),
)

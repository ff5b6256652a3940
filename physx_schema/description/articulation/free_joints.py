"""Joints outside articulations, as PhysX makes them: between any two bodies of which one moves."""

from __future__ import annotations

from collections.abc import Container, Sequence

from physx_schema.description.articulation.joints import AuthoredJoint
from physx_schema.description.articulation.outside_joints import read_outside
from physx_schema.description.articulation.tree import Tree, nested_roots
from physx_schema.description.model import OutsideJoint
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.roster import Roster


def free_joints(
    reading: Reading, roster: Roster, joints: Sequence[AuthoredJoint], trees: Sequence[Tree],
) -> tuple[OutsideJoint, ...]:
    """The joints that PhysX makes beside articulations; those it makes nowhere are reported."""
    used = {joint.path for tree in trees for joint in (tree.base, *(link.joint for link in tree.links)) if joint}
    used |= {joint.path for tree in trees for joint in tree.closing}
    links = {link.body for tree in trees for link in tree.links if tree.enabled}
    nested = nested_roots(reading)
    roots = {joint.path for joint in joints if joint.to_world and joint.path not in nested
             and joint.opinions.has("PhysicsArticulationRootAPI")}
    return tuple(
        read_outside(reading, roster, joint) for joint in joints
        if joint.enabled and joint.path not in used and _is_made(reading, roster, links, roots, joint)
    )


def loose_joints(reading: Reading, roster: Roster, tree: Tree) -> tuple[OutsideJoint, ...]:
    """The joints that PhysX makes of those of an articulation that is not enabled."""
    joints = [joint for joint in (tree.base, *(link.joint for link in tree.links)) if joint is not None]
    return tuple(read_outside(reading, roster, joint) for joint in joints
                 if not tree.enabled and _is_made(reading, roster, (), (), joint))


def _is_made(reading: Reading, roster: Roster, links: Container[str], roots: Container[str], joint: AuthoredJoint
             ) -> bool:
    """Whether PhysX makes a joint of the two ends; `roots` are the joints that articulations are rooted at."""
    first, second = joint.ends[0].body, joint.ends[1].body
    if (joint.path in reading.copies or joint.path in roots or roster.unplaced & {first, second}
            or not all(end.sound for end in joint.ends)):
        return False    # reported as what they are
    if first == second:
        found = f"joins {first} to itself" if first else "joins the world to the world"
        code = "joint/same-body" if first else "joint/no-bodies"
        _report(reading, joint, code, "physics:body1", found, "point body0 and body1 at two bodies")
        return False
    if not any(roster.is_dynamic(body) or body in links for body in (first, second)):
        _report(reading, joint, "joint/static", "physics:body0", "neither of its ends moves by forces",
                "join at least one enabled body that is not kinematic")
        return False
    scenes = {scene for body in (first, second) if (scene := roster.owner(body)) is not None}
    if len(scenes) > 1:
        _report(reading, joint, "joint/several-scenes", "physics:body0",
                f"joins {first} and {second}, which belong to different scenes "
                f"({' and '.join(scene or 'none by name' for scene in sorted(scenes))})",
                "give both bodies one physics:simulationOwner")
        return False
    return True


def _report(reading: Reading, joint: AuthoredJoint, code: str, name: str, found: str, fix: str) -> None:
    reading.problem(code, joint.path, name, found, "PhysX makes no joint of it", fix)

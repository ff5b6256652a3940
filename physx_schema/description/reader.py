"""From a stage to its Description: the order in which its physics is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from physx_schema.description.accounting import settle
from physx_schema.description.bodies import colliders_by_body, is_enabled, read_link
from physx_schema.description.declared import applied_schemas
from physx_schema.description.fixed_tendons import read_fixed_tendons
from physx_schema.description.joints import AuthoredJoint, directed, read_joints, undirected
from physx_schema.description.mimics import read_declarations, read_mimics
from physx_schema.description.model import Articulation, Description, Joint, Link, MimicDeclaration, Problem
from physx_schema.description.opinions import PrimOpinions
from physx_schema.description.reading import Reading, path_key
from physx_schema.description.scene import iteration_bounds, read_scene
from physx_schema.description.spatial_tendons import read_spatial_tendons
from physx_schema.description.stages import open_stage, source_name
from physx_schema.description.tree import Tree, find_trees

Colliders = Mapping[str, Sequence[PrimOpinions]]


def describe(source: str | Path | Any) -> Description:
    """Everything physical on a stage, read the way PhysX reads it.

    `source` is a path or a Usd.Stage. Raises UnreadableError for a path that is no readable USD file; whatever is
    wrong with the physics of a readable stage becomes a Problem of the result.
    """
    stage = open_stage(source)
    reading = Reading(stage)
    scene = read_scene(reading)
    joints = read_joints(reading)
    colliders = colliders_by_body(reading)
    declarations = read_declarations(reading)
    trees = find_trees(reading, joints)
    articulations = tuple(_articulation(reading, tree, colliders, declarations) for tree in trees)
    placed = {link.path for articulation in articulations for link in articulation.links}
    used = {joint.path for tree in trees for joint in (tree.base, *(link.joint for link in tree.links)) if joint}
    bodies, free_joints = _free_bodies(reading, placed, colliders), _free_joints(reading, joints, used)
    account = settle(reading, scene, articulations, bodies, free_joints)
    return Description(
        source=source_name(stage), scene=scene, articulations=articulations, bodies=bodies, joints=free_joints,
        mimic_declarations=tuple(declarations), problems=_sorted(reading.problems), unused=tuple(account.unused),
        not_evaluated=tuple(account.not_evaluated), consumed=frozenset(account.consumed),
        authored=tuple(account.authored), applied=tuple(applied_schemas(reading.prims.values())),
    )


def _articulation(
    reading: Reading, tree: Tree, colliders: Colliders, declarations: Sequence[MimicDeclaration],
) -> Articulation:
    links: list[Link] = []
    for index, item in enumerate(tree.links):
        joint = directed(reading, item.joint, item.body, item.parent, index) if item.joint else None
        links.append(read_link(reading, reading.prims[item.body], colliders.get(item.body, ()), item.parent, joint))
    base = directed(reading, tree.base, tree.links[0].body, -1, 0) if tree.base else None
    view = tree.root.view("PhysxArticulationAPI")
    low, high, low_velocity, high_velocity = iteration_bounds(reading)
    return Articulation(
        path=tree.root.path, fixed_base=base is not None, base_joint=base, links=tuple(links),
        position_iterations=min(max(view.count("solverPositionIterationCount"), low), high),
        velocity_iterations=min(max(view.count("solverVelocityIterationCount"), low_velocity), high_velocity),
        enabled=view.flag("articulationEnabled"),
        fixed_tendons=read_fixed_tendons(reading, links), spatial_tendons=read_spatial_tendons(reading, links),
        mimics=read_mimics(reading, declarations, links),
    )


def _sorted(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Each problem once, by prim and property."""
    return tuple(sorted(dict.fromkeys(problems), key=lambda item: (path_key(item.path), item.property, item.code)))


def _free_bodies(reading: Reading, placed: set[str], colliders: Colliders) -> tuple[Link, ...]:
    return tuple(
        read_link(reading, opinions, colliders.get(opinions.path, ()), -1, None)
        for opinions in reading.having("PhysicsRigidBodyAPI")
        if opinions.path not in placed and is_enabled(opinions)
    )


def _free_joints(reading: Reading, joints: Sequence[AuthoredJoint], used: set[str]) -> tuple[Joint, ...]:
    return tuple(undirected(reading, joint) for joint in joints if joint.path not in used and joint.enabled)

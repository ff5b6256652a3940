"""From a stage to its Description: the order in which its physics is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from pxr import Tf

from physx_schema.description.articulation.fixed_tendons import read_fixed_tendons
from physx_schema.description.articulation.joints import inbound_joint, read_joints
from physx_schema.description.articulation.maximal_joints import read_loose_joints, read_maximal_joints
from physx_schema.description.articulation.mimics import read_declarations, read_mimics
from physx_schema.description.articulation.spatial_tendons import read_spatial_tendons
from physx_schema.description.articulation.tree import Tree, find_trees
from physx_schema.description.bodies import as_free_body, gc_disabled, read_forces, read_link
from physx_schema.description.body_registry import BodyRegistry, read_body_registry
from physx_schema.description.collision.colliders import ColliderPart
from physx_schema.description.collision.pairs import read_collision
from physx_schema.description.composition import LOUD, in_one_line, remarked
from physx_schema.description.model import Articulation, Description, ExternalForce, Link, MimicDeclaration, Problem
from physx_schema.description.opinions.accounting import classify, default_sleep_threshold
from physx_schema.description.opinions.conditions import report_conditions
from physx_schema.description.opinions.prim import applied_schemas
from physx_schema.description.opinions.reading import ReadContext, path_key
from physx_schema.description.scenes import Scenes
from physx_schema.description.stages import StageSource, open_stage, remarks_on, source_name
from physx_schema.diagnostics import announce, captured
from physx_schema.errors import UnreadableError

_MAX_MESSAGE_LENGTH = 160      # characters of USD's words
Colliders = Mapping[str, Sequence[ColliderPart]]
Forces = Mapping[str, tuple[ExternalForce, ...]]


def describe(source: StageSource) -> Description:
    """Return all physics on a stage, as PhysX reads it.

    `source` is a path or a Usd.Stage. Physics that PhysX ignores or refuses is listed in `problems` and `unused`.

    Raises UnreadableError for a path that is not a readable USD file.

    Example::

        description = describe("robot.usda")
        for robot in description.articulations:
            print(robot.path, [dof.name for dof in robot.dofs])
    """
    stage = open_stage(source)
    try:
        with gc_disabled(), captured() as capture:
            description = _describe(stage)
            texts = (*remarks_on(stage), *capture.take())
    except (Tf.ErrorException, UnicodeDecodeError) as error:     # values that USD reads only when they are asked for
        reason = " ".join(str(error).split())[:_MAX_MESSAGE_LENGTH]
        raise UnreadableError(f"{source_name(stage)}: USD cannot read the whole stage: {reason}; export the file "
                              "again") from None
    remarks = tuple(remarked(texts, description.problems))
    loud = (problem for problem in description.problems if problem.code in LOUD and problem.severity != "info")
    for problem in (*remarks, *loud):
        announce(in_one_line(description.source, problem))
    return replace(description, problems=_sorted((*description.problems, *remarks))) if remarks else description


def _describe(stage: Any) -> Description:
    context = ReadContext(stage)
    report_conditions(context)
    scenes = Scenes(context)
    registry = read_body_registry(context, scenes)
    joints = read_joints(context)
    collision = read_collision(context, scenes)
    declarations = read_declarations(context)
    trees = find_trees(context, registry, joints)
    colliders = collision.by_body
    forces = read_forces(context)
    articulations = tuple(_articulation(context, tree, scenes, registry, colliders, forces, declarations)
                          for tree in trees)
    bodies = _free_bodies(context, registry, articulations, colliders, forces, scenes)
    maximal = read_maximal_joints(context, registry, joints, trees)
    account = classify(context, articulations, bodies, maximal)
    return Description(
        source=source_name(stage), scene=scenes.default, articulations=articulations, bodies=bodies, joints=maximal,
        body_paths=tuple(path for path, scene in registry.scenes.items() if scene is not None),
        mimic_declarations=tuple(chain.from_iterable(declarations.values())), problems=_sorted(context.problems),
        unused=tuple(account.unused),
        not_evaluated=tuple(account.not_evaluated), consumed=frozenset(account.consumed),
        authored=tuple(account.authored), applied=tuple(applied_schemas(context.prims.values())),
        scenes=tuple(scenes.by_path.values()), static_colliders=collision.static, materials=collision.materials,
        collision_groups=collision.groups, filtered_pairs=collision.pairs,
        contact_reports=collision.reports,
    )


def _articulation(
    context: ReadContext, tree: Tree, scenes: Scenes, registry: BodyRegistry, colliders: Colliders, forces: Forces,
    declarations: Mapping[str, Sequence[MimicDeclaration]],
) -> Articulation:
    links: list[Link] = []
    scene = registry.scenes[tree.links[0].body] or ""
    for index, item in enumerate(tree.links):
        parent_body = tree.links[item.parent].body
        joint = inbound_joint(context, item.joint, item.body, parent_body, (item.parent, index)) if item.joint else None
        body = context.prims[item.body]
        links.append(read_link(context, body, colliders.get(item.body, ()), item.parent, joint, scene,
                               forces.get(item.body, ())))
    base = inbound_joint(context, tree.base, tree.links[0].body, "", (-1, 0)) if tree.base else None
    view = tree.root.view("PhysxArticulationAPI")
    bounds = scenes.bounds(scene)
    loose = [] if tree.enabled else [
        read_link(context, context.prims[item.body], colliders.get(item.body, ()), -1, None, scene,
                  forces.get(item.body, ()), True) for item in tree.links]
    return Articulation(
        path=tree.root.path, fixed_base=base is not None, base_joint=base, links=tuple(links),
        position_iterations=bounds.position_count(view.count("solverPositionIterationCount")),
        velocity_iterations=bounds.velocity_count(view.count("solverVelocityIterationCount")),
        enabled=tree.enabled,
        sleep_threshold=(view.clamped("sleepThreshold") if view.applied else
                         default_sleep_threshold(context.meters_per_unit)),
        fixed_tendons=read_fixed_tendons(context, links), spatial_tendons=read_spatial_tendons(context, links),
        mimics=read_mimics(context, declarations, links), loose_links=tuple(
            as_free_body(context, context.prims[link.path], link, bounds) for link in loose),
        loose_joints=read_loose_joints(context, registry, tree),
    )


def _sorted(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Each problem once, by prim and property."""
    return tuple(sorted(dict.fromkeys(problems), key=lambda item: (path_key(item.path), item.property, item.code)))


def _free_bodies(
    context: ReadContext, registry: BodyRegistry, articulations: Sequence[Articulation], colliders: Colliders,
    forces: Forces, scenes: Scenes,
) -> tuple[Link, ...]:
    """The bodies that PhysX makes outside articulations."""
    link_paths = {link.path for articulation in articulations for link in articulation.links}
    bodies = []
    for path, scene in registry.scenes.items():
        if path not in link_paths and scene is not None:
            prim = context.prims[path]
            link = read_link(context, prim, colliders.get(path, ()), -1, None, scene, forces.get(path, ()), True)
            bodies.append(as_free_body(context, prim, link, scenes.bounds(scene)))
    return tuple(bodies)

"""Groups actors connected by joints outside articulations or by contacts into islands, and packs each one's structure
and rows. `islands_of` refuses a stage with joints that cannot be stepped; `sorted_islands` returns these islands'
actors with reasons. PhysX: IslandSim.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from physx_runtime.arrays import DoubleArray
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK, STATIC
from physx_runtime.model.island import HingeTopology, IslandTopology, SolverBody
from physx_runtime.model.island_rows import JOINT_GROUP, KINEMATIC_GROUP, island_output_rows
from physx_runtime.model.row_specs import ACTOR_GROUP, owner_prefix
from physx_runtime.model.scene import SceneModel
from physx_runtime.model.topology import SAPIEN, BodyTopology
from physx_runtime.packing.body import pack_actor
from physx_runtime.packing.contacts import Mover, PackedContacts, Touching, pack_contacts
from physx_runtime.packing.frames import (
    IDENTITY_ROTATION,
    Frame,
    compose,
    in_frame,
    inverse_frame,
    on_axis,
    relative_to_center,
    rounded_frame,
)
from physx_runtime.packing.maximal_joint import Hinge, creation_order, joint_frames, joint_topology, maximal_joint_rows
from physx_runtime.packing.model import PackedModel, RowValues, arrays, length_scale
from physx_schema.description.model import Articulation, Description, Link, MaximalJoint, Scene
from physx_schema.errors import UnsupportedError


@dataclass(frozen=True, slots=True)
class PackedIsland:
    """An island ready to step: structure, parameters and the authored state, float64; rows as in model.island_rows."""

    topology: IslandTopology
    parameters: Mapping[str, DoubleArray]     # of actors, joints and kinematic bodies, settings left out
    state: Mapping[str, DoubleArray]          # of actors, and what joints keep
    actors: Mapping[str, PackedModel]   # by name, in the order of the scene
    joints: tuple[str, ...]             # paths, in the order in which PhysX makes them
    kinematic: tuple[str, ...]          # paths of the kinematic bodies at joints and among its contacts
    contacts: PackedContacts | None = None      # of bodies that can touch something


def islands_of(description: Description, model: SceneModel, solver: str = "physx",
               touching: Touching | None = None) -> tuple[PackedIsland, ...]:
    """The islands of a scene: actors connected by joints or contacts, in their order; others are in none.

    touching: the contacts that are stepped, None for none. Raises UnsupportedError, a line for each joint and actor
    that is not stepped.
    """
    islands, refused = sorted_islands(description, model, solver, touching)
    if refused:
        raise UnsupportedError("\n".join(dict.fromkeys(line for lines in refused.values() for line in lines)))
    return islands


def sorted_islands(description: Description, model: SceneModel, solver: str, touching: Touching | None = None,
                   ) -> tuple[tuple[PackedIsland, ...], Mapping[str, tuple[str, ...]]]:
    """The islands that can be stepped, and for actors of the others the reasons, a line for each joint and actor.

    Arguments as of `islands_of`.
    """
    joints = [joint for joint in creation_order(model.joints) if any(model.ends(joint))]
    worlds = touching.worlds if touching else ()
    touching_names = {name for names in worlds for name in names}
    islands: list[PackedIsland] = []
    refused: dict[str, tuple[str, ...]] = {}
    for names, island_joints in _connected_groups(model, joints, worlds):
        lines = [line for joint in island_joints for line in _refusals(description, model, joint)]
        if not lines:
            try:
                islands.append(_pack_island(description, model, names, island_joints, solver,
                                            touching if touching_names & set(names) else None))
            except UnsupportedError as error:
                lines = str(error).splitlines()
        refused |= dict.fromkeys(names, tuple(lines)) if lines else {}
    return tuple(islands), refused


def _connected_groups(model: SceneModel, joints: Sequence[MaximalJoint], worlds: Sequence[Sequence[str]],
                      ) -> Iterator[tuple[list[str], list[MaximalJoint]]]:
    """Names of actors and joints of every island."""
    names = {id(actor): name for name, actor in model.actors.items()}
    ends = {joint.path: [names[id(end)] for end in model.ends(joint) if end is not None] for joint in joints}
    groups = [*ends.values(), *worlds]
    parent = {name: name for group in groups for name in group}

    def find_root(name: str) -> str:
        while parent[name] != name:
            parent[name] = name = parent[parent[name]]
        return name

    for group in groups:
        for name in group[1:]:
            parent[find_root(name)] = find_root(group[0])
    islands: dict[str, tuple[list[str], list[MaximalJoint]]] = {}
    for name in filter(parent.__contains__, model.actors):
        islands.setdefault(find_root(name), ([], []))[0].append(name)
    for joint in joints:
        islands[find_root(ends[joint.path][0])][1].append(joint)
    yield from islands.values()


def _refusals(description: Description, model: SceneModel, joint: MaximalJoint) -> Iterator[str]:
    """Why a joint is not stepped."""
    unstepped = {joint.body0, joint.body1} & set(description.body_paths)
    unstepped -= model.owners.keys() | {body.path for body in model.kinematic}
    for body in sorted(unstepped):
        yield f"{joint.path}: the joint is connected to {body}, which is not simulated; step the whole scene"
    if joint.coupling is not None and not math.isfinite(joint.coupling.ratio):
        name = "gearRatio" if joint.kind == "gear" else "ratio"
        yield f"{joint.path}.physics:{name}: the ratio is {joint.coupling.ratio:g}; author a finite number"
    joined = _bodies_by_joint(model) if joint.coupling is not None else {}
    for path, body in _hinges(joint):
        if path in joined and body not in joined[path]:
            yield (f"{joint.path}: its hinge {path} is not connected to {body or 'the world'}, and such gears are not "
                   "simulated; target a hinge that is connected to it")


def _bodies_by_joint(model: SceneModel) -> dict[str, tuple[str, str]]:
    """The bodies of every joint, those of articulations too, by its path."""
    inside = [link.joint for actor in model.actors.values() for link in actor.links if link.joint is not None]
    bodies = {joint.path: (joint.body0, joint.body1) for joint in inside}
    return bodies | {joint.path: (joint.body0, joint.body1) for joint in model.joints}


def _hinges(joint: MaximalJoint) -> tuple[tuple[str, str], ...]:
    """(hinge, body that it turns) of a gear or a rack."""
    coupling = joint.coupling
    return ((coupling.first, joint.body0), (coupling.second, joint.body1)) if coupling is not None else ()


class _IslandIndex:
    """Indices of an island's actors, links, kinematic bodies and joints."""

    def __init__(self, model: SceneModel, actors: Mapping[str, PackedModel], joints: Sequence[MaximalJoint],
                 touched: Collection[str]) -> None:
        self.actors, self.joints = list(actors.values()), joints
        self.links = {path: (i, k) for i, actor in enumerate(self.actors) for k, path in enumerate(actor.link_names)}
        attached = {*touched, *(path for joint in joints for path in (joint.body0, joint.body1))}
        self.kinematic = [body for body in model.kinematic if body.path in attached and body.path not in self.links]
        self._kinematic = {body.path: i for i, body in enumerate(self.kinematic)}

    def solver_body(self, body: str) -> SolverBody:
        """The solver body of a joint at a body's prim."""
        if body in self.links:
            i, link = self.links[body]
            return SolverBody(BODY if isinstance(self.actors[i].topology, BodyTopology) else LINK, i, link)
        return SolverBody(KINEMATIC, self._kinematic[body]) if body in self._kinematic else SolverBody(STATIC)

    def link_frame(self, body: str) -> Frame:
        """The frame of a body's prim in its F."""
        if body in self.links:
            i, link = self.links[body]
            return self.actors[i].link_frames[link]
        if body in self._kinematic:
            return inverse_frame((self.kinematic[self._kinematic[body]].center_of_mass, IDENTITY_ROTATION))
        return (0.0, 0.0, 0.0), IDENTITY_ROTATION

    def frame_in_body(self, body: str, frame: Frame, exact: bool) -> Frame:
        """A joint frame in a body's prim, in its F; rounded as PhysX rounds it, or exact."""
        if exact:
            return compose(self.link_frame(body), frame)
        link = self._body(body)
        if link is None:
            return rounded_frame(frame)
        center = (link.center_of_mass, link.principal_axes)
        relative = relative_to_center(frame, center)
        return relative if self.solver_body(body).kind == BODY else compose(compose(self.link_frame(body),
                                                                                    rounded_frame(center)), relative)

    def hinges(self, joint: MaximalJoint) -> tuple[Hinge | None, ...]:
        """The two hinges of a gear or a rack, None for one that is missing."""
        return tuple(self._hinge(path, body, {joint.body0, joint.body1}) for path, body in _hinges(joint))

    def _hinge(self, path: str, body: str, coupled: set[str]) -> Hinge | None:
        for i, joint in enumerate(self.joints):
            if joint.path == path:
                frame = joint_frames(joint)[0 if body == joint.body0 else 1]
                return Hinge(HingeTopology(joint=i, holds_first=joint.body0 in coupled), frame, self._coordinate(joint))
        for i, actor in enumerate(self.actors):
            dof = 0
            for link in actor.actor.links:
                if link.joint is not None and link.joint.path == path:
                    frame = link.joint.child_frame if body == link.path else link.joint.parent_frame
                    return Hinge(HingeTopology(actor=i, dof=dof, holds_first=link.joint.body0 in coupled),
                                 on_axis(frame, link.joint.kind, link.joint.axis), actor.actor.dofs[dof].position)
                dof += len(link.joint.dofs) if link.joint is not None else 0
        return None

    def _coordinate(self, joint: MaximalJoint) -> float:
        """How far a joint is turned about its axis, or slid along it, as authored."""
        first, second = (compose(self._pose(body), frame) for body, frame in zip(
            (joint.body0, joint.body1), joint_frames(joint), strict=True))
        position, (x, _, _, w) = compose(inverse_frame(first), second)
        if joint.kind == "prismatic":
            return float(position[0])
        angle = 2.0 * math.atan2(x, w)
        return angle - math.copysign(2.0 * math.pi, angle) if abs(angle) > math.pi else angle

    def _pose(self, body: str) -> Frame:
        """Where a body's prim is as authored; the world where it is none of the island's."""
        link = self._body(body)
        return link.pose if link is not None else ((0.0, 0.0, 0.0), IDENTITY_ROTATION)

    def _body(self, path: str) -> Link | None:
        """A body of the island; none where PhysX takes the world."""
        if path in self.links:
            i, link = self.links[path]
            return self.actors[i].actor.links[link]
        return self.kinematic[self._kinematic[path]] if path in self._kinematic else None


def _pack_island(description: Description, model: SceneModel, names: Sequence[str], joints: Sequence[MaximalJoint],
                 solver: str, touching: Touching | None) -> PackedIsland:
    actors = {name: pack_actor(model.actors[name], description.scene_of(model.actors[name]), solver)
              for name in names}
    scene = next(iter(actors.values())).scene
    index = _IslandIndex(model, actors, joints, touching.kinematic(scene) if touching else ())
    topologies, rows = [], dict[str, DoubleArray]()
    for i, joint in enumerate(joints):
        joint_hinges = index.hinges(joint)
        # PhysX counts the turns of neither where one is missing.
        hinges = [hinge for hinge in joint_hinges if hinge is not None] if None not in joint_hinges else []
        topology = joint_topology(joint, (index.solver_body(joint.body0), index.solver_body(joint.body1)), hinges)
        pgs = any(actor.topology.pgs for actor in actors.values())
        topologies.append(replace(topology, exact=solver == "ideal", pgs=pgs, sapien=solver == SAPIEN))
        frames = _frames(index, joint, joint_hinges, exact=solver == "ideal")
        joint_values = maximal_joint_rows(joint, topologies[-1], frames, length_scale(scene, solver), hinges)
        rows |= _prefixed(owner_prefix(JOINT_GROUP, i), arrays(joint_values))
    for i, body in enumerate(index.kinematic):
        rows |= _prefixed(owner_prefix(KINEMATIC_GROUP, i), arrays(_kinematic_rows(body)))
    for i, actor in enumerate(actors.values()):
        rows |= _prefixed(owner_prefix(ACTOR_GROUP, i), {**actor.parameters, **actor.state})
    t = IslandTopology(tuple(actor.topology for actor in actors.values()), tuple(topologies), len(index.kinematic),
                       solver == "ideal", scene.contact.of_links_last)
    lasting = island_output_rows(t)
    return PackedIsland(
        t, {name: values for name, values in rows.items() if name not in lasting},
        {name: values for name, values in rows.items() if name in lasting}, actors,
        tuple(joint.path for joint in joints), tuple(body.path for body in index.kinematic),
        _contacts(description, touching, index, scene, solver) if touching else None)


def _contacts(description: Description, touching: Touching, index: _IslandIndex, scene: Scene,
              solver: str) -> PackedContacts:
    """The colliders of an island's links and bodies, those of its kinematic bodies, and the static ones."""
    movers = [Mover(body, index.solver_body(body.path).kind, i, k, frame,
                    fixed_root=packed.actor.fixed_base and k == 0)
              for i, packed in enumerate(index.actors)
              for k, (body, frame) in enumerate(zip(packed.actor.links, packed.link_frames, strict=True))]
    movers += [Mover(body, KINEMATIC, i, 0, index.link_frame(body.path)) for i,
               body in enumerate(index.kinematic)]
    articulations = {i: packed.actor for i, packed in enumerate(index.actors)
                     if isinstance(packed.actor, Articulation)}
    return pack_contacts(description, touching, sorted(movers, key=lambda mover: not mover.moves), scene, solver,
                         articulations)


def _frames(index: _IslandIndex, joint: MaximalJoint, hinges: Sequence[Hinge | None], exact: bool) -> tuple[Frame,
                                                                                                            Frame]:
    """The joint frame in the F of either side; of a gear or a rack that of the hinge there, where there is one."""
    first, second = joint_frames(joint)
    if hinges:
        first, second = (hinge.frame if hinge is not None else frame
                         for hinge, frame in zip(hinges, (first, second), strict=True))
    return index.frame_in_body(joint.body0, first, exact), index.frame_in_body(joint.body1, second, exact)


def _kinematic_rows(body: Link) -> RowValues:
    """Rows of the authored pose of a kinematic body."""
    return {"position": list(in_frame(body.pose, body.center_of_mass)), "rotation": list(body.pose[1]),
            "velocity": [0.0] * 6, "active": [0.0]}


def _prefixed(prefix: str, rows: Mapping[str, DoubleArray]) -> dict[str, DoubleArray]:
    return {prefix + name: values for name, values in rows.items()}

"""Scenes of entities and components, and the engine that steps them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from physx_runtime.arrays import SingleArray
from physx_runtime.components.accessors import Accessors
from physx_runtime.components.actor_builder import ActorBuilder
from physx_runtime.components.articulation import PhysxArticulation, PhysxRigidDynamicComponent
from physx_runtime.components.articulation_builder import ArticulationBuilder
from physx_runtime.components.engine import Engine
from physx_runtime.components.entity import Entity, count, instance, only_component
from physx_runtime.components.joint_components import (
    PhysxDistanceJointComponent,
    PhysxDriveComponent,
    PhysxJointComponent,
)
from physx_runtime.components.link import PhysxContact
from physx_runtime.components.material import PhysxMaterial
from physx_runtime.components.pose import Pose
from physx_runtime.components.profile import PHYSX, profile_of
from physx_runtime.components.rigid import PhysxRigidBaseComponent, PhysxRigidBodyComponent, PhysxRigidStaticComponent
from physx_runtime.components.running import Body
from physx_runtime.components.stage import WORLD, PrimMap, first_pose, new_stage, write_free_body
from physx_runtime.components.stage_joints import write_articulation, write_joint_component
from physx_runtime.components.stage_reader import StageReader
from physx_runtime.components.stage_shapes import write_groups, write_materials, write_shapes
from physx_runtime.components.system import PhysxCpuSystem, PhysxSystem, System
from physx_runtime.components.urdf import URDFLoader
from physx_runtime.model.topology import SAPIEN
from physx_runtime.packing.not_simulated import NotSimulatedWarning
from physx_schema.description import describe
from physx_schema.description.model import Description


class StillEngine:
    """Takes kinematic bodies where they are sent; there is nothing else to step."""

    def __init__(self, prims: PrimMap, worlds: int, timestep: float) -> None:
        self.prims, self.worlds, self._timestep = prims, worlds, timestep
        self._bodies = [body for body in prims.bodies if isinstance(body, PhysxRigidDynamicComponent)]
        self._poses = {body: body.entity_pose for body in self._bodies}
        self._targets: dict[Any, Pose] = {}
        for body in self._bodies:
            body.running = self         # type: ignore[assignment]  # of what else engines do, nothing is asked here

    def release(self) -> None:
        """Have bodies hold where they are."""
        for body in self._bodies:
            body.release_state()

    def set_time_step(self, timestep: float) -> None:
        """Step by another time from now on."""
        self._timestep = timestep

    def step(self) -> None:
        """Take bodies to their targets."""
        self._poses |= self._targets
        self._targets.clear()

    def pose(self, body: Body) -> Pose:
        return self._poses[body]

    def velocity(self, body: Body) -> SingleArray:
        return np.zeros(6, np.float32)

    def set_pose(self, body: Body, pose: Pose) -> None:
        self._poses[body] = pose

    def set_target(self, body: Body, pose: Pose) -> None:
        self._targets[body] = pose

    def target(self, body: Body) -> Pose | None:
        return self._targets.get(body)

    def set_body(self, body: Body, name: str) -> None:
        body.changed()

    def asleep(self, owner: Body) -> bool:
        return False

    def wake(self, owner: Body) -> None:
        """Nothing sleeps."""


JointT = TypeVar("JointT", bound=PhysxJointComponent)
GROUND_ROTATION = (0.7071068, 0.0, -0.7071068, 0.0)       # of a plane whose normal is up


class Scene(Accessors):
    """A scene with entities, and with the systems that step them. Without `systems`, a scene has one `PhysxCpuSystem`.

    The scene is written to a USD stage before its first step. If the running engine does not support a change, the
    scene is written to a new stage before the next step; the states are kept.

    Args:
        worlds: Number of copies that are stepped together. With several worlds, states (poses, velocities,
            coordinates, efforts, targets, sleep) have a first axis (n_world,). Setters accept values with or without
            this axis. All other properties are equal in all worlds.
        profile: `sapien-3.0` behaves as SAPIEN 3.0.3, `physx` as ovphysx.
    """

    _count = 0

    def __init__(self, systems: Sequence[System] | None = None, *, worlds: int = 1, profile: str = SAPIEN) -> None:
        Scene._count += 1
        self._id = Scene._count
        self.worlds, self.profile = count("worlds", worlds, 1, 2**31 - 1), profile_of(profile)
        self._entities: list[Entity] = []
        self._systems: list[System] = []
        self._engine: Engine | StillEngine | None = None
        self._stale, self._warned, self._numbers = True, False, 0
        for system in systems if systems is not None else [PhysxCpuSystem()]:
            self.add_system(system)

    # --- what is in it -----------------------------------------------------------------------------------------------

    @property
    def id(self) -> int:
        """A number that is unique in this process."""
        return self._id

    @property
    def entities(self) -> list[Entity]:
        """The entities, in the order in which they were added."""
        return list(self._entities)

    @property
    def physx_system(self) -> PhysxSystem:
        """The physics system. Raises RuntimeError if the scene has no physics system."""
        system = next((system for system in self._systems if isinstance(system, PhysxSystem)), None)
        if system is None:
            raise RuntimeError("the scene has no physics system; give it a PhysxCpuSystem")
        return system

    def add_system(self, system: System) -> None:
        """Add a system. Raises RuntimeError for a second physics system, or a system of another scene."""
        instance("system", system, System)
        if system.scene is not None:
            raise RuntimeError("the system already belongs to a scene; create another system")
        if isinstance(system, PhysxSystem) and any(isinstance(other, PhysxSystem) for other in self._systems):
            raise RuntimeError("the scene already has a physics system")
        system.scene = self
        self._systems.append(system)

    def get_system(self, name: str) -> System:
        """Return the physics system for the name "physx". Raises ValueError for any other name."""
        if name != "physx":
            raise ValueError(f"there is no system {name!r}; give 'physx'")
        return self.physx_system

    def add_entity(self, entity: Entity) -> None:
        """Add an entity. Raises RuntimeError if the entity is already in a scene."""
        instance("entity", entity, Entity)
        if entity.scene is not None:
            raise RuntimeError(f"{entity!r} is already in a scene; remove it from that scene first")
        self._numbers += 1
        entity.enter(self, self._numbers)
        self._entities.append(entity)
        self.changed()

    def remove_entity(self, entity: Entity) -> None:
        """Remove an entity. If you remove a link, the scene no longer steps the link's articulation. Raises ValueError
        for an unknown entity.
        """
        if entity not in self._entities:
            raise ValueError(f"{entity!r} is not in this scene")
        self.stop()
        self._entities.remove(entity)
        entity.enter(None, 0)

    def clear(self) -> None:
        """Remove all entities."""
        for entity in self.entities:
            self.remove_entity(entity)

    def remove_actor(self, actor: Entity) -> None:
        """The same as `remove_entity`."""
        self.remove_entity(actor)

    def remove_articulation(self, articulation: PhysxArticulation) -> None:
        """Remove the entities of an articulation."""
        for link in articulation.links:
            self.remove_entity(link.require_entity())

    @property
    def all_actors(self) -> list[Entity]:
        """The entities of free bodies, then of static bodies."""
        bodies = [*self.physx_system.rigid_dynamic_components, *self.physx_system.rigid_static_components]
        return [body.require_entity() for body in bodies]

    @property
    def all_articulations(self) -> list[PhysxArticulation]:
        """The articulations of the scene."""
        return [link.articulation for link in self.physx_system.articulation_link_components if link.is_root]

    # --- builders ----------------------------------------------------------------------------------------------------

    def create_actor_builder(self) -> ActorBuilder:
        """Return a builder of free and static bodies."""
        return ActorBuilder().set_scene(self)

    def create_articulation_builder(self) -> ArticulationBuilder:
        """Return a builder of articulations."""
        return ArticulationBuilder().set_scene(self)

    def create_urdf_loader(self) -> URDFLoader:
        """Return a loader of robots in URDF files."""
        return URDFLoader().set_scene(self)

    def create_physical_material(self, static_friction: float, dynamic_friction: float,
                                 restitution: float) -> PhysxMaterial:
        """Return a material."""
        return PhysxMaterial(static_friction, dynamic_friction, restitution)

    def add_ground(self, altitude: float, render: bool = False, material: PhysxMaterial | None = None,
                   **rendering: Any) -> Entity:
        """Add a ground plane at a height in metres, with its normal up. Rendering arguments have no effect."""
        builder = self.create_actor_builder().set_physx_body_type("static")
        return builder.add_plane_collision(Pose((0.0, 0.0, altitude), GROUND_ROTATION), material).build("ground")

    def create_drive(self, body0: Any, pose0: Pose, body1: Any, pose1: Pose) -> PhysxDriveComponent:
        """Return a joint between two bodies or entities, with a joint frame on each of them. To connect a body to the
        world, give None in place of the other body."""
        child = only_component(body1, PhysxRigidBodyComponent)
        return self._attach_joint(PhysxDriveComponent(child), body0, pose0, pose1)

    def create_connection(self, body0: Any, pose0: Pose, body1: Any, pose1: Pose) -> PhysxDistanceJointComponent:
        """Return a joint as `create_drive` does. The joint holds the origins of both joint frames together until
        `set_limit` is called.
        """
        joint = self._attach_joint(PhysxDistanceJointComponent(only_component(body1, PhysxRigidBodyComponent)), body0,
                                   pose0,
                                   pose1)
        joint.set_limit(0.0, 0.0)
        return joint

    @staticmethod
    def _attach_joint(joint: JointT, parent: Any, pose0: Pose, pose1: Pose) -> JointT:
        joint.parent = None if parent is None else only_component(parent, PhysxRigidBaseComponent)
        joint.pose_in_parent, joint.pose_in_child = pose0, pose1
        joint.body.require_entity().add_component(joint)
        return joint

    # --- stepping ----------------------------------------------------------------------------------------------------

    @property
    def timestep(self) -> float:
        """The time step in seconds, above 0."""
        return self.physx_system.timestep

    @timestep.setter
    def timestep(self, timestep: float) -> None:
        self.physx_system.timestep = timestep

    def retime(self) -> None:
        """Apply a changed time step to the engine."""
        if self._engine is not None:
            self._engine.set_time_step(self.timestep)

    def step(self) -> None:
        """Advance by one time step."""
        self.physx_system.step()

    def advance(self) -> None:
        """Advance the engine by one step; called by the physics system."""
        self.begin()
        if self._engine is not None:
            self._engine.step()

    def changed(self) -> None:
        """Record that the scene has changed since it was written to its stage."""
        self._stale = True

    @property
    def engine(self) -> Engine | None:
        """The engine that steps the scene; None before the first step, and if no body moves."""
        return self._engine if isinstance(self._engine, Engine) else None

    def begin(self) -> None:
        """Start the engine with the current scene, unless the engine is running."""
        if not self._stale:
            return
        stopped = self.stop()
        prims = self._write_stage()
        if any(self._moves(body) for body in prims.bodies):
            self._warn_not_simulated()
            previous = stopped if isinstance(stopped, Engine) else None
            self._engine = Engine(prims, self.worlds, self.timestep, previous, solver=self.profile.name)
        else:
            self._engine = StillEngine(prims, self.worlds, self.timestep)
        self._stale = False

    def _warn_not_simulated(self) -> None:
        joints = [joint for articulation in self.all_articulations for joint in articulation.active_joints
                  if joint.friction > 0.0]
        if joints and not self._warned and self.profile.name == PHYSX:
            self._warned = True
            warnings.warn(NotSimulatedWarning(
                f"friction of {len(joints)} joints, such as {joints[0].name!r}, is not simulated: it is a load "
                f"coefficient, which profile={PHYSX!r} does not support; set it to 0"), stacklevel=4)

    def stop(self) -> Engine | StillEngine | None:
        """Stop stepping, store the states in the components, and return the engine that ran."""
        stopped, self._engine, self._stale = self._engine, None, True
        if stopped is not None:
            stopped.release()
        return stopped

    @staticmethod
    def _moves(body: PhysxRigidBaseComponent) -> bool:
        return not isinstance(body, PhysxRigidStaticComponent) and not (
            isinstance(body, PhysxRigidDynamicComponent) and body.kinematic)

    @property
    def contacts(self) -> list[PhysxContact]:
        """The contacts of the last step; with several worlds, the contacts of the first world."""
        system = instance("the physics system", self.physx_system, PhysxCpuSystem)
        return system.get_contacts()        # type: ignore[no-any-return]

    # --- USD ---------------------------------------------------------------------------------------------------------

    @classmethod
    def from_stage(cls, stage: Any, *, worlds: int = 1, profile: str = PHYSX) -> Scene:
        """Return a scene for a USD stage, a file or a Description, in metres and kilograms.

        Entities have the names of their prims. Raises UnsupportedError if no component exists for some part of the
        stage; the message lists these parts. Raises UnreadableError for a file that is not a stage.
        """
        reader = StageReader(stage if isinstance(stage, Description) else describe(stage))
        system = PhysxCpuSystem()
        system.configure(reader.config())
        scene = cls([system], worlds=worlds, profile=profile)
        for entity in reader.entities:
            scene.add_entity(entity)
        return scene

    def to_stage(self) -> Any:
        """Write the current scene to a new USD stage in metres, and return the stage. With several worlds, only the
        first world is written.

        Prims have the names of entities. Efforts and sleep timers are not written.
        """
        return self._write_stage().stage

    def _write_stage(self) -> PrimMap:
        system = self.physx_system
        prims = new_stage(system.config, self.profile, system.timestep)
        articulations: dict[PhysxArticulation, None] = {}
        for entity in self._entities:
            for component in entity.components:
                if not component.is_enabled or not isinstance(component, PhysxRigidBaseComponent):
                    continue
                if isinstance(component, PhysxRigidDynamicComponent | PhysxRigidStaticComponent):
                    self._write_body(prims, entity, component)
                else:
                    articulations[component.articulation] = None        # type: ignore[attr-defined]
        for articulation in articulations:
            write_articulation(prims, articulation, WORLD)
        for entity in self._entities:
            for component in entity.components:
                if component.is_enabled and isinstance(component, PhysxJointComponent):
                    write_joint_component(prims, component)
        write_materials(prims)
        write_groups(prims)
        return prims

    def _write_body(self, prims: PrimMap, entity: Entity, body: PhysxRigidBaseComponent) -> None:
        path = prims.path(WORLD, entity.name)
        prim = prims.frame(path, first_pose(entity.pose))
        if isinstance(body, PhysxRigidDynamicComponent):
            write_free_body(prims, prim, body)
        write_shapes(prims, prim, body)
        prims.bodies[body] = path

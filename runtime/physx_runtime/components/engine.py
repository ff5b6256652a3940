"""The engine under a scene of components: what its stage describes, stepped in all worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import physx_runtime.simulation.scene as simulation
from physx_runtime.arrays import Condition, SingleArray
from physx_runtime.components.articulation import PhysxArticulation, PhysxRigidDynamicComponent
from physx_runtime.components.joint import PhysxArticulationJoint
from physx_runtime.components.joint_components import PhysxJointComponent
from physx_runtime.components.numbers import BODY_PARAMETERS
from physx_runtime.components.pose import Pose, unit
from physx_runtime.components.rigid import PhysxRigidBodyComponent
from physx_runtime.components.running import Body, JointHandle
from physx_runtime.components.stage import PrimMap
from physx_runtime.quantities.state import WorldQuantities, generalized_coriolis, generalized_gravity, sapien_gravity


class Engine:
    """Steps what was written to a stage, in so many worlds; states are those that components held.

    before: the engine that stepped the same scene up to now, whose contacts go on.
    """

    def __init__(self, prims: PrimMap, worlds: int, timestep: float, previous: Engine | None, **settings: Any) -> None:
        self.prims, self.worlds = prims, worlds
        self.scene = simulation.Scene(prims.stage, worlds, dt=timestep, **settings)
        self._body_indices = {path: i for i, path in enumerate(self.scene.body_names)}
        self._targets: dict[Any, Pose] = {}
        self._poses: NDArray[Any] | None = None
        self._velocities: NDArray[Any] | None = None
        owners = {path: (name, i) for name in self.scene.actors
                  for i, path in enumerate(self.scene[name].model.link_names)}
        # the actor that a body is a link of, and which of its links; None for a kinematic body
        self._owners = {body: owners.get(path) for body, path in prims.bodies.items()
                        if isinstance(body, PhysxRigidBodyComponent)}
        self._maximal_joints = [joint for joint in prims.joints if isinstance(joint, PhysxJointComponent)]
        self._dofs = {articulation: self._dof_indices(articulation) for articulation in prims.articulations}
        self._load_states()
        if previous is not None:
            self.scene.continue_from(previous.scene)

    def _dof_indices(self, articulation: PhysxArticulation) -> list[int]:
        """Where the engine has the coordinates, in the order of active joints."""
        names = list(self._actor(articulation).model.dof_names)
        return [names.index(self.prims.joints[joint]) for joint in articulation.active_joints]

    def _actor(self, owner: Body) -> Any:
        actor_link = self._owners[owner.root if isinstance(owner, PhysxArticulation) else owner]
        if actor_link is None:
            raise RuntimeError(f"{self.prims.bodies[owner]} is kinematic; it takes no forces and does not sleep")
        return self.scene[actor_link[0]]

    # --- states ------------------------------------------------------------------------------------------------------

    def _load_states(self) -> None:
        """Take what components held, in every world."""
        for body, owner in self._owners.items():
            if isinstance(body, PhysxRigidDynamicComponent):
                pose = rows_of(body.entity_pose, self.worlds)
                if owner is None:
                    self.scene.set_kinematic_pose(self.prims.bodies[body], pose)
                elif _differs_by_world(body.entity_pose.p, body.detached_sleep) or body.detached_velocity.any():
                    actor = self.scene[owner[0]]
                    actor.reset(root_pose=pose, root_velocity=_per_world(body.detached_velocity, self.worlds))
                    self._set_sleeping(actor, body.detached_sleep)
        for articulation in self.prims.articulations:
            self._load_articulation(articulation)
        for component in (*self._owners, *self._maximal_joints):
            component.running = self
        self._clear_cache()

    def _load_articulation(self, articulation: PhysxArticulation) -> None:
        actor, floating = self._actor(articulation), articulation.root.joint.type == "free"
        start: dict[str, Any] = {}
        if floating:
            start = {"root_pose": rows_of(articulation.root.entity_pose, self.worlds),
                     "root_velocity": _per_world(articulation.detached_root_velocity, self.worlds)}
        actor.reset(joint_position=self._in_engine_order(articulation, articulation.detached_rows["q"]),
                    joint_velocity=self._in_engine_order(articulation, articulation.detached_rows["v"]), **start)
        if articulation.dof and articulation.detached_rows["joint_effort"].any():
            actor.set("joint_effort", self._in_engine_order(articulation, articulation.detached_rows["joint_effort"]))
        for joint in articulation.active_joints:        # what no stage says
            self.set_joint(joint, "load_friction")
        for joint in articulation.active_joints if self.worlds > 1 else ():
            for name in ("target_position", "target_velocity"):
                if np.ndim(joint.parameter(name)) > 1:
                    self.set_joint(joint, name)
        self._set_sleeping(actor, articulation.detached_sleep)

    def _set_sleeping(self, actor: Any, asleep: Condition) -> None:
        if np.any(asleep):
            actor.put_to_sleep(np.broadcast_to(np.asarray(asleep, dtype=np.bool_), (self.worlds,)))

    def _in_engine_order(self, articulation: PhysxArticulation, values: Any) -> NDArray[np.float64]:
        rows = _per_world(values, self.worlds)
        ordered = np.zeros_like(rows)
        ordered[:, self._dofs[articulation]] = rows
        return ordered

    def release(self) -> None:
        """Have components hold what is known of them, and step none of them any more."""
        for joint in self._maximal_joints:
            joint.running = None
        for articulation in self.prims.articulations:
            articulation.release_state()
        for body in self._owners:
            if isinstance(body, PhysxRigidDynamicComponent):
                body.release_state()

    def set_time_step(self, timestep: float) -> None:
        """Step by another time from now on."""
        self.scene.set_time_step(timestep)

    # --- stepping ----------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Advance by one step."""
        self.scene.step()
        self._targets.clear()
        self._clear_cache()

    def _clear_cache(self) -> None:
        self._poses = self._velocities = None

    def _squeeze(self, values: ArrayLike) -> SingleArray:
        array = np.asarray(values, dtype=np.float32)
        return array[0] if self.worlds == 1 else array

    # --- bodies ------------------------------------------------------------------------------------------------------

    def pose(self, body: PhysxRigidBodyComponent) -> Pose:
        if self._poses is None:
            self._poses = self.scene.body_pose
        row = self._squeeze(self._poses[:, self._body_indices[self.prims.bodies[body]]])
        return Pose(row[..., :3], row[..., [6, 3, 4, 5]])

    def velocity(self, body: PhysxRigidBodyComponent) -> SingleArray:
        if self._velocities is None:
            self._velocities = self.scene.body_velocity
        return self._squeeze(self._velocities[:, self._body_indices[self.prims.bodies[body]]])

    def set_pose(self, body: PhysxRigidBodyComponent, pose: Pose) -> None:
        rows = rows_of(pose, self.worlds)
        if self._owners[body] is None:
            self.scene.set_kinematic_pose(self.prims.bodies[body], rows)
            self._targets.pop(body, None)
        else:
            self._restart(body, pose=rows)
        self._clear_cache()

    def set_velocity(self, body: PhysxRigidBodyComponent, part: slice, value: SingleArray) -> None:
        velocity = _per_world(self.velocity(body), self.worlds)
        velocity[:, part] = value
        self._restart(body, velocity=velocity)
        self._clear_cache()

    def _restart(self, body: PhysxRigidBodyComponent, pose: Any = None, velocity: Any = None) -> None:
        """Set pose or velocity of a free body or a floating root, everything else as it is."""
        actor = self._actor(body)
        values = {"root_pose": rows_of(self.pose(body), self.worlds) if pose is None else pose,
                  "root_velocity": _per_world(self.velocity(body), self.worlds) if velocity is None else velocity}
        if actor.model.dof_names:
            values |= {"joint_position": actor.joint_position, "joint_velocity": actor.joint_velocity}
        actor.reset(**values)

    def set_target(self, body: PhysxRigidBodyComponent, pose: Pose) -> None:
        self.scene.set_kinematic_target(self.prims.bodies[body], rows_of(pose, self.worlds))
        self._targets[body] = pose

    def target(self, body: PhysxRigidBodyComponent) -> Pose | None:
        return self._targets.get(body)

    def set_body(self, body: PhysxRigidBodyComponent, name: str) -> None:
        owner, parameters = self._owners[body], BODY_PARAMETERS.get(name)
        if owner is None or parameters is None:
            body.changed()
            return
        actor, new = self.scene[owner[0]], {}
        for parameter, value in parameters(body).items():
            row_values = actor.parameter(parameter)
            row_values[:, owner[1]] = value
            new[parameter] = row_values
        actor.set_parameters(new)
        self._clear_cache()

    def apply_force(self, body: PhysxRigidBodyComponent, force: SingleArray, torque: SingleArray | None,
                    point: SingleArray | None, mode: str) -> None:
        self._actor(body).apply_force(force, torque, link=self.prims.bodies[body], point=point, mode=mode)

    def asleep(self, owner: Body) -> Condition:
        if isinstance(owner, PhysxRigidDynamicComponent) and self._owners[owner] is None:
            return False
        flags = self._actor(owner).asleep
        return bool(flags[0]) if self.worlds == 1 else flags

    def wake(self, owner: Body) -> None:
        self._actor(owner).wake()

    def put_to_sleep(self, owner: Body) -> None:
        self._actor(owner).put_to_sleep()
        self._clear_cache()

    # --- articulations -----------------------------------------------------------------------------------------------

    def row(self, articulation: PhysxArticulation, name: str) -> SingleArray:
        indices = self._dofs[articulation]
        if not indices:
            return self._squeeze(np.zeros((self.worlds, 0)))
        return self._squeeze(self._rows(self._actor(articulation), name)[:, indices])

    def _rows(self, actor: Any, name: str) -> NDArray[Any]:
        if name == "q":
            return np.asarray(actor.joint_position)
        if name == "v":
            return np.asarray(actor.joint_velocity)
        if name == "qacc":
            before = actor.before["v"][:, actor.topology.root_size:]
            return np.asarray((actor.joint_velocity - before) / self.scene.dt)
        return np.asarray(actor.get(name))

    def set_row(self, articulation: PhysxArticulation, name: str, value: SingleArray) -> None:
        actor = self._actor(articulation)
        new = self._in_engine_order(articulation, value)
        if name == "v":
            new = np.concatenate([actor.get("v")[:, :actor.topology.root_size], new], axis=1)
        if name == "qacc":
            raise AttributeError("qacc is computed by the step and cannot be set; set qvel or qf")
        actor.set(name, new)
        self._clear_cache()

    def root_velocity(self, articulation: PhysxArticulation) -> SingleArray:
        return self.velocity(articulation.root)

    def set_root_velocity(self, articulation: PhysxArticulation, part: slice, value: SingleArray) -> None:
        self.set_velocity(articulation.root, part, value)

    def set_joint(self, joint: JointHandle, name: str) -> None:
        typed_joint: PhysxArticulationJoint = joint
        articulation = typed_joint.child_link.articulation
        actor = self._actor(articulation)
        index = self._dofs[articulation][articulation.active_joints.index(typed_joint)]
        if name == "load_friction" and not actor.topology.has_load_friction:
            return      # the scene has said so
        values = actor.parameter(name)
        values[:, index] = np.reshape(typed_joint.parameter(name), -1)
        actor.set_parameter(name, values)

    def set_drive_targets(self, joint: JointHandle, name: str) -> None:
        scene_joint = self.scene.joint(self.prims.joints[joint])
        if name not in scene_joint.parameters:
            joint.changed()
            return
        targets = joint.drive_targets(name)
        axes = [element.rpartition(":")[2] for element in scene_joint.parameters[name].elements]
        scene_joint.set_parameter(name, [targets[axis] for axis in axes])

    def passive_force(self, articulation: PhysxArticulation, gravity: bool, coriolis: bool) -> SingleArray:
        actor, indices = self._actor(articulation), self._dofs[articulation]
        gravity_quantity = sapien_gravity if actor.topology.sapien else generalized_gravity
        quantities = [quantity for quantity,
                      included in ((gravity_quantity, gravity), (generalized_coriolis, coriolis)) if included]
        forces = np.zeros((self.worlds, len(indices)))
        for quantity in quantities:
            computed = WorldQuantities(actor.model.topology).values(quantity, actor.store, np.arange(self.worlds), {})
            forces += computed["values"][:, indices]
        return self._squeeze(forces)

    def incoming_forces(self, articulation: PhysxArticulation) -> SingleArray:
        direct, links = self._actor(articulation).direct, len(articulation.links)
        kind = "eLINK_INCOMING_JOINT_FORCE"
        data = np.zeros((self.worlds, direct.block_size(kind)), direct.dtype)
        direct.get(kind, data, np.arange(self.worlds))
        forces = data[:, :6 * links].reshape(self.worlds, links, 6)
        names = self._actor(articulation).model.link_names
        return self._squeeze(forces[:, [names.index(self.prims.bodies[link]) for link in articulation.links]])

    def contact_impulse(self, body: PhysxRigidBodyComponent, partner: PhysxRigidBodyComponent) -> SingleArray:
        """(3,) N s that contacts gave a body along their normals in the last step; of a partner alone where given."""
        path = self.prims.bodies[body]
        partners = None if partner is None else [self.prims.bodies[partner]]
        return self._squeeze(self.scene.net_contact_force(path, partners) * self.scene.dt)


def _differs_by_world(position: SingleArray, asleep: Condition) -> bool:
    """Whether worlds differ, so that the stage, which holds poses and sleep of the first, does not say it all."""
    return position.ndim > 1 or np.ndim(asleep) > 0


def rows_of(pose: Pose, worlds: int) -> NDArray[np.float64]:
    """(n_world, 7) position, then x y z w."""
    quaternion = unit(pose.q)[..., [1, 2, 3, 0]]
    shape = np.broadcast_shapes(pose.p.shape[:-1], quaternion.shape[:-1])
    return _per_world(np.concatenate([np.broadcast_to(pose.p.astype(np.float64), (*shape, 3)),
                                      np.broadcast_to(quaternion, (*shape, 4))], axis=-1), worlds)


def _per_world(values: ArrayLike, worlds: int) -> NDArray[np.float64]:
    """(n_world, n) of numbers that are alike in all worlds, (n,), or are not."""
    array = np.asarray(values, dtype=np.float64)
    return np.array(np.broadcast_to(array, (worlds, array.shape[-1])))



"""`Articulations` gives one simulation's worlds to the Direct API: counts, link states, step outputs and data by world.
The root's rows follow from the pose of its link (`root_pose_rows`). Link data stay as after the last step or compute
operation, as in PhysX, when states are written.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np

from physx_runtime.arrays import Array, Indices
from physx_runtime.direct.kinds import ComputeType, MaxCounts, ReadType
from physx_runtime.dynamics import kinematics
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import state_kinematics
from physx_runtime.language.ops import Rows
from physx_runtime.model.owners import acting_fixed_tendons, acting_spatial_tendons
from physx_runtime.model.row_specs import LINK_FORCE_ROWS, control_rows, step_impulse_rows
from physx_runtime.model.topology import Topology
from physx_runtime.packing.model import PackedModel
from physx_runtime.quantities import state as quantities
from physx_runtime.quantities.state import ArrayLines, WorldQuantities, cached_link_velocity, step_outputs
from physx_runtime.quantities.traced import StateQuantity
from physx_runtime.simulation.actor import Actor
from physx_runtime.targets.cuda.kernels import LineSelection


@functools.cache        # one function a row, so that its kernel is found again
def row(name: str, first: int = 0, last: int | None = None) -> StateQuantity:
    """A part of a row as a quantity."""
    return lambda t, rows: {"values": list(rows[name][first:last])}


QUANTITIES: dict[ComputeType, StateQuantity] = {
    ComputeType.eDENSE_JACOBIANS: quantities.jacobian,
    ComputeType.eMASS_MATRICES: quantities.mass_without_armature,
    ComputeType.eGENERALIZED_MASS_MATRICES: quantities.generalized_mass,
    ComputeType.eGRAVITY_COMPENSATION: quantities.gravity_compensation,
    ComputeType.eGENERALIZED_GRAVITY_FORCES: quantities.generalized_gravity,
    ComputeType.eCORIOLIS_AND_CENTRIFUGAL_COMPENSATION: quantities.coriolis_compensation,
    ComputeType.eCORIOLIS_AND_CENTRIFUGAL_FORCES: quantities.generalized_coriolis,
    ComputeType.eARTICULATION_COMS_WORLD_FRAME: quantities.com_world,
    ComputeType.eARTICULATION_COMS_ROOT_FRAME: quantities.com_root,
}


# What is read of links as they were last placed, and of what the last step left.
LINK_STATES = {ReadType.eLINK_GLOBAL_POSE: "pose", ReadType.eLINK_LINEAR_VELOCITY: "linear",
               ReadType.eLINK_ANGULAR_VELOCITY: "angular"}
STEP_OUTPUTS = {ReadType.eJOINT_ACCELERATION: "joint_acceleration",
                ReadType.eLINK_LINEAR_ACCELERATION: "linear_acceleration",
                ReadType.eLINK_ANGULAR_ACCELERATION: "angular_acceleration",
                ReadType.eLINK_INCOMING_JOINT_FORCE: "joint_force"}


def root_pose_data(t: Topology, rows: Rows) -> Rows:
    """Pose of the root link's frame, rotation first; given `link_frames`."""
    pose = quantities.link_state(t, rows)["pose"]
    return {"values": [*pose[3:7], *pose[0:3]]}


def link_pose_data(t: Topology, rows: Rows) -> Rows:
    """Poses of all links' frames, rotation first; given `link_frames`."""
    pose = quantities.link_state(t, rows)["pose"]
    return {"values": [x for i in range(len(t.links)) for x in (*pose[7 * i + 3:7 * i + 7], *pose[7 * i:7 * i + 3])]}


def link_velocity_data(t: Topology, rows: Rows) -> Rows:
    """Linear and angular velocities of all links at the state."""
    velocities = kinematics.link_velocities(t, state_kinematics(t, rows), rows["v"])
    return {"linear": [x for v in velocities for x in v[0:3]], "angular": [x for v in velocities for x in v[3:6]]}


def joints_of(model: PackedModel) -> dict[str, Array]:
    """Mask of joints from child to parent, (n_link,), and their frames, (4 n_link,); see `step_outputs`."""
    frames, reverse = [(0.0, 0.0, 0.0, 1.0)], [0.0]
    for i, link in enumerate(model.actor.links):
        if link.joint is not None:
            joint_frame = link.joint.parent_frame if link.joint.reversed else link.joint.child_frame
            link_frame = model.link_frames[link.parent if link.joint.reversed else i]
            frames.append(sp.mul_quat(sp.conjugate(joint_frame[1]), sp.conjugate(link_frame[1])))
            reverse.append(float(link.joint.reversed))
    return {"joint_frames": np.ravel(frames), "reversed": np.array(reverse)}


def counts_of(simulation: Actor) -> MaxCounts:
    """Counts of one articulation: links, dofs and tendons."""
    art, t = simulation.model.actor, simulation.topology
    fixed, spatial = acting_fixed_tendons(art), acting_spatial_tendons(art)
    return MaxCounts(len(t.dofs), len(t.links), len(fixed), max((len(x.axes) for x in fixed), default=0),
                     len(spatial), max((len(x.attachments) for x in spatial), default=0))


class Articulations:
    """One simulation's worlds, each an articulation of the scene; `first` is the index of world 0.

    It watches the simulation. Steps update link data and outputs; so do states that are set outside this API.
    """

    def __init__(self, simulation: Actor, first: int) -> None:
        self.simulation, self.first, self.count = simulation, first, simulation.worlds
        simulation.enable_tendon_impulses()
        self._quantities = WorldQuantities(simulation.model.topology)
        # state, time and forces of the last step since this was made
        self.start_of_step: dict[str, Array] = {}
        # per world: written to since the links were last placed, and placed again since the last step
        self.dirty = np.zeros(self.count, dtype=np.bool_)
        self._refreshed = np.zeros(self.count, dtype=np.bool_)
        self._cleared = np.zeros(self.count, dtype=np.bool_)
        self._saved_links: dict[str, Array] = {}           # link states of dirty worlds, (n_world, n)
        self._outputs: dict[str, Array] = {}        # of the last step where velocities were written since
        self._writing = self._has_link_forces = False  # by this API: a state just now, link forces for the next step
        simulation.watch(self)

    @property
    def topology(self) -> Topology:
        """The structure that is stepped."""
        return self.simulation.topology

    def counts(self) -> MaxCounts:
        """Counts of one articulation: links, dofs and tendons."""
        return counts_of(self.simulation)

    def run(self, quantity: StateQuantity, worlds: Indices, inputs: Mapping[str, Array],
            results: Mapping[str, ArrayLines]) -> None:
        """Compute a quantity for some worlds into the caller's memory."""
        self._quantities.run(quantity, self.simulation.store, worlds, inputs, results)

    # --- link states --------------------------------------------------------------------------------------------------

    def state_changed(self, worlds: Indices | LineSelection) -> None:
        """Update link data of worlds whose state was set outside this API."""
        if not self._writing and not isinstance(worlds, LineSelection):
            self.dirty[worlds] = False
            self._refreshed[worlds] = self._cleared[worlds] = True

    def about_to_step(self) -> None:
        """Keep the state that the outputs of the step follow from."""
        names = (*self.simulation.model.state, *control_rows(self.simulation.model.topology))
        self.start_of_step = {name: self.simulation.get(name) for name in names}

    def stepped(self) -> None:
        """Update all link data, and clear link forces that were set for one step."""
        self._saved_links.clear()
        self._outputs.clear()
        for marks in (self.dirty, self._refreshed, self._cleared):
            marks[:] = False
        if self._has_link_forces:
            self._has_link_forces = False
            for name in LINK_FORCE_ROWS:
                self.simulation.set(name, np.zeros(3 * len(self.topology.links)))

    def write(self, rows: Mapping[str, Array], worlds: Indices, moves: bool) -> None:
        """Set rows, (n, size) each; with `moves`, link data stay until the next update."""
        if moves:
            self._save_links(worlds)
        self._writing = True
        for name, values in rows.items():
            self.simulation.set_row(name, values, worlds)
            self._has_link_forces |= name in LINK_FORCE_ROWS
        self._writing = False

    def _save_links(self, worlds: Indices) -> None:
        if not self._outputs and self.start_of_step:
            self._outputs = self._step_outputs(np.arange(self.count))
        if not self._saved_links:
            all_worlds = np.arange(self.count)
            self._saved_links = {name: self._link_state(name, all_worlds) for name in ("pose", "linear", "angular")}
        else:
            newly_dirty = worlds[~self.dirty[worlds]]
            for name, values in self._saved_links.items():
                values[newly_dirty] = self._link_state(name, newly_dirty)
        self.dirty[worlds] = True

    def refresh(self, worlds: Indices, clear: bool) -> None:
        """Update link data of written worlds and clear their outputs; with `clear`, outputs of all these worlds."""
        dirty = worlds[self.dirty[worlds]]
        self.dirty[dirty] = False
        self._refreshed[dirty] = True
        self._cleared[worlds if clear else dirty] = True

    def _frames(self, worlds: Indices) -> Array:
        """Link frames in F, (n, 7 n_link)."""
        frames = np.array([[*position, *rotation] for position, rotation in self.simulation.model.link_frames])
        out = np.tile(frames.ravel(), (len(worlds), 1))
        if not self.topology.fixed_base:
            out[:, 0:3] = -self.simulation.parameter("center_of_mass")[worlds, 0]
        return out

    def _link_state(self, name: str, worlds: Indices) -> Array:
        """ "pose", "linear" or "angular" of all links where nothing was written since they were placed."""
        values = np.zeros((len(worlds), (7 if name == "pose" else 3) * len(self.topology.links)), self.simulation.dtype)
        self._write_current(name, worlds, ArrayLines(values, np.arange(len(worlds)) * values.shape[1]))
        return values

    def _write_current(self, name: str, worlds: Indices, target: ArrayLines) -> None:
        if name == "pose":
            self.run(link_pose_data, worlds, {"link_frames": self._frames(worlds)}, {"values": target})
            return
        # a fixed base' velocities stay as the solver held them until a write and a refresh
        from_step = ~self._refreshed[worlds] & self.topology.fixed_base & bool(self.start_of_step)
        for quantity, mask in ((cached_link_velocity, from_step), (link_velocity_data, ~from_step)):
            inputs = self._start(worlds[mask]) if quantity is cached_link_velocity and mask.any() else {}
            self.run(quantity, worlds[mask], inputs, {name: ArrayLines(target.array, target.starts[mask])})

    def has_velocities(self, worlds: Indices) -> bool:
        """Whether link velocities of these worlds are known; a fixed base needs the start of the step."""
        are_known = not self.topology.fixed_base or bool(self.start_of_step)
        return are_known or bool(self._refreshed[worlds].all())

    def write_links(self, name: str, worlds: Indices, target: ArrayLines) -> None:
        """Write link poses, linear or angular velocities of the last update."""
        dirty = self.dirty[worlds]
        self._write_current(name, worlds[~dirty], ArrayLines(target.array, target.starts[~dirty]))
        if dirty.any():
            values = self._saved_links[name][worlds[dirty]]
            flat, indices = ArrayLines(target.array, target.starts[dirty]).view(values.shape[1])
            flat[indices] = values

    # --- outputs of the step ------------------------------------------------------------------------------------------

    def _start(self, worlds: Indices) -> dict[str, Array]:
        start = self.start_of_step
        inputs = {"dt": "dt", "start_q": "q", "start_v": "v", "start_rotation": "root_rotation"}
        inputs |= {"start_locked": "locked"} if self.topology.locked else {}
        return {name: start[row][worlds] for name, row in inputs.items()}

    def _step_outputs(self, worlds: Indices) -> dict[str, Array]:
        start, zeros = self.start_of_step, np.zeros((self.count, 3 * len(self.topology.links)))
        inputs = {name: start.get(name, zeros)[worlds] for name in ("joint_effort", *LINK_FORCE_ROWS)}
        if (impulses := self.simulation.contact_impulses) is not None:
            forces = impulses[worlds] / start["dt"][worlds][:, :, None]
            for name, force in zip(LINK_FORCE_ROWS, (forces[..., :3], forces[..., 3:]), strict=True):
                inputs[name] = inputs[name] + force.reshape(len(worlds), -1)
        inputs |= {name: np.tile(values, (len(worlds), 1)) for name, values in joints_of(self.simulation.model).items()}
        inputs |= {name: self.simulation.store.rows(name)[worlds] for name in step_impulse_rows(self.topology)}
        return self._quantities.values(step_outputs, self.simulation.store, worlds,
                                  self._start(worlds) | inputs)

    def write_outputs(self, name: str, worlds: Indices, target: ArrayLines) -> None:
        """Write accelerations or joint forces of the last step; 0 where they were cleared."""
        outputs = self._outputs or self._step_outputs(worlds)
        values = np.where(self._cleared[worlds, None], 0.0, outputs[name][worlds if self._outputs else slice(None)])
        flat, indices = target.view(values.shape[1])
        flat[indices] = values

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, kind: ReadType, worlds: Indices, target: ArrayLines) -> None:
        """Write one kind of data, tendons excepted."""
        root = self.topology.root_size
        rows = {ReadType.eJOINT_POSITION: row("q"), ReadType.eJOINT_VELOCITY: row("v", root),
                ReadType.eJOINT_FORCE: row("joint_effort"), ReadType.eJOINT_TARGET_POSITION: row("target_position"),
                ReadType.eJOINT_TARGET_VELOCITY: row("target_velocity"),
                ReadType.eROOT_LINEAR_VELOCITY: row("v", 0, 3) if root else _zero_velocity,
                ReadType.eROOT_ANGULAR_VELOCITY: row("v", 3, 6) if root else _zero_velocity}
        if kind in LINK_STATES:
            self.write_links(LINK_STATES[kind], worlds, target)
        elif kind in STEP_OUTPUTS:
            self.write_outputs(STEP_OUTPUTS[kind], worlds, target)
        elif kind is ReadType.eROOT_GLOBAL_POSE:
            self.run(root_pose_data, worlds, {"link_frames": self._frames(worlds)}, {"values": target})
        else:
            self.run(rows[kind], worlds, {}, {"values": target})

    def compute(self, kind: ComputeType, worlds: Indices, target: ArrayLines) -> None:
        """Write one quantity, centroidal momentum excepted."""
        inputs = {}
        if kind is ComputeType.eARTICULATION_COMS_ROOT_FRAME:
            inputs = {"root_axes": self.simulation.parameter("principal_axes")[worlds, 0]}
        self.run(QUANTITIES[kind], worlds, inputs, {"values": target})


def _zero_velocity(t: Topology, rows: Rows) -> Rows:
    return {"values": [0.0, 0.0, 0.0]}


def root_pose_rows(t: Topology, rows: Rows) -> Rows:
    """The pose of the root's F, from `data`, rotation x y z w and position of the link, and `center`, F in the link."""
    x, y, z, w, *position = rows["data"]
    rotation = sp.normalized((x, y, z, w))
    center = rows["center"]
    origin = sp.add((position[0], position[1], position[2]), sp.rotate(rotation, (center[0], center[1], center[2])))
    return {"root_position": list(origin), "root_rotation": list(rotation)}

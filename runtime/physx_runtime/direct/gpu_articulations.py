"""`GpuArticulations` is `Articulations` for the worlds of one simulation on a GPU, with its marks and caches in device
memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from physx_runtime.arrays import Array, Indices
from physx_runtime.direct import tendons
from physx_runtime.direct.articulations import (
    LINK_STATES,
    QUANTITIES,
    STEP_OUTPUTS,
    counts_of,
    joints_of,
    link_pose_data,
    link_velocity_data,
    root_pose_data,
    root_pose_rows,
)
from physx_runtime.direct.kinds import TRANSFORM_SIZE, ComputeType, MaxCounts, ReadType, WriteType
from physx_runtime.direct.writes import MOVING_WRITES, ROW_OF_WRITE, data_size
from physx_runtime.model.row_specs import LINK_FORCE_ROWS, control_rows, step_impulse_rows
from physx_runtime.model.topology import Topology
from physx_runtime.quantities.gpu import GpuQuantities
from physx_runtime.quantities.state import cached_link_velocity, step_outputs
from physx_runtime.quantities.traced import StateQuantity
from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.gpu_actor import OnGpu
from physx_runtime.targets.cuda.driver import Memory, PitchedLines
from physx_runtime.targets.cuda.kernels import LineSelection, StridedView, by_world
from physx_runtime.worlds.gpu.views import GpuRows, required_gpu_rows
from physx_runtime.worlds.gpu.worlds import RowCopy

# Bits of a world's mark: written to since its links were last placed; placed again since the last step; what the step
# left is cleared.
DIRTY, REFRESHED, CLEARED = 1, 2, 4
ALL_MARKS = DIRTY | REFRESHED | CLEARED
# The start of the step -> what quantities call it.
START_ROWS = {"dt": "dt", "start_q": "q", "start_v": "v", "start_rotation": "root_rotation"}


class GpuArticulations:
    """One simulation's worlds, each an articulation of the scene; `first` is the index of world 0.

    It watches the simulation as `Articulations` does. Views are by lines of a call, in the order of its indices.
    """

    def __init__(self, simulation: Actor, first: int) -> None:
        self.simulation, self.first, self.count = simulation, first, simulation.worlds
        simulation.enable_tendon_impulses()
        self.quantities = GpuQuantities(simulation.model.topology)
        self.start_of_step: RowCopy | None = None
        worlds = self.rows.worlds
        self._marks = worlds.gpu.allocate(self.count, "the Direct API's list of changed worlds")
        self._saved_links: dict[str, tuple[StridedView, int]] = {}       # link states of dirty worlds
        self._outputs: dict[str, tuple[StridedView, int]] = {}    # of the last step where velocities were written since
        self._links_saved = self._outputs_saved = self._writing = self._has_link_forces = False
        self._sent: dict[str, tuple[object, StridedView, int]] = {}    # copies of host numbers, and their keys
        simulation.watch(self)

    @property
    def rows(self) -> GpuRows:
        """The device rows of the worlds."""
        return required_gpu_rows("the Direct API", self.simulation.store)

    @property
    def topology(self) -> Topology:
        """The structure that is stepped."""
        return self.simulation.topology

    def counts(self) -> MaxCounts:
        """Counts of one articulation: links, dofs and tendons."""
        return counts_of(self.simulation)

    # --- as a watcher ------------------------------------------------------------------------------------------------

    def state_changed(self, worlds: Indices | LineSelection) -> None:
        """Update link data of worlds whose state was set outside this API."""
        if not self._writing:
            selection = worlds if isinstance(worlds, LineSelection) else self.rows.select(worlds)
            self._mark(selection, DIRTY, REFRESHED | CLEARED)

    def about_to_step(self) -> None:
        """Keep the state that the outputs of the step follow from."""
        names = [*self.simulation.model.state, *control_rows(self.simulation.model.topology)]
        if self.start_of_step is None or list(self.start_of_step.sizes) != names:
            self.start_of_step = RowCopy(self.rows.worlds, names)
        self.start_of_step.save(self.rows.worlds, self.rows.all_worlds())

    def stepped(self) -> None:
        """Update all link data, and clear link forces that were set for one step."""
        self._links_saved = self._outputs_saved = False
        self._mark(self.rows.all_worlds(), ALL_MARKS, 0)
        if self._has_link_forces:
            self._has_link_forces = False
            zeros, size = self._zeros(), 3 * len(self.topology.links)
            for name in LINK_FORCE_ROWS:
                OnGpu(self.simulation).write(name, 0, size, zeros, self.rows.all_worlds())

    # --- marks -------------------------------------------------------------------------------------------------------

    def _mark(self, selection: LineSelection, clear_bits: int, set_bits: int) -> None:
        self.rows.worlds.movement.mark(selection, self._marks.address - self.rows.first, clear_bits, set_bits,
                                       self.rows.worlds.stream)

    def _marked(self, selection: LineSelection, mask: int, value: int) -> LineSelection:
        return selection.with_marks(self._marks.address - self.rows.first, mask, value)

    def refresh(self, selection: LineSelection, clear: bool) -> None:
        """Update link data of written worlds and clear their outputs; with `clear`, outputs of all these worlds."""
        if clear:
            self._mark(selection, 0, CLEARED)
        self._mark(self._marked(selection, DIRTY, DIRTY), DIRTY, REFRESHED | CLEARED)

    def has_velocities(self, worlds: Indices | None) -> bool:
        """Whether link velocities of some worlds, all where None, are known; may copy their marks to the host."""
        if not self.topology.fixed_base or self.start_of_step is not None:
            return True
        owner = self.rows.worlds
        marks = owner.gpu.read(PitchedLines(self._marks.address, self.count), (1, self.count), "uint8", owner.stream)[0]
        return bool((marks[slice(None) if worlds is None else worlds] & REFRESHED).all())

    # --- what quantities are given -----------------------------------------------------------------------------------

    def _constant(self, name: str, values: Array, key: object = None) -> StridedView:
        """A device copy of host numbers, (n_world, n), or (n,) for all worlds; copied again if `key` differs.
        """
        cached = self._sent.get(name)
        if cached is None or cached[0] is not key:
            view = self.rows.upload(values.reshape(-1, values.shape[-1]))
            self._sent[name] = cached = key, view, values.shape[-1]
        return cached[1]

    def _zeros(self) -> StridedView:
        """As many zeros as anybody wants."""
        return replace(self._constant("nothing", np.zeros(1)), of_row=0)

    def _frames(self) -> tuple[StridedView, int]:
        """Link frames in F."""
        masses = self.simulation.parameter_values.mass_properties
        centers = masses.values["center_of_mass"]
        frames = np.array([[*position, *rotation] for position, rotation in self.simulation.model.link_frames]).ravel()
        if not self.topology.fixed_base and masses.has_root_offset:
            frames = np.tile(frames, (self.count, 1))
            frames[:, 0:3] = -centers[:, 0]
        return self._constant("link_frames", frames, centers), frames.shape[-1]

    def _root_parameter(self, name: str) -> tuple[StridedView, int]:
        """A parameter of the root link that the host keeps."""
        values = self.simulation.parameter_values.mass_properties.values[name]
        root = values[:, 0]
        return self._constant(f"root {name}", root[0] if (root == root[:1]).all() else root, values), root.shape[1]

    def _start(self) -> dict[str, tuple[StridedView, int]]:
        start = self.start_of_step
        if start is None:
            return {}
        names = START_ROWS | ({"start_locked": "locked"} if self.topology.locked else {})
        return {name: (start.strided_view(row), start.sizes[row]) for name, row in names.items()}

    def run(self, quantity: StateQuantity, selection: LineSelection, inputs: Mapping[str, tuple[StridedView, int]],
            results: Mapping[str, StridedView]) -> None:
        """Compute a quantity for the chosen worlds."""
        self.quantities.run(quantity, self.rows, selection, inputs, results)

    # --- link states -------------------------------------------------------------------------------------------------

    def _write_current(self, name: str, selection: LineSelection, view: StridedView, mask: int = 0) -> None:
        """Link poses or velocities at the state, of worlds that have none of the marks `where`."""
        if name == "pose":
            self.run(link_pose_data, self._marked(selection, mask, 0), {"link_frames": self._frames()},
                     {"values": view})
        elif self.topology.fixed_base and self.start_of_step is not None:
            # a fixed base' velocities stay as the solver held them until a write and a refresh
            self.run(cached_link_velocity, self._marked(selection, mask | REFRESHED, 0), self._start(), {name: view})
            self.run(link_velocity_data, self._marked(selection, mask | REFRESHED, REFRESHED), {}, {name: view})
        else:
            self.run(link_velocity_data, self._marked(selection, mask, 0), {}, {name: view})

    def _read_links(self, name: str, selection: LineSelection, view: StridedView) -> None:
        """Link states as they were last placed."""
        self._write_current(name, selection, view, DIRTY)
        if self._links_saved:
            origin, size = self._saved_links[name]
            self._move(self._marked(selection, DIRTY, DIRTY), view, origin, size)

    def _save_links(self, selection: LineSelection) -> None:
        """Keep where links are and what the step left, before chosen worlds are written to."""
        all_worlds = self.rows.all_worlds()
        if not self._outputs_saved and self.start_of_step is not None:
            self._outputs = self._outputs or self._arrays(self._output_sizes())
            self.run(step_outputs, all_worlds, self._step_inputs(),
                     {name: view for name, (view, _) in self._outputs.items()})
            self._outputs_saved = True
        links = len(self.topology.links)
        self._saved_links = self._saved_links or self._arrays({"pose": 7 * links, "linear": 3 * links,
                                                               "angular": 3 * links})
        for name, (view, _) in self._saved_links.items():
            self._write_current(name, selection if self._links_saved else all_worlds, view,
                                DIRTY if self._links_saved else 0)
        self._links_saved = True
        self._mark(selection, 0, DIRTY)

    def _arrays(self, sizes: Mapping[str, int]) -> dict[str, tuple[StridedView, int]]:
        """Device memory for arrays with these numbers of values for each world."""
        width, arrays = np.dtype(self.simulation.dtype).itemsize, {}
        for name, size in sizes.items():
            memory: Memory = self.rows.worlds.gpu.allocate(max(1, self.count * size) * width, "link states")
            arrays[name] = by_world(memory.address - self.rows.first * size * width, size, owner=memory), size
        return arrays

    def _move(self, selection: LineSelection, to: StridedView, origin: StridedView, size: int) -> None:
        self.rows.worlds.movement.move(selection, to, origin, size, self.rows.worlds.stream)

    # --- outputs of the step -----------------------------------------------------------------------------------------

    def _step_inputs(self) -> dict[str, tuple[StridedView, int]]:
        """What `step_outputs` is given."""
        start, size = self.start_of_step, 3 * len(self.topology.links)
        zeros = self._zeros()
        inputs = {name: (start.strided_view(name), start.sizes[name]) if start and name in start.sizes
                  else (zeros, size)
                  for name in ("joint_effort", *LINK_FORCE_ROWS)}
        for name, values in joints_of(self.simulation.model).items():
            inputs[name] = self._constant(name, values), len(values)
        for name in step_impulse_rows(self.topology):
            inputs[name] = self.rows.worlds.strided_view(name), self.rows.worlds.group(name)[1]
        return self._start() | inputs

    def _output_sizes(self) -> dict[str, int]:
        return dict(self.quantities.function(step_outputs,
                                             {name: n for name, (_, n) in self._step_inputs().items()}).results)

    def _read_outputs(self, name: str, selection: LineSelection, view: StridedView) -> None:
        """Accelerations or joint forces of the last step, 0 where they were cleared."""
        uncleared = self._marked(selection, CLEARED, 0)
        if self._outputs_saved:
            self._move(uncleared, view, *self._outputs[name])
        else:
            self.run(step_outputs, uncleared, self._step_inputs(), {name: view})
        self.rows.worlds.movement.fill(self._marked(selection, CLEARED, CLEARED), view, 0.0, self._output_sizes()[name],
                                       self.rows.worlds.stream)

    # --- reading and computing ---------------------------------------------------------------------------------------

    def size_of(self, kind: ComputeType | ReadType, counts: MaxCounts) -> int:
        """Numbers of an articulation's own data, without the padding of its block."""
        if isinstance(kind, ComputeType):
            inputs = {"root_axes": 4} if kind is ComputeType.eARTICULATION_COMS_ROOT_FRAME else {}
            return dict(self.quantities.function(QUANTITIES[kind], inputs).results)["values"]
        if "TENDON" in kind.name:
            return tendons.data_size(kind.name, self.simulation.model.actor, counts)
        if kind in STEP_OUTPUTS:
            return self._output_sizes()[STEP_OUTPUTS[kind]]
        if kind in LINK_STATES:
            return (7 if kind is ReadType.eLINK_GLOBAL_POSE else 3) * len(self.topology.links)
        if kind.name.startswith("eJOINT"):
            return len(self.topology.dofs)
        return TRANSFORM_SIZE if kind is ReadType.eROOT_GLOBAL_POSE else 3

    def read(self, kind: ReadType, selection: LineSelection, view: StridedView, counts: MaxCounts) -> None:
        """Write one kind of data to a view."""
        root, dofs = self.topology.root_size, len(self.topology.dofs)
        parts = {ReadType.eJOINT_POSITION: ("q", 0, dofs), ReadType.eJOINT_VELOCITY: ("v", root, dofs),
                 ReadType.eJOINT_FORCE: ("joint_effort", 0, dofs),
                 ReadType.eJOINT_TARGET_POSITION: ("target_position", 0, dofs),
                 ReadType.eJOINT_TARGET_VELOCITY: ("target_velocity", 0, dofs),
                 ReadType.eROOT_LINEAR_VELOCITY: ("v", 0, 3), ReadType.eROOT_ANGULAR_VELOCITY: ("v", 3, 3)}
        if "TENDON" in kind.name:
            self._read_tendons(kind.name, selection, view, counts)
        elif kind in LINK_STATES:
            self._read_links(LINK_STATES[kind], selection, view)
        elif kind in STEP_OUTPUTS:
            self._read_outputs(STEP_OUTPUTS[kind], selection, view)
        elif kind is ReadType.eROOT_GLOBAL_POSE:
            self.run(root_pose_data, selection, {"link_frames": self._frames()}, {"values": view})
        elif kind.name.startswith("eROOT") and not root:
            self.rows.worlds.movement.fill(selection, view, 0.0, 3, self.rows.worlds.stream)
        else:
            name, first, size = parts[kind]
            self._move(selection, view, self.rows.shifted(self.rows.worlds.strided_view(name), first), size)

    def _read_tendons(self, kind: str, selection: LineSelection, view: StridedView, counts: MaxCounts) -> None:
        rows, actor, parameters = self.rows, self.simulation.model.actor, self.simulation.parameter_values
        rows.worlds.movement.fill(selection, view, 0.0, tendons.data_size(kind, actor, counts), rows.worlds.stream)
        for word, name, element in tendons.words(kind, actor, counts):
            parameter = parameters.parameter(name)
            if parameter.scalars:
                row, i = parameter.scalars[element][0]
                origin = rows.shifted(rows.worlds.strided_view(row), i)
            else:       # an attachment's place, which the host keeps
                values = parameters.mass_properties.values[name]
                flat = values.reshape(self.count, -1)
                flat = flat[0] if (flat == flat[:1]).all() else flat
                origin = rows.shifted(self._constant(name, flat, values), element)
            self._move(selection, rows.shifted(view, word), origin, 1)
        for word, bits in tendons.axis_words(kind, self.topology, actor, counts, self.simulation.dtype):
            rows.worlds.movement.fill(selection, rows.shifted(view, word), bits, 1, rows.worlds.stream)

    def compute(self, kind: ComputeType, selection: LineSelection, view: StridedView) -> None:
        """Write one quantity, centroidal momentum excepted, to a view."""
        inputs = {"root_axes": self._root_parameter("principal_axes")} \
            if kind is ComputeType.eARTICULATION_COMS_ROOT_FRAME else {}
        self.run(QUANTITIES[kind], selection, inputs, {"values": view})

    # --- writing -----------------------------------------------------------------------------------------------------

    def write(self, kind: WriteType, selection: LineSelection, view: StridedView, counts: MaxCounts) -> None:
        """Set one kind of data; link data of moved worlds stay until the next update."""
        root = self.topology.root_size
        if "TENDON" in kind.name:
            self._write_tendons(kind, selection, view, counts)
            return
        if kind.name in MOVING_WRITES:
            self._save_links(selection)
        name = ROW_OF_WRITE.get(kind, "")
        if name in LINK_FORCE_ROWS:
            self.simulation.group.enable_link_forces()
            self._has_link_forces = True
        self._writing = True
        if kind is WriteType.eROOT_GLOBAL_POSE:
            center = self._root_parameter("center_of_mass") if root else (self._constant("origin", np.zeros(3)), 3)
            self.quantities.run(root_pose_rows, self.rows, selection,
                                {"data": (view, TRANSFORM_SIZE), "center": center}, {},
                                ("root_position", "root_rotation"))
            OnGpu(self.simulation).state_changed(selection)
        elif root or not kind.name.startswith("eROOT"):     # a fixed base takes no velocity
            first = root if kind is WriteType.eJOINT_VELOCITY else 3 * (kind is WriteType.eROOT_ANGULAR_VELOCITY)
            OnGpu(self.simulation).write(name, first, data_size(kind, self.topology), view, selection)
        self._writing = False

    def _write_tendons(self, kind: WriteType, selection: LineSelection, view: StridedView, counts: MaxCounts) -> None:
        rows, parameters = self.rows, self.simulation.parameter_values
        columns = [(word, parameters.parameter(name), element)
                   for word, name, element in tendons.words(kind.name, self.simulation.model.actor, counts)]
        if any(not parameter.scalars for _, parameter, _ in columns):
            raise ValueError(f"{kind.name}: attachments are set from the host; copy the data to the host")
        for word, parameter, element in columns:
            for row, i in parameter.scalars[element]:
                rows.write_part(row, i, 1, rows.shifted(view, word), selection)
                parameters.rows_set.add(row)
        self.simulation.group.parameters_changed()

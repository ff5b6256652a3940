"""The articulations of one simulation on a GPU: as `Articulations`, with all that is kept of them there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from physx_runtime.direct.writes import MOVING_WRITES, ROW_OF_WRITE, own_size
from physx_runtime.model.row_specs import LINK_FORCE_ROWS, acting_rows, given_rows
from physx_runtime.model.topology import Topology
from physx_runtime.quantities.gpu import GpuQuantities
from physx_runtime.quantities.state import held_velocity, step_outputs
from physx_runtime.quantities.traced import StateQuantity
from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.gpu_actor import OnGpu
from physx_runtime.targets.cuda.driver import Lines, Memory
from physx_runtime.targets.cuda.kernels import Chosen, StridedView, by_world
from physx_runtime.worlds.gpu.views import GpuRows, required_gpu_rows
from physx_runtime.worlds.gpu.worlds import RowCopy

Array = NDArray[Any]
Indices = NDArray[np.int64]
# Bits of a world's mark: written to since its links were last placed; placed again since the last step; what the step
# left is cleared.
DIRTY, REFRESHED, CLEARED = 1, 2, 4
ALL_MARKS = DIRTY | REFRESHED | CLEARED
# The start of the step -> what quantities call it.
START_ROWS = {"dt": "dt", "start_q": "q", "start_v": "v", "start_rotation": "root_rotation"}


class GpuArticulations:
    """One simulation's worlds, each an articulation of the scene; `first` is the index of world 0.

    It watches the simulation as `Articulations` does. Places are of lines of a call, in order of the chosen ones.
    """

    def __init__(self, simulation: Actor, first: int) -> None:
        self.simulation, self.first, self.count = simulation, first, simulation.worlds
        simulation.keep_tendon_impulses()
        self.quantities = GpuQuantities(simulation.model.topology)
        self.start_of_step: RowCopy | None = None
        worlds = self.rows.worlds
        self._marks = worlds.gpu.allocate(self.count, "marks of the Direct API")
        self._held: dict[str, tuple[StridedView, int]] = {}       # link states of dirty worlds
        self._outputs: dict[str, tuple[StridedView, int]] = {}    # of the last step where velocities were written since
        self._holds = self._keeps = self._writing = self._pushed = False
        self._sent: dict[str, tuple[object, StridedView, int]] = {}    # numbers of the host, and what they were made of
        simulation.watch(self)

    @property
    def rows(self) -> GpuRows:
        """Where the worlds are."""
        return required_gpu_rows("the Direct API", self.simulation.store)

    @property
    def topology(self) -> Topology:
        """Of the step."""
        return self.simulation.topology

    def counts(self) -> MaxCounts:
        """What there is in one articulation."""
        return counts_of(self.simulation)

    # --- as a watcher ------------------------------------------------------------------------------------------------

    def state_written(self, worlds: Indices | Chosen) -> None:
        """Links of worlds whose state was set past this API are where that puts them."""
        if not self._writing:
            chosen = worlds if isinstance(worlds, Chosen) else self.rows.chosen(worlds)
            self._mark(chosen, DIRTY, REFRESHED | CLEARED)

    def about_to_step(self) -> None:
        """Keep what outputs of the step follow from."""
        names = [*self.simulation.model.state, *acting_rows(self.simulation.model.topology)]
        if self.start_of_step is None or list(self.start_of_step.sizes) != names:
            self.start_of_step = RowCopy(self.rows.worlds, names)
        self.start_of_step.take(self.rows.worlds, self.rows.everyone())

    def stepped(self) -> None:
        """Place every link anew, and end link forces set for one step."""
        self._holds = self._keeps = False
        self._mark(self.rows.everyone(), ALL_MARKS, 0)
        if self._pushed:
            self._pushed = False
            nothing, size = self._nothing(), 3 * len(self.topology.links)
            for name in LINK_FORCE_ROWS:
                OnGpu(self.simulation).put(name, 0, size, nothing, self.rows.everyone())

    # --- marks -------------------------------------------------------------------------------------------------------

    def _mark(self, chosen: Chosen, clear: int, put: int) -> None:
        self.rows.worlds.movement.mark(chosen, self._marks.address - self.rows.first, clear, put,
                                       self.rows.worlds.stream)

    def _marked(self, chosen: Chosen, where: int, value: int) -> Chosen:
        return chosen.marked(self._marks.address - self.rows.first, where, value)

    def refresh(self, chosen: Chosen, clear: bool) -> None:
        """Place links anew in those of the worlds that were written to; their outputs go, with `clear` everybody's."""
        if clear:
            self._mark(chosen, 0, CLEARED)
        self._mark(self._marked(chosen, DIRTY, DIRTY), DIRTY, REFRESHED | CLEARED)

    def has_velocities(self, worlds: Indices | None) -> bool:
        """Whether the link velocities of some worlds, all where None, are known; their marks travel if need be."""
        if not self.topology.fixed_base or self.start_of_step is not None:
            return True
        owner = self.rows.worlds
        marks = owner.gpu.read(Lines(self._marks.address, self.count), (1, self.count), "uint8", owner.stream)[0]
        return bool((marks[slice(None) if worlds is None else worlds] & REFRESHED).all())

    # --- what quantities are given -----------------------------------------------------------------------------------

    def _constant(self, name: str, values: Array, key: object = None) -> StridedView:
        """Numbers of the host for every world, (n_world, n), or (n,) for all alike, sent anew where `key` is another.
        """
        held = self._sent.get(name)
        if held is None or held[0] is not key:
            place = self.rows.of_all(values.reshape(-1, values.shape[-1]))
            self._sent[name] = held = key, place, values.shape[-1]
        return held[1]

    def _nothing(self) -> StridedView:
        """As many zeros as anybody wants."""
        return replace(self._constant("nothing", np.zeros(1)), of_row=0)

    def _frames(self) -> tuple[StridedView, int]:
        """Link frames in F."""
        masses = self.simulation.parameter_values.mass_properties
        centers = masses.values["center_of_mass"]
        frames = np.array([[*position, *rotation] for position, rotation in self.simulation.model.link_frames]).ravel()
        if not self.topology.fixed_base and masses.root_moved:
            frames = np.tile(frames, (self.count, 1))
            frames[:, 0:3] = -centers[:, 0]
        return self._constant("link_frames", frames, centers), frames.shape[-1]

    def _root_numbers(self, name: str) -> tuple[StridedView, int]:
        """A parameter of the root link that the host keeps."""
        values = self.simulation.parameter_values.mass_properties.values[name]
        root = values[:, 0]
        return self._constant(f"root {name}", root[0] if (root == root[:1]).all() else root, values), root.shape[1]

    def _start(self) -> dict[str, tuple[StridedView, int]]:
        start = self.start_of_step
        if start is None:
            return {}
        names = START_ROWS | ({"start_locked": "locked"} if self.topology.locked else {})
        return {name: (start.place(row), start.sizes[row]) for name, row in names.items()}

    def run(self, quantity: StateQuantity, chosen: Chosen, given: Mapping[str, tuple[StridedView, int]],
            results: Mapping[str, StridedView]) -> None:
        """Compute a quantity for the chosen worlds."""
        self.quantities.run(quantity, self.rows, chosen, given, results)

    # --- link states -------------------------------------------------------------------------------------------------

    def _write_current(self, name: str, chosen: Chosen, place: StridedView, where: int = 0) -> None:
        """Link poses or velocities at the state, of worlds that have none of the marks `where`."""
        if name == "pose":
            self.run(link_pose_data, self._marked(chosen, where, 0), {"link_frames": self._frames()},
                     {"values": place})
        elif self.topology.fixed_base and self.start_of_step is not None:
            # a fixed base' velocities stay as the solver held them until a write and a refresh
            self.run(held_velocity, self._marked(chosen, where | REFRESHED, 0), self._start(), {name: place})
            self.run(link_velocity_data, self._marked(chosen, where | REFRESHED, REFRESHED), {}, {name: place})
        else:
            self.run(link_velocity_data, self._marked(chosen, where, 0), {}, {name: place})

    def _read_links(self, name: str, chosen: Chosen, place: StridedView) -> None:
        """Link states as they were last placed."""
        self._write_current(name, chosen, place, DIRTY)
        if self._holds:
            origin, size = self._held[name]
            self._move(self._marked(chosen, DIRTY, DIRTY), place, origin, size)

    def _about_to_move(self, chosen: Chosen) -> None:
        """Keep where links are and what the step left, before chosen worlds are written to."""
        everyone = self.rows.everyone()
        if not self._keeps and self.start_of_step is not None:
            self._outputs = self._outputs or self._arrays(self._output_sizes())
            self.run(step_outputs, everyone, self._step(), {name: place for name, (place, _) in self._outputs.items()})
            self._keeps = True
        links = len(self.topology.links)
        self._held = self._held or self._arrays({"pose": 7 * links, "linear": 3 * links, "angular": 3 * links})
        for name, (place, _) in self._held.items():
            self._write_current(name, chosen if self._holds else everyone, place, DIRTY if self._holds else 0)
        self._holds = True
        self._mark(chosen, 0, DIRTY)

    def _arrays(self, sizes: Mapping[str, int]) -> dict[str, tuple[StridedView, int]]:
        """Memory for arrays with so many numbers a world."""
        width, made = np.dtype(self.simulation.dtype).itemsize, {}
        for name, size in sizes.items():
            memory: Memory = self.rows.worlds.gpu.allocate(max(1, self.count * size) * width, "link states")
            made[name] = by_world(memory.address - self.rows.first * size * width, size, owner=memory), size
        return made

    def _move(self, chosen: Chosen, to: StridedView, origin: StridedView, size: int) -> None:
        self.rows.worlds.movement.move(chosen, to, origin, size, self.rows.worlds.stream)

    # --- outputs of the step -----------------------------------------------------------------------------------------

    def _step(self) -> dict[str, tuple[StridedView, int]]:
        """What `step_outputs` is given."""
        start, size = self.start_of_step, 3 * len(self.topology.links)
        nothing = self._nothing()
        given = {name: (start.place(name), start.sizes[name]) if start and name in start.sizes else (nothing, size)
                 for name in ("joint_effort", *LINK_FORCE_ROWS)}
        for name, values in joints_of(self.simulation.model).items():
            given[name] = self._constant(name, values), len(values)
        for name in given_rows(self.topology):
            given[name] = self.rows.worlds.place(name), self.rows.worlds.group(name)[1]
        return self._start() | given

    def _output_sizes(self) -> dict[str, int]:
        return dict(self.quantities.function(step_outputs, {name: n for name, (_, n) in self._step().items()}).results)

    def _read_outputs(self, name: str, chosen: Chosen, place: StridedView) -> None:
        """Accelerations or joint forces of the last step, 0 where they were cleared."""
        left = self._marked(chosen, CLEARED, 0)
        if self._keeps:
            self._move(left, place, *self._outputs[name])
        else:
            self.run(step_outputs, left, self._step(), {name: place})
        self.rows.worlds.movement.fill(self._marked(chosen, CLEARED, CLEARED), place, 0.0, self._output_sizes()[name],
                                       self.rows.worlds.stream)

    # --- reading and computing ---------------------------------------------------------------------------------------

    def size_of(self, kind: ComputeType | ReadType, counts: MaxCounts) -> int:
        """Numbers of an articulation's own data, without the rest of its block."""
        if isinstance(kind, ComputeType):
            given = {"root_axes": 4} if kind is ComputeType.eARTICULATION_COMS_ROOT_FRAME else {}
            return dict(self.quantities.function(QUANTITIES[kind], given).results)["values"]
        if "TENDON" in kind.name:
            return tendons.own_size(kind.name, self.simulation.model.actor, counts)
        if kind in STEP_OUTPUTS:
            return self._output_sizes()[STEP_OUTPUTS[kind]]
        if kind in LINK_STATES:
            return (7 if kind is ReadType.eLINK_GLOBAL_POSE else 3) * len(self.topology.links)
        if kind.name.startswith("eJOINT"):
            return len(self.topology.dofs)
        return TRANSFORM_SIZE if kind is ReadType.eROOT_GLOBAL_POSE else 3

    def read(self, kind: ReadType, chosen: Chosen, place: StridedView, counts: MaxCounts) -> None:
        """Put one kind of data where it is wanted."""
        root, dofs = self.topology.root_size, len(self.topology.dofs)
        parts = {ReadType.eJOINT_POSITION: ("q", 0, dofs), ReadType.eJOINT_VELOCITY: ("v", root, dofs),
                 ReadType.eJOINT_FORCE: ("joint_effort", 0, dofs),
                 ReadType.eJOINT_TARGET_POSITION: ("target_position", 0, dofs),
                 ReadType.eJOINT_TARGET_VELOCITY: ("target_velocity", 0, dofs),
                 ReadType.eROOT_LINEAR_VELOCITY: ("v", 0, 3), ReadType.eROOT_ANGULAR_VELOCITY: ("v", 3, 3)}
        if "TENDON" in kind.name:
            self._read_tendons(kind.name, chosen, place, counts)
        elif kind in LINK_STATES:
            self._read_links(LINK_STATES[kind], chosen, place)
        elif kind in STEP_OUTPUTS:
            self._read_outputs(STEP_OUTPUTS[kind], chosen, place)
        elif kind is ReadType.eROOT_GLOBAL_POSE:
            self.run(root_pose_data, chosen, {"link_frames": self._frames()}, {"values": place})
        elif kind.name.startswith("eROOT") and not root:
            self.rows.worlds.movement.fill(chosen, place, 0.0, 3, self.rows.worlds.stream)
        else:
            name, first, size = parts[kind]
            self._move(chosen, place, self.rows.shifted(self.rows.worlds.place(name), first), size)

    def _read_tendons(self, kind: str, chosen: Chosen, place: StridedView, counts: MaxCounts) -> None:
        rows, actor, own = self.rows, self.simulation.model.actor, self.simulation.parameter_values
        rows.worlds.movement.fill(chosen, place, 0.0, tendons.own_size(kind, actor, counts), rows.worlds.stream)
        for word, name, element in tendons.words(kind, actor, counts):
            parameter = own.parameter(name)
            if parameter.scalars:
                row, i = parameter.scalars[element][0]
                origin = rows.shifted(rows.worlds.place(row), i)
            else:       # an attachment's place, which the host keeps
                values = own.mass_properties.values[name]
                flat = values.reshape(self.count, -1)
                flat = flat[0] if (flat == flat[:1]).all() else flat
                origin = rows.shifted(self._constant(name, flat, values), element)
            self._move(chosen, rows.shifted(place, word), origin, 1)
        for word, bits in tendons.axis_words(kind, self.topology, actor, counts, self.simulation.dtype):
            rows.worlds.movement.fill(chosen, rows.shifted(place, word), bits, 1, rows.worlds.stream)

    def compute(self, kind: ComputeType, chosen: Chosen, place: StridedView) -> None:
        """Put one quantity but centroidal momentum where it is wanted."""
        given = {"root_axes": self._root_numbers("principal_axes")} \
            if kind is ComputeType.eARTICULATION_COMS_ROOT_FRAME else {}
        self.run(QUANTITIES[kind], chosen, given, {"values": place})

    # --- writing -----------------------------------------------------------------------------------------------------

    def write(self, kind: WriteType, chosen: Chosen, place: StridedView, counts: MaxCounts) -> None:
        """Set one kind of data; links of worlds that this moves stay where they are until placed again."""
        root = self.topology.root_size
        if "TENDON" in kind.name:
            self._write_tendons(kind, chosen, place, counts)
            return
        if kind.name in MOVING_WRITES:
            self._about_to_move(chosen)
        name = ROW_OF_WRITE.get(kind, "")
        if name in LINK_FORCE_ROWS:
            self.simulation.alike.heed_link_forces()
            self._pushed = True
        self._writing = True
        if kind is WriteType.eROOT_GLOBAL_POSE:
            own = self._root_numbers("center_of_mass") if root else (self._constant("origin", np.zeros(3)), 3)
            self.quantities.run(root_pose_rows, self.rows, chosen, {"data": (place, TRANSFORM_SIZE), "center": own}, {},
                                ("root_position", "root_rotation"))
            OnGpu(self.simulation).state_written(chosen)
        elif root or not kind.name.startswith("eROOT"):     # a fixed base takes no velocity
            first = root if kind is WriteType.eJOINT_VELOCITY else 3 * (kind is WriteType.eROOT_ANGULAR_VELOCITY)
            OnGpu(self.simulation).put(name, first, own_size(kind, self.topology), place, chosen)
        self._writing = False

    def _write_tendons(self, kind: WriteType, chosen: Chosen, place: StridedView, counts: MaxCounts) -> None:
        rows, own = self.rows, self.simulation.parameter_values
        found = [(word, own.parameter(name), element)
                 for word, name, element in tendons.words(kind.name, self.simulation.model.actor, counts)]
        if any(not parameter.scalars for _, parameter, _ in found):
            raise ValueError(f"{kind.name}: attachments are placed by the host; copy the data there")
        for word, parameter, element in found:
            for row, i in parameter.scalars[element]:
                rows.write_part(row, i, 1, rows.shifted(place, word), chosen)
                own.rows_set.add(row)
        self.simulation.alike.parameters_written()

"""The step of one articulation as a page runs it: a WebAssembly module, the memory it starts with, and what lies where.

The module is made of the same traced step as native machine code, and its numbers are those of native float32.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from physx_runtime.compiling.code import Code
from physx_runtime.compiling.trace import row_scalars, scalar_names, trace
from physx_runtime.compiling.wasm_module import emit_module
from physx_runtime.dynamics.kinematics import state_kinematics
from physx_runtime.dynamics.link_state import link_poses
from physx_runtime.language.ops import Rows
from physx_runtime.model.rows import input_rows, lasting_rows
from physx_runtime.model.topology import Topology
from physx_runtime.packing.model import PackedModel
from physx_runtime.packing.not_simulated import NotSimulatedWarning
from physx_runtime.simulation.articulation import Simulation
from physx_runtime.solver.program import step_program
from physx_runtime.viewing.live.sliders import Slider, sliders
from physx_runtime.worlds.choice import expected_operations
from physx_runtime.worlds.path import BY_JOINT
from physx_schema.description.model import Description
from physx_schema.errors import UnsupportedError

# Expected operations of the largest part of a step that a page carries: a second to compile there, a megabyte.
MOST_OPERATIONS = 70_000


@dataclass(frozen=True, slots=True)
class LiveStep:
    """A module with `memory`, ``step(rounds, position iterations, velocity iterations)`` and ``poses()``."""

    articulation: str                   # prim path
    binary: bytes
    memory: bytes                       # the rows of one world, float32, from address 0
    dt: float                           # s
    iterations: tuple[int, int]         # position, velocity
    links: tuple[str, ...]              # prim paths
    joints: tuple[str, ...]             # names of degrees of freedom
    address: Mapping[str, int]          # row scalar -> byte; `pose` has position and quaternion x y z w of every link
    sliders: tuple[Slider, ...]
    left_out: tuple[str, ...]           # what else moves the articulation in PhysX


def live_step(description: Description, articulation: str | None = None, dt: float = 1 / 60) -> LiveStep:
    """The step of an articulation of a stage, the only one where None; nothing is compiled here.

    Raises UnsupportedError where no page can step it, with the reason.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)        # it is said on the page
        sim = Simulation(description, dt=dt, articulation=articulation, path=BY_JOINT)
    t = sim.topology
    if not isinstance(t, Topology):
        raise UnsupportedError(f"{sim.model.actor.path}: a body without joints, of which a page steps none")
    expected = expected_operations(t)
    if expected > MOST_OPERATIONS:
        raise UnsupportedError(f"{sim.model.actor.path}: {len(t.dofs)} degrees of freedom are about {expected} "
                               f"operations in one piece; a page carries up to {MOST_OPERATIONS}")
    sim.keep_tendon_impulses()
    t = sim.topology
    program = step_program(t)
    try:
        module = emit_module(program, {"poses": _poses(t, sim.model)})
    except NotImplementedError as error:
        raise UnsupportedError(f"{sim.model.actor.path}: {error}") from error
    return LiveStep(sim.model.actor.path, module.binary, _memory(sim, program.layout), dt,
                    (sim.settings.position_iterations, sim.settings.velocity_iterations), sim.model.link_names,
                    sim.model.dof_names, module.address, tuple(sliders(sim, module.address)),
                    tuple(map(str, sim.not_simulated)))


def _poses(t: Topology, model: PackedModel) -> Code:
    """The row `pose`: seven numbers a link, in the world."""
    frames = [float(x) for position, rotation in model.link_frames for x in (*position, *rotation)]

    def pose(rows: Rows) -> Rows:
        own = {**rows, "link_frames": frames}
        return {"pose": [x for link in link_poses(t, own, state_kinematics(t, own)) for x in link]}

    code, sizes = trace(pose, row_scalars(lasting_rows(t) | input_rows(t)))
    return code.pruned(set(scalar_names(sizes)))


def _memory(sim: Simulation, layout: Mapping[str, int]) -> bytes:
    """The rows of the first world in the order of the program's layout."""
    image = np.zeros(len(layout), np.float32)
    for name, size in (lasting_rows(sim.topology) | input_rows(sim.topology)).items():
        if size:
            image[layout[f"{name}_0"]:][:size] = sim.store.rows(name)[0]
    return image.tobytes()


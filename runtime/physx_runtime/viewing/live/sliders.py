"""Sliders of a page that steps the robot itself.

Which numbers of a robot a reader of its page may move, how far, and in which unit they are shown.

Robots whose floating root a fixed joint holds at the world, as converters write them: with a fixed base instead.

The step of one articulation as a page runs it: a WebAssembly module, the memory it starts with, and what lies where.

The module is made of the same traced step as native machine code, and its numbers are those of native float32.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from pxr import Sdf, Usd

from physx_runtime.compiling.code import Code, row_scalars, scalar_names, trace
from physx_runtime.compiling.wasm import emit_module
from physx_runtime.dynamics.kinematics import link_poses, state_kinematics
from physx_runtime.language.ops import Rows
from physx_runtime.model.row_specs import input_rows, output_rows
from physx_runtime.model.topology import ROTARY_JOINTS, Topology
from physx_runtime.packing.model import PackedModel
from physx_runtime.packing.not_simulated import NotSimulatedWarning
from physx_runtime.simulation.parameters import FEATURES, Parameter
from physx_runtime.simulation.simulation import Simulation
from physx_runtime.solver.program import step_program
from physx_runtime.worlds.choice import expected_operations
from physx_runtime.worlds.store import SCHEDULED
from physx_schema.description import describe
from physx_schema.description.model import Articulation, Description, MaximalJoint
from physx_schema.errors import UnsupportedError

# Parameters in the order in which they are offered.
SLIDER_PARAMETERS = (
    "target_position", "target_velocity", "fixed_tendon_offset", "spatial_tendon_offset", "fixed_tendon_stiffness",
    "spatial_tendon_stiffness", "fixed_tendon_damping", "spatial_tendon_damping", "stiffness", "damping", "max_force",
    "mimic_natural_frequency", "mimic_damping_ratio", "static_friction", "dynamic_friction", "viscous_friction",
    "armature", "mass")
SIGNED_RANGES = {"target_position": 1.0, "target_velocity": 5.0}       # how far either way without limits; rad, m, 1/s
OFFSETS = {"fixed_tendon_offset": "fixed_tendon_rest_length", "spatial_tendon_offset": "spatial_tendon_rest_length"}
MAX_RATIO = 3.0            # times the authored value
IN_DEGREES = ("target_position", "target_velocity")


@dataclass(frozen=True, slots=True)
class Slider:
    """One number of the step: `value`, `low` and `high` in the step's unit, `factor` times that is shown."""

    parameter: str
    element: str                        # what it is of: a prim path, path:instance of a tendon's part
    unit: str                           # as shown
    at: tuple[int, ...]                 # bytes of the module's memory it lies at
    value: float
    low: float
    high: float
    factor: float


def sliders(sim: Simulation, address: Mapping[str, int]) -> Iterator[Slider]:
    """The sliders of a simulation's first world, whose rows lie at these bytes."""
    for name in SLIDER_PARAMETERS:
        parameter = sim.parameters.get(name)
        if parameter is None or not parameter.scalars:
            continue
        values = sim.parameter(name)[0].astype(np.float64)
        ranges = _ranges(sim, name, values)
        for i, (element, value) in enumerate(zip(parameter.elements, values.tolist(), strict=True)):
            low, high = ranges[i]
            if _has_effect(sim.topology, name, i) and math.isfinite(value) and low < high:
                unit, factor = _display_unit(sim.topology, parameter, i)
                at = tuple(address[f"{row}_{index}"] for row, index in parameter.scalars[i])
                yield Slider(name, element, unit, at, value, min(low, value), max(high, value), factor)


def _has_effect(t: Topology, name: str, i: int) -> bool:
    """Whether anything heeds a parameter of an element."""
    return name not in FEATURES or bool(getattr(t.dofs[i], FEATURES[name].feature))


def _ranges(sim: Simulation, name: str, values: np.ndarray) -> list[tuple[float, float]]:
    """How far each value may be moved; both ends alike where there is nothing to move."""
    if name == "target_position":
        bounds = zip(sim.parameter("lower_limit")[0], sim.parameter("upper_limit")[0], strict=True)
        return [(_bound(low, -_default_extent(sim.topology, i)), _bound(high, _default_extent(sim.topology, i)))
                for i, (low, high) in enumerate(bounds)]
    if name in SIGNED_RANGES:
        return [(-SIGNED_RANGES[name], SIGNED_RANGES[name])] * len(values)
    if name in OFFSETS:
        extent = np.abs(sim.parameter(OFFSETS[name])[0])
        return [(-float(x or extent.max()), float(x or extent.max())) for x in extent]
    finite = values[np.isfinite(values)]
    maximum = MAX_RATIO * float(finite.max(initial=0.0))
    return [(0.0, MAX_RATIO * value if value > 0.0 else maximum) for value in values.tolist()]


def _default_extent(t: Topology, dof: int) -> float:
    return math.pi if t.kind_of(dof) in ROTARY_JOINTS else SIGNED_RANGES["target_position"]


def _bound(value: float, otherwise: float) -> float:
    return float(value) if math.isfinite(value) else otherwise


def _display_unit(t: Topology, parameter: Parameter, i: int) -> tuple[str, float]:
    """The unit that a value is shown in, and what it is multiplied with."""
    linear, _, angular = parameter.unit.partition(" (linear), ")
    if not angular:
        return parameter.unit, 1.0
    if t.kind_of(i) not in ROTARY_JOINTS:
        return linear, 1.0
    unit = angular.partition(" (angular)")[0]
    return (unit.replace("radian", "degree"), math.degrees(1.0)) if parameter.name in IN_DEGREES else (unit, 1.0)


def find_root_joint(description: Description, articulation: Articulation) -> MaximalJoint | None:
    """The fixed joint outside the articulation that holds its root at the world; None where there is none."""
    root = articulation.links[0].path
    ends = {("", root), (root, "")}
    return None if articulation.fixed_base else next(
        (joint for joint in description.separate_joints
         if joint.kind == "fixed" and (joint.body0, joint.body1) in ends), None)


def with_fixed_base(stage: Usd.Stage, articulation: Articulation, joint: MaximalJoint) -> Description:
    """The description of a stage with the articulation root moved to this joint; the stage stays as it is."""
    session = Sdf.Layer.CreateAnonymous()
    session.TransferContent(stage.GetSessionLayer())
    changed = Usd.Stage.Open(stage.GetRootLayer(), session)
    changed.SetEditTarget(session)
    root, joint_prim = changed.GetPrimAtPath(articulation.path), changed.GetPrimAtPath(joint.path)
    # GetAppliedSchemas leaves out what this USD has no definition of
    for name in root.GetMetadata("apiSchemas").GetAddedOrExplicitItems():
        if "Articulation" in name:
            root.RemoveAppliedSchema(name)
            joint_prim.AddAppliedSchema(name)
    return describe(changed)


# Expected operations of the largest part of a step that a page carries: a second to compile there, a megabyte.
MAX_OPERATIONS = 70_000


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
        sim = Simulation(description, dt=dt, articulation=articulation, path=SCHEDULED)
    t = sim.topology
    if not isinstance(t, Topology):
        raise UnsupportedError(f"{sim.model.actor.path} has no joints; a page can only step articulations")
    expected = expected_operations(t)
    if expected > MAX_OPERATIONS:
        raise UnsupportedError(f"{sim.model.actor.path}: its {len(t.dofs)} degrees of freedom need about {expected} "
                               f"operations; a page supports at most {MAX_OPERATIONS}")
    sim.enable_tendon_impulses()
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
        all_rows = {**rows, "link_frames": frames}
        return {"pose": [x for link in link_poses(t, all_rows, state_kinematics(t, all_rows)) for x in link]}

    code, sizes = trace(pose, row_scalars(output_rows(t) | input_rows(t)))
    return code.pruned(set(scalar_names(sizes)))


def _memory(sim: Simulation, layout: Mapping[str, int]) -> bytes:
    """The rows of the first world in the order of the program's layout."""
    image = np.zeros(len(layout), np.float32)
    for name, size in (output_rows(sim.topology) | input_rows(sim.topology)).items():
        if size:
            image[layout[f"{name}_0"]:][:size] = sim.store.rows(name)[0]
    return image.tobytes()

"""`configured_stage` gives a stage as Isaac Lab makes it act, and lists what Isaac Lab writes."""

from __future__ import annotations

from pathlib import Path

from pxr import Usd, UsdGeom

from physx_runtime.isaac_lab.actuators import apply_actuators
from physx_runtime.isaac_lab.overlay import Overlay
from physx_runtime.isaac_lab.report import FAULT, NOT_EVALUATED, UNRELATED, IsaacLabReport
from physx_runtime.isaac_lab.selection import Configuration, read_configuration
from physx_runtime.isaac_lab.simulation import apply_simulation
from physx_runtime.isaac_lab.spawning import apply_spawn
from physx_runtime.isaac_lab.start import apply_initial_state
from physx_runtime.isaac_lab.values import ConfigObject
from physx_schema.description import describe
from physx_schema.description.model import Articulation

_SOFT_LIMITS = "Isaac Lab's rewards and terminations use it, PhysX does not"
_NO_SIMULATION = "the configuration is of a robot alone; the scene of the stage is kept, where Isaac Lab makes its own"
# Fields of a robot that say where it is and how Isaac Lab finds it.
_NOT_PHYSICS = frozenset({"prim_path", "class_type", "spawn", "init_state", "actuators", "collision_group", "debug_vis",
                          "actuator_value_resolution_debug_print", "articulation_root_prim_path", "joint_ordering",
                          "body_ordering"})


def configured_stage(stage: Usd.Stage, source: str | Path) -> tuple[Usd.Stage, IsaacLabReport]:
    """The stage with the values that Isaac Lab writes in its session layer, and the list of these values.

    The given stage stays as it is. source: a .py file or a params/env.yaml, with ":NAME" where it has several robots.
    Raises UnreadableError for a configuration that cannot be read.
    """
    configuration = read_configuration(source)
    overlay = Overlay(stage)
    for item in configuration.unresolved:
        overlay.note(NOT_EVALUATED, item.expression, item.place, item.reason)
    root = _root(overlay, stage)
    apply_spawn(overlay, configuration.robot, root, configuration.release)
    dt = None
    if configuration.simulation is not None:
        dt = apply_simulation(overlay, configuration.simulation, configuration.release)
    else:
        overlay.note(UNRELATED, "sim", configuration.robot.place, _NO_SIMULATION)
    articulation = _articulation(overlay, configuration.robot, root)
    explicit: tuple[str, ...] = ()
    if articulation is not None:
        explicit = apply_actuators(overlay, configuration.robot, articulation, configuration.release)
        apply_initial_state(overlay, configuration.robot, articulation)
    _note_others(overlay, configuration.robot)
    decimation = _decimation(overlay, configuration)
    return overlay.stage, IsaacLabReport(configuration.source, configuration.release, dt, decimation,
                                         overlay.settings, tuple(overlay.notes), explicit)


def _root(overlay: Overlay, stage: Usd.Stage) -> Usd.Prim:
    """The prim that Isaac Lab references."""
    if abs(UsdGeom.GetStageMetersPerUnit(stage) - 1.0) > 1e-6:
        overlay.note(NOT_EVALUATED, "spawn.usd_path", "", "Isaac Lab steps in meters; metersPerUnit of the stage is "
                     f"{UsdGeom.GetStageMetersPerUnit(stage):g}, and lengths are not converted here")
    prim = overlay.stage.GetDefaultPrim()
    if not prim:
        overlay.note(FAULT, "spawn.usd_path", "", "the stage has no defaultPrim, and a reference to it is empty; "
                     "author defaultPrim")
        return overlay.stage.GetPseudoRoot()
    return prim


def _articulation(overlay: Overlay, robot: ConfigObject, root: Usd.Prim) -> Articulation | None:
    """The one articulation below the prim that Isaac Lab references."""
    inside = [item for item in describe(overlay.stage).articulations
              if root.IsPseudoRoot() or f"{item.path}/".startswith(f"{root.GetPath()}/")]
    if len(inside) == 1:
        return inside[0]
    found = f"{len(inside)} articulations, {inside[0].path} and {inside[1].path}" if inside else "no articulation"
    name = "articulation_root_prim_path"
    overlay.note(FAULT, name, robot.place, f"{found} below {root.GetPath()}; Isaac Lab wants one",
                 str(robot.value(name, "")))
    return None


def _note_others(overlay: Overlay, robot: ConfigObject) -> None:
    """Notes on the fields of a robot that PhysX does not step with."""
    for name, entry in robot.fields.items():
        if name == "soft_joint_pos_limit_factor":
            overlay.note(UNRELATED, name, entry.place, _SOFT_LIMITS, entry.value)
        elif name not in _NOT_PHYSICS and not overlay.not_evaluated(name, entry.value):
            overlay.note(NOT_EVALUATED, name, entry.place, "the field is not known here",
                         entry.value if not isinstance(entry.value, ConfigObject) else entry.value.kind)


def _decimation(overlay: Overlay, configuration: Configuration) -> int | None:
    value = configuration.decimation
    if overlay.not_evaluated("decimation", value):
        return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None

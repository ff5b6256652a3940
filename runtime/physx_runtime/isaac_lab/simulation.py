"""The scene that Isaac Lab makes for PhysX from SimulationCfg, in place of the stage's own."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pxr import Gf, Usd, UsdPhysics

from physx_runtime.isaac_lab.fields import EXTERNAL_FORCES, GRAVITY, PHYSX, SOLVER_TYPES, SPAWNED, Field
from physx_runtime.isaac_lab.overlay import Overlay
from physx_runtime.isaac_lab.report import FAULT, NOT_EVALUATED, UNRELATED
from physx_runtime.isaac_lab.values import ConfigObject, Data, Entry, Location, NotEvaluated, is_number

DEFAULT = "default of Isaac Lab"
DEFAULT_DT = 1.0 / 60.0
DEFAULT_PATH = "/physicsScene"
SOLVER_TYPE = Field("solver_type", "physxScene:solverType", "PhysxSceneAPI", default=1)
MAGNITUDE = Field("gravity", "physics:gravityMagnitude", "")
STEPS = Field("dt", "physxScene:timeStepsPerSecond", "PhysxSceneAPI")
_PHYSX_CLASSES = frozenset({"PhysxCfg", "OvPhysxCfg"})
# Fields that change where Isaac Lab computes and what it shows, not what PhysX comes to.
_NOT_PHYSICS = frozenset({
    "device", "use_fabric", "render", "render_interval", "enable_scene_query_support", "physics_prim_path",
    "create_stage_in_memory", "logging_level", "save_logs_to_file", "log_dir", "visualizer_cfgs", "class_type",
    "default_visualizer_cfg", "use_newton_actuators", "dt", "gravity", "physx", "physics"})
DEFAULT_MATERIAL = "the material of colliders without one is not applied here"


def apply_simulation(overlay: Overlay, simulation: ConfigObject, release: str) -> float | None:
    """Write the settings of the scene; the time step in seconds, None where it is not evaluated."""
    scene = _scene_path(overlay)
    dt = _time_step(overlay, simulation)
    if dt is not None:
        entry = simulation.fields.get("dt")
        overlay.write(scene, STEPS, int(1.0 / dt), "sim.dt", entry.place if entry else DEFAULT, SPAWNED)
    _write_gravity(overlay, simulation, scene)
    physx = _physx_settings(overlay, simulation)
    if physx is not None:
        _write_physx(overlay, physx, scene, release)
    for name, entry in simulation.fields.items():
        if name == "physics_material" and entry.value is not None:
            overlay.note(NOT_EVALUATED, "sim.physics_material", entry.place, DEFAULT_MATERIAL)
        elif name not in _NOT_PHYSICS and name != "physics_material":
            overlay.note(NOT_EVALUATED, f"sim.{name}", entry.place, "the field is not known here")
    return dt


def _scene_path(overlay: Overlay) -> str:
    """The scene of the stage, or one that is made as Isaac Lab makes it."""
    prims = Usd.PrimRange(overlay.stage.GetPseudoRoot())
    existing = next((prim for prim in prims if prim.IsA(UsdPhysics.Scene)), None)
    if existing is None:
        existing = UsdPhysics.Scene.Define(overlay.stage, DEFAULT_PATH).GetPrim()
    return str(existing.GetPath())


def _time_step(overlay: Overlay, simulation: ConfigObject) -> float | None:
    entry = simulation.fields.get("dt")
    if entry is None:
        return DEFAULT_DT
    if overlay.not_evaluated("sim.dt", entry.value):
        return None
    if not is_number(entry.value) or not 0.0 < entry.value <= 1.0:
        overlay.note(FAULT, "sim.dt", entry.place, "give a time in seconds, above 0 and up to 1", entry.value)
        return None
    return float(entry.value)


def _write_gravity(overlay: Overlay, simulation: ConfigObject, scene: str) -> None:
    """Write magnitude and direction of gravity."""
    entry = simulation.fields.get("gravity")
    value = GRAVITY if entry is None else entry.value
    if overlay.not_evaluated("sim.gravity", value):
        return
    place: Location | str = DEFAULT if entry is None else entry.place
    if not isinstance(value, list | tuple) or len(value) != 3 or not all(map(is_number, value)):
        overlay.note(FAULT, "sim.gravity", place, "give three numbers", value)
        return
    magnitude = math.hypot(*value)
    overlay.write(scene, MAGNITUDE, magnitude, "sim.gravity", place, SPAWNED)
    if magnitude:
        UsdPhysics.Scene(overlay.stage.GetPrimAtPath(scene)).CreateGravityDirectionAttr(
            Gf.Vec3f(*(number / magnitude for number in value)))


def _physx_settings(overlay: Overlay, simulation: ConfigObject) -> ConfigObject | None:
    """The settings of PhysX, with no field where none is given; None where another engine steps."""
    entry = simulation.fields.get("physx") or simulation.fields.get("physics")
    empty = ConfigObject(("PhysxCfg",), simulation.place)
    if entry is None or entry.value is None:
        return empty
    if isinstance(entry.value, NotEvaluated):
        overlay.not_evaluated("sim.physics", entry.value)
        return None
    settings = next(_physx_objects(entry.value), None)
    if settings is None and "physx" in simulation.fields:
        return entry.value if isinstance(entry.value, ConfigObject) else empty
    if settings is None:
        kind = entry.value.kind if isinstance(entry.value, ConfigObject) else "the value"
        overlay.note(NOT_EVALUATED, "sim.physics", entry.place, f"{kind} has no settings of PhysX")
    return settings


def _physx_objects(value: Data, depth: int = 3) -> Iterator[ConfigObject]:
    """The settings of PhysX in a choice of engines."""
    if isinstance(value, ConfigObject) and depth:
        if _PHYSX_CLASSES & set(value.kinds):
            yield value
            return
        for entry in value.fields.values():
            yield from _physx_objects(entry.value, depth - 1)


def _write_physx(overlay: Overlay, physx: ConfigObject, scene: str, release: str) -> None:
    """Write all settings of PhysX, and Isaac Lab's defaults of those that the configuration does not give."""
    entry = physx.fields.get("solver_type", Entry(SOLVER_TYPE.default, physx.place))
    place: Location | str = entry.place if "solver_type" in physx.fields else DEFAULT
    if not overlay.not_evaluated("sim.physx.solver_type", entry.value):
        if entry.value in SOLVER_TYPES:
            overlay.write(scene, SOLVER_TYPE, SOLVER_TYPES[entry.value], "sim.physx.solver_type", place, SPAWNED)
        else:
            overlay.note(FAULT, "sim.physx.solver_type", place, "allowed are 0 for PGS and 1 for TGS", entry.value)
    for name, field in PHYSX.items():
        default = EXTERNAL_FORCES[release] if name == "enable_external_forces_every_iteration" else field.default
        item = physx.fields.get(name)
        value = default if item is None else item.value
        if value is not None and not overlay.not_evaluated(f"sim.physx.{name}", value):
            overlay.write(scene, field, value, f"sim.physx.{name}", DEFAULT if item is None else item.place, SPAWNED)
    for name, item in physx.fields.items():
        if name not in PHYSX and name not in ("solver_type", "class_type") and not name.startswith("gpu_"):
            overlay.note(UNRELATED, f"sim.physx.{name}", item.place, "it does not change what PhysX comes to",
                         item.value if not isinstance(item.value, ConfigObject) else item.value.kind)

"""The fields of Isaac Lab's configuration classes that PhysX steps with, and where each of them acts on a stage.

Read from Isaac Lab 2.3.2 and 3.0.0, the released wheels. `SOURCES` names the files that write each group.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

SAME, PER_RADIAN, RADIANS = "", "per radian", "radians"
# A number of a configuration times this is the number of USD, for an angular joint; of a linear one it is the same.
ANGULAR_FACTORS: Mapping[str, float] = {SAME: 1.0, PER_RADIAN: math.pi / 180.0, RADIANS: 180.0 / math.pi}

# When Isaac Lab writes a value, and what it writes it to.
SPAWNED, STARTED, RESET = "in USD, before PhysX reads it", "in PhysX, after it read USD", "in PhysX, at each reset"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a configuration class and the property of USD that it stands for."""

    name: str
    property: str               # with {axis}, {instance} for the instance name of a schema with several
    schema: str                 # that has the property
    unit: str = SAME            # of the field, where it differs from that of the property
    default: Any = None         # what Isaac Lab writes where the configuration gives nothing; None: the stage's value

    def factor(self, angular: bool) -> float:
        """What a number of the field is multiplied with to give the number of the property."""
        return ANGULAR_FACTORS[self.unit] if angular else 1.0


def camel_case(name: str) -> str:
    """The name of a property of a field: "solverPositionIterationCount" of "solver_position_iteration_count"."""
    return name[:1] + name.title().replace("_", "")[1:]


def _table(*fields: Field) -> dict[str, Field]:
    return {field.name: field for field in fields}


def _schema(schema: str, prefix: str, names: Iterable[str]) -> list[Field]:
    return [Field(name, prefix + camel_case(name), schema) for name in names]


RIGID_BODY = _table(
    *_schema("PhysicsRigidBodyAPI", "physics:", ("rigid_body_enabled", "kinematic_enabled")),
    *_schema("PhysxRigidBodyAPI", "physxRigidBody:", (
        "disable_gravity", "linear_damping", "angular_damping", "max_linear_velocity", "max_angular_velocity",
        "max_depenetration_velocity", "max_contact_impulse", "enable_gyroscopic_forces", "retain_accelerations",
        "solver_position_iteration_count", "solver_velocity_iteration_count", "sleep_threshold",
        "stabilization_threshold")))
COLLISION = _table(
    *_schema("PhysicsCollisionAPI", "physics:", ("collision_enabled",)),
    *_schema("PhysxCollisionAPI", "physxCollision:", (
        "contact_offset", "rest_offset", "torsional_patch_radius", "min_torsional_patch_radius")))
MASS = _table(*_schema("PhysicsMassAPI", "physics:", ("mass", "density")))
ARTICULATION = _table(*_schema("PhysxArticulationAPI", "physxArticulation:", (
    "articulation_enabled", "enabled_self_collisions", "solver_position_iteration_count",
    "solver_velocity_iteration_count", "sleep_threshold", "stabilization_threshold")))
FIXED_TENDON = _table(*_schema("PhysxTendonAxisRootAPI", "physxTendon:{instance}:", (
    "tendon_enabled", "stiffness", "damping", "limit_stiffness", "offset", "rest_length")))
SPATIAL_TENDON = _table(*_schema("PhysxTendonAttachmentRootAPI", "physxTendon:{instance}:", (
    "tendon_enabled", "stiffness", "damping", "limit_stiffness", "offset")))

_DRIVE, _AXIS = "drive:{axis}:physics:", "physxJointAxis:{axis}:"
JOINT_DRIVE = _table(
    Field("drive_type", _DRIVE + "type", "PhysicsDriveAPI"),
    Field("stiffness", _DRIVE + "stiffness", "PhysicsDriveAPI", PER_RADIAN),
    Field("damping", _DRIVE + "damping", "PhysicsDriveAPI", PER_RADIAN),
    Field("max_effort", _DRIVE + "maxForce", "PhysicsDriveAPI"),
    Field("max_force", _DRIVE + "maxForce", "PhysicsDriveAPI"),
    Field("max_velocity", "physxJoint:maxJointVelocity", "PhysxJointAPI", RADIANS),
    Field("max_joint_velocity", "physxJoint:maxJointVelocity", "PhysxJointAPI", RADIANS))
# By the names of the third release; what an actuator sets is written through PhysX's tensors, per radian.
ACTUATOR = _table(
    Field("stiffness", _DRIVE + "stiffness", "PhysicsDriveAPI", PER_RADIAN),
    Field("damping", _DRIVE + "damping", "PhysicsDriveAPI", PER_RADIAN),
    Field("joint_effort_limit", _DRIVE + "maxForce", "PhysicsDriveAPI"),
    Field("joint_velocity_limit", _AXIS + "maxJointVelocity", "PhysxJointAxisAPI", RADIANS),
    Field("armature", _AXIS + "armature", "PhysxJointAxisAPI"),
    Field("friction", _AXIS + "staticFrictionEffort", "PhysxJointAxisAPI"),
    Field("dynamic_friction", _AXIS + "dynamicFrictionEffort", "PhysxJointAxisAPI"),
    Field("viscous_friction", _AXIS + "viscousFrictionCoefficient", "PhysxJointAxisAPI", PER_RADIAN))
INITIAL_STATE = _table(
    Field("joint_pos", "state:{axis}:physics:position", "PhysicsJointStateAPI", RADIANS, 0.0),
    Field("joint_vel", "state:{axis}:physics:velocity", "PhysicsJointStateAPI", RADIANS, 0.0))


def _scene(name: str, default: Any, base: str = "") -> Field:
    return Field(name, f"physxScene:{base or camel_case(name)}", "PhysxSceneAPI", SAME, default)


PHYSX = _table(
    _scene("min_position_iteration_count", 1), _scene("max_position_iteration_count", 255),
    _scene("min_velocity_iteration_count", 0), _scene("max_velocity_iteration_count", 255),
    _scene("enable_ccd", False, "enableCCD"), _scene("enable_stabilization", False),
    _scene("enable_enhanced_determinism", False), _scene("enable_external_forces_every_iteration", None),
    _scene("solve_articulation_contact_last", False), _scene("bounce_threshold_velocity", 0.5, "bounceThreshold"),
    _scene("friction_offset_threshold", 0.04), _scene("friction_correlation_distance", 0.025))
SOLVER_TYPES: Mapping[object, str] = {0: "PGS", 1: "TGS"}
# The default of enable_external_forces_every_iteration, which the third release changed.
EXTERNAL_FORCES: Mapping[str, bool] = {"2.3.2": False, "3.0.0": True}
GRAVITY = (0.0, 0.0, -9.81)

# The parts of spawn that write to prims with a schema, in the order in which Isaac Lab writes them.
SPAWN_SLOTS: Mapping[str, tuple[str, Mapping[str, Field]]] = {
    "rigid_props": ("PhysicsRigidBodyAPI", RIGID_BODY),
    "collision_props": ("PhysicsCollisionAPI", COLLISION),
    "mass_props": ("PhysicsMassAPI", MASS),
    "articulation_props": ("PhysicsArticulationRootAPI", ARTICULATION),
    "fixed_tendons_props": ("PhysxTendonAxisRootAPI", FIXED_TENDON),
    "spatial_tendons_props": ("PhysxTendonAttachmentRootAPI", SPATIAL_TENDON),
    "joint_drive_props": ("", JOINT_DRIVE),
}
# The files of Isaac Lab that write each group, below source/ in its repository, with the functions.
SOURCES: Mapping[str, str] = {
    **dict.fromkeys(SPAWN_SLOTS, "isaaclab/isaaclab/sim/schemas/schemas.py"),
    "order of spawn": "isaaclab/isaaclab/sim/spawners/from_files/from_files.py: _spawn_from_usd_file",
    "activate_contact_sensors": "isaaclab/isaaclab/sim/schemas/schemas.py: activate_contact_sensors",
    "actuators, 2.3.2": "isaaclab/isaaclab/assets/articulation/articulation.py: _process_actuators_cfg; "
                        "isaaclab/isaaclab/actuators/actuator_base.py, actuator_pd.py: ImplicitActuator",
    "actuators, 3.0.0": "isaaclab/isaaclab/actuators/actuator_collection.py: _resolve_joint_properties; "
                        "actuator_control.py: write_resolved_joint_properties; actuator_compat.py",
    "names": "isaaclab/isaaclab/utils/string.py: resolve_matching_names, resolve_matching_names_values",
    "init_state": "isaaclab/isaaclab/assets/articulation/articulation.py: _process_cfg, _validate_cfg",
    "sim, 2.3.2": "isaaclab/isaaclab/sim/simulation_context.py: _set_additional_physx_params; simulation_cfg.py",
    "sim, 3.0.0": "isaaclab_physx/isaaclab_physx/physics/physx_manager.py; physx_manager_cfg.py",
}

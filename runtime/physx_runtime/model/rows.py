"""The rows that a step's numbers live in: every one with its size, so that packing, tracing and targets agree."""

from __future__ import annotations

from physx_runtime.model.topology import Topology


def state_rows(t: Topology) -> dict[str, int]:
    """Rows that a step changes."""
    rows = {
        "q": len(t.dofs),           # rad or length; of a spherical joint, parts of its rotation vector
        "v": t.nv,                  # root linear and angular velocity, then qd
        "root_position": 3,         # of the root's internal frame, world
        "root_rotation": 4,         # x y z w
    }
    if t.locked:
        rows["locked"] = len(t.locked)      # rad, parts of rotation vectors without a coordinate; PhysX lets them drift
    return rows


def input_rows(t: Topology) -> dict[str, int]:
    """Rows that a step reads: settings, efforts and parameters."""
    links, dofs = len(t.links), len(t.dofs)
    rows = {
        "dt": 1, "h": 1, "erp": 1,          # s; what one iteration counts for, dt / N or with PGS dt; bias coefficient
        "gravity": 3,                       # length / s^2
        "length_scale": 1,                  # length units a metre
        "least_response": 1,                # of a joint to an impulse, below which envelopes take it for none
        "joint_effort": dofs,               # force or torque
        "mass": links,
        "com": 3 * links,                   # centre of mass in F
        "inertia": 6 * links,               # about the centre of mass, axes of F: xx yy zz xy xz yz
        "tree_position": 3 * links,         # F (at q = 0) in the parent's F
        "tree_rotation": 4 * links,
        "gravity_enabled": links,           # 0 where gravity is disabled
        "linear_damping": links, "angular_damping": links,              # 1/s
        "max_linear_velocity": links, "max_angular_velocity": links,    # length/s, rad/s
        "cfm_scale": links,
        "armature": dofs,
        "velocity_clamp": dofs,             # start-of-step maximum: rad/s or length/s
        "max_velocity": dofs,
        "lower_limit": dofs, "upper_limit": dofs,
        "static_friction": dofs, "dynamic_friction": dofs, "viscous_friction": dofs,
        "stiffness": dofs, "damping": dofs, "target_position": dofs, "target_velocity": dofs, "max_force": dofs,
        "max_actuator_velocity": dofs, "speed_effort_gradient": dofs, "velocity_dependent_resistance": dofs,
    }
    if not (t.fixed_base or t.body):
        rows["root_axes"] = 4               # of the root's moments of inertia, in F
        rows["single_turn"] = 1             # 1 where a substep's rotation of the root is rounded as PhysX's
    if t.balls:
        rows["least_turn"] = 1              # rad, what a substep leaves out of a spherical joint's rotation
    for i, tendon in enumerate(t.fixed_tendons):
        rows |= {f"fixed_tendon{i}_{name}": 1 for name in FIXED_TENDON_ROWS}
        rows |= {f"fixed_tendon{i}_gearing": len(tendon.dofs), f"fixed_tendon{i}_force_coefficient": len(tendon.dofs)}
    for i, path in enumerate(t.spatial_tendons):
        rows |= {f"spatial_tendon{i}_{name}": 1 for name in SPATIAL_TENDON_ROWS}
        rows |= {f"spatial_tendon{i}_gearing": len(path.links), f"spatial_tendon{i}_position": 3 * len(path.links)}
    for i in range(len(t.mimics)):
        rows |= {f"mimic{i}_{name}": 1 for name in MIMIC_ROWS}
    if t.link_forces:
        rows |= dict.fromkeys(LINK_FORCE_ROWS, 3 * links)
    for i in range(len(t.pushes)):
        rows |= {f"push{i}_{name}": 3 for name in ("force", "torque", "point")}     # point in F
    if t.body:
        rows["gyroscopic"] = 1                  # 0 without gyroscopic forces
    if t.sleeping:
        rows["sleep_threshold"] = 1             # length^2 / s^2
    return rows


LINK_FORCE_ROWS = ("link_force", "link_torque")     # at the centre of mass, world axes
TENDON_ROWS = ("stiffness", "damping", "limit_stiffness", "offset", "rest_length", "lower_limit", "upper_limit")
FIXED_TENDON_ROWS = TENDON_ROWS
SPATIAL_TENDON_ROWS = TENDON_ROWS
MIMIC_ROWS = ("gearing", "offset", "natural_frequency", "damping_ratio")


def acting_rows(t: Topology) -> tuple[str, ...]:
    """Rows of the time step, efforts and link forces, which hold for the steps they are set for."""
    return ("dt", "joint_effort", *(LINK_FORCE_ROWS if t.link_forces else ()))

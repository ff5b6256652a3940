"""Numbers of components by the names of the engine's parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from physx_runtime.components.pose import unit
from physx_runtime.components.stage import bounded

Numbers = Callable[[Any], Mapping[str, Any]]


def _frame(body: Any) -> Mapping[str, Any]:
    pose = body.cmass_local_pose
    return {"center_of_mass": pose.p.astype(np.float64), "principal_axes": unit(pose.q)[[1, 2, 3, 0]]}


# Property -> the parameters that follow from it; what is not here is written to the stage anew.
BODY_PARAMETERS: Mapping[str, Numbers] = {
    "mass": lambda body: {"mass": body.mass},
    "inertia": lambda body: {"diagonal_inertia": body.inertia},
    "cmass_local_pose": _frame,
    "disable_gravity": lambda body: {"gravity_enabled": float(not body.disable_gravity)},
    "linear_damping": lambda body: {"linear_damping": body.linear_damping},
    "angular_damping": lambda body: {"angular_damping": body.angular_damping},
    "max_linear_velocity": lambda body: {"max_linear_velocity": bounded(body.max_linear_velocity)},
    "max_angular_velocity": lambda body: {"max_angular_velocity": bounded(body.max_angular_velocity)},
}

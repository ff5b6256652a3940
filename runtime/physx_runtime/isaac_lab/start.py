"""The state of the robot at a reset, which Isaac Lab refuses outside the limits of its joints (init_state)."""

from __future__ import annotations

from collections.abc import Mapping

from physx_runtime.isaac_lab.actuators import axis_of, joints_by_name
from physx_runtime.isaac_lab.fields import INITIAL_STATE, RESET
from physx_runtime.isaac_lab.matching import MatchError, matched_values
from physx_runtime.isaac_lab.overlay import Overlay
from physx_runtime.isaac_lab.report import FAULT, UNRELATED
from physx_runtime.isaac_lab.values import ConfigObject, is_number
from physx_schema.description.model import Articulation, Dof

_POSE = "it places the base at each reset; no experiment depends on it"


def apply_initial_state(overlay: Overlay, robot: ConfigObject, articulation: Articulation) -> None:
    """Write the positions and velocities of joints at a reset."""
    state = robot.value("init_state")
    if not isinstance(state, ConfigObject):
        overlay.not_evaluated("init_state", state)
        return
    joints = joints_by_name(articulation)
    for name, entry in state.fields.items():
        label = f"init_state.{name}"
        if entry.value is None or overlay.not_evaluated(label, entry.value):
            continue
        if name not in INITIAL_STATE:
            overlay.note(UNRELATED, label, entry.place, _POSE, entry.value)
            continue
        if not isinstance(entry.value, dict) or not all(map(is_number, entry.value.values())):
            overlay.note(FAULT, label, entry.place, "give numbers by expressions of joints", entry.value)
            continue
        try:
            values = matched_values(entry.value, list(joints))
        except MatchError as error:
            overlay.note(FAULT, label, entry.place, str(error))
            continue
        for joint, value in values.items():
            dof = joints[joint]
            overlay.write(dof.path, INITIAL_STATE[name], value, label, entry.place, RESET, axis_of(dof))
        _check_limits(overlay, label, str(entry.place), {joints[joint]: value for joint, value in values.items()}, name)


def _check_limits(overlay: Overlay, label: str, place: str, values: Mapping[Dof, float], name: str) -> None:
    """A note on each joint that begins outside its limits."""
    for dof, value in values.items():
        lower, upper = (dof.lower, dof.upper) if name == "joint_pos" else (-dof.max_velocity, dof.max_velocity)
        if not lower - 1e-6 <= value <= upper + 1e-6:
            unit = ("rad" if dof.angular else "m") + ("" if name == "joint_pos" else "/s")
            overlay.note(FAULT, label, place, f"{dof.path} begins outside [{lower:.4g}, {upper:.4g}] {unit}",
                         f"{value:.4g} {unit}")

"""What actuators write to PhysX after it read the stage (isaaclab/actuators, isaaclab/assets/articulation)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.isaac_lab.fields import ACTUATOR, STARTED, Field
from physx_runtime.isaac_lab.matching import MatchError, matched, matched_values
from physx_runtime.isaac_lab.overlay import Overlay
from physx_runtime.isaac_lab.report import FAULT, IGNORED, NOT_EVALUATED, OUTSIDE, WARNING
from physx_runtime.isaac_lab.values import ConfigObject, Entry, NotEvaluated, is_number
from physx_schema.description.model import Articulation, Dof

IMPLICIT = frozenset({"ImplicitActuatorCfg"})
EXPLICIT = frozenset({"IdealPDActuatorCfg", "DCMotorCfg", "DelayedPDActuatorCfg", "RemotizedPDActuatorCfg",
                      "ActuatorNetMLPCfg", "ActuatorNetLSTMCfg", "BamActuatorCfg"})
_NETWORKS = frozenset({"ActuatorNetMLPCfg", "ActuatorNetLSTMCfg"})      # without gains
EXPLICIT_EFFORT = 1.0e9     # maxForce of the drives of explicit actuators in the second release
# Limits by the names of the third release, with the older names of the same values.
LIMITS: Mapping[str, tuple[str, ...]] = {
    "joint_effort_limit": ("joint_effort_limit", "effort_limit_sim"),
    "joint_velocity_limit": ("joint_velocity_limit", "velocity_limit_sim")}
_MODEL_LIMITS = ("actuator_effort_limit", "actuator_velocity_limit", "effort_limit", "velocity_limit")
_NOT_PHYSICS = frozenset({"class_type", "joint_names_expr"})


@dataclass(frozen=True, slots=True)
class Group:
    """An actuator of the configuration and the joints that it drives."""

    name: str
    actuator: ConfigObject
    joints: Mapping[str, Dof]       # by name
    implicit: bool
    release: str

    @property
    def label(self) -> str:
        """The field of the configuration."""
        return f"actuators.{self.name}"

    def given(self, names: tuple[str, ...]) -> tuple[str, Entry] | None:
        """The first of these fields that has a value, with its name."""
        return next(((name, self.actuator.fields[name]) for name in names
                     if name in self.actuator.fields and self.actuator.fields[name].value is not None), None)


def apply_actuators(overlay: Overlay, robot: ConfigObject, articulation: Articulation, release: str) -> tuple[str, ...]:
    """Write what the actuators set in PhysX; the paths of the joints whose actuators are explicit."""
    joints = joints_by_name(articulation)
    explicit: list[str] = []
    owners: dict[str, str] = {}
    for group in _groups(overlay, robot, joints, release):
        for name in group.joints:
            if name in owners and release.startswith("3"):
                overlay.note(FAULT, group.label, group.actuator.place,
                             f"the joint {name} has two actuators, {owners[name]} and {group.name}")
            owners[name] = group.name
        _apply_group(overlay, group)
        if not group.implicit:
            explicit += [dof.path for dof in group.joints.values()]
    free = [dof.path for name, dof in joints.items() if name not in owners]
    if free:
        overlay.note(WARNING, "actuators", robot.place,
                     f"no actuator is for the joint {_first_of(free)}; the drive of the stage stays")
    return tuple(explicit)


def joints_by_name(articulation: Articulation) -> dict[str, Dof]:
    """The degrees of freedom by PhysX's names: that of the joint, with ":0", ":1" and ":2" where it has several."""
    found: dict[str, Dof] = {}
    for dof in articulation.dofs:
        name = dof.path.rpartition("/")[2]
        index = sum(other.path == dof.path for other in found.values())
        found[name if dof.name == dof.path else f"{name}:{index}"] = dof
    return found


def _groups(overlay: Overlay, robot: ConfigObject, joints: Mapping[str, Dof], release: str) -> Iterator[Group]:
    """The actuators with the joints that they drive; notes say why others are left out."""
    actuators = robot.value("actuators")
    if not isinstance(actuators, dict):
        if not overlay.not_evaluated("actuators", actuators):
            overlay.note(FAULT, "actuators", robot.place, "the configuration has no actuators")
        return
    for name, actuator in actuators.items():
        label = f"actuators.{name}"
        if overlay.not_evaluated(label, actuator) or not isinstance(actuator, ConfigObject):
            continue
        kind = next((kind for kind in actuator.kinds if kind in IMPLICIT | EXPLICIT), None)
        if kind is None:
            overlay.note(NOT_EVALUATED, label, actuator.place, f"{actuator.kind} is not a class of Isaac Lab, and its "
                         "base class is not in a file beside the configuration")
            continue
        patterns = actuator.value("joint_names_expr")
        if overlay.not_evaluated(f"{label}.joint_names_expr", patterns):
            continue
        try:
            found = matched([patterns] if isinstance(patterns, str) else list(map(str, patterns or ())), list(joints))
        except MatchError as error:
            overlay.note(FAULT, f"{label}.joint_names_expr", actuator.fields["joint_names_expr"].place, str(error))
            continue
        if not found:
            overlay.note(FAULT, f"{label}.joint_names_expr", actuator.place, "no joint matches")
            continue
        yield Group(name, actuator, {joint: joints[joint] for joint in found}, kind in IMPLICIT, release)


def _apply_group(overlay: Overlay, group: Group) -> None:
    """Write the values of one actuator."""
    effort, velocity = _limit_entries(overlay, group)
    entries: dict[str, tuple[str, Entry] | None] = {
        "joint_effort_limit": effort, "joint_velocity_limit": velocity,
        **{name: group.given((name,)) for name in ("armature", "friction", "dynamic_friction", "viscous_friction")}}
    if group.implicit:
        entries |= {name: group.given((name,)) for name in ("stiffness", "damping")}
        _require_gains(overlay, group)
    else:
        _disable_drives(overlay, group, effort is None)
    for name, pair in entries.items():
        if pair is not None:
            _write_values(overlay, group, ACTUATOR[name], *pair)
    _note_model_fields(overlay, group)


def _limit_entries(overlay: Overlay, group: Group) -> tuple[tuple[str, Entry] | None, tuple[str, Entry] | None]:
    """The fields that give PhysX's limits of effort and velocity; a note where two of them differ."""
    found = []
    for name, aliases in LIMITS.items():
        names = (*aliases, "effort_limit") if group.implicit and name == "joint_effort_limit" else aliases
        given = [pair for alias in names if (pair := group.given((alias,))) is not None]
        second = group.given(("velocity_limit",)) if group.implicit and name == "joint_velocity_limit" and (
            group.release.startswith("2")) else None
        for other in [*given[1:], *([second] if second and given else [])]:
            separate = group.release.startswith("3") and other[0] == "effort_limit"     # a limit of the model there
            if other[1].value != given[0][1].value and not separate:
                overlay.note(FAULT, f"{group.label}.{other[0]}", other[1].place,
                             f"it differs from {given[0][0]}, {given[0][1].value}", other[1].value)
        found.append(given[0] if given else None)
    return found[0], found[1]


def _require_gains(overlay: Overlay, group: Group) -> None:
    """Isaac Lab wants gains, which may be None."""
    for name in ("stiffness", "damping"):
        if name not in group.actuator.fields and group.actuator.kind in IMPLICIT:
            overlay.note(FAULT, group.label, group.actuator.place,
                         f"{name} is missing; give a number, or None for the value of the stage")


def _disable_drives(overlay: Overlay, group: Group, without_limit: bool) -> None:
    """The gains of the drives of explicit actuators are 0: Isaac Lab computes the efforts itself."""
    for dof in group.joints.values():
        axis = axis_of(dof)
        for name in ("stiffness", "damping"):
            if overlay.has_drive(dof.path, axis):
                overlay.write(dof.path, ACTUATOR[name], 0.0, group.label, group.actuator.place, STARTED, axis)
        # it bounds the effort of the actuator too: PhysX bounds the sum of drive and effort
        if without_limit and overlay.has_drive(dof.path, axis) and group.release.startswith("2"):
            overlay.write(dof.path, ACTUATOR["joint_effort_limit"], EXPLICIT_EFFORT, group.label, group.actuator.place,
                          STARTED, axis)
        for target in ("targetPosition", "targetVelocity"):     # of a drive without gains
            overlay.block(dof.path, f"drive:{axis}:physics:{target}")
    limits = {dof.path: dof.drive.max_force for dof in group.joints.values() if dof.drive is not None}
    bounded = [path for path, limit in limits.items() if math.isfinite(limit)]
    if without_limit and bounded and group.release.startswith("3"):
        overlay.note(WARNING, group.label, group.actuator.place,
                     f"maxForce {limits[bounded[0]]:.4g} of the stage on {_first_of(bounded)} also bounds the efforts "
                     "of this actuator; set joint_effort_limit")


def _write_values(overlay: Overlay, group: Group, field: Field, name: str, entry: Entry) -> None:
    """Write the value of a field to the joints of an actuator."""
    label = f"{group.label}.{name}"
    if overlay.not_evaluated(label, entry.value):
        return
    if isinstance(entry.value, dict):
        try:
            values = matched_values(entry.value, list(group.joints))
        except MatchError as error:
            overlay.note(FAULT, label, entry.place, str(error))
            return
        others = [joint for joint in group.joints if joint not in values]
        if others:
            overlay.note(WARNING, label, entry.place, f"no expression is for {_first_of(others)}; Isaac Lab writes 0 "
                         "there, not the value of the stage", entry.value)
        values |= dict.fromkeys(others, 0.0)
    elif is_number(entry.value):
        values = dict.fromkeys(group.joints, entry.value)
    else:
        overlay.note(FAULT, label, entry.place, "give a number, or numbers by expressions of joints", entry.value)
        return
    needs_drive = field.schema == "PhysicsDriveAPI"
    without = [dof.path for dof in map(group.joints.__getitem__, values)
               if needs_drive and not overlay.has_drive(dof.path, axis_of(dof))]
    if without:
        overlay.note(IGNORED, label, entry.place, f"the stage has no drive on {_first_of(without)}, and PhysX makes "
                     "none later; apply PhysicsDriveAPI there, or give joint_drive_props", entry.value)
    for joint, value in values.items():
        dof = group.joints[joint]
        if dof.path in without:
            continue
        overlay.write(dof.path, field, value, label, entry.place, STARTED, axis_of(dof))


def _note_model_fields(overlay: Overlay, group: Group) -> None:
    """Notes on the fields that PhysX does not step with."""
    known = {*ACTUATOR, *_NOT_PHYSICS, *(alias for names in LIMITS.values() for alias in names)}
    for name, entry in group.actuator.fields.items():
        label = f"{group.label}.{name}"
        if entry.value is None:
            continue
        if group.implicit and name in _MODEL_LIMITS:
            if name == "effort_limit":
                continue
            use = "joint_velocity_limit" if group.release.startswith("3") else "velocity_limit_sim"
            use = use if "velocity" in name else "joint_effort_limit"
            overlay.note(IGNORED, label, entry.place, f"implicit actuators do not pass {name} to PhysX; set {use}",
                         entry.value if not isinstance(entry.value, NotEvaluated) else entry.value.expression)
        elif not group.implicit and (name in ("stiffness", "damping", *_MODEL_LIMITS) or name not in known):
            if name != "network_file":
                overlay.not_evaluated(label, entry.value)
            text = entry.value.expression if isinstance(entry.value, NotEvaluated) else entry.value
            overlay.note(OUTSIDE, label, entry.place,
                         f"Isaac Lab computes the effort of {group.actuator.kind} in each step", text)
        elif name not in known:
            overlay.note(NOT_EVALUATED, label, entry.place,
                         f"the field {name} of {group.actuator.kind} is not known here", entry.value)


def _first_of(names: Sequence[str]) -> str:
    """The first name, and how many more there are."""
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]


def axis_of(dof: Dof) -> str:
    """The instance name of a joint's drive, axis properties and state."""
    if dof.name != dof.path:
        return dof.name.rpartition(":")[2]
    return "angular" if dof.angular else "linear"

"""What spawning a robot writes to USD before PhysX reads it (isaaclab/sim/spawners, isaaclab/sim/schemas)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from pxr import Usd, UsdPhysics

from physx_runtime.isaac_lab.fields import SPAWN_SLOTS, SPAWNED, Field
from physx_runtime.isaac_lab.matching import MatchError, require_pattern
from physx_runtime.isaac_lab.overlay import Overlay
from physx_runtime.isaac_lab.report import FAULT, IGNORED, NOT_EVALUATED
from physx_runtime.isaac_lab.values import ConfigObject, Entry, NotEvaluated
from physx_schema.text import plural

# Classes with one schema each, which the third release writes to nested prims too.
FRAGMENTS = frozenset({
    "UsdPhysicsRigidBodyCfg", "PhysxRigidBodyCfg", "UsdPhysicsCollisionCfg", "PhysxCollisionCfg", "MassCfg",
    "PhysxArticulationCfg", "UsdPhysicsDriveCfg", "PhysxJointCfg", "PhysxFixedTendonCfg", "PhysxSpatialTendonCfg"})
_OTHER_ENGINES = ("Newton", "Mujoco", "MJ")
# Fields of spawn that say where the robot is, how it looks, or how Isaac Lab finds it.
_NOT_PHYSICS = frozenset({
    "usd_path", "func", "class_type", "visible", "semantic_tags", "copy_from_source", "visual_material",
    "visual_material_path", "spawn_path", "force_usd_conversion", "asset_path", "usd_dir", "usd_file_name",
    "articulation_props_create_if_missing", "mass_props_create_if_missing", "joint_drive_props_create_if_missing"})
SLEEP_THRESHOLD = Field("activate_contact_sensors", "physxRigidBody:sleepThreshold", "PhysxRigidBodyAPI")
JOINT_ENABLED = Field("fix_root_link", "physics:jointEnabled", "")


def apply_spawn(overlay: Overlay, robot: ConfigObject, root: Usd.Prim, release: str) -> None:
    """Write what spawning the robot writes. root: the prim that Isaac Lab references."""
    entry = robot.fields.get("spawn")
    if entry is None or entry.value is None:
        return
    spawn = entry.value
    if isinstance(spawn, NotEvaluated) or not isinstance(spawn, ConfigObject):
        overlay.not_evaluated("spawn", spawn)
        return
    _select_variants(overlay, spawn, root)
    for slot in SPAWN_SLOTS:
        if slot in spawn.fields:
            _apply_slot(overlay, slot, spawn.fields[slot], root)
    if "fix_root_link" in spawn.fields:
        fix_root_link(overlay, "spawn.fix_root_link", spawn.fields["fix_root_link"], root)
    _activate_contact_sensors(overlay, spawn, root, release)
    for name, item in spawn.fields.items():
        if name not in (*SPAWN_SLOTS, "fix_root_link", "activate_contact_sensors", "variants", *_NOT_PHYSICS) and (
                item.value not in (None, False)) and not overlay.not_evaluated(f"spawn.{name}", item.value):
            overlay.note(NOT_EVALUATED, f"spawn.{name}", item.place, "its effect on the stage is not applied here",
                         item.value if not isinstance(item.value, ConfigObject) else item.value.kind)


def _select_variants(overlay: Overlay, spawn: ConfigObject, root: Usd.Prim) -> None:
    """Select the variants of the prim that is spawned."""
    entry = spawn.fields.get("variants")
    if entry is None or entry.value is None or overlay.not_evaluated("spawn.variants", entry.value):
        return
    chosen = entry.value if isinstance(entry.value, dict) else {
        name: item.value for name, item in getattr(entry.value, "fields", {}).items()}
    for name, variant in chosen.items():
        known = root.GetVariantSets().GetNames() if root.GetVariantSets().HasVariantSet(str(name)) else []
        if name not in known or variant not in root.GetVariantSet(name).GetVariantNames():
            overlay.note(FAULT, "spawn.variants", entry.place, f"{root.GetPath()} has no variant {variant!r} in a set "
                         f"{name!r}", f"{name}={variant}")
        else:
            root.GetVariantSet(name).SetVariantSelection(variant)


def _apply_slot(overlay: Overlay, slot: str, entry: Entry, root: Usd.Prim) -> None:
    """Write the values of one part of spawn to all prims that it reaches."""
    for pattern, props in _parts(entry.value):
        if isinstance(props, NotEvaluated) or not isinstance(props, ConfigObject):
            if props is not None:
                overlay.not_evaluated(f"spawn.{slot}", props)
            continue
        if props.kind.startswith(_OTHER_ENGINES):
            overlay.note(IGNORED, f"spawn.{slot}", props.place, f"PhysX does not read what {props.kind} writes")
            continue
        targets = _targets(overlay, slot, root, pattern, nested=bool(FRAGMENTS & set(props.kinds)))
        _write_props(overlay, slot, props, targets, root)


def _parts(value: object) -> Iterator[tuple[str | None, object]]:
    """The configuration objects of a part of spawn, each with the expression for the prims that it is for."""
    if isinstance(value, dict):
        for pattern, items in value.items():
            for item in items if isinstance(items, list | tuple) else (items,):
                yield pattern, item
    elif isinstance(value, list | tuple):
        yield from ((None, item) for item in value)
    else:
        yield None, value


def _write_props(overlay: Overlay, slot: str, props: ConfigObject, targets: list[Usd.Prim], root: Usd.Prim) -> None:
    schema, table = SPAWN_SLOTS[slot]
    for name, entry in props.fields.items():
        label = f"spawn.{slot}.{name}"
        if entry.value is None or name == "func" or overlay.not_evaluated(label, entry.value):
            continue        # None keeps the value of the stage
        if name == "fix_root_link":
            fix_root_link(overlay, label, entry, root)
        elif name not in table:
            overlay.note(NOT_EVALUATED, label, entry.place, f"the field {name} of {props.kind} is not known here",
                         entry.value)
        elif not targets:
            wanted = schema or "a joint that Isaac Lab gives a drive"
            overlay.note(IGNORED, label, entry.place, f"no prim below {root.GetPath()} has {wanted}", entry.value)
        for prim in targets if name in table else ():
            _write_one(overlay, slot, prim, table[name], entry, label)


def _write_one(overlay: Overlay, slot: str, prim: Usd.Prim, field: Field, entry: Entry, label: str) -> None:
    """Write one field to one prim; to every tendon of the prim where the schema has several."""
    path = str(prim.GetPath())
    if slot == "joint_drive_props":
        axis = "angular" if prim.IsA(UsdPhysics.RevoluteJoint) else "linear"
        overlay.write(path, field, entry.value, label, entry.place, SPAWNED, axis=axis)
    elif "{instance}" in field.property:
        for instance in _instances(prim, field.schema):
            overlay.write(path, field, entry.value, label, entry.place, SPAWNED, instance=instance)
    else:
        overlay.write(path, field, entry.value, label, entry.place, SPAWNED)


def _instances(prim: Usd.Prim, schema: str) -> list[str]:
    """The instance names of a schema on a prim."""
    return [name.partition(":")[2] for name in map(str, prim.GetAppliedSchemas()) if name.partition(":")[0] == schema]


def _targets(overlay: Overlay, slot: str, root: Usd.Prim, pattern: str | None, nested: bool) -> list[Usd.Prim]:
    """The prims that a part of spawn reaches: by schema, outside instances and, unless `nested`, others."""
    if pattern is not None:
        try:
            require_pattern(str(pattern))
        except MatchError as error:
            overlay.note(FAULT, f"spawn.{slot}", "", str(error))
            return []
    found, hidden = [], []
    queue = deque([root])
    while queue:
        prim = queue.popleft()
        if prim.IsInstance():
            hidden += [item for item in Usd.PrimRange(prim, Usd.TraverseInstanceProxies()) if _carries(item, slot)]
            continue
        fits = _carries(prim, slot)
        inner = str(prim.GetPath()).removeprefix(str(root.GetPath()))
        if fits and (pattern is None or re.fullmatch(pattern, inner)):
            found.append(prim)
        if nested or not fits:
            queue.extend(prim.GetChildren())
    if hidden:
        overlay.note(IGNORED, f"spawn.{slot}", "", f"Isaac Lab writes nothing to {plural(len(hidden), 'prim')} inside "
                     f"instances, such as {hidden[0].GetPath()}; they keep the values of the stage")
    return found


def _carries(prim: Usd.Prim, slot: str) -> bool:
    """Whether a part of spawn writes to a prim."""
    applied = {name.partition(":")[0] for name in map(str, prim.GetAppliedSchemas())}
    if slot != "joint_drive_props":
        return SPAWN_SLOTS[slot][0] in applied
    follower = "PhysxTendonAxisAPI" in applied and "PhysxTendonAxisRootAPI" not in applied
    return (prim.IsA(UsdPhysics.RevoluteJoint) or prim.IsA(UsdPhysics.PrismaticJoint)) and not follower


def fix_root_link(overlay: Overlay, name: str, entry: Entry, root: Usd.Prim) -> None:
    """Enable or disable the joint that fixes the base; one that Isaac Lab would make is not made here."""
    if not isinstance(entry.value, bool):
        overlay.not_evaluated(name, entry.value)
        return
    existing = next((prim for prim in Usd.PrimRange(root) if _fixes_to_world(prim)), None)
    if existing is not None:
        overlay.write(str(existing.GetPath()), JOINT_ENABLED, entry.value, name, entry.place, SPAWNED)
    elif entry.value:
        overlay.note(NOT_EVALUATED, name, entry.place, "Isaac Lab makes a fixed joint to the world, which is not made "
                     "here; author the joint in the stage", entry.value)


def _fixes_to_world(prim: Usd.Prim) -> bool:
    if not prim.IsA(UsdPhysics.FixedJoint):
        return False
    joint = UsdPhysics.Joint(prim)
    bodies = [list(relation.GetTargets()) for relation in (joint.GetBody0Rel(), joint.GetBody1Rel())]
    return any(not targets for targets in bodies) and any(targets for targets in bodies)


def _activate_contact_sensors(overlay: Overlay, spawn: ConfigObject, root: Usd.Prim, release: str) -> None:
    """Contact sensors keep bodies awake: the third release on every body, the second on the prim that is spawned."""
    entry = spawn.fields.get("activate_contact_sensors")
    if entry is None or entry.value is False or overlay.not_evaluated("spawn.activate_contact_sensors", entry.value):
        return
    bodies = [prim for prim in Usd.PrimRange(root) if prim.HasAPI(UsdPhysics.RigidBodyAPI)]
    if not bodies:
        overlay.note(FAULT, "spawn.activate_contact_sensors", entry.place, f"no rigid body lies below {root.GetPath()}")
    for prim in bodies if release.startswith("3") else [body for body in bodies if body == root]:
        overlay.write(str(prim.GetPath()), SLEEP_THRESHOLD, 0.0, "spawn.activate_contact_sensors", entry.place, SPAWNED)

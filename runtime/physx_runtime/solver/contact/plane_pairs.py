"""The single pair of a link and a plane: contacts, friction patch and slot rows, traced for all worlds of a block.

`write_contacts` schedules broad phase, narrow phase and friction correlation (DyFrictionCorrelation.cpp) of a pair,
and fills its slot. `write_output` stores the results of its patch. Persistent values of a pair are rows with the names
of the fields of its records, as are the results of a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from physx_runtime.arrays import Condition
from physx_runtime.collision.friction_patch import ANCHORS, Contacts, FrictionPatch, correlate_patch_traced, rotated
from physx_runtime.collision.narrow_phase.planes import (
    Manifold,
    PlaneContacts,
    bounds_overlap,
    capsule_on_plane,
    pose_of,
    singles,
    sphere_on_plane,
)
from physx_runtime.collision.shapes import CAPSULE, MAX_CONTACTS, PLANE, SPHERE
from physx_runtime.collision.simd_math import transform_fast
from physx_runtime.compiling.schedule import Layout, Schedule, Span
from physx_runtime.dynamics.spatial import Vec3
from physx_runtime.language.ops import Rows, Scalar, logical_not, unfused, where
from physx_runtime.solver.scheduled.fragments.kinematics import Operands, vec

# Greatest number of contacts of a kind of shape with a plane, which is their capacity in rows.
POINTS = {SPHERE: MAX_CONTACTS[SPHERE, PLANE], CAPSULE: MAX_CONTACTS[PLANE, CAPSULE]}
MAX_POINTS = max(POINTS.values())
# Persistent rows, as in the records of a pair: flags and counts, manifold, patch.
PERSISTENT = {"overlapping": 1, "touching": 1, "known": 1, "points": 1, "local0": 3 * MAX_POINTS,
              "local1": 3 * MAX_POINTS,
              "distance": MAX_POINTS, "position": 3, "manifold_rotation": 4, "broken": 1, "anchors": 1, "normal0": 3,
              "normal1": 3, "anchor0": 3 * ANCHORS, "anchor1": 3 * ANCHORS}
# Results of a step: the link's frame and contacts at its start, and their impulses.
OUTPUT = {"frame": 7, "contacts": 1, "contact_point": 3 * MAX_POINTS, "contact_separation": MAX_POINTS,
          "impulse": MAX_POINTS,
          "tangents": 6, "friction_impulse": 2 * ANCHORS}
STORED = PERSISTENT | OUTPUT
# Constants. collider: its pose in the mass frame. size: radius, half height. plane_normal, normal: of the plane, and
# of contacts. anchor_threshold: a contact with a larger separation gets no anchor.
CONSTANT = {"collider": 7, "size": 2, "offset": 1, "plane": 7, "low": 3, "high": 3, "plane_normal": 3, "normal": 3,
            "contact_distance": 1, "rest_distance": 1, "anchor_threshold": 1, "correlation": 1, "frame1": 7}
# Within a step: pose of the collider, whether bounds begin to overlap, whether the pair touched in the last step,
# whether either has changed.
STEP = {"collider_pose": 7, "is_new": 1, "touched": 1, "changed": 1}
SLOT = ("used", "several", "point", "separation", "point_used", "anchor0", "anchor1", "anchor_used")


def write_contacts(s: Schedule, kind: int, rows: Mapping[str, Span], slot: Layout, link: Mapping[str, Span]) -> None:
    """Fill a link's slot. rows: STORED, CONSTANT and STEP; link: poses of its mass frame, centre of mass
    and rotation of F."""
    spans = {**rows, **link, "slot_used": slot["used"], "slot_several": slot["several"]}
    s.do(_broad_phase, kind, **spans)
    guarded = Schedule()
    guarded.do(_narrow_phase, kind, **spans, **{f"slot_{name}": slot[name] for name in SLOT[2:]})
    s.where_any(rows["overlapping"], guarded)


def write_output(s: Schedule, kind: int, rows: Mapping[str, Span], slot: Layout) -> None:
    """Store the results of a slot's patch."""
    guarded = Schedule()
    outputs = {name: rows[name] for name in ("broken", "tangents", "friction_impulse")}
    outputs["impulse"] = rows["impulse"].part(0, POINTS[kind])
    guarded.do(_output, **outputs, **{f"slot_{name}": slot[name] for name in outputs})
    s.where_any(slot["used"], guarded)


def _broad_phase(rows: Operands, kind: int) -> Rows:
    """The pose of the shape, and whether its bounds overlap the plane's; if not, it does not touch."""
    # pose = body2World shape2Actor  (GuBounds.cpp, computeBounds)
    pose = transform_fast(pose_of(singles(rows["pose"])), pose_of(singles(rows["collider"])))
    low, high = (vec(singles(rows[name])) for name in ("low", "high"))
    overlapping = bounds_overlap(kind, _size(rows), singles(rows["offset"])[0], pose, low, high)
    overlapped, touched = rows["overlapping"][0] > 0.5, rows["touching"][0]
    # a pair is created or lost where overlap changes
    changed = (overlapping & logical_not(overlapped)) | (logical_not(overlapping) & (overlapped | (touched > 0.5)))
    nothing = {name: [0.0] for name in ("touching", "contacts", "slot_used", "slot_several")}
    return {"overlapping": [_flag(overlapping)], "is_new": [_flag(overlapping & logical_not(overlapped))],
            "touched": [touched],
            "changed": [_flag(changed)], "collider_pose": [x.value for x in (*pose[0], *pose[1])], **nothing}


def _narrow_phase(rows: Operands, kind: int) -> Rows:
    """Contacts and patch of worlds with overlapping bounds."""
    out = dict[str, list[Scalar]]()
    # PCM, then friction patches  (DyFrictionCorrelation.cpp, correlatePatches)
    touch = _contacts(out, rows, kind)
    touches = touch.used[0] & (rows["overlapping"][0] > 0.5)
    contacts = Contacts([touches, *(used & touches for used in touch.used[1:])],
                        [vec(unfused([x.value for x in point])) for point in touch.point],
                        unfused([x.value for x in touch.separation]), vec(unfused(rows["normal"])))
    frames = [*rows["center"], *rows["rotation"]], rows["frame1"]
    before = _patch(rows)
    patch = correlate_patch_traced(before, rows["touched"][0] > 0.5, contacts, unfused(frames[0]), unfused(frames[1]),
                                   rows["anchor_threshold"][0], rows["correlation"][0])
    _store_patch(out, touches, patch, before)
    _fill_slot(out, rows, contacts, touch, patch, frames)
    changed = logical_not(touches) & (rows["touched"][0] > 0.5) | touches & (rows["touched"][0] < 0.5)
    out["changed"] = [where(changed, 1.0, rows["changed"][0])]
    out["touching"], out["slot_used"] = [_flag(touches)], [_flag(touches)]
    out["frame"] = frames[0]
    return out


def _contacts(out: dict[str, list[Scalar]], rows: Operands, kind: int) -> PlaneContacts:
    pose, plane = pose_of(singles(rows["collider_pose"])), pose_of(singles(rows["plane"]))
    # narrow phase against the plane z = 0 of its frame
    plane_normal, contact_distance = vec(singles(rows["plane_normal"])), singles(rows["contact_distance"])[0]
    if kind == SPHERE:
        return sphere_on_plane(_size(rows)[0], pose, plane, plane_normal, contact_distance)
    is_new = rows["is_new"][0] > 0.5
    local0, local1 = ([vec(singles(rows[name]), i) for i in range(MAX_POINTS)] for name in ("local0", "local1"))
    before = Manifold(where(is_new, 0.0, rows["known"][0]), where(is_new, 0.0, rows["points"][0]), local0, local1,
                      singles(rows["distance"]), pose_of(singles([*rows["position"], *rows["manifold_rotation"]])))
    now, touch = capsule_on_plane(before, _size(rows), pose, plane, plane_normal, contact_distance)
    out["known"], out["points"] = [now.known], [now.points]
    for name, values in (("local0", now.local0), ("local1", now.local1), ("distance", [now.distance]),
                         ("position", now.pose[:1]), ("manifold_rotation", now.pose[1:])):
        out[name] = [x.value for part in values for x in part]
    return touch


def _patch(rows: Operands) -> FrictionPatch:
    anchors = ([vec(unfused(rows[name]), j) for j in range(ANCHORS)] for name in ("anchor0", "anchor1"))
    return FrictionPatch(rows["broken"][0], rows["anchors"][0], vec(unfused(rows["normal0"])),
                         vec(unfused(rows["normal1"])), *anchors)


def _store_patch(out: dict[str, list[Scalar]], touches: Condition, patch: FrictionPatch, before: FrictionPatch) -> None:
    """Store the new patch where the pair touches."""
    out["anchors"] = [where(touches, patch.anchors, before.anchors)]
    out["broken"] = [where(touches, 0.0, before.broken)]
    for name, now, old in (("normal0", [patch.normal0], [before.normal0]), ("normal1", [patch.normal1],
                           [before.normal1]), ("anchor0", patch.anchor0, before.anchor0),
                           ("anchor1", patch.anchor1, before.anchor1)):
        out[name] = [where(touches, x.value, y.value) for a, b in zip(now, old, strict=True)
                     for x, y in zip(a, b, strict=True)]


def _fill_slot(out: dict[str, list[Scalar]], rows: Operands, contacts: Contacts, touch: PlaneContacts,
               patch: FrictionPatch,
               frames: tuple[Sequence[Scalar], Sequence[Scalar]]) -> None:
    points = [x.value for point in contacts.point for x in point]
    used = [_flag(condition) for condition in contacts.used]
    touches = contacts.used[0]
    rest_distance, empty = singles(rows["rest_distance"])[0], [0.0] * (MAX_POINTS - len(used))
    out["contacts"] = [sum(used[1:], used[0])]
    out["contact_point"] = [*points, *(3 * empty)]
    out["contact_separation"] = [*(x.value for x in touch.separation), *empty]
    out["slot_point"], out["slot_point_used"] = points, used
    # separation = distance - restDistance  (DyTGSContactPrep.cpp, setupFinalizeSolverConstraints)
    out["slot_separation"] = [(x - rest_distance).value for x in touch.separation]
    several = patch.anchors > 1.5 if len(used) == 1 else contacts.used[1] | (patch.anchors > 1.5)
    out["slot_several"] = [_flag(touches & several)]
    out["slot_anchor_used"] = [_flag(touches & (patch.anchors > j + 0.5)) for j in range(ANCHORS)]
    # anchors in world axes, from the mass centre: r = R a
    arms = ([x.value for anchor in anchors for x in rotated(unfused(frame), anchor)]
            for frame, anchors in zip(frames, (patch.anchor0, patch.anchor1), strict=True))
    out["slot_anchor0"], arms1 = arms
    out["slot_anchor1"] = [x + frames[1][i % 3] for i, x in enumerate(arms1)]


def _output(rows: Operands) -> Rows:
    """The results of a patch."""
    return {name.removeprefix("slot_"): values for name, values in rows.items() if name.startswith("slot_")}


def _size(rows: Operands) -> Vec3:
    radius, half = singles(rows["size"])
    return radius, half, half


def _flag(condition: Condition) -> Scalar:
    return where(condition, 1.0, 0.0)

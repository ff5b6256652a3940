"""The robot as a figure of the page, with its script.

Everything that the page's script draws and moves, as one compressed text.

The text is base64 of gzip of: the length of a JSON object in bytes (uint32, little endian), the object, and the arrays
that it names in `parts` as [start, length] in bytes, each at a multiple of 8.

The page's script: the files beside the templates as one text, and the hash by which a policy admits it.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from physx_runtime.packing.frames import rigid
from physx_runtime.simulation.recording import Recording
from physx_runtime.viewing.charts import recorded_articulations
from physx_runtime.viewing.comparison import Before
from physx_runtime.viewing.intention import intended_bodies
from physx_runtime.viewing.live.sliders import LiveStep, Slider
from physx_runtime.viewing.robot.forces import contact_arrows
from physx_runtime.viewing.robot.marks import (
    BodyPoint,
    JointMark,
    TendonMark,
    body_index,
    body_point,
    bones,
    finite,
    joint_frames,
    joint_marks,
    tendon_forces,
    tendon_marks,
)
from physx_runtime.viewing.robot.masses import mass_ellipsoids
from physx_runtime.viewing.robot.shapes import Shape, Shapes, ground_height, visible_shapes
from physx_runtime.viewing.units import force_unit, length_unit
from physx_schema.checking import Finding
from physx_schema.checking.engine.finding import rank
from physx_schema.description.frames import Frames, decompose
from physx_schema.description.model import Description

MAX_POSES = 9_000          # of all bodies in all records together; more records than fit are passed over
ALIGNMENT = 8               # bytes
Head = dict[str, Any]       # an object as the page's script reads it


@dataclass(frozen=True, slots=True)
class Figure:
    """What a page shows of a robot."""

    head: Head
    parts: Mapping[str, bytes]
    notes: tuple[str, ...]              # what of it is not as on the stage

    def packed(self) -> str:
        """The text that the script reads."""
        offset, ranges = 0, {}
        for name, part in self.parts.items():
            ranges[name] = [offset, len(part)]
            offset += _aligned(len(part))
        text = json.dumps({**self.head, "parts": ranges}, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (_aligned(len(text) + 4) - len(text) - 4)
        body = b"".join(part.ljust(_aligned(len(part)), b"\0") for part in self.parts.values())
        return base64.b64encode(gzip.compress(struct.pack("<I", len(text)) + text + body, 9, mtime=0)).decode()


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def figure(stage: Usd.Stage, description: Description, findings: Sequence[Finding], paths: Iterable[str],
           recording: Recording | None, intended: Recording | None, live: LiveStep | None, world: int = 0,
           before: Before | None = None) -> Figure:
    """The robot of a stage, still where there is no recording.

    paths: prims that a reader may look for. intended: the motion of the same stage without the solver's influence.
    live: the step of one of its articulations. before: another robot, drawn translucent in the same place.
    """
    bodies = recording.body_names if recording else description.body_paths
    index = body_index(bodies)
    shapes = visible_shapes(stage, bodies)
    solid, floor = _without_ground(stage, shapes)
    other = visible_shapes(before.stage, before.recording.body_names) if before else Shapes((), "")
    joints = list(joint_marks(description.articulations, index))
    acting = [a for a in description.articulations if a.enabled and all(link.path in index for link in a.links)]
    tendons = [mark for a in acting for mark in tendon_marks(a, index)]
    parts = _triangle_parts((*solid, *other.shapes))
    poses = recording.body_pose[:, world] if recording else _authored_poses(stage, bodies)
    stride = _stride(len(poses), len(bodies))
    heads = list(_shape_heads((*solid, *other.shapes)))
    head: Head = {
        "up": str(UsdGeom.GetStageUpAxis(stage)), "bodies": list(bodies), "shapes": heads[:len(solid)],
        "joints": [_joint_head(mark) for mark in joints], "floor": floor, "follow": _followed(description, index),
        "frameMarks": list(joint_frames(description.articulations, index)),
        "masses": [(e.body, e.mass, e.centre, e.semi_axes, e.rotation) for e in mass_ellipsoids(description, index)],
        "bones": list(bones(description.articulations, index)),
        "tendons": [{"name": mark.name, "path": mark.path} for mark in tendons],
        "marks": _marks(description, index, findings),
        "places": {path: point for path in sorted(set(paths)) if (point := body_point(path, description, index))},
        "live": _live_head(live, index, tendons) if live else None, "frames": len(poses[::stride]),
        "dt": _step(recording) * stride, "lengthUnit": length_unit(description), "forceUnit": force_unit(description),
        "ghosts": sorted(index[path] for path in intended_bodies(description) if path in index),
        "before": _before_head(before, heads[len(solid):]) if before else None, "contactStarts": []}
    parts["poses"] = _floats(poses[::stride])
    if before:
        parts["before"] = _floats(before.recording.body_pose[::head["before"]["stride"], 0])
    if recording and intended and intended.body_names == recording.body_names:
        parts["intended"] = _floats(intended.body_pose[::stride, world])
    if recording and tendons:
        forces = [force for a in recorded_articulations(description, recording)
                  for force in tendon_forces(a, recording, world)]
        parts["forces"] = _floats(np.stack(forces, axis=1)[::stride]) if len(forces) == len(tendons) else b""
    if recording and recording.contacts:
        arrows = contact_arrows(recording.contacts[::stride], index, world)
        head["contactStarts"], parts["contacts"] = arrows.starts, _floats(arrows.rows)
    if live:
        parts |= {"wasm": live.binary, "memory": live.memory}
    return Figure(head, parts, tuple(note for note in (shapes.note,) if note))


def _without_ground(stage: Usd.Stage, shapes: Shapes) -> tuple[list[Shape], float | None]:
    """The shapes without level planes, and the height of the highest of these; the page draws it without an edge."""
    heights = {id(shape): height for shape in shapes.shapes if (height := ground_height(stage, shape)) is not None}
    return ([shape for shape in shapes.shapes if id(shape) not in heights],
            max(heights.values(), default=None))


def _followed(description: Description, index: Mapping[str, int]) -> int:
    """The number of the body that the camera follows: the root of a floating articulation, or the only body."""
    roots = [item.links[0].path for item in description.articulations if item.enabled and not item.fixed_base]
    bodies = [body.path for body in description.separate_bodies]
    candidates = roots or (bodies if len(bodies) == 1 and not description.articulations else [])
    return next((index[path] for path in candidates if path in index), -1)


def _stride(records: int, bodies: int) -> int:
    """Every how many-th record a page has."""
    return max(1, -(-records * max(1, bodies) // MAX_POSES))


def _step(recording: Recording | None) -> float:
    """Seconds from record to record; 0 for one alone."""
    return float(recording.time[1] - recording.time[0]) if recording and len(recording.time) > 1 else 0.0


def _before_head(before: Before, shapes: list[Head]) -> Head:
    """The robot of another stage."""
    recording = before.recording
    index = body_index(recording.body_names)
    stride = _stride(len(recording.time), len(index))
    return {"bodies": len(index), "shapes": shapes, "bones": list(bones(before.description.articulations, index)),
            "stride": stride, "frames": len(recording.time[::stride]), "dt": _step(recording) * stride}


def _floats(values: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(values, "<f4").tobytes()


def _authored_poses(stage: Usd.Stage, bodies: Sequence[str]) -> NDArray[np.float64]:
    """(1, n_body, 7) as authored."""
    frames = Frames()
    poses = [decompose(rigid(frames.matrix(stage.GetPrimAtPath(path)))).pose for path in bodies]
    return np.array([[*position, *rotation] for position, rotation in poses]).reshape(1, -1, 7)


def _triangle_parts(shapes: Sequence[Shape]) -> dict[str, bytes]:
    points = [shape.triangles.points for shape in shapes]
    starts = np.cumsum([0, *map(len, points)])
    faces = [shape.triangles.faces + start for shape, start in zip(shapes, starts, strict=False)]
    return {"points": _floats(np.concatenate([np.zeros((0, 3)), *points])),
            "faces": np.concatenate([np.zeros((0, 3), np.int64), *faces]).astype("<u4").tobytes()}


def _shape_heads(shapes: Sequence[Shape]) -> Iterator[Head]:
    """What is drawn from which corner on."""
    start = 0
    for shape in shapes:
        count = shape.triangles.faces.size
        yield {"body": shape.body, "from": start, "count": count, "colour": [round(x, 3) for x in shape.colour]}
        start += count


def _joint_head(mark: JointMark) -> Head:
    return {"name": mark.name, "angular": mark.angular, "parent": mark.parent, "child": mark.child, "axis": mark.axis,
            "zero": mark.zero, "hand": mark.hand, "sign": mark.sign, "low": finite(mark.low), "high": finite(mark.high)}


def _marks(description: Description, index: Mapping[str, int], findings: Sequence[Finding]) -> list[list[Any]]:
    """[body, severity] of every body with findings, the worst one."""
    worst: dict[int, str] = {}
    for finding in findings:
        point: BodyPoint | None = body_point(finding.path, description, index)
        if point and rank(finding.severity) > rank(worst.get(point[0], "info")):
            worst[point[0]] = finding.severity
    return [[body, severity] for body, severity in sorted(worst.items())]


def _live_head(live: LiveStep, index: Mapping[str, int], tendons: Sequence[TendonMark]) -> Head | None:
    """The step, with the bytes of its rows."""
    if not all(link in index for link in live.links):
        return None
    at = live.address
    return {
        "dt": live.dt, "iterations": live.iterations, "bodies": [index[link] for link in live.links],
        "pose": at.get("pose_0", 0), "stirred": at.get("wake_request_0"), "joints": live.joints, "q": at.get("q_0"),
        "tendons": [[at[mark.row], 1.0 / (mark.force_fraction * live.dt)] if mark.row in at and mark.force_fraction
                    else None
                    for mark in tendons],
        "sliders": [_slider_head(slider) for slider in live.sliders]}


def _slider_head(slider: Slider) -> Head:
    return {"parameter": slider.parameter, "element": slider.element, "unit": slider.unit, "at": slider.at,
            "value": slider.value, "low": slider.low, "high": slider.high, "factor": slider.factor}


# In the order in which they build on each other.
SCRIPTS = ("unpack", "vectors", "recorded", "live", "drawing", "framing", "camera", "webgl", "flat", "viewer",
           "sliders", "player", "plots", "page")


@cache
def script() -> str:
    """All of it."""
    folder = files("physx_runtime.viewing").joinpath("templates", "robot")
    texts = [folder.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    return "\n".join(['"use strict";', "(() => {", *texts, "})();", ""])


@cache
def script_hash() -> str:
    """SHA-256 in base64, as a Content-Security-Policy names it."""
    return base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()

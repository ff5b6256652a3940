"""The motion of a robot as a page shows it.

A recording as USD: the stage's own layer below, time samples of every moving link and joint above.

The local matrix of a link at a time is  S * pose(t) * parent(t)^-1  (USD's row vectors), with S the scale and shear
that the link has on the stage and parent(t) the world matrix of its parent prim, which moves where it lies below
another link.

Rows and findings as a report lists them: by prim, by reason, by rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from physx_runtime.packing.frames import LinkPlacement, read_link_placements, rigid
from physx_runtime.simulation.recording import Recording
from physx_runtime.verification.report import ALTERED, AS_AUTHORED, IGNORED, Row, Verification
from physx_runtime.verification.row_groups import RowGroup, group_rows
from physx_runtime.viewing.stage_over import layer_over, require_another_file, write_over
from physx_schema import JointStateAPI
from physx_schema.checking import Finding
from physx_schema.checking.effects import by_effect
from physx_schema.checking.engine.causes import CauseGroup
from physx_schema.checking.engine.finding import location, rank
from physx_schema.description.frames import pose_matrix
from physx_schema.description.model.joint import ROTATIONS
from physx_schema.description.stages import open_stage, source_name
from physx_schema.errors import UnsupportedError
from physx_schema.reports.findings import effects_text

OPERATION_SUFFIX = "motion"       # of transform ops that replace a prim's own
UNSCALED = Gf.Vec3d(1.0)
# How far a local matrix may be from translate * orient * authored scale before those ops cannot hold it.
MATRIX_TOLERANCE = 1e-6


def write_motion(stage: Usd.Stage, recording: Recording, path: str | Path, world: int = 0) -> Path:
    """Write a USD file that plays the recorded motion over the stage; return its path.

    A stage saved on disk becomes a sublayer, by a relative path; one with unsaved edits is flattened into the file.
    Time code k is record k, and timeCodesPerSecond makes it play in real time. Joint positions and velocities come
    along as time samples of PhysicsJointStateAPI, in degrees for angular joints.

    Raises:
        ValueError: an unknown suffix, or a world that was not recorded.
        UnreadableError: the stage cannot be opened.
        UnsupportedError: links or joints of the recording that are missing on the stage, inside instances, or below
            prims that are animated already; a path that is a file of the stage.
    """
    path, stage = Path(path), open_stage(stage)
    _check(stage, recording, path, world)
    layer = layer_over(stage)
    rate = _rate(recording.time)
    layer.timeCodesPerSecond = layer.framesPerSecond = rate
    layer.startTimeCode, layer.endTimeCode = 0, len(recording.time) - 1
    _sample(layer, read_link_placements(stage, recording.link_names), recording, world)
    write_over(layer, path)
    return path


def _check(stage: Usd.Stage, recording: Recording, path: Path, world: int) -> None:
    worlds = recording.link_pose.shape[1]
    require_another_file(stage, path)
    if not 0 <= world < worlds:
        raise ValueError(f"world is {world}; the recording has worlds 0 to {worlds - 1}")
    problems = []
    for name in (*recording.link_names, *map(_joint_path, recording.joint_names)):
        prim = stage.GetPrimAtPath(name)
        if not prim:
            problems.append(f"{name} is not on this stage; give the simulated stage")
        elif prim.IsInstanceProxy():
            problems.append(f"{name} is inside an instance, where USD allows no time samples; set instanceable = false")
        elif moving := _animated(prim.GetParent()):
            problems.append(f"{moving}, an ancestor of {name}, has an animated transform; remove its time samples")
    if problems:
        raise UnsupportedError(f"{source_name(stage)}: " + "; ".join(sorted(set(problems))))


def _joint_path(name: str) -> str:
    """The joint prim of a degree of freedom, which is called as the prim or ``path:axis``."""
    return name.partition(":")[0]


def _animated(prim: Usd.Prim) -> str:
    """The nearest prim from this one upwards whose transform changes with time; empty where none does."""
    while prim and not prim.IsPseudoRoot():
        if UsdGeom.Xformable(prim).TransformMightBeTimeVarying():
            return str(prim.GetPath())
        prim = prim.GetParent()
    return ""


def _rate(time: NDArray[np.float64]) -> float:
    """Records per second, a whole number where only float noise keeps it from one."""
    if len(time) < 2:
        return 60.0
    rate = (len(time) - 1) / float(time[-1] - time[0])
    return float(round(rate)) if abs(rate - round(rate)) < 1e-6 * rate else rate


def _sample(layer: Sdf.Layer, links: list[LinkPlacement], recording: Recording, world: int) -> None:
    """Write every link's transforms and every joint's state into the layer."""
    target = Usd.Stage.Open(layer)
    codes = [float(code) for code in range(len(recording.time))]
    for link, matrices in zip(links, _local_matrices(links, recording.link_pose[:, world]), strict=True):
        _write_transforms(target.GetPrimAtPath(link.path), codes, matrices)
    for i, name in enumerate(recording.joint_names):
        state = recording.joint_position[:, world, i], recording.joint_velocity[:, world, i]
        _write_joint(target.GetPrimAtPath(_joint_path(name)), name, codes, *state)


def _local_matrices(links: list[LinkPlacement], poses: NDArray[Any]) -> Iterator[list[Gf.Matrix4d]]:
    """The local matrix at every record, link by link; poses: (n_record, n_link, 7), position and quaternion x y z w."""
    worlds = {
        link.path: [pose_matrix(tuple(pose[:3]), tuple(pose[3:])) for pose in poses[:, i].tolist()]
        for i, link in enumerate(links)
    }
    identity = [Gf.Matrix4d(1.0)] * len(poses)
    for link in links:
        carriers = worlds[link.carrier] if link.carrier else identity
        yield [
            link.shape * pose_matrix_at * (link.parent * carrier).GetInverse()
            for pose_matrix_at, carrier in zip(worlds[link.path], carriers, strict=True)
        ]


def _write_transforms(prim: Usd.Prim, codes: list[float], matrices: list[Gf.Matrix4d]) -> None:
    """Sample the prim's own translate and orient where they can hold the matrices, else new ops in place of its own."""
    xformable = UsdGeom.Xformable(prim)
    reset, scale = xformable.GetResetXformStack(), Gf.Transform(matrices[0]).GetScale()
    if not all(_is_representable(matrix, scale) for matrix in matrices):
        op = xformable.AddTransformOp(opSuffix=OPERATION_SUFFIX)
        xformable.SetXformOpOrder([op], reset)
        for code, matrix in zip(codes, matrices, strict=True):
            op.Set(matrix, code)
        return
    ops = _existing_ops(xformable, scale)
    if not ops:
        ops = [xformable.AddTranslateOp(opSuffix=OPERATION_SUFFIX),
               xformable.AddOrientOp(UsdGeom.XformOp.PrecisionDouble, OPERATION_SUFFIX)]
        if not Gf.IsClose(scale, UNSCALED, MATRIX_TOLERANCE):
            ops.append(xformable.AddScaleOp(opSuffix=OPERATION_SUFFIX))
            ops[2].Set(Gf.Vec3f(scale))
        xformable.SetXformOpOrder(ops, reset)
    vector, quaternion = _value_type(ops[0]), _value_type(ops[1])
    for code, matrix, rotation in zip(codes, matrices, _continuous(matrices), strict=True):
        ops[0].Set(vector(matrix.ExtractTranslation()), code)
        ops[1].Set(quaternion(rotation), code)


def _existing_ops(xformable: UsdGeom.Xformable, scale: Any) -> list[Any]:
    """The prim's translate and orient, first in its order; empty where it has none that hold small turns.

    USD composes a quatf to no better than 3.5e-4 rad, so the orientation has to be a quatd. A scale may follow that is
    the one given.
    """
    ops = list(xformable.GetOrderedXformOps())
    names = [op.GetOpName() for op in ops]
    if names[:2] != ["xformOp:translate", "xformOp:orient"] or names[2:] not in ([], ["xformOp:scale"]):
        return []
    precisions = UsdGeom.XformOp
    if ops[0].GetPrecision() == precisions.PrecisionHalf or ops[1].GetPrecision() != precisions.PrecisionDouble:
        return []
    authored_scale = Gf.Vec3d(ops[2].Get()) if len(ops) == 3 else UNSCALED
    return ops if Gf.IsClose(authored_scale, scale, MATRIX_TOLERANCE) else []


def _value_type(op: UsdGeom.XformOp) -> type[Any]:
    value: type[Any] = op.GetAttr().GetTypeName().type.pythonClass
    return value


def _is_representable(matrix: Gf.Matrix4d, scale: Any) -> bool:
    """Whether scale, then a rotation, then a translation make up the matrix."""
    rebuilt = Gf.Matrix4d().SetScale(scale) * rigid(matrix)
    return bool(Gf.IsClose(matrix, rebuilt, MATRIX_TOLERANCE))


def _continuous(matrices: list[Gf.Matrix4d]) -> Iterator[Any]:
    """Rotations as quaternions on one side of the double cover, so that players interpolate the short way."""
    last = None
    for matrix in matrices:
        rotation = rigid(matrix).ExtractRotationQuat()
        if last is not None and Gf.Dot(last, rotation) < 0.0:
            rotation = -rotation
        last = rotation
        yield rotation


def _write_joint(prim: Usd.Prim, name: str, codes: list[float], position: NDArray[Any], velocity: NDArray[Any]) -> None:
    instance = _instance(prim, name)
    if instance != "linear":
        position, velocity = np.degrees(position), np.degrees(velocity)
    state = JointStateAPI.Apply(prim, instance)
    for attribute, values in ((state.CreatePositionAttr(), position), (state.CreateVelocityAttr(), velocity)):
        for code, value in zip(codes, values.tolist(), strict=True):
            attribute.Set(value, code)


def _instance(prim: Usd.Prim, name: str) -> str:
    """The name of PhysicsJointStateAPI's instance for a degree of freedom."""
    axis = name.partition(":")[2]
    if axis:
        return axis
    if prim.IsA(UsdPhysics.RevoluteJoint):
        return "angular"
    if prim.IsA(UsdPhysics.PrismaticJoint):
        return "linear"
    return next(axis for axis in ROTATIONS if _free(UsdPhysics.LimitAPI(prim, axis)))


def _free(limit: Any) -> bool:
    return not limit or limit.GetLowAttr().Get() <= limit.GetHighAttr().Get()


Prims = list[tuple[str, list[Row]]]
# A reason, how many rows have it, and these in folds.
Reasoned = tuple[str, int, list[RowGroup]]


@dataclass(frozen=True, slots=True)
class RuleFindings:
    """The findings of one rule; message, why and fix where they are the same of all."""

    code: str
    severity: str                       # the worst
    findings: tuple[Finding, ...]
    message: str
    why: str
    fix: str
    explained: str                      # what goes away with them, "" for nothing


def failed_by_path(verification: Verification) -> Prims:
    """Prims with the rows to look at one by one: altered, with a remedy, and ignored for a reason of their own.

    What is altered alike on several prims stands once.
    """
    shared = {id(row) for row in _ignored_for_shared_reason(verification)}
    return _by_path(row for row in verification.rows
                    if (row.verdict in (ALTERED, IGNORED) or row.remedy) and id(row) not in shared
                    and not row.equivalent_to)


def ignored_by_reason(verification: Verification) -> list[Reasoned]:
    """Rows that are ignored for one reason on several prims or properties."""
    return _by_reason(_ignored_for_shared_reason(verification))


def _ignored_for_shared_reason(verification: Verification) -> list[Row]:
    ignored = [row for row in verification.rows if row.verdict == IGNORED and not row.remedy and row.effective is None]
    counts = Counter(map(_reason, ignored))
    return [row for row in ignored if counts[row.reason] > 1]


def as_authored_by_path(verification: Verification) -> Prims:
    """Prims with the rows whose values act as authored."""
    return _by_path(row for row in verification.rows if row.verdict == AS_AUTHORED and not row.remedy)


def _by_path(rows: Iterable[Row]) -> Prims:
    return [(path, list(members)) for path, members in groupby(rows, lambda row: row.path)]


def by_reason(verification: Verification, verdict: str) -> list[Reasoned]:
    """Rows of a verdict."""
    return _by_reason([row for row in verification.rows if row.verdict == verdict])


def _by_reason(rows: Sequence[Row]) -> list[Reasoned]:
    """Rows of each reason, the commonest first."""
    groups = [(reason, list(members)) for reason, members in groupby(sorted(rows, key=_reason), _reason)]
    return [(reason, len(members), list(group_rows(members))) for reason,
            members in sorted(groups, key=_descending_count)]


def _descending_count(group: tuple[str, list[Row]]) -> int:
    return -len(group[1])


def _reason(row: Row) -> str:
    return row.reason


def by_rule(causes: Sequence[CauseGroup]) -> list[RuleFindings]:
    """Findings of each rule that no other explains, with those on copies; the worst rules first."""
    groups: dict[str, list[CauseGroup]] = {}
    for cause in by_effect(causes):
        groups.setdefault(cause.root.code, []).append(cause)
    return [_of_rule(code, group) for code, group in groups.items()]


def _of_rule(code: str, causes: Sequence[CauseGroup]) -> RuleFindings:
    members = [finding for cause in causes for finding in (cause.root, *cause.copies)]
    effects = [finding for cause in causes for finding in cause.effects]
    return RuleFindings(code, max((cause.severity for cause in causes), key=rank), tuple(members),
                        _common([f.message for f in members]) if len(members) > 1 else "",
                        _common([f.why for f in members]), _common([f.fix for f in members]),
                        effects_text(effects) if effects else "")


def _common(texts: Sequence[str]) -> str:
    return texts[0] if len(set(texts)) == 1 else ""


def remedy_lines(rows: Sequence[Row]) -> list[str]:
    """What the remedy of a row authors there and on those alike, a line each: property path = value."""
    remedy = rows[0].remedy
    if remedy is None:
        return []
    values = [] if remedy.value is None else [(row.path, row.property, remedy.value) for row in rows]
    values += [(change.path, change.property, change.value) for change in remedy.settings]
    lines = [f"{location(path, name)} = {value:.9g}" for path, name, value in values]
    return lines + ([] if remedy.dt is None else [f"# with steps of {remedy.dt:.9g} s"])

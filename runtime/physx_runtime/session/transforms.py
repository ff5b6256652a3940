"""`Transforms` writes world poses of links as values of their prims' xformOps: translate, orient and scale, or a
matrix. It reuses the operations that a prim has and makes the missing ones. A second orient operation holds what USD
loses by composing a single-precision rotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Tf, Usd, UsdGeom, Vt

from physx_runtime.arrays import DoubleArray
from physx_runtime.packing.frames import read_link_placements
from physx_runtime.session.layers import ResultLayer, Slot

Note = Callable[[str, str, str], None]      # prim path, property, text
# How far axes may be from orthonormal before translate, orient and scale cannot hold a transform.
ORTHONORMAL_TOLERANCE = 1e-6
LENGTH_TOLERANCE = 1e-5     # likewise, of the axes' squared lengths
OPERATION_SUFFIX = "session"  # of operations whose plain name the prim uses for something else
# USD composes an orientation from the arc cosine of its real part, which in float32 is 1 below 3.5e-4 rad. What an
# orientation in single precision loses is held by a second one after it.
IDENTITY_ROTATION = Gf.Quatd(1.0)
MIN_VECTOR_LENGTH = 1e-10        # GF_MIN_VECTOR_LENGTH: an imaginary part below it is no rotation
ROTATION_OPERATIONS = frozenset(getattr(UsdGeom.XformOp, f"TypeRotate{axes}")
                  for axes in ("X", "Y", "Z", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"))


@dataclass(slots=True)
class _Ops:
    """The operations of a prim that can take a pose; None where one has to be made."""

    matrix: Any = None
    translate: Any = None
    orient: Any = None
    scale: Any = None

    @property
    def complete(self) -> bool:
        return self.matrix is not None or (self.translate is not None and self.orient is not None)


class Transforms:
    """Slots for the transforms of links, and their values."""

    def __init__(self, stage: Usd.Stage, layer: ResultLayer, paths: Sequence[str], note: Note) -> None:
        link_placements = read_link_placements(stage, paths)
        self._shape = np.array([link.shape for link in link_placements]).reshape(-1, 4, 4)
        parents = np.array([link.parent for link in link_placements]).reshape(-1, 4, 4)
        index = {path: i for i, path in enumerate(paths)}
        self._carried = [i for i, link in enumerate(link_placements) if link.carrier is not None]
        self._carriers = [index[link_placements[i].carrier or ""] for i in self._carried]
        self._scale = np.ones((len(paths), 3))
        self._last = np.tile([1.0, 0.0, 0.0, 0.0], (len(paths), 1))
        self._matrices: list[tuple[int, Slot]] = []
        self._poses: list[tuple[int, Slot, type[Any], Slot, type[Any]]] = []
        self._single: list[tuple[int, Slot]] = []       # what orientations in single precision lose
        self._once: list[tuple[Slot, Any]] = []         # order and scale of operations that replace a prim's own
        self._inverse = np.zeros_like(parents)
        singular = (np.abs(np.linalg.det(parents)) < 1e-300) | (np.abs(np.linalg.det(self._shape)) < 1e-300)
        self._inverse[~singular], uniform = np.linalg.inv(parents[~singular]), _is_uniform(parents)
        for i, path in enumerate(paths):
            if singular[i]:
                note(path, "xformOpOrder", "the prim or an ancestor has scale 0; its transform is not written")
            else:
                self._plan(layer, stage.GetPrimAtPath(path), i, bool(uniform[i]), note)

    def values(self, poses: DoubleArray) -> Iterator[tuple[Slot, Any]]:
        """Slots and values for world poses, (n_link, 7): position, quaternion x y z w."""
        local = self._local(poses)
        translations = local[:, 3, :3].tolist()
        rotations = quaternions(local[:, :3, :3] / self._scale[:, :, None])
        rotations *= np.where((rotations * self._last).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
        self._last = rotations
        orientations = rotations.tolist()
        for i, translate, vector, orient, quaternion in self._poses:
            yield translate, vector(*translations[i])
            yield orient, quaternion(*orientations[i])
        single = [i for i, _ in self._single]
        lost_rotations = remainders(rotations[single]).tolist()
        for (_, remainder), value in zip(self._single, lost_rotations, strict=True):
            yield remainder, Gf.Quatd(*value)
        for i, matrix in self._matrices:
            yield matrix, Gf.Matrix4d(local[i].tolist())
        yield from self._once

    def _local(self, poses: DoubleArray) -> DoubleArray:
        world = matrices(poses)
        if self._carried:
            world[self._carried] = world[self._carried] @ _rigid_inverse(matrices(poses[self._carriers]))
        local: DoubleArray = self._shape @ world @ self._inverse
        return local

    def _plan(self, layer: ResultLayer, prim: Usd.Prim, i: int, uniform: bool, note: Note) -> None:
        """Choose the operations of one link and make their slots."""
        xformable = UsdGeom.Xformable(prim)
        try:
            ops = _reusable_ops(xformable)
            local = np.array(xformable.GetLocalTransformation()).reshape(4, 4)[:3, :3]
        except Tf.ErrorException:       # one that USD does not know: a matrix takes the place of all
            ops, local, uniform = _Ops(), np.eye(3), False
        raw_sizes = ops.scale.Get() or (1.0, 1.0, 1.0) if ops.scale is not None else np.linalg.norm(local, axis=1)
        sizes = np.asarray(raw_sizes, dtype=float)
        rigid = uniform and bool(_orthonormal(local / sizes[:, None]))
        if ops.matrix is None and not rigid:
            ops = _Ops()
        if not ops.complete:
            names = ", ".join(_order(prim)) or "none"
            note(str(prim.GetPath()), "xformOpOrder", f"its transform operations ({names}) cannot store every pose; "
                 "they are replaced")
        if ops.matrix is not None or not rigid:
            slot = self._slot(layer, prim, ops.matrix, "transform", Sdf.ValueTypeNames.Matrix4d)
            if slot is not None:
                self._matrices.append((i, slot))
                self._order(layer, xformable, ops.complete, [slot])
            return
        self._scale[i] = sizes
        self._plan_pose(layer, xformable, i, ops)

    def _plan_pose(self, layer: ResultLayer, xformable: UsdGeom.Xformable, i: int, ops: _Ops) -> None:
        prim, types = xformable.GetPrim(), Sdf.ValueTypeNames
        translate = self._slot(layer, prim, ops.translate, "translate", types.Double3)
        orient = self._slot(layer, prim, ops.orient, "orient", types.Quatd)
        if translate is None or orient is None:
            return
        self._poses.append((i, translate, _python_class(translate), orient, _python_class(orient)))
        value = ops.orient.Get() if ops.orient is not None else None
        if value is not None:           # of the two quaternions of a rotation, the one on the side of the prim's own
            self._last[i] = (value.GetReal(), *value.GetImaginary())
        names = [slot.path.rpartition(".")[2] for slot in (translate, orient)]
        exact = _python_class(orient) is Gf.Quatd
        if not exact:
            orient.remainder = self._slot(layer, prim, None, "orient", types.Quatd)
            if orient.remainder is not None:
                self._single.append((i, orient.remainder))
                names.append(orient.remainder.path.rpartition(".")[2])
        if ops.scale is not None:
            names.append(ops.scale.GetOpName())
        elif (np.abs(self._scale[i] - 1.0) > ORTHONORMAL_TOLERANCE + LENGTH_TOLERANCE).any():
            scale = self._slot(layer, prim, None, "scale", types.Double3)
            if scale is not None:
                self._once.append((scale, Gf.Vec3d(*self._scale[i])))
                names.append(scale.path.rpartition(".")[2])
        self._order_names(layer, xformable, ops.complete and exact, names)

    def _order(self, layer: ResultLayer, xformable: UsdGeom.Xformable, complete: bool, slots: list[Slot]) -> None:
        self._order_names(layer, xformable, complete, [slot.path.rpartition(".")[2] for slot in slots])

    def _order_names(self, layer: ResultLayer, xformable: UsdGeom.Xformable, complete: bool, names: list[str]) -> None:
        """Write the order of operations where it is not the prim's own."""
        if complete:
            return
        slot = layer.slot(xformable.GetPrim(), "xformOpOrder", Sdf.ValueTypeNames.TokenArray, uniform=True)
        if slot is not None:
            slot.replaced = _order(xformable.GetPrim())
            reset = ["!resetXformStack!"] if xformable.GetResetXformStack() else []
            self._once.append((slot, Vt.TokenArray([*reset, *names])))

    def _slot(self, layer: ResultLayer, prim: Usd.Prim, op: UsdGeom.XformOp, kind: str,
              type_name: Sdf.ValueTypeName) -> Slot | None:
        """The slot of an operation the prim has, or of a new one."""
        if op is not None:
            return layer.slot(prim, op.GetName(), op.GetTypeName())
        name = f"xformOp:{kind}"
        if prim.HasAttribute(name):
            name += f":{OPERATION_SUFFIX}"
        slot = layer.slot(prim, name, type_name)
        if slot is not None:
            slot.passing = name not in _order(prim)
        return slot


def _reusable_ops(xformable: UsdGeom.Xformable) -> _Ops:
    """The operations to reuse of [transform], or of [translate, any rotations, scale]."""
    ops = list(xformable.GetOrderedXformOps())
    kind = UsdGeom.XformOp
    if any(op.IsInverseOp() or op.GetPrecision() == kind.PrecisionHalf for op in ops):
        return _Ops()
    types = [op.GetOpType() for op in ops]
    if types == [kind.TypeTransform]:
        return _Ops(matrix=ops[0])
    result = _Ops()
    if types[:1] == [kind.TypeTranslate]:
        result.translate, ops = ops[0], ops[1:]
    if ops and ops[-1].GetOpType() == kind.TypeScale:
        result.scale, ops = ops[-1], ops[:-1]
    types = [op.GetOpType() for op in ops]
    if types == [kind.TypeOrient]:
        result.orient = ops[0]
        return result
    return result if ROTATION_OPERATIONS.issuperset(types) else _Ops()


def _order(prim: Usd.Prim) -> tuple[str, ...]:
    """The names of a prim's own operations, those without an attribute included."""
    return tuple(UsdGeom.Xformable(prim).GetXformOpOrderAttr().Get() or ())


def _python_class(slot: Slot) -> type[Any]:
    python_class: type[Any] = slot.type_name.type.pythonClass
    return python_class


def _orthonormal(axes: DoubleArray) -> NDArray[np.bool_]:
    """(...) whether rows (..., 3, 3) are the axes of a rotation."""
    products = axes @ np.swapaxes(axes, -1, -2)
    close = np.abs(products - np.eye(3)) <= ORTHONORMAL_TOLERANCE + LENGTH_TOLERANCE * np.eye(3)
    return np.asarray(close.all(axis=(-1, -2)) & (np.linalg.det(axes) > 0.0))


def _is_uniform(transforms: DoubleArray) -> NDArray[np.bool_]:
    """Mask (n,) of matrices (n, 4, 4) with uniform scale and without mirroring."""
    axes = transforms[:, :3, :3]
    sizes = np.cbrt(np.linalg.det(axes))
    valid = sizes > 0.0
    return np.asarray(valid & _orthonormal(axes / np.where(valid, sizes, 1.0)[:, None, None]))


def matrices(poses: DoubleArray) -> DoubleArray:
    """Poses (..., 7) as matrices (..., 4, 4) for row vectors."""
    x, y, z, w = np.moveaxis(poses[:, 3:], -1, 0)
    out = np.zeros((len(poses), 4, 4))
    out[:, 0, 0], out[:, 0, 1], out[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)
    out[:, 1, 0], out[:, 1, 1], out[:, 1, 2] = 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)
    out[:, 2, 0], out[:, 2, 1], out[:, 2, 2] = 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)
    out[:, 3, :3], out[:, 3, 3] = poses[:, :3], 1.0
    return out


def _rigid_inverse(transforms: DoubleArray) -> DoubleArray:
    out = np.zeros_like(transforms)
    out[:, :3, :3] = transforms[:, :3, :3].transpose(0, 2, 1)
    out[:, 3, :3] = -np.einsum("ni,nij->nj", transforms[:, 3, :3], out[:, :3, :3])
    out[:, 3, 3] = 1.0
    return out


def remainders(rotations: DoubleArray) -> DoubleArray:
    """Unit quaternions (n, 4), w x y z: the rotations from what USD composes in float32 to the exact ones."""
    single = rotations.astype(np.float32).astype(np.float64)
    half, length = np.arccos(np.clip(single[:, :1], -1.0, 1.0)), np.linalg.norm(single[:, 1:], axis=1, keepdims=True)
    still = length <= MIN_VECTOR_LENGTH
    axis = single[:, 1:] / np.where(still, 1.0, length)
    half = np.where(still, 0.0, half)
    w, back = np.cos(half), -np.sin(half) * axis
    v, x = rotations[:, 1:], rotations[:, :1]
    real = w * x - (back * v).sum(axis=1, keepdims=True)
    result = np.concatenate([real, w * v + x * back + np.cross(back, v)], axis=1)
    return np.asarray(np.where(real < 0.0, -result, result))


def quaternions(axes: DoubleArray) -> DoubleArray:
    """Unit quaternions (n, 4), w x y z, of rotations whose rows are the turned axes (Shepperd's method)."""
    m = axes
    xx, yy, zz = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    a, b, c = m[:, 1, 2] - m[:, 2, 1], m[:, 2, 0] - m[:, 0, 2], m[:, 0, 1] - m[:, 1, 0]
    d, e, f = m[:, 0, 1] + m[:, 1, 0], m[:, 0, 2] + m[:, 2, 0], m[:, 1, 2] + m[:, 2, 1]
    rows = np.stack([1 + xx + yy + zz, a, b, c, a, 1 + xx - yy - zz, d, e, b, d, 1 - xx + yy - zz, f,
                     c, e, f, 1 - xx - yy + zz], axis=-1).reshape(-1, 4, 4)
    best = np.argmax(rows[:, range(4), range(4)], axis=1)
    result = rows[np.arange(len(rows)), best]
    return np.asarray(result / np.linalg.norm(result, axis=1, keepdims=True))

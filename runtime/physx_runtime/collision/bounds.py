"""Axis-aligned bounds of shapes, grown by their contact offsets (PhysX GuBounds).

The fourth axis is the world of a shape, so that shapes of different worlds do not overlap. PhysX rounds the bounds
first and then grows them (GuBounds.cpp, Aggregate::computeBounds), those of hulls and convex cores about their centre.
The order of pairs depends on the last bits. `update_shapes` updates poses and bounds of all shapes, `update_shape`
those of one.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Integer, Matrix3, Pose, Record, Records, Scalar, Vec3
from physx_runtime.collision.convex_core.support import core_of, support_point
from physx_runtime.collision.scalar_math import x_axis
from physx_runtime.collision.shapes import BOX, CAPSULE, CONVEX, CYLINDER, EVERY_WORLD, MESH, PLANE, Geometry
from physx_runtime.collision.simd_math import (
    HALF,
    ONE,
    ZERO,
    add,
    by_matrix,
    dot,
    matrix_of,
    negated,
    scaled,
    sub,
    transform_fast,
)
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry

ENDLESS = np.float32(2.5e32)            # PhysX's greatest bounds
ALONG_AXIS = np.float32(1e-6)           # a plane's normal this near to an axis has bounds of its half space alone


# From this kind on bounds need more than a size. Their code is compiled only where such shapes exist.
FIRST_WITH_GEOMETRY = CYLINDER


def update_shapes(shapes: Records, poses: Array, geometry: Geometry, shape_poses: Array, bounds: Array) -> None:
    """Fill in the world poses of shapes, rows of position and quaternion, and their bounds."""
    # shapePose = bodyPose shape2Body, bounds = extent + contactOffset  (GuBounds.cpp, computeBounds)
    _update_simple_shapes(shapes, poses, shape_poses, bounds)
    with_geometry = np.flatnonzero(shapes["kind"] >= FIRST_WITH_GEOMETRY)
    if len(with_geometry):
        _bound_with_geometry(shapes, with_geometry, geometry, shape_poses, bounds)


@scalar_entry
def _update_simple_shapes(shapes: Records, poses: Array, shape_poses: Array, bounds: Array) -> None:
    for i in range(len(shapes)):
        update_shape(shapes[i], pose_at(poses, shapes[i].body), shape_poses[i], bounds[i])


@scalar_entry
def _bound_with_geometry(shapes: Records, selected: Array, geometry: Geometry, shape_poses: Array,
                         bounds: Array) -> None:
    for i in selected:
        shape, pose = shapes[i], pose_at(shape_poses, i)
        if shape.kind == MESH:
            # bounds of a mesh: those of its box, turned  (GuBounds.cpp, computeMeshBounds)
            mesh = geometry.meshes.meshes[shape.geometry]
            _bound_box(bounds[i], (mesh.low[0], mesh.low[1], mesh.low[2]), (mesh.high[0], mesh.high[1], mesh.high[2]),
                       pose, shape.contact_offset)
        elif shape.kind == CONVEX:
            rows = geometry.hulls.hulls[shape.geometry].vertices
            _bound_hull(bounds[i], pose, shape, geometry.hulls.vertices[rows[0]:rows[1]])
        else:
            _bound_core(bounds[i], shape.kind, size_of(shape), pose, shape.contact_offset)


@scalar_code
def update_shape(shape: Record, body: Pose, shape_poses: Array, bounds: Array) -> None:
    """Fill in the world pose of one shape of a body, and its bounds, except for kinds that need geometry."""
    p, q = shape.position, shape.rotation
    pose = transform_fast(body, ((p[0], p[1], p[2]), (q[0], q[1], q[2], q[3])))
    for k in range(3):
        shape_poses[k] = pose[0][k]
    for k in range(4):
        shape_poses[3 + k] = pose[1][k]
    if shape.kind == PLANE:
        _bound_plane(bounds, pose, shape.contact_offset)
    else:
        _grow(bounds, pose[0], extent_of(shape.kind, size_of(shape), pose), shape.contact_offset)
    everywhere = shape.world == EVERY_WORLD
    bounds[0, 3] = -ENDLESS if everywhere else np.float32(shape.world)
    bounds[1, 3] = ENDLESS if everywhere else np.float32(shape.world)


@scalar_code
def _bound_hull(bounds: Array, pose: Pose, shape: Record, vertices: Array) -> None:
    """Bounds of a hull: those of its vertices, as PhysX has them (eTIGHT_BOUNDS)."""
    # low = min_i (R S v_i) + p  (GuBounds.cpp, computeTightBounds)
    m, scale = matrix_of(pose[1]), scale_of(shape)
    axes = scaled(m[0], scale[0]), scaled(m[1], scale[1]), scaled(m[2], scale[2])
    low, high = (ENDLESS, ENDLESS, ENDLESS), (-ENDLESS, -ENDLESS, -ENDLESS)
    for i in range(len(vertices)):
        vertex = by_matrix(axes, (vertices[i, 0], vertices[i, 1], vertices[i, 2]))
        low = min(low[0], vertex[0]), min(low[1], vertex[1]), min(low[2], vertex[2])
        high = max(high[0], vertex[0]), max(high[1], vertex[1]), max(high[2], vertex[2])
    _grow_from(bounds, add(low, pose[0]), add(high, pose[0]), shape.contact_offset)


@scalar_code
def pose_at(poses: Array, i: Integer) -> Pose:
    """A row of position and quaternion as a pose."""
    row = poses[i]
    return (row[0], row[1], row[2]), (row[3], row[4], row[5], row[6])


@scalar_code
def size_of(shape: Record) -> Vec3:
    """The size of a shape's record."""
    size = shape.size
    return size[0], size[1], size[2]


@scalar_code
def scale_of(shape: Record) -> Vec3:
    """The scale of a shape's record."""
    scale = shape.scale
    return scale[0], scale[1], scale[2]


@scalar_code
def extent_of(kind: Integer, size: Vec3, pose: Pose) -> Vec3:
    """Half extents of the axis-aligned box around a shape of this size."""
    # half extent e_k = sum_i |R_ki| h_i  (GuBounds.cpp, basisExtentV)
    if kind == BOX:
        return _box_extent(matrix_of(pose[1]), size)
    if kind == CAPSULE:
        # capsule: e_k = |axis_k| half + radius  (GuBounds.cpp, computeBoxExtentsAroundCapsule)
        axis, radius = x_axis(pose[1]), size[0]
        return abs(axis[0]) * size[1] + radius, abs(axis[1]) * size[1] + radius, abs(axis[2]) * size[1] + radius
    return size[0], size[0], size[0]


@scalar_code
def _box_extent(m: Matrix3, half: Vec3) -> Vec3:
    return ((abs(m[0][0] * half[0]) + abs(m[1][0] * half[1])) + abs(m[2][0] * half[2]),
            (abs(m[0][1] * half[0]) + abs(m[1][1] * half[1])) + abs(m[2][1] * half[2]),
            (abs(m[0][2] * half[0]) + abs(m[1][2] * half[1])) + abs(m[2][2] * half[2]))


@scalar_code
def _grow(bounds: Array, center: Vec3, extent: Vec3, offset: Scalar) -> None:
    # [c - e - offset, c + e + offset]  (GuBounds.cpp, inflateBounds)
    for k in range(3):
        bounds[0, k], bounds[1, k] = (center[k] - extent[k]) - offset, (center[k] + extent[k]) + offset


@scalar_code
def _grow_from(bounds: Array, low: Vec3, high: Vec3, offset: Scalar) -> None:
    """Grow about the centre, which rounds: PhysX scales the bounds by 1 about it."""
    # c = (low + high) / 2, e = (high - low) / 2
    _grow(bounds, scaled(add(high, low), HALF), scaled(sub(high, low), HALF), offset)


@scalar_code
def _bound_box(bounds: Array, low: Vec3, high: Vec3, pose: Pose, offset: Scalar) -> None:
    # c = R (low + high) / 2 + p  (GuBounds.cpp, transformNoEmptyTestV)
    m = matrix_of(pose[1])
    center = add(by_matrix(m, scaled(add(low, high), HALF)), pose[0])
    _grow(bounds, center, _box_extent(m, scaled(sub(high, low), HALF)), offset)


@scalar_code
def _bound_core(bounds: Array, kind: Integer, size: Vec3, pose: Pose, offset: Scalar) -> None:
    # low_k = support(-e_k)_k, high_k = support(e_k)_k
    core = core_of(kind, size, pose, np.empty((0, 3), np.float32))
    x, y, z = (ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)
    low = support_point(core, negated(x))[0], support_point(core, negated(y))[1], support_point(core, negated(z))[2]
    _grow_from(bounds, low, (support_point(core, x)[0], support_point(core, y)[1], support_point(core, z)[2]), offset)


@scalar_code
def _bound_plane(bounds: Array, pose: Pose, offset: Scalar) -> None:
    """Bounds of a half space along an axis; any other is unbounded."""
    # n . x <= n . p bounds one axis where n lies along it  (GuBounds.cpp, computePlaneBounds)
    normal = x_axis(pose[1])
    for k in range(3):
        bounds[0, k], bounds[1, k] = -ENDLESS, ENDLESS
    for k in range(3):
        if abs(normal[(k + 1) % 3]) < ALONG_AXIS and abs(normal[(k + 2) % 3]) < ALONG_AXIS:
            height = dot(normal, pose[0])
            if normal[k] > ZERO:
                bounds[1, k] = height + offset
            else:
                bounds[0, k] = -height - offset

"""Packs cooked convex hulls, triangle meshes and other shapes into the tables of collision/shapes.py. `pack_hulls` adds
what PhysX computes for contacts: vertex neighbours and start vertices of hill climbing (GuHillClimbing), inscribed
sphere and box. `pack_geometry` gives each collider its row of geometry, its scale and its offsets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.collision.meshes.triangle_mesh import meshes_of
from physx_runtime.collision.pcm.simplex import SAMPLES_PER_SIDE
from physx_runtime.collision.shapes import HULL, NO_HULLS, Geometry, Hulls
from physx_schema.description.model import Collider, ConvexHull, TriangleMesh
from physx_schema.description.records import Vec3

Single = np.float32

MAX_SCANNED_VERTICES = 32                        # vertices, of which all are looked at to find the furthest
_TINY = Single(1e-7)            # of a plane's normal: too little to matter along an axis


def pack_hulls(hulls: Sequence[ConvexHull]) -> Hulls:
    """One table of all hulls, in their order."""
    rows, parts = np.zeros(len(hulls), HULL), [[] for _ in Hulls._fields[1:]]       # type: ignore[var-annotated]
    ends = dict.fromkeys(("vertices", "polygons", "corners", "edges", "neighbours", "samples"), 0)
    for row, hull in zip(rows, hulls, strict=True):
        arrays = _arrays(hull)
        for part, array in zip(parts, arrays, strict=True):
            part.append(array)
        vertices, planes, _, polygon_vertices, edges, _, neighbours, samples = arrays
        for name, array in zip(ends, (vertices, planes, polygon_vertices, edges, neighbours, samples), strict=True):
            row[name] = ends[name], ends[name] + len(array)
            ends[name] += len(array)
        row["center"], row["low"], row["high"] = hull.center, vertices.min(axis=0), vertices.max(axis=0)
        row["inner_radius"], row["inner_half"] = _inscribed(hull)
    return Hulls(rows, *(np.ascontiguousarray(np.concatenate([empty, *part]))
                         for empty, part in zip(NO_HULLS[1:], parts, strict=True)))


def _arrays(hull: ConvexHull) -> tuple[Array, ...]:
    """The part of each array of the table that belongs to one hull."""
    sizes = np.array([len(face) for face in hull.faces], np.int32)
    firsts = np.cumsum(sizes, dtype=np.int32) - sizes
    heights = _dot(hull.vertices[None], hull.planes[:, None, :3])
    spans = np.stack([firsts, sizes, heights.argmin(axis=1).astype(np.int32)], axis=1).astype(np.int32)
    neighbours = _neighbours(hull)
    counts = np.array([len(adjacent) for adjacent in neighbours], np.int32)
    valencies = np.stack([np.cumsum(counts, dtype=np.int32) - counts, counts], axis=1).astype(np.int32)
    samples = _samples(hull.vertices, neighbours) if len(hull.vertices) > MAX_SCANNED_VERTICES else np.zeros(0,
                                                                                                             np.int32)
    return (hull.vertices, hull.planes, spans, np.array([i for face in hull.faces for i in face], np.int32),
            np.array(hull.edges, np.int32).reshape(-1, 2), valencies,
            np.array([i for adjacent in neighbours for i in adjacent], np.int32), samples)


def _dot(a: Array, b: Array) -> Array:
    """Dot products, summed in the order of PhysX's scalar code."""
    return np.asarray((a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1]) + a[..., 2] * b[..., 2])


def _inscribed(hull: ConvexHull) -> tuple[Any, Array]:
    """Radius of the inscribed sphere and half sizes of the inscribed axis-aligned box, about the centre."""
    normals, offsets = hull.planes[:, :3], hull.planes[:, 3]
    heights = _dot(normals, hull.center)
    radius = np.abs(heights + offsets).min()
    min_half = Single(radius / Single(math.sqrt(Single(3.0))))
    extent = hull.vertices.max(axis=0) - hull.vertices.min(axis=0)
    longest = int(np.argmax(extent))
    first, second = (longest + 1) % 3, (longest + 2) % 3
    base = -offsets - heights
    axis_components = normals[:, longest]
    steep = np.abs(axis_components) >= _TINY
    a, b = min_half * normals[steep, first], min_half * normals[steep, second]
    inverse = Single(1.0) / axis_components[steep]
    extents = [np.abs((base[steep] + i * a + j * b) * inverse) for i in (-1, 1) for j in (-1, 1)]
    half = np.full(3, max(np.min(extents), min_half), Single)
    offset, cross_extents = half[longest] * axis_components, []
    for slope in (normals[:, first] + normals[:, second], normals[:, first] - normals[:, second]):
        steep = np.abs(slope) >= _TINY
        cross_extents += [np.abs((base + sign * offset)[steep] / slope[steep]) for sign in (-1, 1)]
    half[first] = half[second] = max(np.concatenate(cross_extents).min(), min_half)
    return radius, half


def _neighbours(hull: ConvexHull) -> list[list[int]]:
    """The neighbours of each vertex in cyclic order, from the first face that has it."""
    next_vertices = {(loop[i - 1], face): vertex for face, loop in enumerate(hull.faces) for i,
                     vertex in enumerate(loop)}
    faces_by_edge = {(loop[i - 1], vertex): face for face, loop in enumerate(hull.faces) for i,
                     vertex in enumerate(loop)}
    neighbours: list[list[int]] = [[] for _ in hull.vertices]
    for start, loop in enumerate(hull.faces):
        for vertex in loop:
            if neighbours[vertex]:
                continue
            face = start
            while True:
                next_vertex = next_vertices[vertex, face]
                neighbours[vertex].append(next_vertex)
                face = faces_by_edge[next_vertex, vertex]
                if face == start:
                    break
    return neighbours


def _samples(vertices: Array, neighbours: Sequence[Sequence[int]]) -> Array:
    """Support vertices along samples of a cube map, each found by hill climbing from the last."""
    samples, starts = np.zeros((6, SAMPLES_PER_SIDE, SAMPLES_PER_SIDE), np.int32), [0] * 12
    half = Single(SAMPLES_PER_SIDE - 1) * Single(0.5)
    for j in range(SAMPLES_PER_SIDE):
        for i in range(j, SAMPLES_PER_SIDE):
            y, z = Single(1.0) - Single(i) / half, Single(1.0) - Single(j) / half
            size = Single(1.0) / np.sqrt(Single(Single(1.0) + y * y) + z * z)
            for k, direction in enumerate(_directions(size, y * size, z * size)):
                starts[k] = _lowest(vertices, neighbours, np.array(direction, Single), starts[k])
            samples[:, i, j], samples[:, j, i] = starts[:6], starts[6:]
    return samples.ravel()


def _directions(x: Any, y: Any, z: Any) -> tuple[tuple[Any, Any, Any], ...]:
    """Directions to the cube's sides -x, x, -y, y, -z, z, then with the other two axes exchanged."""
    return ((-x, y, z), (x, y, z), (z, -x, y), (z, x, y), (y, z, -x), (y, z, x),
            (-x, z, y), (x, z, y), (y, -x, z), (y, x, z), (z, y, -x), (z, y, x))


def _lowest(vertices: Array, neighbours: Sequence[Sequence[int]], direction: Array, start: int) -> int:
    """The support vertex against a direction, by hill climbing."""
    heights = _dot(vertices, direction)
    lowest, min_height, visited = start, heights[start], set[int]()
    while True:
        current = lowest
        for neighbour in neighbours[current]:
            if heights[neighbour] < min_height and neighbour not in visited:
                visited.add(neighbour)
                min_height, lowest = heights[neighbour], neighbour
        if lowest == current:
            return lowest


def has_shape(collider: Collider) -> bool:
    """Whether PhysX makes a shape of a collider; it makes none of a degenerate mesh."""
    return collider.cooked is None or collider.cooked() is not None


def pack_geometry(shapes: Array, colliders: Sequence[Collider]) -> Geometry:
    """The geometry of colliders; writes geometry row, scale and derived offsets into their shapes.

    Colliders of one mesh share a row, those of triangle meshes if scale and mirroring are equal.
    """
    hulls: dict[int, tuple[int, ConvexHull]] = {}                   # and their rows
    meshes: dict[tuple[int, Vec3], tuple[int, TriangleMesh]] = {}
    for shape, collider in zip(shapes, colliders, strict=True):
        cooked = collider.cooked() if collider.cooked else None
        if cooked is None:
            continue
        scale, mesh = _absolute(collider.scale), cooked.mesh
        if isinstance(mesh, ConvexHull):
            shape["geometry"], _ = hulls.setdefault(id(mesh), (len(hulls), mesh))
            shape["scale"] = scale
        else:
            shape["geometry"], _ = meshes.setdefault((id(mesh), collider.scale), (len(meshes), mesh))
        shape["contact_offset"] = cooked.contact_offset
    return Geometry(pack_hulls([hull for _, hull in hulls.values()]),
                    meshes_of([(mesh.vertices, mesh.triangles, np.array(scale))
                               for (_, scale), (_, mesh) in meshes.items()]))


def _absolute(scale: Vec3) -> Vec3:
    x, y, z = (abs(factor) for factor in scale)
    return x, y, z

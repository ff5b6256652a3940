"""A film's scene as triangles, and their pixels.

What a film shows: shapes of bodies seen from one side, without perspective.

Triangles as pixels: each pixel shows what is nearest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Array, DoubleArray
from physx_runtime.compiling.numba_functions import borrowing_entry
from physx_runtime.viewing.poses import UP_VECTORS, transform_point
from physx_runtime.viewing.robot.colours import COLOUR
from physx_runtime.viewing.robot.marks import body_index, bones
from physx_runtime.viewing.robot.shapes import STATIC_BODY, Shape, visible_shapes
from physx_schema.description.model import Description


@borrowing_entry
def draw(points: Array, faces: Array, colours: Array, depth_buffer: Array, picture: Array) -> None:
    """Draw triangles over a picture.

    points: (n, 3) columns and rows of pixels, and nearness. faces: (m, 3) indices of points. colours: (m, 3) bytes.
    nearest: (height, width) of what is drawn already, changed. picture: (height, width, 3) bytes, changed.
    """
    height, width = depth_buffer.shape
    for k in range(len(faces)):
        a, b, c = faces[k, 0], faces[k, 1], faces[k, 2]
        ax, ay, bx, by, cx, cy = points[a, 0], points[a, 1], points[b, 0], points[b, 1], points[c, 0], points[c, 1]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0:
            continue
        left, right = max(0.0, math.floor(min(ax, bx, cx))), min(width - 1.0, math.floor(max(ax, bx, cx)))
        top, bottom = max(0.0, math.floor(min(ay, by, cy))), min(height - 1.0, math.floor(max(ay, by, cy)))
        for row in range(int(top), int(bottom) + 1):
            for column in range(int(left), int(right) + 1):
                x, y = column + 0.5, row + 0.5
                u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area
                v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area
                w = 1.0 - u - v
                if u < 0.0 or v < 0.0 or w < 0.0:
                    continue
                depth = u * points[a, 2] + v * points[b, 2] + w * points[c, 2]
                if depth > depth_buffer[row, column]:
                    depth_buffer[row, column] = depth
                    picture[row, column, 0] = colours[k, 0]
                    picture[row, column, 1] = colours[k, 1]
                    picture[row, column, 2] = colours[k, 2]


VIEW_DIRECTIONS = {"Y": (0.7, 0.5, 0.7), "Z": (0.7, -0.7, 0.5)}     # the eye, by what is up
SUPERSAMPLING = 2                        # pixels drawn for one that is shown, each way
MARGIN = 1.15                   # of the picture around what moves
DIM, BRIGHT = 0.45, 1.0         # a surface at right angles to the view, and one that faces it
PAPER = 255
PALE = 0.6                      # the part of white in what stands still
BONE_WIDTH = 0.02               # of the picture's height
MIN_SIZE = 1e-6               # length units: of a scene that is one point


@dataclass(frozen=True, slots=True)
class View:
    """Where points of the world come to in a picture."""

    axes: DoubleArray                 # (3, 3) rows: rightwards, upwards, towards the eye
    center: DoubleArray               # (3,) along them
    scale: float                # pixels for a length unit
    width: int                  # pixels that are drawn
    height: int

    def project(self, points: DoubleArray) -> DoubleArray:
        """(n, 3) column, row and nearness of points of the world."""
        projected = (points @ self.axes.T - self.center) * self.scale
        return np.stack([self.width / 2 + projected[:, 0], self.height / 2 - projected[:, 1], projected[:, 2]], axis=1)


class FilmScene:
    """The shapes of bodies, and bones in place of those of a robot that shows none."""

    def __init__(self, stage: Any, description: Description, bodies: Sequence[str]) -> None:
        self._shapes = visible_shapes(stage, bodies).shapes
        drawn = {shape.body for shape in self._shapes}
        self._bones = [(start, end) for start, end in bones(description.articulations, body_index(bodies))
                       if start[0] not in drawn]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not self._shapes and not self._bones

    def view(self, poses: DoubleArray, up: str, width: int, height: int) -> View:
        """One in which everything that moves stays; poses: (n_record, n_body, 7)."""
        eye = np.array(VIEW_DIRECTIONS[up]) / np.linalg.norm(VIEW_DIRECTIONS[up])
        right = np.cross(UP_VECTORS[up], eye)
        right /= np.linalg.norm(right)
        axes = np.stack([right, np.cross(eye, right), eye])
        points = np.concatenate([chunk @ axes.T for chunk in self._extremes(poses)])
        low, high = points.min(axis=0), points.max(axis=0)
        size = np.maximum(high - low, MIN_SIZE) * MARGIN
        scale = SUPERSAMPLING * min(width / size[0], height / size[1])
        return View(axes, (low + high) / 2, float(scale), SUPERSAMPLING * width, SUPERSAMPLING * height)

    def picture(self, poses: DoubleArray, view: View) -> NDArray[np.uint8]:
        """(height, width, 3) bytes of red, green and blue; poses: (n_body, 7)."""
        picture = np.full((view.height, view.width, 3), PAPER, np.uint8)
        depth_buffer = np.full((view.height, view.width), -np.inf)
        for shape in self._shapes:
            points = view.project(_world_points(shape, poses))
            white = PALE if shape.body == STATIC_BODY else 0.0
            colour = tuple(white + (1.0 - white) * channel for channel in shape.colour)
            draw(points, shape.triangles.faces, _shade(points, shape.triangles.faces, colour), depth_buffer, picture)
        for start, end in self._bones:
            ends = view.project(np.stack([transform_point(poses[body], point) for body, point in (start, end)]))
            points, faces = _bar(ends, BONE_WIDTH * view.height)
            draw(points, faces, _shade(points, faces, COLOUR), depth_buffer, picture)
        fine = picture.reshape(view.height // SUPERSAMPLING, SUPERSAMPLING, view.width // SUPERSAMPLING, SUPERSAMPLING,
                               3)
        image: NDArray[np.uint8] = fine.mean(axis=(1, 3)).round().astype(np.uint8)
        return image

    def _extremes(self, poses: DoubleArray) -> Iterator[DoubleArray]:
        """Points of all records between which all bodies are; of still shapes where there are no bodies."""
        moving = [shape for shape in self._shapes if shape.body != STATIC_BODY]
        for shape in moving:
            low, high = shape.triangles.points.min(axis=0), shape.triangles.points.max(axis=0)
            for corner in np.ndindex(2, 2, 2):
                yield transform_point(poses[:, shape.body], tuple(np.where(corner, high, low)))
        for ends in self._bones:
            yield from (transform_point(poses[:, body], point) for body, point in ends)
        if not moving and not self._bones:
            yield from (shape.triangles.points for shape in self._shapes)
            yield poses[..., :3].reshape(-1, 3)


def _world_points(shape: Shape, poses: DoubleArray) -> DoubleArray:
    """(n, 3) the points of a shape in the world."""
    points = shape.triangles.points
    if shape.body == STATIC_BODY:
        return points
    u, w = poses[shape.body, 3:6], poses[shape.body, 6]
    cross = np.cross(u, points)
    world: DoubleArray = poses[shape.body, :3] + points + 2.0 * w * cross + 2.0 * np.cross(u, cross)
    return world


def _shade(points: DoubleArray, faces: NDArray[np.int64], colour: tuple[float, ...]) -> NDArray[np.uint8]:
    """(n, 3) bytes: the colour, darker the more a face turns from the eye."""
    vertices = points[faces]
    normals = np.cross(vertices[:, 1] - vertices[:, 0], vertices[:, 2] - vertices[:, 0])
    lengths = np.maximum(np.linalg.norm(normals, axis=1), np.finfo(float).tiny)
    light = DIM + (BRIGHT - DIM) * np.abs(normals[:, 2]) / lengths
    shaded: NDArray[np.uint8] = np.clip(255.0 * light[:, None] * np.array(colour), 0.0, 255.0).astype(np.uint8)
    return shaded


def _bar(ends: DoubleArray, width: float) -> tuple[DoubleArray, NDArray[np.int64]]:
    """Two triangles that face the eye, along a line of a picture."""
    direction = ends[1, :2] - ends[0, :2]
    normal = np.array([-direction[1], direction[0], 0.0]) * width / 2 / max(float(np.linalg.norm(direction)), 1.0)
    return np.concatenate([ends + normal, ends - normal]), np.array([(0, 1, 3), (0, 3, 2)])

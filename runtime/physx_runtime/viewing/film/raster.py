"""Triangles as pixels: each pixel shows what is nearest."""

from __future__ import annotations

import math
from typing import Any

from physx_runtime.compiling.scalar_code import borrowing_entry


@borrowing_entry
def draw(points: Any, faces: Any, colours: Any, nearest: Any, picture: Any) -> None:
    """Draw triangles over a picture.

    points: (n, 3) columns and rows of pixels, and nearness. faces: (m, 3) indices of points. colours: (m, 3) bytes.
    nearest: (height, width) of what is drawn already, changed. picture: (height, width, 3) bytes, changed.
    """
    height, width = nearest.shape
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
                near = u * points[a, 2] + v * points[b, 2] + w * points[c, 2]
                if near > nearest[row, column]:
                    nearest[row, column] = near
                    picture[row, column, 0] = colours[k, 0]
                    picture[row, column, 1] = colours[k, 1]
                    picture[row, column, 2] = colours[k, 2]

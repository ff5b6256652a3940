"""Draw what the examples built of components do, as docs/guides/sapien.md shows it.

    python benchmarks/draw_component_examples.py docs/pictures
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SIZE = (6.0, 2.8)       # inches


def drawn(axes: Any, name: str, motion: np.ndarray, dt: float) -> None:
    """Curves of a motion."""
    times = dt * np.arange(len(motion))
    if name == "cabinet":
        axes.plot(times, motion[:, 0], label="drawer (m)")
        axes.plot(times, -motion[:, 1], label="door (rad)")
        axes.set_xlabel("time (s)")
        axes.legend()
    elif name == "pick_and_place":
        axes.plot(times, motion[:, 0, 2], label="box, height (m)")
        axes.plot(times, motion[:, 0, 1], label="box, way over (m)")
        axes.plot(times, motion[:, 2, 0] - motion[:, 1, 0], label="distance of the fingers (m)")
        axes.set_xlabel("time (s)")
        axes.legend()
    else:
        axes.plot(times, motion[:, 0, :, 2])
        axes.set(xlabel="time (s)", ylabel="height of each body (m)")
    axes.grid(alpha=0.3)


def main(folder: Path) -> None:
    """Write a picture of each example."""
    sys.path.insert(0, str(EXAMPLES))
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("pick_and_place", "cabinet", "falling_pile"):
        example = importlib.import_module(name)
        figure = Figure(figsize=SIZE, layout="constrained")
        drawn(figure.subplots(), name, example.simulate(), example.DT)
        figure.savefig(folder / f"{name}.png", dpi=90)


if __name__ == "__main__":
    target = Path(sys.argv.pop(1))      # the examples take the next argument for a stage to write
    main(target)

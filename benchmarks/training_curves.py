"""Train the policies of examples/train_cart_pole.py and train_ant.py with several seeds, and draw their curves.

    OPENBLAS_NUM_THREADS=1 python benchmarks/training_curves.py CURVES.json [--seeds 3] [--picture PICTURE.png]

Each point of a curve is measured without noise of the policy: the mean number of actions of an episode of the
cart-poles, the mean return and the mean distance of the ants. Times are processor time and wall time of the training
and these measurements, without compilation. CURVES.json is written after each training, and its curves are kept.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SIZE, DPI = (6.0, 2.6), 90      # inches
COLOR = "#2a6fbb"


def cart_pole(folder: Path, seed: int) -> Iterator[tuple[float, ...]]:
    """Iteration and mean number of actions of an episode."""
    import cart_pole as author
    import train_cart_pole as task

    author.build(str(folder / "cart_pole.usda"))
    env = task.environment(folder / "cart_pole.usda", seed=seed)
    agent = task.learner(env, seed)
    yield 0, task.mean_length(env, agent)
    yield from task.train(env, agent)


def ant(folder: Path, seed: int) -> Iterator[tuple[float, ...]]:
    """Iteration, mean return and mean distance."""
    import train_ant as task

    task.build(folder / "ant.usda")
    yield from task.train(folder / "ant.usda", task.learner(task.environment(folder / "ant.usda", 1), seed), seed=seed)


def curve(points: Iterator[tuple[float, ...]]) -> list[list[float]]:
    """Rows of processor time and wall time since the first point, and the point."""
    first = next(points)
    starts, rows = (time.process_time(), time.perf_counter()), [[0.0, 0.0, *first]]
    for point in points:
        now = (time.process_time(), time.perf_counter())
        rows.append([*(end - start for end, start in zip(now, starts, strict=True)), *point])
        print(*(f"{number:.1f}" for number in rows[-1]), flush=True)
    return rows


def draw(curves: dict[str, Any], picture: Path) -> None:
    """Draw both curves over the processor time."""
    figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
    axes = figure.subplots(1, 2)
    for ax, name, title, label in zip(axes, ("cart_pole", "ant"), ("4096 cart-poles", "1024 ants"),
                                      ("actions of an episode", "return of an episode"), strict=True):
        for rows in curves[name].values():
            ax.plot([row[0] for row in rows], [row[3] for row in rows], ".-", color=COLOR, alpha=0.7, linewidth=1.2)
        ax.set(title=title, xlabel="processor time (s)", ylabel=label, ylim=(0.0, None), xlim=(0.0, None))
        ax.grid(alpha=0.3)
    figure.savefig(picture)


def main() -> None:
    """Train what CURVES.json lacks, and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("curves", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    sys.path.insert(0, str(EXAMPLES))
    curves = json.loads(arguments.curves.read_text()) if arguments.curves.exists() else {"cart_pole": {}, "ant": {}}
    for seed in range(arguments.seeds):
        for task in (ant, cart_pole):
            if str(seed) not in curves[task.__name__]:
                print(f"{task.__name__}, seed {seed}: processor time s, wall time s, iteration, result", flush=True)
                with tempfile.TemporaryDirectory() as folder:
                    curves[task.__name__][str(seed)] = curve(task(Path(folder), seed))
                arguments.curves.write_text(json.dumps(curves))
    if arguments.picture:
        draw(curves, arguments.picture)


if __name__ == "__main__":
    main()

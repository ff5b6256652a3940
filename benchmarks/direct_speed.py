"""Quantities of a 27-dof humanoid in batches, beside pinocchio's own calls, in one process on one core.

    python benchmarks/direct_speed.py [--worlds 4096] [--rounds 7]

Both sides compute the same numbers of the same robot at the same random states; that is asserted before anything is
timed. Ours are one call for all worlds, straight into an array that is there. Pinocchio's are calls of its Python
bindings in a loop over states prepared in its own coordinates, and for forward dynamics its batched one too. Times are
processor time of the process, so other work on the machine counts little; the fastest of interleaved rounds is taken.
In every round each is called several times in succession, as a control loop does. The first of them, whose arrays the
others' have driven out of the caches, is listed apart.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ["NUMBA_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

import numpy as np  # noqa: E402
import pinocchio as pin  # noqa: E402
from physx_runtime import Simulation  # noqa: E402
from physx_runtime.quantities import state as quantities  # noqa: E402
from physx_runtime.quantities.state import WorldQuantities, lines_of  # noqa: E402
from support.mechanics.pinocchio_models import PinocchioModel  # noqa: E402

from physx_schema import describe  # noqa: E402

# Largest difference from pinocchio, relative to the largest entry.
AGREEMENT = {"float32": 2e-5, "float64": 1e-10}
CHECKED = 50
SUCCESSIVE = 10          # calls of one kind in a round


class Humanoid:
    """The robot in both libraries, at the same random states."""

    def __init__(self, path: Path, worlds: int, dtype: str) -> None:
        description = describe(path)
        art, random = description.articulations[0], np.random.default_rng(0)
        self.sim = Simulation(description, worlds=worlds, dtype=dtype)
        self.count, nv = worlds, self.sim.topology.nv
        q, v = random.uniform(-1.0, 1.0, (worlds, nv - 6)), random.uniform(-2.0, 2.0, (worlds, nv))
        position, rotation = random.uniform(-1.0, 1.0, (worlds, 3)), random.normal(size=(worlds, 4))
        rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
        self.sim.reset(joint_position=q, joint_velocity=v[:, 6:], root_velocity=v[:, :6],
                       root_pose=np.hstack([position, rotation]))
        self.tau = random.uniform(-5.0, 5.0, (worlds, nv)).astype(dtype)
        self.theirs = PinocchioModel(art, description.scene.gravity)
        self.armature = np.concatenate([np.zeros(6), self.sim.parameter("armature")[0]])
        self.states = []
        for i in range(worlds):
            self.theirs.move(q[i], v[i], position[i], rotation[i])
            self.states.append((self.theirs.q, self.theirs.v, np.linalg.solve(self.theirs.T.T, self.tau[i])))
        self.given = (q, v, position, rotation)

    def move(self, i: int) -> PinocchioModel:
        """Pinocchio's model at a state, in our coordinates."""
        self.theirs.move(*(x[i] for x in self.given))
        return self.theirs


def ours(robot: Humanoid) -> dict[str, tuple[Callable[[], None], np.ndarray]]:
    """Calls for all worlds, and where their results are."""
    batch, everywhere = WorldQuantities(robot.sim.topology), np.arange(robot.count)
    nv, links = robot.sim.topology.nv, len(robot.sim.topology.links)
    calls = {}
    for name, quantity, size, given in (
            ("dense Jacobian", quantities.jacobian, 6 * links * nv, {}),
            ("mass matrix", quantities.mass_without_armature, nv * nv, {}), ("bias", quantities.bias_force, nv, {}),
            ("forward dynamics", quantities.acceleration_under_force, nv, {"force": robot.tau})):
        out = np.zeros((robot.count, size), robot.sim.dtype)

        def call(quantity=quantity, given=given, out=out) -> None:      # type: ignore[no-untyped-def]
            batch.run(quantity, robot.sim.store, everywhere, given, {"values": lines_of(out)})

        calls[name] = (call, out)
    return calls


def pinocchios(robot: Humanoid) -> dict[str, Callable[[], None]]:
    """The same by pinocchio, in a loop from Python; of the mass matrix also with all results kept, as ours are."""
    model, data, states, frames = robot.theirs.model, robot.theirs.data, robot.states, robot.theirs.frames
    dense, kept = np.zeros((6 * len(frames), model.nv)), np.zeros((len(states), model.nv, model.nv))

    def jacobian() -> None:
        for q, _, _ in states:
            pin.computeJointJacobians(model, data, q)
            pin.updateFramePlacements(model, data)
            for i, frame in enumerate(frames):
                dense[6 * i:6 * i + 6] = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)

    def mass() -> None:
        for q, _, _ in states:
            pin.crba(model, data, q)

    def masses() -> None:
        for i, (q, _, _) in enumerate(states):
            kept[i] = pin.crba(model, data, q)

    def bias() -> None:
        for q, v, _ in states:
            pin.nonLinearEffects(model, data, q, v)

    def forward() -> None:
        for q, v, tau in states:
            pin.aba(model, data, q, v, tau)

    def batched() -> None:
        pin.abaInParallel(1, pool, *columns)

    pool = pin.ModelPool(model, 1)
    columns = [np.array([state[i] for state in states]).T.copy(order="F") for i in range(3)]
    columns.append(np.zeros_like(columns[2]))
    return {"dense Jacobian": jacobian, "mass matrix": mass, "mass matrix, all kept": masses, "bias": bias,
            "forward dynamics": forward, "forward dynamics, abaInParallel": batched}


def check(robot: Humanoid, made: dict[str, tuple[Callable[[], None], np.ndarray]]) -> None:
    """Both compute the same, everywhere something, and nothing that is not finite."""
    for call, out in made.values():
        call()
        assert len(out) == robot.count
        assert np.isfinite(out).all()
        assert out.any(axis=1).all()
    for i in np.linspace(0, robot.count - 1, CHECKED).astype(int):
        theirs = robot.move(i)
        expected = {"dense Jacobian": theirs.jacobian(), "mass matrix": theirs.mass(),
                    "bias": theirs.coriolis() + theirs.gravity(),
                    "forward dynamics": theirs.forward(robot.tau[i].astype(float), robot.armature)}
        for name, values in expected.items():
            error = np.abs(made[name][1][i] - values.ravel()).max() / np.abs(values).max()
            assert error < AGREEMENT[robot.sim.dtype], f"{name} of world {i}: {error:.1e}"


def fastest(calls: dict[str, Callable[[], None]], rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """Least processor time of each call over interleaved rounds, seconds: in succession, and of the first ones."""
    best, first = dict.fromkeys(calls, float("inf")), dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            for i in range(SUCCESSIVE):
                start = time.process_time()
                call()
                times = best if i else first
                times[name] = min(times[name], time.process_time() - start)
    return best, first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "humanoid.usda"
        runpy.run_path(str(ROOT / "examples" / "humanoid.py"))["build"](path)
        calls: dict[str, Callable[[], None]] = {}
        for dtype in ("float32", "float64"):
            robot = Humanoid(path, arguments.worlds, dtype)
            made = ours(robot)
            check(robot, made)
            calls |= {f"{name} {dtype}": call for name, (call, _) in made.items()}
        theirs = pinocchios(robot)
        best, first = fastest(calls | theirs, arguments.rounds)
    print(f"{robot.count} worlds, nv {robot.sim.topology.nv}, {len(robot.sim.topology.links)} links; microseconds a "
          f"world; pinocchio {pin.__version__} with how many times as long it takes as our float32 and float64")
    for name in ("dense Jacobian", "mass matrix", "bias", "forward dynamics"):
        own = {dtype: best[f"{name} {dtype}"] for dtype in AGREEMENT}
        row = [f"{name:16s}"]
        row += [f"{dtype} {1e6 * seconds / robot.count:.3f} (first {1e6 * first[f'{name} {dtype}'] / robot.count:.3f})"
                for dtype, seconds in own.items()]
        for peer in (peer for peer in theirs if peer.startswith(name)):
            ratios = ", ".join(f"{best[peer] / seconds:.1f}x" for seconds in own.values())
            row.append(f"pinocchio{peer[len(name):]} {1e6 * best[peer] / robot.count:.2f} ({ratios})")
        print("   ".join(row))


if __name__ == "__main__":
    main()

"""What real PhysX reported about recorded states, in our order of links and degrees of freedom.

The masses and colliders that PhysX reported, recorded in tests/data/collision.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from physx_schema.description import Description, Link, describe
from support.chance.articulations import engine_names
from support.physx.bodies import Measured
from support.places import DATA

# Relative to the largest entry; PhysX reports in float32.
FLOAT32 = 1e-5


class Recording:
    """A recorded stage, its links and dofs brought into our order."""

    def __init__(self, folder: Path, name: str) -> None:
        self.description: Description = describe(folder / f"{name}.usda")
        self.data = np.load(folder / f"{name}.npz", allow_pickle=True)
        info = json.loads(str(self.data["info"]))
        self.articulation = self.description.articulations[0]
        self.dofs = [info["dof_names"].index(dof) for dof in engine_names(self.articulation)]
        self.links = [info["body_names"].index(link.path.rsplit("/", 1)[-1]) for link in self.articulation.links]

    def state(self, n: int) -> dict[str, Any]:
        """Arguments of `compute` for a state."""
        def read(key: str) -> np.ndarray:
            return self.data[f"s{n}_in_{key}"]

        root = {"position": read("root_p"), "rotation_wxyz": read("root_q_wxyz"), "linear_velocity": read("v_com"),
                "angular_velocity": read("w")}
        return {"q": read("q")[self.dofs], "qd": read("qd")[self.dofs],
                "root": None if self.articulation.fixed_base else root}

    def states(self) -> dict[str, Any]:
        """The same for all five states at once."""
        each = [self.state(n) for n in range(5)]
        root = None if each[0]["root"] is None else {
            name: np.stack([state["root"][name] for state in each]) for name in each[0]["root"]}
        return {"q": np.stack([s["q"] for s in each]), "qd": np.stack([s["qd"] for s in each]), "root": root}

    def reported(self, n: int, key: str) -> np.ndarray:
        """A recorded quantity in our order of links and dofs."""
        root = 0 if self.articulation.fixed_base else 6
        columns = [*range(root), *(root + dof for dof in self.dofs)]
        values = np.asarray(self.data[f"s{n}_{key}"])
        if key == "jacobian":
            links = [link - (not root) for link in self.links if link or root]
            return values.reshape(-1, 6, len(columns))[links][:, :, columns].reshape(values.shape)
        if key == "mass_matrix":
            return values[np.ix_(columns, columns)]
        if key in ("gravity", "coriolis"):
            return values[columns]
        return values[:, [*columns, len(columns)]] if key == "centroidal" else values


# --- recorded bodies -------------------------------------------------------------------------------------------------

RECORDED: dict[str, Measured] = json.loads(
    (DATA / "collision" / "recorded.json").read_text(encoding="utf-8"))
INERTIA = 5e-6


def agrees(body: Link, found: Mapping[str, list[float]], tolerance: float) -> None:
    """Fail where mass properties differ by more than the tolerance."""
    center, inertia = np.array(found["centerOfMassPosition"]), np.reshape(found["inertia"], (3, 3))
    mass = found["mass"][0]
    size = max(1.0, float(np.abs(center).max()))
    np.testing.assert_allclose(body.mass, mass, tolerance)
    np.testing.assert_allclose(body.center_of_mass, center, 0, max(tolerance, 2e-6) * size)
    scale = max(float(np.abs(inertia).max()), 0.1 * mass * float(center @ center))
    np.testing.assert_allclose(body.inertia, inertia, 0, max(tolerance, INERTIA) * scale)

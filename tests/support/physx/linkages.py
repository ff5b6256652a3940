"""The examples with closed chains: built, and beside real PhysX."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime import Recording
from pxr import Sdf, Usd, UsdPhysics

from support.places import ROOT

EXAMPLES = ROOT / "examples"
AUTHORED = ("four_bar", "delta_robot", "two_finger_gripper")
CONVERTED = tuple(sorted(path.stem for path in (EXAMPLES / "mjcf").glob("*.xml")))


@dataclass(frozen=True, slots=True)
class Linkage:
    """A stage with closed chains, in a file."""

    path: Path
    stage: Usd.Stage
    loops: tuple[str, ...]      # joints that close them

    def gaps(self, names: Sequence[str], poses: NDArray[Any]) -> NDArray[np.float64]:
        """(n_record, n_loop) how far the loops' anchors are apart; poses: (n_record, n_body, 7)."""
        gap = module("linkages").gap
        return np.array([[gap(self.stage, names, at, loop) for loop in self.loops] for at in poses])

    def moved(self, count: int, by: float = 1e-7) -> list[Path]:
        """Copies in which every hinge and slider of the articulation starts so far [rad or m] to one side."""
        copies = []
        for k in range(count):
            stage, random = Usd.Stage.Open(str(self.path)), np.random.default_rng(k)
            for prim in stage.Traverse():
                token = {"PhysicsRevoluteJoint": "angular", "PhysicsPrismaticJoint": "linear"}.get(prim.GetTypeName())
                if token and not UsdPhysics.Joint(prim).GetExcludeFromArticulationAttr().Get():
                    unit = float(np.degrees(1.0)) if token == "angular" else 1.0
                    prim.AddAppliedSchema(f"PhysicsJointStateAPI:{token}")
                    prim.CreateAttribute(f"state:{token}:physics:position", Sdf.ValueTypeNames.Float).Set(
                        float(random.choice([-by, by])) * unit)
            copies.append(self.path.with_name(f"moved{k}_{self.path.name}"))
            stage.GetRootLayer().Export(str(copies[-1]))
        return copies

    def gaps_of(self, motion: Recording) -> NDArray[np.float64]:
        """As `gaps`, in our first world."""
        return self.gaps(motion.body_names, motion.body_pose[:, 0])


def module(name: str) -> Any:
    """An example as a module."""
    if str(EXAMPLES) not in sys.path:
        sys.path.insert(0, str(EXAMPLES))
    return importlib.import_module(name)


def linkage(name: str, folder: Path) -> Linkage:
    """An example, built in a folder."""
    path = folder / f"{name}.usda"
    if name in CONVERTED:
        stage, loops = module("convert_mjcf").convert(EXAMPLES / "mjcf" / f"{name}.xml", path)
        return Linkage(path, stage, tuple(loops))
    found = module(name)
    stage = found.build(path)
    return Linkage(path, stage, (found.LOOP,) if hasattr(found, "LOOP") else found.LOOPS)

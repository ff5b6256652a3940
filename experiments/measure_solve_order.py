"""Measure in what order PhysX solves joints, tendons and mimic joints of a branching articulation.

Gauss-Seidel results depend on the order. Each stage is a tree of sliders along one axis, pushed hard for one step; a
float64 model of the same step runs in every possible order, and the order that agrees with PhysX is printed with its
error and the runner-up's.

Needs the environment that `oracle.py` describes; PHYSX_ORACLE also holds `tgs_predictors.py`, the model.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from oracle import STEP, Oracle, Part, load_oracle

NOTHING: Part = ([], {})
ITERATIONS = (4, 0)
ARMATURE = 1.3                                              # couples sliders that share no link
SEED = 3


@dataclass
class Tree:
    """Sliders by name: joint `j` + name moves link name on its parent link ("" is the base)."""

    parents: dict[str, str]
    joints: dict[str, Part] = field(default_factory=dict)   # by link name
    links: dict[str, Part] = field(default_factory=dict)    # by link name, "" is the base

    def names(self) -> list[str]:
        """Link names, parents first."""
        return list(self.parents)

    def path(self, name: str) -> list[str]:
        """Links from the base's child to `name`."""
        return [*self.path(self.parents[name]), name] if name else []


@dataclass
class Candidate:
    """An order and the model's constraints that realise it."""

    label: str
    joint_order: list[str]
    constraints: Any


def usda(text: ModuleType, tree: Tree, masses: dict[str, float]) -> str:
    """The stage, links and joints authored in reverse order of the tree, which changes nothing."""
    armature = text.joint_axis("linear", armature=ARMATURE)
    body = text.fixed_base(tree.links.get("", NOTHING))
    for name in reversed(tree.names()):
        body += text.link(name, mass=masses[name], part=tree.links.get(name, NOTHING))
        part = text.both(tree.joints.get(name, NOTHING), armature)
        body += text.joint("Prismatic", f"j{name}", tree.parents[name] or "base", name, "X", part=part)
    return str(text.stage(body, text.scene(0.0), ITERATIONS))


def model(predictors: ModuleType, tree: Tree, order: list[str], masses: dict[str, float]) -> Any:
    """The float64 model with its degrees of freedom numbered, and so solved, in `order`."""

    class SliderTree(predictors.SliderModel):               # type: ignore[name-defined, misc]
        def parent(self, k: int) -> int:
            above = tree.parents[order[k]]
            return order.index(above) if above else -1

        def com_jacobian(self, q: Any, k: int) -> Any:
            return np.outer(self.axis, self.row(k))

        def row(self, k: int) -> Any:
            row = np.zeros(self.n)
            row[[order.index(name) for name in tree.path(order[k])]] = 1.0
            return row

        def pair_row(self, k: int, root: int = 0) -> Any:
            above = self.parent(root)
            return self.row(k) - (self.row(above) if above >= 0 else 0.0)

    return SliderTree([masses[name] for name in order], armature=[ARMATURE] * len(order))


def extensions(tree: Tree) -> Iterator[list[str]]:
    """Every order of the joints in which parents come first."""
    for order in itertools.permutations(tree.names()):
        if all(not above or order.index(above) < order.index(name) for name, above in tree.parents.items()):
            yield list(order)


def joint_stage(oracle: Oracle, predictors: ModuleType, rng: np.random.Generator) -> tuple[Tree, list[Candidate]]:
    """A palm with two fingers of three joints, one of which branches: drives, friction and limits everywhere."""
    tree = Tree({"p": "", "a": "p", "b": "p", "c": "a", "d": "b", "e": "b", "f": "c"})
    text, rows = oracle.text, {}
    for name in tree.names():
        stiffness, damping = float(rng.uniform(100, 3000)), float(rng.uniform(5, 200))
        target, limit = float(rng.uniform(-0.5, 0.5)), float(rng.uniform(4e-4, 2e-3))
        drive = text.drive("linear", stiffness=stiffness, damping=damping, targetPosition=target, maxForce=300.0)
        friction = [], text.joint_axis("linear", staticFrictionEffort=20.0, dynamicFrictionEffort=10.0)[1]
        tree.joints[name] = text.both(drive, friction, text.limits(-limit, limit))
        rows[name] = predictors.Joint(predictors.Drive(stiffness, damping, target, max_force=300.0),
                                      predictors.Friction(20.0, 10.0), (-limit, limit))
    return tree, [Candidate(" ".join(order), order, predictors.Constraints(joints=[rows[name] for name in order]))
                  for order in extensions(tree)]


def coupled(tree: Tree, predictors: ModuleType, kind: str, members: dict[str, Any]) -> tuple[Tree, list[Candidate]]:
    """One candidate per order of the tendons or mimic joints in `members`."""
    return tree, [Candidate(" ".join(order), tree.names(),
                            predictors.Constraints(**{kind: [members[name] for name in order]}))
                  for order in itertools.permutations(members)]


def fixed_stage(oracle: Oracle, predictors: ModuleType) -> tuple[Tree, list[Candidate]]:
    """Fixed tendons on two joints, two of them on one; schemas applied in the wrong alphabetical order."""
    text, tree = oracle.text, Tree({"p": "", "a": "p", "b": "p", "c": "a"})
    tree.joints = {"b": text.tendon_axis("s", root=True, stiffness=3e4, damping=200.0),
                   "a": text.both(text.tendon_axis("u", root=True, stiffness=2e4, damping=300.0),
                                  text.tendon_axis("t", root=True, stiffness=4e4, damping=100.0)),
                   "c": text.tendon_axis("u", gearing=3.0, force=2.0)}
    tendon = predictors.FixedTendon
    return coupled(tree, predictors, "fixed_tendons", {
        "a:u": tendon([1.0, 3.0], [1.0, 2.0], 2e4, 300.0, joints=[1, 3]),
        "b:s": tendon([1.0], [1.0], 3e4, 200.0, joints=[2]),
        "a:t": tendon([1.0], [1.0], 4e4, 100.0, joints=[1])})


def mimic_stage(oracle: Oracle, predictors: ModuleType) -> tuple[Tree, list[Candidate]]:
    """Followers whose alphabetical order is not that of the tree."""
    text, tree = oracle.text, Tree({"p": "", "a": "p", "b": "p", "z": "a", "c": "b"})
    free = text.limits(-9.0, 9.0)
    tree.joints = dict.fromkeys(tree.names(), free)
    tree.joints["z"] = text.both(free, text.mimic("ja", gearing=1.5))
    tree.joints["c"] = text.both(free, text.mimic("jb", gearing=0.7))
    return coupled(tree, predictors, "mimics", {"z": predictors.Mimic(3, 1, 1.5), "c": predictors.Mimic(4, 2, 0.7)})


def spatial_stage(oracle: Oracle, predictors: ModuleType) -> tuple[Tree, list[Candidate]]:
    """A root with leaves on three links, two of them on one, and a second root on a link."""
    text, tree = oracle.text, Tree({"p": "", "a": "p", "b": "p", "c": "p"})

    def leaf(name: str, x: float, parent: tuple[str, str] = ("base", "r")) -> Any:
        return text.attachment(name, (x, 0, 0), parent, leaf=True, restLength=5.0)

    first = text.attachment("r", (-5, 0, 0), stiffness=3e4, damping=500.0)
    second = text.attachment("q", (5, 0, 0), stiffness=4e4, damping=900.0)
    tree.links = {"": text.both(first, leaf("w", 0, ("c", "q"))), "a": text.both(leaf("y", 1.0), leaf("x", 0.0)),
                  "b": leaf("f", 0.5), "c": second}

    def tendon(link: int, x: float) -> Any:
        return predictors.SpatialTendon([(-1, (-5, 0, 0), 1.0), (link, (x, 0, 0), 1.0)], 3e4, 500.0, rest=5.0)

    return coupled(tree, predictors, "spatial_tendons", {
        "a:x": tendon(1, 0.0), "a:y": tendon(1, 1.0), "b:f": tendon(2, 0.5),
        "root c": predictors.SpatialTendon([(3, (5, 0, 0), 1.0), (-1, (0, 0, 0), 1.0)], 4e4, 900.0, rest=5.0)})


def report(oracle: Oracle, predictors: ModuleType, label: str, tree: Tree, candidates: list[Candidate],
           rng: np.random.Generator, spread: float) -> None:
    """Step the stage in PhysX from a random position and print the two candidates that come closest."""
    masses = {name: float(rng.uniform(0.5, 2.0)) for name in tree.names()}
    start = {name: float(rng.uniform(-spread, spread)) for name in tree.names()}
    stage = usda(oracle.text, tree, masses)
    names = [joint.removeprefix("j") for joint in oracle.engine.simulate(stage, STEP, 1)["dof_names"]]
    result = oracle.engine.simulate(stage, STEP, 1, joint_pos0=[start[name] for name in names],
                                    joint_vel0=[0.0] * len(names))
    measured = dict(zip(names, result["qd"][1], strict=True))
    settings = predictors.Settings(STEP, *ITERATIONS)
    found = []
    for candidate in candidates:
        order = candidate.joint_order
        _, velocity = predictors.step(model(predictors, tree, order, masses), np.array([start[n] for n in order]),
                                      np.zeros(len(order)), settings, candidate.constraints)
        found.append((max(abs(v - measured[n]) for v, n in zip(velocity, order, strict=True)), candidate.label))
    (error, best), (next_error, runner_up) = sorted(found)[:2]
    print(f"{label}: {best}, error {error:.1e}; next {runner_up}, error {next_error:.1e}; degrees of freedom {names}")


def main() -> None:
    """Run the four kinds of stage."""
    oracle = load_oracle()
    predictors = importlib.import_module("tgs_predictors")
    rng = np.random.default_rng(SEED)
    report(oracle, predictors, "joints", *joint_stage(oracle, predictors, rng), rng, 0.0)
    report(oracle, predictors, "fixed tendons", *fixed_stage(oracle, predictors), rng, 0.1)
    report(oracle, predictors, "mimic joints", *mimic_stage(oracle, predictors), rng, 0.1)
    report(oracle, predictors, "spatial tendons", *spatial_stage(oracle, predictors), rng, 0.1)


if __name__ == "__main__":
    main()

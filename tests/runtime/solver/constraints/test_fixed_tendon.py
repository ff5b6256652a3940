"""Tendons and mimic joints move as in real PhysX: what becomes part of them, and in what order they are solved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import simulate
from support.stages.robots import opened
from support.stages.tendon_stages import LIMITS, Part, Tree, attachment, axis, both, drive, mimic, random_tree

from physx_schema.description import Articulation, Description, describe

pytestmark = pytest.mark.sweep

DT, STEPS = 1 / 60, 30
BAR = 2e-5              # rad or length over 30 steps in float32; the motion does not amplify
MOVES = 1e-2            # what each case must move to say anything
SEEDS = range(60)

HUB = {"p": "", "a": "p", "b": "p", "d": "p", "c": "b", "e": "a"}
START = {"p": 0.2, "a": -0.23, "b": 0.11, "d": 0.31, "c": -0.17, "e": 0.07}
ROOT = attachment("r", -5.0, stiffness=400.0, damping=30.0)
BASE = ("base", "r")
TENDON = axis(root=True, gearing=[1.0], stiffness=50.0, damping=2.0)
AXIS = axis(gearing=[1.3], force=[0.8])
PASSED = axis(gearing=[0.0], force=[0.0])
CHAIN = {"a": "", "b": "a", "c": "b"}
CHAIN_START = {"a": 0.2, "b": 0.1, "c": -0.3}
HINGES = {"a": "Revolute", "b": "Revolute", "c": "Revolute"}


def leaf(name: str, x: float, parent: tuple[str, str] = BASE, rest: float = 6.0, **values: float) -> Part:
    return attachment(name, x, parent, leaf=True, restLength=rest, **values)


def hub(**links: Part) -> Tree:
    """A slider with three sliders on it, two of which carry one more; `base` stands for the base's attachments."""
    base = links.pop("base", ROOT)
    return Tree(HUB, links={"": base, **links}, start=START)


def chain(kinds: dict[str, str] | None = None, links: dict[str, Part] | None = None, **joints: Part) -> Tree:
    """Three joints in a row, sliders where not said otherwise."""
    return Tree(CHAIN, joints=joints, links=links or {}, kinds=kinds or {}, start=CHAIN_START)


def axes_left_out() -> Tree:
    """Axes above the root axis, beside it, behind a joint without one and on and behind a fixed joint."""
    parents = {"a": "", "m": "a", "n": "a", "o": "m", "q": "o", "u": "m", "w": "u"}
    joints = {"a": AXIS, "m": TENDON, "n": AXIS, "q": AXIS, "u": AXIS, "w": AXIS}
    start = {name: 0.05 * (i + 1) for i, name in enumerate(parents)}
    return Tree(parents, joints, kinds={"u": "Fixed"}, start=start)


def refused(**values: float) -> Tree:
    """A driven chain with a fixed and a spatial tendon of these values."""
    drives = {name: drive("linear", 0.3) for name in CHAIN}
    joints = {**drives, "a": both(drives["a"], axis(root=True, **values)), "b": both(drives["b"], AXIS)}
    return Tree(CHAIN, joints, {"": attachment("r", -5.0, **values), "c": leaf("f", 0.0)}, start=CHAIN_START)


def disabled() -> Tree:
    """A driven chain whose tendons are switched off."""
    tree = refused(stiffness=400.0, damping=30.0, limitStiffness=100.0)
    for parts, owner, name in ((tree.joints, "a", "t"), (tree.links, "", "r")):
        parts[owner] = both(parts[owner], ((), {f"bool physxTendon:{name}:tendonEnabled": False}))
    return tree


# Order of what is solved in turn: the reverse must move otherwise, or the case proves nothing about it.
ORDERED = {
    "leaves of one root on several links": hub(a=leaf("x", 3), d=leaf("y", 3), c=leaf("z", 2, rest=7), e=leaf("w", 2)),
    "branches at an attachment between": hub(
        b=attachment("v", 1, BASE), a=attachment("u", 1, BASE), c=leaf("f", 3, ("b", "v"), 7.0),
        e=both(leaf("m", 3, ("a", "u"), 7.0), leaf("g", 2, ("a", "u"), 6.5), leaf("h", 2, rest=6.7))),
    "a leaf beside an attachment of an earlier name": hub(
        d=both(attachment("a", 1, BASE), leaf("z", 2)), c=leaf("f", 3, ("d", "a"), 7.0)),
    "spatial tendons on several links": hub(
        base=leaf("o", -4, ("a", "r0"), 5.0), a=attachment("r0", 0, stiffness=300.0),
        b=both(attachment("r2", -5, stiffness=400.0, damping=30.0), attachment("q1", -4, stiffness=200.0)),
        d=both(leaf("k", 1, ("b", "r2"), 5.0), leaf("l", 1, ("b", "q1"), 5.0))),
    "two fixed tendons on one joint": Tree(
        HUB, {"a": both(axis("k", True, stiffness=90.0, damping=2.0),
                        axis("K", True, gearing=[3.0], stiffness=80.0, damping=2.0)),
              "e": both(axis("k"), axis("K", gearing=[0.5]))}, start=START),
    "fixed tendons from joints of both kinds": Tree(
        HUB, {"a": axis("s", True, stiffness=900.0, damping=9.0), "b": axis("t", True, gearing=[0.02], stiffness=800.0),
              "d": axis("u", True, gearing=[0.03], stiffness=700.0), "c": axis("t")},
        kinds={"b": "Revolute", "d": "Revolute"}, scopes={"b": "z"}, start=START),
    "mimic joints on one reference": Tree(
        HUB, {"p": LIMITS, "d": mimic("jp", gearing=1.5), "b": mimic("jp", gearing=-0.7),
              "e": mimic("jp", gearing=0.9)}, start=START),
    "a chain of mimic joints": Tree(
        HUB, {"p": LIMITS, "e": mimic("jp", gearing=0.5), "d": mimic("je", gearing=1.5),
              "a": mimic("z/jb", gearing=0.02), "b": mimic("jd", gearing=20.0)},
        kinds={"b": "Revolute"}, scopes={"b": "z"}, start=START),
}

MEMBERS = {
    "two leaves in the plane": chain(HINGES, {
        "": attachment("r", 0.3, stiffness=20.0, damping=1.0, offset=0.1), "a": attachment("m", 0.1, BASE, gearing=1.2),
        "b": leaf("f", 0.1, ("a", "m"), 0.4), "c": leaf("g", 0.1, ("a", "m"), -1.0, gearing=0.7)}),
    "a path without leaf": hub(base=attachment("r", -5, stiffness=20.0, damping=3.0, offset=0.4),
                               d=attachment("v", 1, BASE, gearing=1.5), c=leaf("f", 3, ("a", "v"))),
    "a root without leaf": hub(d=both(leaf("x", 1), attachment("q", 0, stiffness=50.0))),
    "a misspelt parent and a child of a leaf": hub(
        d=both(leaf("x", 1), leaf("y", 1, ("base", "rr"))), c=leaf("f", 1, ("d", "x"))),
    "one name for two attachments of a link": hub(
        d=both(attachment("x", 1, BASE), leaf("x", 2)), a=both(leaf("o", 1), attachment("o", -4, stiffness=90.0)),
        e=leaf("f", 1, ("a", "o"), 5.0)),
    "spatial limits alone": hub(base=attachment("r", -5, limitStiffness=300.0, damping=5.0),
                                d=leaf("x", 1, upperLimit=5.5), c=leaf("y", 1, lowerLimit=7.0, upperLimit=6.5)),
    "a joint passed through": chain(a=TENDON, b=PASSED, c=AXIS),
    "axes that are left out": axes_left_out(),
    "a root axis below another": chain(a=TENDON, b=axis(root=True, gearing=[2.0], stiffness=40.0), c=AXIS),
    "a root axis above an earlier one": Tree(
        {"z": "", "a": "z", "m": "a"}, {"z": TENDON, "a": axis(root=True, gearing=[2.0], stiffness=40.0), "m": AXIS},
        start={"z": 0.2, "a": 0.1, "m": -0.3}),
    "a root axis and an axis of one name": chain(a=both(AXIS, TENDON), b=AXIS),
    "fixed limits alone": chain(HINGES, a=axis(root=True, gearing=[0.02], limitStiffness=80.0, damping=1.0,
                                               lowerLimit=0.5, upperLimit=0.2), b=axis(gearing=[0.01])),
    "arrays of several elements and of none": chain(
        a=axis(root=True, gearing=[2.0, 3.0], force=[1.5], stiffness=30.0), b=axis(gearing=[0.5], force=[]),
        c=both(AXIS, ((), {"token[] physxTendon:t:jointAxis": ["rotY"]}))),
    "gains below 0": refused(stiffness=-40.0, damping=-3.0, limitStiffness=-10.0, lowerLimit=2.0),
    "tendons switched off": disabled(),
}


@dataclass(frozen=True)
class Run:
    """One stage in real PhysX."""

    description: Description
    names: list[str]            # joint prim names of the dofs
    start: list[float]
    q: NDArray[np.float64]      # (STEPS + 1, n_dof)
    tendons: tuple[int, int]    # fixed, spatial; as the engine counts them

    @property
    def articulation(self) -> Articulation:
        return self.description.articulations[0]

    def error(self, description: Description | None = None) -> float:
        """Largest difference in position between PhysX and the runtime."""
        ours = simulate(description or self.description, DT, STEPS, joint_position=self.start,
                        joint_velocity=[0.0] * len(self.start), dtype="float32")
        return float(np.abs(ours.joint_position[:, 0] - self.q).max())

    def reversed_order(self) -> Description:
        """The description with tendons, leaves and mimic joints in the opposite order."""
        a = self.articulation
        turned = replace(a, fixed_tendons=a.fixed_tendons[::-1], mimics=a.mimics[::-1], spatial_tendons=tuple(
            replace(t, attachments=_leaves_turned(t.attachments)) for t in a.spatial_tendons[::-1]))
        return replace(self.description, articulations=(turned,))


def _leaves_turned(attachments: tuple) -> tuple:                                        # type: ignore[type-arg]
    """Leaves, which are nobody's parents, last and backwards."""
    order = [i for i, a in enumerate(attachments) if not a.leaf]
    order += [i for i, a in reversed(list(enumerate(attachments))) if a.leaf]
    place = {old: new for new, old in enumerate(order)} | {-1: -1}
    return tuple(replace(attachments[i], parent=place[attachments[i].parent]) for i in order)


def run(trees: Iterable[Tree]) -> list[Run]:
    """Every stage in one engine process."""
    from physx_oracle import run_jobs, sim_job

    stages = []
    for tree in trees:
        text = tree.text()
        description = describe(opened(text))
        names = [dof.name.rpartition("/")[2] for dof in description.articulations[0].dofs]
        stages.append((text, description, names, [tree.start[name.removeprefix("j")] for name in names]))
    results = run_jobs([sim_job(text, DT, STEPS, start, [0.0] * len(start)) for text, _, _, start in stages])
    for (_, _, names, _), result in zip(stages, results, strict=True):
        assert list(result["dof_names"]) == names
    return [Run(description, names, start, result["q"], (int(result["fixed_tendons"]), int(result["spatial_tendons"])))
            for (_, description, names, start), result in zip(stages, results, strict=True)]


@pytest.fixture(scope="module")
def runs(oracle_folder: Path) -> dict[str, Run]:
    """Every named stage in real PhysX."""
    trees = {**ORDERED, **MEMBERS}
    return dict(zip(trees, run(trees.values()), strict=True))


@pytest.mark.parametrize("case", [*ORDERED, *MEMBERS])
def test_stage_moves_as_in_physx(case: str, runs: dict[str, Run]) -> None:
    assert runs[case].error() < BAR


@pytest.mark.parametrize("case", [*ORDERED, *MEMBERS])
def test_stage_moves_at_all(case: str, runs: dict[str, Run]) -> None:
    assert np.abs(runs[case].q - runs[case].q[0]).max() > MOVES


@pytest.mark.parametrize("case", ORDERED)
def test_reversed_order_moves_otherwise(case: str, runs: dict[str, Run]) -> None:
    assert runs[case].error(runs[case].reversed_order()) > 2 * BAR


@pytest.fixture(scope="module")
def random_runs(oracle_folder: Path) -> dict[int, Run]:
    """Every random tree in real PhysX, by seed."""
    return dict(zip(SEEDS, run(map(random_tree, SEEDS)), strict=True))


def test_random_trees_move_as_in_physx(random_runs: dict[int, Run]) -> None:
    errors = {seed: found.error() for seed, found in random_runs.items()}
    assert {seed: error for seed, error in errors.items() if error > BAR} == {}


def test_random_trees_have_as_many_tendons_as_in_physx(random_runs: dict[int, Run]) -> None:
    for seed, found in random_runs.items():
        read = len(found.articulation.fixed_tendons), len(found.articulation.spatial_tendons)
        assert read == found.tendons, f"seed {seed}"


def test_path_without_leaf_is_not_a_number_with_limit_stiffness(oracle_folder: Path) -> None:
    base = attachment("r", -5, stiffness=20.0, limitStiffness=1.0)
    (found,) = run([hub(base=base, d=attachment("v", 1, BASE))])
    assert np.isnan(found.q[-1]).all()


def test_root_axis_on_a_fixed_joint_crashes_physx(oracle_folder: Path) -> None:
    from physx_oracle import OracleError

    with pytest.raises(OracleError, match="exit -11"):
        run([chain({"b": "Fixed"}, b=TENDON, c=AXIS)])

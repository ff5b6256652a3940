"""Branches of a held root are measured by themselves, and of those that are alike the first."""

from __future__ import annotations

import pytest
from physx_runtime.verification import Row, Verification, verify
from physx_runtime.verification.bench import branches
from physx_runtime.verification.text import verification_lines
from pxr import Usd
from support.stages.robots import base, joint, link, opened, robot
from support.stages.verified_robots import ROOT_SCHEMAS, both, drive, limits, mimic, row_of

from physx_schema.description import describe

STIFFNESS = "drive:linear:physics:stiffness"


def hand(*masses: float, tied: bool = False) -> Usd.Stage:
    """A finger of two sliders for each mass of its tip, with drives of accelerations, which links soften.

    tied: of hinges instead, the first of each finger tied to that of the first finger.
    """
    token, kind = ("angular", "Revolute") if tied else ("linear", "Prismatic")
    parts = [base()]
    for i, mass in enumerate(masses):
        parts += [link(f"a{i}"), link(f"b{i}", (0, 1, 0), mass=mass)]
        for name, parent, child, at in (("j", "base", f"a{i}", 0.1 * i), ("k", f"a{i}", f"b{i}", 0.5)):
            own = both(drive(token, stiffness=3.0, damping=0.5, type="acceleration"),
                       *([limits(-90, 90)] if tied else []), *([mimic()] if tied and i and name == "j" else []))
            parts.append(joint(kind, f"{name}{i}", parent, child, own[0], {
                **own[1], "uniform token physics:axis": "X", "point3f physics:localPos0": (0.0, at, 0.0)}))
    counts = "int physxArticulation:solverPositionIterationCount = 4\nint physxArticulation:" \
        "solverVelocityIterationCount = 0\n"
    return opened(robot(counts, *parts, schemas=ROOT_SCHEMAS))


@pytest.fixture(scope="module")
def alike() -> Verification:
    return verify(hand(1.0, 1.0, 1.0))


def drives(verification: Verification, finger: int) -> list[Row]:
    return [row_of(verification, STIFFNESS, f"/Robot/{name}{finger}") for name in ("j", "k")]


def test_a_branch_comes_to_what_it_comes_to_alone(alike: Verification) -> None:
    single = drives(verify(describe(hand(1.0))), 0)
    for finger in range(3):
        assert [row.effective for row in drives(alike, finger)] == [row.effective for row in single]


def test_branches_that_are_alike_name_the_one_that_was_measured(alike: Verification) -> None:
    assert [row.equivalent_to for row in drives(alike, 0)] == ["", ""]
    assert [row.equivalent_to for row in drives(alike, 2)] == ["/Robot/j0", "/Robot/k0"]


def test_what_is_alike_has_the_remedy_that_was_found_for_it(alike: Verification) -> None:
    first, second = (drives(alike, finger)[1] for finger in (0, 1))
    assert first.remedy is not None
    assert second.remedy == first.remedy


def test_the_text_says_once_what_is_alike(alike: Verification) -> None:
    lines = [line for line in verification_lines(alike) if STIFFNESS in line and "effective in PhysX" in line]
    assert [line.partition(":")[0] for line in lines] == ["/Robot/j0 and 2 equivalent", "/Robot/k0 and 2 equivalent"]


def test_branches_that_differ_are_measured_each() -> None:
    found = verify(describe(hand(1.0, 2.0)))
    assert [row.equivalent_to for row in drives(found, 1)] == ["", ""]


def test_a_mimic_joint_ties_branches_together() -> None:
    apart, tied = (describe(hand(1.0, 1.0, tied=tied)).articulations[0] for tied in (False, True))
    assert [[link.path for link in branch.links] for branch in branches(apart)] == [
        ["/Robot/base", "/Robot/a0", "/Robot/b0"], ["/Robot/base", "/Robot/a1", "/Robot/b1"]]
    assert branches(tied) == [tied]

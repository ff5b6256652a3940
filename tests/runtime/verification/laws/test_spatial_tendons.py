"""What verification says about spatial tendons, against numbers measured in PhysX (docs/reference/physx/tendons.md)."""

from __future__ import annotations

import pytest
from physx_runtime.simulation.simulate import simulate
from physx_runtime.verification import verify
from support.stages.verified_robots import Part, attachment, both, chain, row_of, verified

STIFFNESS, DAMPING = "physxTendon:r:stiffness", "physxTendon:r:damping"
ROOT = attachment("r", (3.0, 0.0, 0.0), stiffness=10.0, damping=0.5)


def leaf(parent: tuple[str, str] = ("base", "r"), position: tuple[float, float, float] = (0.0, 0.0, 0.0),
         name: str = "f", **values: float) -> Part:
    return attachment(name, position, parent, leaf=True, **values)


def test_gains_of_a_straight_tendon_come_out_as_authored() -> None:
    rows = verify(chain(((), {}), links={0: leaf(restLength=1.0)}, on_base=ROOT, iterations=(32, 0)))
    assert [row_of(rows, name, "/Robot/base").effective for name in (STIFFNESS, DAMPING)] == pytest.approx([10.0, 0.5])


def test_pull_at_an_angle_is_measured_along_the_tendon() -> None:
    # the slider feels a fifth of three of the pull: leaf at (3, 4) from the root, motion along x
    root = attachment("r", (3.0, 4.0, 0.0), stiffness=10.0)
    stage = chain(((), {}), links={0: leaf(restLength=4.0)}, on_base=root, iterations=(32, 0))
    assert verified(stage, STIFFNESS, "/Robot/base").effective == pytest.approx(10.0, rel=1e-4)


@pytest.mark.parametrize(("n", "v"), [(4, 4), (32, 1)])
def test_velocity_iterations_repeat_the_pull(n: int, v: int) -> None:
    # PhysX: 4/4 doubles the pull, -0.1998657 where 4/0 gives -0.0999687
    stage = chain(((), {}), links={0: leaf(restLength=2.0)}, on_base=ROOT, iterations=(n, v))
    row = verified(stage, STIFFNESS, "/Robot/base")
    assert row.effective == pytest.approx(10.0 * (n + v) / n, rel=2e-3)
    assert (row.verdict, row.ideal) == ("altered", pytest.approx(10.0, rel=1e-6))


def test_effective_stiffness_is_the_load_over_the_stretch_that_simulating_shows() -> None:
    root = attachment("r", (3.0, 0.0, 0.0), stiffness=200.0, damping=30.0)
    stage = chain(((), {}), links={0: leaf(restLength=3.0)}, on_base=root)
    rest = [simulate(stage, steps=1200, every=1200, dtype="float64", joint_effort=[load]).joint_position[-1, 0, 0]
            for load in (2.0, 4.0)]
    assert verified(stage, STIFFNESS, "/Robot/base").effective == pytest.approx(2.0 / (rest[1] - rest[0]), rel=1e-6)


def test_gearing_of_via_point_and_leaf_scales_their_segments() -> None:
    via = attachment("m", (0.5, 0.0, 1.0), ("base", "r"), gearing=1.5)
    links = {0: via, 1: leaf(("l0", "m"), (0.2, 0.0, -0.6), gearing=0.7)}
    stage = chain(((), {}), ((), {}), links=links, on_base=ROOT, kind="Revolute", along="Y", iterations=(32, 0))
    rows = verify(stage)
    assert row_of(rows, "physxTendon:m:gearing", "/Robot/l0").effective == pytest.approx(1.5, rel=1e-5)
    assert row_of(rows, "physxTendon:f:gearing", "/Robot/l1").effective == pytest.approx(0.7, rel=1e-5)


def test_gearing_of_the_root_is_ignored() -> None:
    root = both(ROOT, ((), {"float physxTendon:r:gearing": 2.0}))
    row = verified(chain(((), {}), links={0: leaf()}, on_base=root), "physxTendon:r:gearing", "/Robot/base")
    assert (row.verdict, row.authored) == ("ignored", 2.0)


def test_every_leaf_has_rows_of_its_own() -> None:
    stage = chain(((), {}), ((), {}), links={0: leaf(name="f"), 1: leaf(name="g")}, on_base=ROOT, serial=False,
                  iterations=(4, 4))
    rows = [row for row in verify(stage).rows if row.property == STIFFNESS]
    assert [row.effective for row in rows] == pytest.approx([20.0, 20.0], rel=0.01)
    assert {row.reason.partition(";")[0] for row in rows} == {"at the leaf /Robot/l0:f", "at the leaf /Robot/l1:g"}


def test_tendon_through_the_joint_is_not_evaluated() -> None:
    stage = chain(((), {}), links={0: leaf()}, on_base=ROOT, kind="Revolute")
    row = verified(stage, STIFFNESS, "/Robot/base")
    assert (row.verdict, row.effective) == ("not evaluated", None)
    assert row.reason == ("the tendon's line of pull passes through every joint axis in the authored pose, and it "
                          "moves no joint")


def test_tendon_without_length_is_not_evaluated() -> None:
    stage = chain(((), {}), links={0: leaf()}, on_base=attachment("r", (5e-4, 0.0, 0.0), stiffness=10.0))
    row = verified(stage, STIFFNESS, "/Robot/base")
    assert row.verdict == "not evaluated"
    assert row.reason.startswith("a segment of the tendon has length 0.0005")


def test_disabled_tendon_is_ignored() -> None:
    root = both(ROOT, ((), {"bool physxTendon:r:tendonEnabled": False}))
    row = verified(chain(((), {}), links={0: leaf()}, on_base=root), STIFFNESS, "/Robot/base")
    assert (row.verdict, row.effective) == ("ignored", 0.0)


def test_floating_base_is_held() -> None:
    stage = chain(((), {}), links={0: leaf(restLength=1.0)}, on_base=ROOT, iterations=(32, 0))
    stage.RemovePrim("/Robot/anchor")
    assert verified(stage, STIFFNESS, "/Robot/base").effective == pytest.approx(10.0, rel=1e-4)

"""fixed_tendon: the USD it writes, that the reader finds the tendon in it, and what it refuses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from pxr import Sdf, Usd, UsdPhysics
from support.schemas.authored import clean, one_line, properties, refusal, schemas, text
from support.stages.robots import base, joint, link, opened, robot

from physx_schema import PhysxTendonAttachmentAPI, PhysxTendonAxisAPI
from physx_schema.authoring import Axis, fixed_tendon
from physx_schema.description import FixedTendon, describe

CHAIN = ("base", "proximal", "middle", "distal")
KNUCKLE, MIDDLE, TIP = "/Robot/knuckle", "/Robot/middle_joint", "/Robot/tip_joint"


def chain(*extra: str, kinds: Sequence[str] = ("Revolute", "Revolute", "Prismatic"), **settings: object) -> Usd.Stage:
    """A fixed base and three links in a row: revolute, revolute, prismatic."""
    links = [link(name, (index + 1, 0, 0)) for index, name in enumerate(CHAIN[1:])]
    joints = [joint(kinds[index], path.removeprefix("/Robot/"), CHAIN[index], CHAIN[index + 1])
              for index, path in enumerate((KNUCKLE, MIDDLE, TIP))]
    return opened(robot(base(), *links, *joints, *extra, **settings))


@pytest.fixture
def stage() -> Usd.Stage:
    return chain()


def only_tendon(stage: Usd.Stage) -> FixedTendon:
    """The single fixed tendon of a stage on which nothing is wrong or unused."""
    (tendon,) = clean(stage).articulations[0].fixed_tendons
    return tendon


def test_root_axis_carries_the_tendon(stage: Usd.Stage) -> None:
    fixed_tendon(
        stage, "flexor", [(KNUCKLE, 0.01, 0.5), (MIDDLE, 0.02, 0.25)], stiffness=50.0, damping=1.5, rest_length=0.125,
        offset=-0.25, limit_stiffness=7.0, lower=-1.0, upper=2.0,
    )
    assert schemas(stage, KNUCKLE) == ["PhysxTendonAxisRootAPI:flexor"]
    assert properties(stage, KNUCKLE, "physxTendon") == {
        "physxTendon:flexor:gearing": f"float[] = {Sdf.ValueTypeNames.FloatArray.type.pythonClass([0.01])}",
        "physxTendon:flexor:forceCoefficient": "float[] = [0.5]",
        "physxTendon:flexor:stiffness": "float = 50.0",
        "physxTendon:flexor:damping": "float = 1.5",
        "physxTendon:flexor:restLength": "float = 0.125",
        "physxTendon:flexor:offset": "float = -0.25",
        "physxTendon:flexor:limitStiffness": "float = 7.0",
        "physxTendon:flexor:lowerLimit": "float = -1.0",
        "physxTendon:flexor:upperLimit": "float = 2.0",
    }


def test_other_axes_carry_their_weights_only(stage: Usd.Stage) -> None:
    fixed_tendon(stage, "flexor", [(KNUCKLE, 0.5, 0.5), (MIDDLE, 0.25, -2.0)], stiffness=50.0)
    assert schemas(stage, MIDDLE) == ["PhysxTendonAxisAPI:flexor"]
    assert properties(stage, MIDDLE, "physxTendon") == {
        "physxTendon:flexor:gearing": "float[] = [0.25]",
        "physxTendon:flexor:forceCoefficient": "float[] = [-2]",
    }


def test_values_left_out_are_not_written(stage: Usd.Stage) -> None:
    fixed_tendon(stage, "flexor", [Axis(KNUCKLE)], stiffness=1.0)
    assert set(properties(stage, KNUCKLE, "physxTendon")) == {
        "physxTendon:flexor:gearing", "physxTendon:flexor:forceCoefficient", "physxTendon:flexor:stiffness",
    }


def test_nothing_else_on_the_stage_changes(stage: Usd.Stage) -> None:
    before = text(stage)
    root = fixed_tendon(stage, "flexor", [(KNUCKLE, 1.0, 1.0), (MIDDLE, 1.0, 1.0)], stiffness=1.0)
    for path, api in ((KNUCKLE, "PhysxTendonAxisRootAPI"), (MIDDLE, "PhysxTendonAxisAPI")):
        stage.GetPrimAtPath(path).RemoveAPI(api, "flexor")
        for name in properties(stage, path, "physxTendon"):
            stage.GetPrimAtPath(path).RemoveProperty(name)
        stage.GetRootLayer().GetPrimAtPath(path).ClearInfo("apiSchemas")
    assert not root
    assert text(stage) == before


def test_reader_finds_the_tendon_in_simulation_units(stage: Usd.Stage) -> None:
    fixed_tendon(
        stage, "flexor", [(KNUCKLE, 0.01, 0.5), (MIDDLE, 0.0, 0.0), (TIP, 3.0, 1.25)], stiffness=50.0, damping=1.5,
        rest_length=0.125,
    )
    tendon = only_tendon(stage)
    assert [axis.path for axis in tendon.axes] == [KNUCKLE, MIDDLE, TIP]
    per_radian = 0.01 * 180.0 / math.pi
    assert [axis.gearing for axis in tendon.axes] == pytest.approx([per_radian, 0.0, 3.0], rel=1e-6)
    assert [axis.force_coefficient for axis in tendon.axes] == [0.5, 0.0, 1.25]
    assert (tendon.stiffness, tendon.damping, tendon.rest_length) == (50.0, 1.5, 0.125)
    assert (tendon.lower_limit, tendon.upper_limit) == (-math.inf, math.inf)


def test_axes_may_be_prims_paths_or_schema_objects(stage: Usd.Stage) -> None:
    joints = (stage.GetPrimAtPath(KNUCKLE), UsdPhysics.RevoluteJoint.Get(stage, MIDDLE), Sdf.Path(TIP))
    fixed_tendon(stage, "flexor", [Axis(part) for part in joints], stiffness=1.0)
    assert [axis.path for axis in only_tendon(stage).axes] == [KNUCKLE, MIDDLE, TIP]


def test_axes_of_a_branching_tendon_may_come_in_any_order_after_the_root() -> None:
    thumb = link("thumb", (1, 1, 0)) + joint("Revolute", "thumb_joint", "proximal", "thumb")
    stage = chain(thumb)
    fixed_tendon(stage, "grip", [Axis(KNUCKLE), Axis(TIP), Axis("/Robot/thumb_joint"), Axis(MIDDLE)], stiffness=1.0)
    assert {axis.path for axis in only_tendon(stage).axes} == {KNUCKLE, MIDDLE, TIP, "/Robot/thumb_joint"}


def test_two_tendons_share_a_joint_under_two_names(stage: Usd.Stage) -> None:
    fixed_tendon(stage, "flexor", [Axis(KNUCKLE), Axis(MIDDLE)], stiffness=1.0)
    fixed_tendon(stage, "extensor", [Axis(KNUCKLE, -1.0), Axis(MIDDLE, -1.0)], stiffness=1.0)
    described = describe(stage)
    assert {tendon.name for tendon in described.articulations[0].fixed_tendons} == {"flexor", "extensor"}


def test_returned_root_changes_values_later(stage: Usd.Stage) -> None:
    fixed_tendon(stage, "flexor", [Axis(KNUCKLE)], stiffness=1.0).set(stiffness=9.0)
    assert only_tendon(stage).stiffness == 9.0


def test_layer_of_the_edit_target_is_written() -> None:
    stage = chain()
    stage.SetEditTarget(stage.GetSessionLayer())
    before = text(stage)
    fixed_tendon(stage, "flexor", [Axis(KNUCKLE)], stiffness=1.0)
    assert text(stage) == before
    assert only_tendon(stage).name == "flexor"


def refused(stage: Usd.Stage, axes: list[tuple[str, float, float]], name: str = "flexor", **values: float) -> list[str]:
    return refusal(stage, lambda: fixed_tendon(stage, name, axes, **{"stiffness": 1.0, **values}))


def test_no_axes_are_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, []), "fixed tendon 'flexor'", "no axes")


@pytest.mark.parametrize("item", [KNUCKLE, (), (KNUCKLE, 1.0, 1.0, 1.0), None])
def test_what_is_no_axis_is_refused(stage: Usd.Stage, item: object) -> None:
    one_line(refused(stage, [(MIDDLE, 1.0, 1.0), item]), "fixed tendon 'flexor'", repr(item), "is not an axis")


@pytest.mark.parametrize("word", ["stiffness", "lower", "limit_stiffness", "rest_length"])
def test_word_in_place_of_a_number_is_refused(stage: Usd.Stage, word: str) -> None:
    lines = refused(stage, [(KNUCKLE, 1.0, 1.0)], **{word: "high"})
    assert any("'high' is not a number" in line for line in lines), lines


def test_missing_prims_are_all_named(stage: Usd.Stage) -> None:
    lines = refused(stage, [("/Robot/nope", 1.0, 1.0), (KNUCKLE, 1.0, 1.0), ("/Robot/neither", 1.0, 1.0)])
    assert [line.partition(":")[0] for line in lines] == ["/Robot/neither", "/Robot/nope"]


@pytest.mark.parametrize("path", ["", "knuckle", "not a path", "/Robot.physics:axis"])
def test_what_is_no_absolute_prim_path_is_refused(stage: Usd.Stage, path: str) -> None:
    one_line(refused(stage, [(path, 1.0, 1.0)]), path, "not a prim path")


def test_link_in_place_of_a_joint_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, [("/Robot/proximal", 1.0, 1.0)]), "/Robot/proximal:", "Xform", "revolute or prismatic")


@pytest.mark.parametrize("kind", ["Fixed", "Spherical"])
def test_joints_of_other_kinds_are_refused(kind: str) -> None:
    stage = chain(kinds=(kind, "Revolute", "Revolute"))
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0)]), f"{KNUCKLE}:", f"Physics{kind}Joint")


def test_duplicate_joint_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0), (MIDDLE, 1.0, 1.0), (MIDDLE, 2.0, 1.0)]), f"{MIDDLE}:", "2 axes")


def test_axis_above_the_root_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, [(MIDDLE, 1.0, 1.0), (KNUCKLE, 1.0, 1.0)]), f"{KNUCKLE}:", f"not below {MIDDLE}")


def test_axis_beside_the_root_is_refused() -> None:
    stage = chain(link("other", (0, 1, 0)), joint("Revolute", "other_joint", "base", "other"))
    lines = refused(stage, [(KNUCKLE, 1.0, 1.0), ("/Robot/other_joint", 1.0, 1.0)])
    one_line(lines, "/Robot/other_joint:", "not below")


def test_gap_between_axes_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0), (TIP, 1.0, 1.0)]), f"{TIP}:", f"add ({MIDDLE}, 0, 0)")


def test_axis_behind_a_fixed_joint_is_refused() -> None:
    stage = chain(kinds=("Revolute", "Fixed", "Revolute"))
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0), (TIP, 1.0, 1.0)]), f"{TIP}:", f"fixed joint {MIDDLE}")


def test_axis_in_another_articulation_is_refused(stage: Usd.Stage) -> None:
    Sdf.CopySpec(chain().GetRootLayer(), "/Robot", stage.GetRootLayer(), "/Second")
    lines = refused(stage, [(KNUCKLE, 1.0, 1.0), ("/Second/knuckle", 1.0, 1.0)])
    one_line(lines, "/Second/knuckle:", "another articulation")


FLAGS = [("physics:excludeFromArticulation", True), ("physics:jointEnabled", False)]


@pytest.mark.parametrize(("name", "value"), FLAGS)
def test_joint_outside_the_articulation_by_a_flag_is_refused(stage: Usd.Stage, name: str, value: bool) -> None:
    stage.GetPrimAtPath(KNUCKLE).GetAttribute(name).Set(value)
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0)]), f"{KNUCKLE}:", name)


def test_joint_without_an_articulation_is_refused() -> None:
    stage = chain(schemas=())
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0)]), f"{KNUCKLE}:", "PhysicsArticulationRootAPI")


def test_disabled_articulation_is_refused(stage: Usd.Stage) -> None:
    root = stage.GetPrimAtPath("/Robot")
    root.ApplyAPI("PhysxArticulationAPI")
    root.GetAttribute("physxArticulation:articulationEnabled").Set(False)
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0)]), f"{KNUCKLE}:", "articulationEnabled")


def test_name_of_a_tendon_that_is_there_is_refused(stage: Usd.Stage) -> None:
    fixed_tendon(stage, "flexor", [Axis(KNUCKLE)], stiffness=1.0)
    one_line(refused(stage, [(KNUCKLE, 2.0, 1.0)]), f"{KNUCKLE}:", "PhysxTendonAxisRootAPI:flexor")


def test_name_of_a_tendon_on_other_joints_of_the_articulation_is_refused(stage: Usd.Stage) -> None:
    fixed_tendon(stage, "flexor", [Axis(MIDDLE)], stiffness=1.0)
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0)]), f"{MIDDLE}:", "flexor")


def test_name_of_a_spatial_tendon_on_the_same_prim_is_refused(stage: Usd.Stage) -> None:
    PhysxTendonAttachmentAPI.Apply(stage.GetPrimAtPath(KNUCKLE), "flexor")
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0)]), f"{KNUCKLE}:", "PhysxTendonAttachmentAPI:flexor")


def test_values_left_over_from_a_removed_tendon_are_refused(stage: Usd.Stage) -> None:
    prim = stage.GetPrimAtPath(KNUCKLE)
    PhysxTendonAxisAPI.Apply(prim, "flexor", gearing=[3.0])
    prim.RemoveAPI("PhysxTendonAxisAPI", "flexor")
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0)]), f"{KNUCKLE}.physxTendon:flexor:gearing", "remove the property")


@pytest.mark.parametrize("name", ["", "two words", "stiffness", "1st"])
def test_unusable_names_are_refused(stage: Usd.Stage, name: str) -> None:
    assert KNUCKLE in refused(stage, [(KNUCKLE, 1.0, 1.0)], name)[0]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("base", ["stiffness", "damping", "restLength", "offset"])
def test_numbers_that_are_not_finite_are_refused(stage: Usd.Stage, base: str, value: float) -> None:
    keyword = {"restLength": "rest_length"}.get(base, base)
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0)], **{keyword: value}), f"{KNUCKLE}.physxTendon:flexor:{base}:")


@pytest.mark.parametrize("base", ["stiffness", "damping"])
def test_negative_gains_are_refused(stage: Usd.Stage, base: str) -> None:
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0)], **{base: -1.0}), f"{KNUCKLE}.physxTendon:flexor:{base}:", "[0, inf)")


@pytest.mark.parametrize("weights", [(math.nan, 1.0), (1.0, math.inf)])
def test_weights_that_are_not_finite_are_refused(stage: Usd.Stage, weights: tuple[float, float]) -> None:
    lines = refused(stage, [(KNUCKLE, 1.0, 1.0), (MIDDLE, *weights)])
    one_line(lines, f"{MIDDLE}.physxTendon:flexor:", "finite")


def test_gearing_of_zero_everywhere_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, [(KNUCKLE, 0.0, 1.0)]), f"{KNUCKLE}.physxTendon:flexor:gearing", "never changes")


def test_force_coefficient_of_zero_everywhere_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, [(KNUCKLE, 1.0, 0.0)]), f"{KNUCKLE}.physxTendon:flexor:forceCoefficient")


def test_tendon_without_gains_is_refused(stage: Usd.Stage) -> None:
    lines = refused(stage, [(KNUCKLE, 1.0, 1.0)], stiffness=0.0)
    one_line(lines, f"{KNUCKLE}.physxTendon:flexor:stiffness", "has no effect")


def test_limits_without_stiffness_are_refused(stage: Usd.Stage) -> None:
    lines = refused(stage, [(KNUCKLE, 1.0, 1.0)], lower=0.0)
    one_line(lines, f"{KNUCKLE}.physxTendon:flexor:limitStiffness", "ignores")


def test_limit_stiffness_without_limits_is_refused(stage: Usd.Stage) -> None:
    lines = refused(stage, [(KNUCKLE, 1.0, 1.0)], limit_stiffness=3.0)
    one_line(lines, f"{KNUCKLE}.physxTendon:flexor:limitStiffness", "without a finite limit")


def test_limits_in_the_wrong_order_are_refused(stage: Usd.Stage) -> None:
    lines = refused(stage, [(KNUCKLE, 1.0, 1.0)], limit_stiffness=3.0, lower=2.0, upper=1.0)
    assert any("lowerLimit" in line and "upperLimit" in line for line in lines)


def test_every_problem_is_reported_at_once_and_sorted(stage: Usd.Stage) -> None:
    lines = refused(stage, [(MIDDLE, math.nan, 1.0), (KNUCKLE, 1.0, 1.0)], stiffness=-1.0, limit_stiffness=3.0)
    assert [line.partition(":")[0] for line in lines] == [
        KNUCKLE, f"{MIDDLE}.physxTendon", f"{MIDDLE}.physxTendon", f"{MIDDLE}.physxTendon",
    ]
    assert lines == sorted(lines)


def test_layer_that_may_not_be_edited_is_refused(stage: Usd.Stage) -> None:
    stage.GetRootLayer().SetPermissionToEdit(False)
    one_line(refused(stage, [(KNUCKLE, 1.0, 1.0)]), f"{KNUCKLE}:", "is not editable")


def test_joint_inside_an_instance_is_refused() -> None:
    stage = Usd.Stage.CreateInMemory()
    Sdf.CopySpec(chain().GetRootLayer(), "/Robot", stage.GetRootLayer(), "/Source")
    copy = stage.DefinePrim("/Copy")
    copy.GetReferences().AddInternalReference("/Source")
    copy.SetInstanceable(True)
    assert any("inside an instance" in line for line in refused(stage, [("/Copy/knuckle", 1.0, 1.0)]))

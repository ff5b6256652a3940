"""spatial_tendon: the USD it writes, that the reader finds the tree in it, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd
from support.schemas.authored import clean, one_line, properties, refusal, schemas, text
from support.stages.robots import base, joint, link, opened, placed, robot

from physx_schema import PhysxTendonAttachmentAPI, PhysxTendonAxisAPI
from physx_schema.authoring import Attachment, spatial_tendon
from physx_schema.description import SpatialTendon, describe

ROOT = ("/Robot/base", (0.0, 0.0, 0.5))
A, B, C = "/Robot/a", "/Robot/b", "/Robot/c"


def arm(*extra: str, **settings: object) -> Usd.Stage:
    """A base with links a, b, c along x, one length apart; c hangs on a, beside b."""
    links = [link(name, (index + 1, 0, 0)) for index, name in enumerate("abc")]
    pairs = (("base", "a"), ("a", "b"), ("a", "c"))
    joints = [joint("Revolute", f"to_{child}", parent, child) for parent, child in pairs]
    return opened(robot(base(), *links, *joints, *extra, **settings))


@pytest.fixture
def stage() -> Usd.Stage:
    return arm()


def only_tendon(stage: Usd.Stage) -> SpatialTendon:
    """The single spatial tendon of a stage on which nothing is wrong or unused."""
    (tendon,) = clean(stage).articulations[0].spatial_tendons
    return tendon


def test_root_carries_the_tendon(stage: Usd.Stage) -> None:
    spatial_tendon(
        stage, "cable", ROOT, [Attachment(A, (0, 0, 0.5), upper=1.0)], stiffness=60.0, damping=3.0, offset=0.25,
        limit_stiffness=5.0,
    )
    assert schemas(stage, "/Robot/base")[-1] == "PhysxTendonAttachmentRootAPI:cable"
    assert properties(stage, "/Robot/base", "physxTendon") == {
        "physxTendon:cable:localPos": "point3f = (0, 0, 0.5)",
        "physxTendon:cable:stiffness": "float = 60.0",
        "physxTendon:cable:damping": "float = 3.0",
        "physxTendon:cable:offset": "float = 0.25",
        "physxTendon:cable:limitStiffness": "float = 5.0",
    }


def test_leaf_carries_its_length_and_limits(stage: Usd.Stage) -> None:
    leaf = Attachment(A, (1, 2, 3), 0.75, rest_length=0.5, lower=0.25, upper=4.0)
    spatial_tendon(stage, "cable", ROOT, [leaf], limit_stiffness=5.0)
    assert schemas(stage, A)[-1] == "PhysxTendonAttachmentLeafAPI:cable_1"
    assert properties(stage, A, "physxTendon") == {
        "physxTendon:cable_1:localPos": "point3f = (1, 2, 3)",
        "physxTendon:cable_1:gearing": "float = 0.75",
        "physxTendon:cable_1:parentLink": "rel = /Robot/base",
        "physxTendon:cable_1:parentAttachment": "uniform token = cable",
        "physxTendon:cable_1:restLength": "float = 0.5",
        "physxTendon:cable_1:lowerLimit": "float = 0.25",
        "physxTendon:cable_1:upperLimit": "float = 4.0",
    }


def test_attachment_between_names_its_parent(stage: Usd.Stage) -> None:
    between = Attachment(A, (0, 0, 0), children=(Attachment(B, (0, 0, 0)),))
    spatial_tendon(stage, "cable", ROOT, [between], stiffness=1.0)
    assert schemas(stage, A)[-1] == "PhysxTendonAttachmentAPI:cable_1"
    assert properties(stage, A, "physxTendon") == {
        "physxTendon:cable_1:localPos": "point3f = (0, 0, 0)",
        "physxTendon:cable_1:gearing": "float = 1.0",
        "physxTendon:cable_1:parentLink": "rel = /Robot/base",
        "physxTendon:cable_1:parentAttachment": "uniform token = cable",
    }


def test_reader_finds_a_branching_tree(stage: Usd.Stage) -> None:
    # the joints start every link at the base's place, where no two attachments may meet
    branches = (Attachment(B, (1, 0, 0), 2.0, rest_length=1.5), Attachment(C, (0, 1, 0), 3.0))
    spatial_tendon(stage, "cable", ROOT, [Attachment(A, (0, 0, 0), 0.5, branches)], stiffness=60.0)
    tendon = only_tendon(stage)
    assert {(item.path, item.name, item.parent, item.leaf, item.gearing) for item in tendon.attachments} == {
        ("/Robot/base", "cable", -1, False, 1.0), (A, "cable_1", 0, False, 0.5), (B, "cable_2", 1, True, 2.0),
        (C, "cable_3", 1, True, 3.0),
    }
    rest_lengths = {item.path: (item.rest_length, item.rest_from_poses) for item in tendon.attachments}
    assert rest_lengths[B] == (1.5, False)
    assert rest_lengths[C][1]
    assert tendon.stiffness == 60.0


def test_positions_may_be_arrays_and_gf_vectors(stage: Usd.Stage) -> None:
    leaf = Attachment(A, Gf.Vec3f(0.5, 0, 0))
    spatial_tendon(stage, "cable", ("/Robot/base", np.array((0.0, 0.0, 0.5))), [leaf], stiffness=np.float32(1.0))
    assert [item.local_position for item in only_tendon(stage).attachments] == [(0.0, 0.0, 0.5), (0.5, 0.0, 0.0)]


def test_leaves_on_the_root_itself_are_found(stage: Usd.Stage) -> None:
    spatial_tendon(stage, "cable", ROOT, [Attachment(B, (0, 0, 0)), Attachment(C, (0, 0, 0))], stiffness=1.0)
    assert [item.parent for item in only_tendon(stage).attachments] == [-1, 0, 0]


def test_one_link_carries_several_points_of_one_tendon(stage: Usd.Stage) -> None:
    way = Attachment(A, (0, 0, 1), children=(Attachment(A, (0.5, 0, 0.5), children=(Attachment(B, (0, 0, 0)),)),))
    spatial_tendon(stage, "cable", ROOT, [way], stiffness=1.0)
    assert [item.path for item in only_tendon(stage).attachments] == ["/Robot/base", A, A, B]


def test_position_is_written_in_the_lengths_of_a_scaled_link() -> None:
    scaled = link("d", more=placed((0, 2, 0), (4, 4, 4))) + joint("Revolute", "to_d", "base", "d")
    stage = arm(scaled)
    spatial_tendon(stage, "cable", ROOT, [Attachment("/Robot/d", (0.5, 0, 0))], stiffness=1.0)
    assert properties(stage, "/Robot/d", "physxTendon")["physxTendon:cable_1:localPos"] == "point3f = (0.5, 0, 0)"
    assert only_tendon(stage).attachments[1].local_position == (2.0, 0.0, 0.0)


def test_returned_root_changes_values_later(stage: Usd.Stage) -> None:
    spatial_tendon(stage, "cable", ROOT, [Attachment(A, (0, 0, 0))], stiffness=1.0).set(stiffness=9.0)
    assert only_tendon(stage).stiffness == 9.0


def refused(stage: Usd.Stage, *attachments: Attachment, root: tuple[str, tuple[float, float, float]] = ROOT,
            name: str = "cable", **values: float) -> list[str]:
    return refusal(stage, lambda: spatial_tendon(stage, name, root, attachments, **{"stiffness": 1.0, **values}))


def test_tendon_without_attachments_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage), "spatial tendon 'cable'", "no attachments")


def test_missing_links_are_all_named(stage: Usd.Stage) -> None:
    lines = refused(stage, Attachment("/Robot/x", (0, 0, 0)), Attachment("/Robot/y", (0, 0, 0)))
    assert [line.partition(":")[0] for line in lines] == ["/Robot/x", "/Robot/y"]


def test_prim_that_is_no_body_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, Attachment("/Robot", (0, 3, 0))), "/Robot:", "PhysicsRigidBodyAPI")


def test_body_outside_articulations_is_refused() -> None:
    stage = arm(outside='def Xform "Free" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}')
    one_line(refused(stage, Attachment("/Free", (0, 3, 0))), "/Free:", "not in an articulation")


def test_link_of_another_articulation_is_refused(stage: Usd.Stage) -> None:
    Sdf.CopySpec(arm().GetRootLayer(), "/Robot", stage.GetRootLayer(), "/Second")
    one_line(refused(stage, Attachment("/Second/a", (0, 0, 0))), "/Second/a:", "another articulation")


def test_disabled_articulation_is_refused(stage: Usd.Stage) -> None:
    root = stage.GetPrimAtPath("/Robot")
    root.ApplyAPI("PhysxArticulationAPI")
    root.GetAttribute("physxArticulation:articulationEnabled").Set(False)
    assert all("articulationEnabled" in line for line in refused(stage, Attachment(A, (0, 0, 0))))


@pytest.mark.parametrize("position", [(0, 0), "abc", (0, 0, "z"), None])
def test_position_that_is_no_point_is_refused(stage: Usd.Stage, position: object) -> None:
    one_line(refused(stage, Attachment(A, position)), f"{A}.physxTendon:cable_1:localPos:")


@pytest.mark.parametrize("word", ["rest_length", "lower", "upper"])
def test_word_in_place_of_a_number_is_refused(stage: Usd.Stage, word: str) -> None:
    lines = refused(stage, Attachment(A, (0, 0, 0), **{word: "long"}), limit_stiffness=1.0)
    assert any("'long' is not a number" in line for line in lines), lines


@pytest.mark.parametrize(("distance", "accepted"), [(0.0, False), (0.00099, False), (0.00101, True)])
def test_segment_of_a_thousandth_or_less_is_refused(stage: Usd.Stage, distance: float, accepted: bool) -> None:
    leaf = Attachment(A, (distance - 1.0, 0.0, 0.5))
    if accepted:
        spatial_tendon(stage, "cable", ROOT, [leaf], stiffness=1.0)
        assert len(describe(stage).articulations[0].spatial_tendons) == 1
    else:
        one_line(refused(stage, leaf), f"{A}.physxTendon:cable_1:localPos:", "0.001")


def test_way_that_stays_on_one_link_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, Attachment("/Robot/base", (0, 0, 0))), "/Robot/base.physxTendon:cable_1:", "never changes")


@pytest.mark.parametrize("word", ["rest_length", "lower", "upper"])
def test_leaf_values_on_an_attachment_with_children_are_refused(stage: Usd.Stage, word: str) -> None:
    between = Attachment(A, (0, 0, 0), children=(Attachment(B, (0, 0, 0)),), **{word: 1.0})
    one_line(refused(stage, between), f"{A}.physxTendon:cable_1:", word, "only leaves")


def test_negative_rest_length_is_refused(stage: Usd.Stage) -> None:
    leaf = Attachment(A, (0, 0, 0), rest_length=-1.0)
    one_line(refused(stage, leaf), f"{A}.physxTendon:cable_1:restLength:", "length in the authored poses")


def test_tendon_without_gains_is_refused(stage: Usd.Stage) -> None:
    one_line(refused(stage, Attachment(A, (0, 0, 0)), stiffness=0.0), "/Robot/base.physxTendon:cable:stiffness")


def test_leaf_limits_without_stiffness_are_refused(stage: Usd.Stage) -> None:
    lines = refused(stage, Attachment(A, (0, 0, 0), upper=1.0))
    one_line(lines, "/Robot/base.physxTendon:cable:limitStiffness", "ignores")


def test_limit_stiffness_without_leaf_limits_is_refused(stage: Usd.Stage) -> None:
    lines = refused(stage, Attachment(A, (0, 0, 0)), limit_stiffness=2.0)
    one_line(lines, "/Robot/base.physxTendon:cable:limitStiffness", "without a finite limit")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_that_are_not_finite_are_refused(stage: Usd.Stage, value: float) -> None:
    lines = refused(stage, Attachment(A, (0, value, 0), value), damping=value)
    for name in (f"{A}.physxTendon:cable_1:localPos", f"{A}.physxTendon:cable_1:gearing",
                 "/Robot/base.physxTendon:cable:damping"):
        assert any(line.startswith(name) for line in lines), lines


def test_negative_stiffness_is_refused(stage: Usd.Stage) -> None:
    lines = refused(stage, Attachment(A, (0, 0, 0)), stiffness=-1.0)
    one_line(lines, "/Robot/base.physxTendon:cable:stiffness:", "[0, inf)")


def test_name_of_a_tendon_that_is_there_is_refused(stage: Usd.Stage) -> None:
    spatial_tendon(stage, "cable", ROOT, [Attachment(A, (0, 0, 0))], stiffness=1.0)
    lines = refused(stage, Attachment(A, (0, 0, 0)))
    assert [line.partition(":")[0] for line in lines] == [A, "/Robot/base"]


def test_name_of_a_generated_attachment_that_is_there_is_refused(stage: Usd.Stage) -> None:
    PhysxTendonAttachmentAPI.Apply(stage.GetPrimAtPath(A), "cable_1")
    one_line(refused(stage, Attachment(A, (0, 0, 0))), f"{A}:", "PhysxTendonAttachmentAPI:cable_1")


def test_name_of_a_fixed_tendon_axis_on_the_same_prim_is_refused(stage: Usd.Stage) -> None:
    PhysxTendonAxisAPI.Apply(stage.GetPrimAtPath(A), "cable_1")
    one_line(refused(stage, Attachment(A, (0, 0, 0))), f"{A}:", "PhysxTendonAxisAPI:cable_1")


@pytest.mark.parametrize("name", ["", "two words", "stiffness"])
def test_unusable_names_are_refused(stage: Usd.Stage, name: str) -> None:
    assert any(line.startswith("/Robot/base") for line in refused(stage, Attachment(A, (0, 0, 0)), name=name))


def test_refusal_of_a_late_attachment_leaves_the_earlier_ones_unwritten(stage: Usd.Stage) -> None:
    before = text(stage)
    chain = Attachment(A, (0, 0, 0), children=(Attachment(B, (0, 0, 0), math.nan),))
    one_line(refused(stage, chain, stiffness=1.0), f"{B}.physxTendon:cable_2:gearing")
    assert text(stage) == before


def test_attachments_may_be_tuples(stage: Usd.Stage) -> None:
    spatial_tendon(stage, "cable", ROOT, [(A, (0, 1, 0.5), 2.0, [(B, (0, 0, -0.5), 1.0, (), 1.0)])], stiffness=1.0)
    attachments = only_tendon(stage).attachments
    assert [(item.path, item.gearing) for item in attachments[1:]] == [(A, 2.0), (B, 1.0)]


@pytest.mark.parametrize(("root", "attachments", "parts"), [
    ("/Robot/base", [Attachment(A, (0, 0, 0))], ("root '/Robot/base' is not a link with a point", "(link, (x, y, z))")),
    (ROOT, Attachment(A, (0, 0, 0)), ("are not a list", "give [Attachment(link, position), ...]")),
    (ROOT, [A], (f"'{A}' is not an attachment", "give Attachment(link, position)")),
    (ROOT, [Attachment(A, (0, 0, 0), children=Attachment(B, (0, 0, 0)))], ("are not a list",)),    # type: ignore[arg-type]
    (ROOT, [("/Robot/aa", (0, 0, 0))], ("no such prim on the stage", "did you mean /Robot/a?")),
])
def test_arguments_of_another_shape_are_refused(
    stage: Usd.Stage, root: object, attachments: object, parts: tuple[str, ...],
) -> None:
    # type: ignore[arg-type]
    lines = refusal(stage, lambda: spatial_tendon(stage, "cable", root, attachments, stiffness=1.0))
    assert len(lines) == 1
    assert all(part in lines[0] for part in parts), lines

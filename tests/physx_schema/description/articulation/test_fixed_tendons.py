"""Tendons and mimic joints: what becomes of them, in the units of simulation, and what is dropped."""

from __future__ import annotations

import math

import pytest
from support.stages.robots import base, joint, link, opened, placed, robot

from physx_schema.description import Articulation, Description, FixedTendon, SpatialTendon, describe

PER_RADIAN = 180.0 / math.pi


def read(*parts: str) -> Description:
    return describe(opened(robot(base(), *parts)))


def only(*parts: str) -> Articulation:
    return read(*parts).articulations[0]


def codes(*parts: str) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in read(*parts).problems]


# --- fixed tendons ---


def axis(name: str = "t", root: bool = False, **values: object) -> tuple[tuple[str, ...], dict[str, object]]:
    arrays = {f"float[] physxTendon:{name}:{key}": value for key, value in values.items() if isinstance(value, list)}
    numbers = {f"float physxTendon:{name}:{key}": value for key, value in values.items() if isinstance(value, float)}
    return (f"PhysxTendonAxis{'Root' if root else ''}API:{name}",), {**arrays, **numbers}


def chain(*axes: tuple[tuple[str, ...], dict[str, object]] | None, kind: str = "Revolute") -> list[str]:
    """Links l0, l1 ... in a row, each joint j0, j1 ... with an axis or None."""
    parts = []
    for i, item in enumerate(axes):
        parts += [link(f"l{i}"), joint(kind, f"j{i}", f"l{i - 1}" if i else "base", f"l{i}", *(item or ()))]
    return parts


def fixed(*parts: str) -> FixedTendon:
    return only(*parts).fixed_tendons[0]


def test_gearing_of_a_revolute_axis_is_per_radian_and_its_force_coefficient_stays() -> None:
    found = fixed(*chain(axis(root=True, gearing=[0.01], forceCoefficient=[0.1])))
    assert found.axes[0].gearing == pytest.approx(0.01 * PER_RADIAN)
    assert found.axes[0].force_coefficient == pytest.approx(0.1)


def test_gearing_of_a_prismatic_axis_stays() -> None:
    assert fixed(*chain(axis(root=True, gearing=[0.25]), kind="Prismatic")).axes[0].gearing == 0.25


def test_axis_on_a_joint_whose_child_is_body0_counts_backwards() -> None:
    tendon = axis(root=True, gearing=[0.25], forceCoefficient=[0.5])
    found = fixed(link("l0"), joint("Prismatic", "j0", "l0", "base", *tendon)).axes[0]
    assert (found.gearing, found.force_coefficient) == (-0.25, -0.5)


def test_unauthored_gearing_and_force_coefficient_are_one() -> None:
    found = fixed(*chain(axis(root=True), kind="Prismatic")).axes[0]
    assert (found.gearing, found.force_coefficient) == (1.0, 1.0)


def test_root_axis_carries_the_values_of_the_tendon() -> None:
    values = {"stiffness": 3.0, "damping": 2.0, "limitStiffness": 4.0, "offset": 0.5, "restLength": -0.25,
              "lowerLimit": -1.0, "upperLimit": 2.0}
    found = fixed(*chain(axis(root=True, **values), axis()))
    assert (found.stiffness, found.damping, found.limit_stiffness, found.offset) == (3.0, 2.0, 4.0, 0.5)
    assert (found.rest_length, found.lower_limit, found.upper_limit, found.enabled) == (-0.25, -1.0, 2.0, True)
    assert [item.dof for item in found.axes] == [0, 1]


def test_upper_limit_under_the_lower_one_is_raised_to_it() -> None:
    assert fixed(*chain(axis(root=True, lowerLimit=2.0, upperLimit=0.5))).upper_limit == 2.0


def test_negative_tendon_gains_are_zero() -> None:
    found = fixed(*chain(axis(root=True, stiffness=-3.0, damping=-1.0, limitStiffness=-2.0)))
    assert (found.stiffness, found.damping, found.limit_stiffness) == (0.0, 0.0, 0.0)


def test_axis_behind_a_joint_without_one_is_dropped() -> None:
    parts = chain(axis(root=True), None, axis())
    assert [item.path for item in fixed(*parts).axes] == ["/Robot/j0"]
    assert codes(*parts) == [("tendon/axis-dropped", "/Robot/j2")]


def test_axis_beside_the_root_axis_is_dropped() -> None:
    parts = [*chain(axis(root=True)), link("b"), joint("Revolute", "jb", "base", "b", *axis())]
    assert [item.path for item in fixed(*parts).axes] == ["/Robot/j0"]
    assert codes(*parts) == [("tendon/axis-dropped", "/Robot/jb")]


def test_axis_above_the_root_axis_is_dropped() -> None:
    assert codes(*chain(axis(), axis(root=True))) == [("tendon/axis-dropped", "/Robot/j0")]


def test_branches_below_the_root_axis_belong_to_the_tendon() -> None:
    parts = [*chain(axis(root=True), axis()), link("b"), joint("Revolute", "jb", "l0", "b", *axis())]
    assert [item.path for item in fixed(*parts).axes] == ["/Robot/j0", "/Robot/j1", "/Robot/jb"]


def test_axis_without_a_root_is_reported() -> None:
    parts = chain(axis("flexer"), axis("flexor", root=True))
    problem = read(*parts).problems[0]
    assert (problem.code, problem.path) == ("tendon/no-root", "/Robot/j0")
    assert "'flexor'" in problem.fix


@pytest.mark.parametrize("name", ["gearing", "forceCoefficient"])
@pytest.mark.parametrize("values", [[2.0, 3.0], [], 2.0])
def test_anything_but_an_array_of_one_element_counts_as_one_and_is_reported(name: str, values: object) -> None:
    parts = chain(axis(root=True, **{name: values}), kind="Prismatic")
    found = fixed(*parts).axes[0]
    assert (found.gearing, found.force_coefficient) == (1.0, 1.0)
    assert codes(*parts) == [("tendon/array-length", "/Robot/j0")]


# --- spatial tendons ---


def attachment(name: str, position: tuple[float, ...] = (0, 0, 0), parent: tuple[str, str] | None = None,
               kind: str = "", **values: float) -> tuple[str, dict[str, object]]:
    """Schema and attributes of an attachment; kind is "Root", "Leaf" or ""."""
    own: dict[str, object] = {f"point3f physxTendon:{name}:localPos": position}
    if parent:
        own[f"rel physxTendon:{name}:parentLink"] = f"</Robot/{parent[0]}>"
        own[f"token physxTendon:{name}:parentAttachment"] = parent[1]
    own.update({f"float physxTendon:{name}:{key}": value for key, value in values.items()})
    return f"PhysxTendonAttachment{kind}API:{name}", own


def arm(*attachments: tuple[str, tuple[str, dict[str, object]]], scale: float = 1.0) -> list[str]:
    """Links a and b in a row, with attachments given as (link, attachment)."""
    parts = []
    for name, parent in (("a", "base"), ("b", "a")):
        mine = [item for owner, item in attachments if owner == name]
        more = {key: value for _, values in mine for key, value in values.items()}
        parts.append(link(name, schemas=[schema for schema, _ in mine],
                          more={**placed((1, 0, 0), (scale,) * 3), **more}))
        parts.append(joint("Revolute", f"j{name}", parent, name))
    return parts


ROOT = ("a", attachment("r", (1, 0, 0), kind="Root", stiffness=5.0, offset=0.5))
LEAF = ("b", attachment("f", (0, 2, 0), ("a", "r"), "Leaf", restLength=-1.0, upperLimit=3.0, gearing=0.5))


def spatial(*parts: str) -> SpatialTendon:
    return only(*parts).spatial_tendons[0]


def test_spatial_tendon_goes_from_root_to_leaf() -> None:
    found = spatial(*arm(ROOT, LEAF))
    root, leaf = found.attachments
    assert (found.stiffness, found.offset, found.prefix) == (5.0, 0.5, "physxTendon:r:")
    assert (root.link, root.parent, root.leaf, root.local_position) == (1, -1, False, (1.0, 0.0, 0.0))
    assert (leaf.link, leaf.parent, leaf.leaf, leaf.gearing) == (2, 0, True, 0.5)
    assert (leaf.rest_length, leaf.rest_from_poses) == (pytest.approx(0.5 * math.sqrt(5.0)), True)
    assert leaf.upper_limit == 3.0


def test_local_positions_take_the_scale_of_their_link() -> None:
    assert spatial(*arm(ROOT, LEAF, scale=3.0)).attachments[1].local_position == pytest.approx((0, 6, 0))


def test_gearing_of_the_root_is_ignored() -> None:
    root = ("a", attachment("r", kind="Root", gearing=7.0))
    assert spatial(*arm(root, LEAF)).attachments[0].gearing == 1.0


def test_parents_come_before_children_in_branches() -> None:
    via = ("b", attachment("v", (0, 1, 0), ("a", "r")))
    tips = [("b", attachment(name, (0, 2, 0), ("b", "v"), "Leaf")) for name in ("x", "y")]
    found = spatial(*arm(tips[0], via, tips[1], ROOT)).attachments
    assert [(item.name, item.parent) for item in found] == [("r", -1), ("v", 0), ("x", 1), ("y", 1)]


@pytest.mark.parametrize(("items", "code", "path"), [
    ((ROOT, ("b", attachment("f", (0, 0, 0), ("a", "rr"), "Leaf"))), "tendon/no-parent", "/Robot/b"),
    ((ROOT, LEAF, ("b", attachment("g", (0, 0, 0), None, "Leaf"))), "tendon/no-parent", "/Robot/b"),
    ((ROOT, LEAF, ("b", attachment("g", (0, 0, 0), ("b", "f"), "Leaf"))), "tendon/leaf-parent", "/Robot/b"),
    ((ROOT, LEAF, ("b", attachment("g", (0, 0, 0), ("b", "g")))), "tendon/cycle", "/Robot/b"),
    ((ROOT, ("b", attachment("v", (0, 1, 0), ("a", "r")))), "tendon/no-leaf", "/Robot/b"),
    ((ROOT, LEAF, ("a", attachment("r", (0, 1, 0), ("b", "f"), "Leaf"))), "tendon/shared-prefix", "/Robot/a"),
])
def test_attachments_that_physx_drops_are_reported(
    items: tuple[tuple[str, tuple[str, dict[str, object]]], ...], code: str, path: str,
) -> None:
    assert (code, path) in codes(*arm(*items))


def test_unknown_parent_suggests_the_nearest_name() -> None:
    leaf = ("b", attachment("f", (0, 0, 0), ("a", "rroot"), "Leaf"))
    root = ("a", attachment("root", kind="Root"))
    problems = read(*arm(root, leaf)).problems
    assert any("did you mean 'root'?" in problem.fix for problem in problems)


# --- mimic joints ---


def mimic_pair(kinds: tuple[str, str] = ("Revolute", "Revolute"), **values: float) -> list[str]:
    """Leader j1 and follower j2 on the base, wide limits on both."""
    limits = {"float physics:lowerLimit": -100.0, "float physics:upperLimit": 100.0}
    own = {f"float physxMimicJoint:rotX:{key}": value for key, value in values.items()}
    follower = {**limits, "rel physxMimicJoint:rotX:referenceJoint": "</Robot/j1>", **own}
    return [link("a"), link("b"), joint(kinds[0], "j1", "base", "a", (), limits),
            joint(kinds[1], "j2", "base", "b", ("PhysxMimicJointAPI:rotX",), follower)]


def test_mimic_offset_of_a_revolute_joint_is_in_radians() -> None:
    found = only(*mimic_pair(gearing=1.5, offset=20.0, naturalFrequency=25.0, dampingRatio=0.3)).mimics[0]
    assert (found.gearing, found.natural_frequency) == (1.5, 25.0)
    assert found.offset == pytest.approx(math.radians(20))
    assert found.damping_ratio == pytest.approx(0.3)


def test_mimic_gearing_converts_between_degrees_and_length() -> None:
    follows_slider = only(*mimic_pair(("Prismatic", "Revolute"), gearing=90.0, offset=90.0)).mimics[0]
    assert (follows_slider.gearing, follows_slider.offset) == pytest.approx((math.pi / 2, math.pi / 2))
    follows_hinge = only(*mimic_pair(("Revolute", "Prismatic"), gearing=0.01, offset=0.5)).mimics[0]
    assert (follows_hinge.gearing, follows_hinge.offset) == pytest.approx((0.01 * PER_RADIAN, 0.5))


def test_mimic_indices_point_at_follower_and_reference() -> None:
    articulation = only(*mimic_pair(gearing=1.0))
    found = articulation.mimics[0]
    assert articulation.dofs[found.follower].path == "/Robot/j2"
    assert articulation.dofs[found.reference].path == "/Robot/j1"


def test_refused_mimic_stays_a_declaration() -> None:
    description = read(*mimic_pair(gearing=0.0))
    assert description.articulations[0].mimics == ()
    assert description.mimic_declarations[0].refusal_code == "gearing"

"""Which bodies form an articulation, where its root is, and in what order its links come (as measured in PhysX)."""

from __future__ import annotations

from itertools import pairwise

from support.recorded import tree_stages
from support.stages.robots import base, joint, link, opened, robot

from physx_schema.description import Description, describe

ROOT_API = "PhysicsArticulationRootAPI"


def read(*parts: str, **options: object) -> Description:
    return describe(opened(robot(*parts, **options)))       # type: ignore[arg-type]


def names(description: Description, index: int = 0) -> list[str]:
    return [link.path.rpartition("/")[2] for link in description.articulations[index].links]


def codes(description: Description) -> list[str]:
    return [problem.code for problem in description.problems]


def test_siblings_come_by_joint_type_and_then_by_joint_path() -> None:
    kinds = [("Revolute", "zz", "a1"), ("Revolute", "aa", "z1"), ("Prismatic", "b10", "q10"), ("Prismatic", "b2", "q2"),
             ("Prismatic", "B3", "q3"), ("Spherical", "sp", "sp1"), ("Fixed", "fx", "f1"), ("", "gen", "g1"),
             ("Revolute", "_u", "u1")]
    parts = [link(child, (i, 0, 0)) + joint(kind, name, "base", child) for i, (kind, name, child) in enumerate(kinds)]
    assert names(read(base(), *parts)) == ["base", "f1", "u1", "z1", "a1", "q3", "q10", "q2", "sp1", "g1"]


def test_links_come_breadth_first() -> None:
    parts = [link(name) for name in ("a", "b", "c", "d")]
    joints = [joint("Revolute", "ja", "base", "a"), joint("Revolute", "jb", "base", "b"),
              joint("Revolute", "jc", "a", "c"), joint("Revolute", "jd", "b", "d")]
    description = read(base(), *parts, *joints)
    assert names(description) == ["base", "a", "b", "c", "d"]
    assert [link.parent for link in description.articulations[0].links] == [-1, 0, 0, 1, 2]


def chain(*bodies: str, **schemas: tuple[str, ...]) -> list[str]:
    links = [link(body, (i, 0, 0), schemas.get(body, ())) for i, body in enumerate(bodies)]
    return links + [joint("Revolute", f"j{first}{second}", first, second) for first, second in pairwise(bodies)]


def test_floating_root_is_the_link_of_least_eccentricity() -> None:
    assert names(read(*chain("a", "b", "c"))) == ["b", "a", "c"]


def test_first_of_equally_central_links_is_the_floating_root() -> None:
    assert names(read(*chain("a", "b", "c", "d"))) == ["b", "a", "c", "d"]


def test_more_joints_make_the_root_among_equally_central_links() -> None:
    parts = [*chain("a", "b", "c", "d"), link("e"), joint("Revolute", "jce", "c", "e")]
    assert names(read(*parts))[0] == "c"


def test_root_api_on_a_body_makes_it_the_root() -> None:
    assert names(read(*chain("a", "b", "c", a=(ROOT_API,)), schemas=())) == ["a", "b", "c"]


def test_root_api_on_the_joint_to_the_world_makes_a_fixed_base() -> None:
    parts = [*chain("a", "b"), joint("Fixed", "anchor", "", "a", (ROOT_API,))]
    description = read(*parts, schemas=())
    assert description.articulations[0].fixed_base
    assert names(description) == ["a", "b"]


def test_any_joint_to_the_world_fixes_the_body_it_holds() -> None:
    description = read(*chain("a", "b", "c"), joint("Revolute", "anchor", "", "b"))
    assert description.articulations[0].fixed_base
    assert names(description) == ["b", "a", "c"]
    assert [dof.name for dof in description.articulations[0].dofs] == ["/Robot/jab", "/Robot/jbc"]


def test_joint_to_a_disabled_body_is_a_joint_to_the_world() -> None:
    parts = [link("wall", more={"bool physics:rigidBodyEnabled": False}), *chain("a", "b"),
             joint("Revolute", "hinge", "wall", "a")]
    description = read(*parts)
    assert description.articulations[0].fixed_base
    assert names(description) == ["a", "b"]


def test_first_of_two_anchored_bodies_is_the_base() -> None:
    parts = [*chain("a", "b", "c"), joint("Fixed", "w1", "", "a"), joint("Fixed", "w2", "", "c")]
    description = read(*parts)
    assert names(description) == ["a", "b", "c"]
    assert [joint.path for joint in description.joints] == ["/Robot/w2"]


def test_outermost_of_nested_bodies_is_the_root() -> None:
    inner = link("inner", children=link("innermost"))
    hinges = [joint("Revolute", "j1", "outer", "outer/inner"),
              joint("Revolute", "j2", "outer/inner", "outer/inner/innermost")]
    assert names(read(link("outer", children=inner), *hinges)) == ["outer", "inner", "innermost"]


def test_root_api_on_an_anchored_body_leaves_the_base_floating() -> None:
    description = read(link("a", schemas=(ROOT_API,)), joint("Fixed", "anchor", "", "a"), link("b"),
                       joint("Revolute", "j", "a", "b"), schemas=())
    assert not description.articulations[0].fixed_base
    assert codes(description) == ["articulation/world-joint-outside"]


def test_disabled_joint_leaves_its_body_outside() -> None:
    description = read(base(), *chain("a", "b"), joint("Revolute", "j", "base", "a"),
                       link("c"), joint("Revolute", "off", "b", "c", (), {"bool physics:jointEnabled": False}))
    assert names(description) == ["base", "a", "b"]
    assert [body.path for body in description.bodies] == ["/Robot/c"]


def test_excluded_joint_closes_a_loop_without_complaint() -> None:
    loop = joint("Revolute", "jda", "d", "a", (), {"bool physics:excludeFromArticulation": True})
    description = read(*chain("a", "b", "c", "d"), loop)
    assert names(description) == ["a", "b", "c", "d"]
    assert codes(description) == []
    assert [joint.path for joint in description.joints] == ["/Robot/jda"]


def test_loop_is_reported_at_the_joint_that_closes_it() -> None:
    parts = [base(), link("a"), link("b"), joint("Revolute", "j1", "base", "a"),
             joint("Revolute", "j2", "a", "b"), joint("Revolute", "j3", "base", "b")]
    description = read(*parts)
    assert codes(description) == ["DJ.011/loop"]


def test_third_hinge_between_two_bodies_is_outside_the_articulation() -> None:
    """As PhysX makes them: of three hinges one is the tree's, one is nowhere, and one is a joint by itself."""
    hinges = [joint("Revolute", f"j{i}", *ends) for i, ends in enumerate((("base", "a"), ("a", "base"), ("base", "a")))]
    description = read(base(), link("a"), *hinges)
    assert [dof.path for dof in description.articulations[0].dofs] == ["/Robot/j0"]
    assert [item.path for item in description.joints] == ["/Robot/j2"]
    assert [(problem.code, problem.path) for problem in description.problems] == [
        ("DJ.011/loop", "/Robot/j1"), ("DJ.011/beside", "/Robot/j2")]


def test_loop_of_a_switched_off_articulation_is_whole() -> None:
    description = describe(opened(tree_stages.LOOP_STAGES["a switched-off articulation with a loop"]))
    assert [item.path for item in description.joints] == ["/Robot/j2", "/Robot/j3"]
    assert codes(description) == []


def test_kinematic_body_prevents_the_articulation() -> None:
    parts = [link("base", more={"bool physics:kinematicEnabled": True}), link("a"), joint("Revolute", "j", "base", "a")]
    description = read(*parts)
    assert description.articulations == ()
    assert codes(description) == ["articulation/kinematic-body"]


def test_nested_root_is_reported() -> None:
    parts = [base(), link("a", schemas=(ROOT_API,)), joint("Revolute", "j", "base", "a")]
    assert codes(read(*parts)) == ["articulation/nested-root"]


def test_root_without_bodies_is_reported() -> None:
    assert codes(read()) == ["articulation/no-bodies"]


def test_swapped_bodies_make_a_reversed_joint() -> None:
    description = read(base(), link("a"), joint("Revolute", "j", "a", "base"))
    hinge = description.articulations[0].links[1].joint
    assert hinge is not None
    assert hinge.reversed


def test_two_thousand_links_in_a_chain_are_read() -> None:
    bodies = [f"b{i:04}" for i in range(2000)]
    description = read(*chain(*bodies))
    assert len(description.articulations[0].links) == 2000
    assert names(description)[0] == "b0999"


def test_joint_to_the_world_with_a_refused_root_stays_a_joint() -> None:
    """As measured: the body hangs on its hinge, and falls where the joint's root is not inside another."""
    hinge = joint("Revolute", "shoulder", "", "body", (ROOT_API,))
    for inside, expected in ((True, ["/Robot/body/shoulder"]), (False, [])):
        body = link("body", schemas=(ROOT_API,), children=hinge if inside else "")
        stage = read(body, "" if inside else hinge, schemas=())
        assert [found.path for found in stage.joints] == expected

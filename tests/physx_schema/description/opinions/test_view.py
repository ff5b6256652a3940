"""Malformed stages: each fault is a fact, or a finding with prim path and property, and never an exception."""

from __future__ import annotations

import math

import pytest
from pxr import Sdf, Usd, Vt
from support.stages.malformed_stages import AXES, CASES, DRIVE, STIFFNESS, TIP, Case, J, chain, driven, tendon
from support.stages.robots import base, finger, joint, link, opened, prim, robot

from physx_schema import check
from physx_schema.description import describe
from physx_schema.errors import UnreadableError
from physx_schema.reports.json_output import plain


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.group}-{case.name}")
def test_fault_is_found_with_prim_and_property(case: Case) -> None:
    found = [(item.code, item.path, item.property, item.severity) for item in check(opened(case.text)).findings]
    assert (case.code, case.path, case.property, case.severity) in found


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.group}-{case.name}")
def test_faulty_stage_is_described(case: Case) -> None:
    """`describe` gives facts, or problems that name a prim and a place on it."""
    described = describe(opened(case.text))
    assert all(item.path.startswith("/") and item.message for item in described.problems)


def test_every_group_has_a_stage() -> None:
    elsewhere = {32, 34, *range(41, 49), 50, 51, 52, 53, 63}    # below, in test_trial_process and in code generation
    assert {case.group for case in CASES} | elsewhere == set(range(1, 64))


def codes(stage: Usd.Stage) -> set[tuple[str, str, str]]:
    return {(item.code, item.path, item.property) for item in check(stage).findings}


def test_not_a_number_is_a_string_in_json() -> None:
    (finding,) = [item for item in check(opened(driven("nan"))).findings if item.severity == "error"]
    assert "nan" in finding.message
    assert plain(describe(opened(driven("inf", base_name="maxForce"))).articulations[0].dofs[0].drive)[
        "max_force"] == "Infinity"


@pytest.mark.parametrize(("type_name", "value"), [("float", 3.0), ("int[]", [1]), ("string", "ab")])
@pytest.mark.parametrize("samples", ["", ".timeSamples"])
def test_order_of_operations_of_another_type_is_none(type_name: str, value: object, samples: str) -> None:
    body = prim("Xform", "a", ("PhysicsRigidBodyAPI",), {f"{type_name} xformOpOrder": value}, "operation")
    operation = "double3 xformOp:translate" + (".timeSamples = {0: (1, 2, 3)}\n" if samples else " = (1, 2, 3)\n")
    described = describe(opened("#usda 1.0\n" + body.replace("operation", operation)))
    assert described.bodies[0].pose[0] == (0.0, 0.0, 0.0)
    found = {(item.code, item.property) for item in described.problems}
    assert ("body/transform-operation", "xformOp:translate") in found


# --- facts of groups 14, 15, 31, 35 to 37, 54, 55, 57 ---


@pytest.mark.parametrize(("type_name", "value"), [("string", '"xformOp:translate"'), ("int", "3")])
def test_order_of_operations_of_another_type_is_told(type_name: str, value: str) -> None:
    stage = opened(finger().replace("uniform token[] xformOpOrder", f"uniform {type_name} xformOpOrder").replace(
        '["xformOp:translate", "xformOp:orient", "xformOp:scale"]', value))
    assert ("body/transform-operation", TIP, "xformOpOrder") in codes(stage)


def test_empty_name_among_operations_is_left_out() -> None:
    text = finger().replace('"xformOp:orient", "xformOp:scale"]', '"", "xformOp:nope"]')
    found = [item.message for item in check(opened(text)).findings if item.property == "xformOpOrder"]
    assert "an empty name is in xformOpOrder, and the attribute is not authored" in found


@pytest.mark.parametrize(("type_name", "value"), [("string", '"a"'), ("float3", "(1, 2, 3)")])
def test_orientation_that_is_no_quaternion_is_told(type_name: str, value: str) -> None:
    text = finger().replace("quatf xformOp:orient = (1, 0, 0, 0)", f"{type_name} xformOp:orient = {value}")
    assert ("body/transform-operation", TIP, "xformOp:orient") in codes(opened(text))
    assert ("value/not-unit", TIP, "xformOp:orient") not in codes(opened(text))


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_count_that_is_no_number_is_told_and_has_the_default(value: str) -> None:
    name = "physxArticulation:solverPositionIterationCount"
    text = robot(base(), schemas=("PhysicsArticulationRootAPI", "PhysxArticulationAPI")).replace(
        "{", f"{{\nfloat {name} = {value}\n", 1)
    assert describe(opened(text)).articulations[0].position_iterations == 32
    found = codes(opened(text))
    assert ("value/type", "/Robot", name) in found
    assert not [code for code, _, _ in found if code.startswith("rule-failed")]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("type_name", "value", "code"), [
    ("double[]", "[nan]", "collider/mesh"), ("double", "inf", "collider/no-shape")])
def test_indices_of_a_mesh_that_are_no_numbers_are_told(type_name: str, value: str, code: str) -> None:
    mesh = prim("Mesh", "shape", ["PhysicsCollisionAPI"], {
        "point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0)], "int[] faceVertexCounts": [1]}).replace(
        "{", f"{{\n{type_name} faceVertexIndices = {value}\n", 1)
    assert code in {found for found, _, _ in codes(opened(robot(base(), mesh)))}


def test_transform_turned_by_no_number_is_told() -> None:
    text = finger().replace("quatf xformOp:orient = (1, 0, 0, 0)", "quatf xformOp:orient = (nan, 0, 0, 0)")
    assert ("value/not-unit", TIP, "xformOp:orient") in codes(opened(text))


def test_attribute_in_place_of_a_relationship_is_told() -> None:
    stage = opened(finger().replace("rel physics:body0 = </Robot/base>", 'string physics:body0 = "/Robot/base"'))
    assert ("value/wrong-type", J, "physics:body0") in codes(stage)


@pytest.mark.parametrize(("schemas", "name"), [
    ((), "physics:breakForce"), (("PhysxJointAxisAPI:angular",), "physxJointAxis:angular:armature")])
def test_relationship_in_place_of_an_attribute_is_told(schemas: tuple[str, ...], name: str) -> None:
    stage = opened(finger({f"rel {name}": "</Robot/base>"}, schemas))
    assert ("value/wrong-type", J, name) in codes(stage)


@pytest.mark.parametrize(("host", "name"), [
    (prim("PointInstancer", "x", (), {"string prototypes": "a"}), "prototypes"),
    (prim("Cube", "x", ["PhysicsCollisionAPI", "MaterialBindingAPI"], {"string material:binding": "a"})
     + prim("Material", "m", ["PhysicsMaterialAPI"]), "material:binding"),
    (prim("PhysicsCollisionGroup", "x", ["CollectionAPI:colliders"], {"string collection:colliders:includes": "a"}),
     "collection:colliders:includes")], ids=["instancer", "binding", "collection"])
def test_attribute_in_place_of_a_relationship_of_usd_is_told(host: str, name: str) -> None:
    assert ("value/wrong-type", "/Robot/x", name) in codes(opened(robot(host)))


def test_instancer_with_indices_of_another_type_is_told() -> None:
    repeated = {"rel prototypes": "</Robot/x/tip>", "int protoIndices": 3}
    stage = opened(robot(prim("PointInstancer", "x", (), repeated, link("tip"))))
    assert ("body/in-instancer", "/Robot/x", "prototypes") in codes(stage)


def test_each_fault_of_a_mesh_is_told() -> None:
    mesh = prim("Mesh", "shape", ["PhysicsCollisionAPI"], {
        "point3f[] points": [(0, 0, math.nan), (1, 0, 0), (0, 1, 0)], "int[] faceVertexCounts": [3],
        "int[] faceVertexIndices": [0, 1, 9]})
    found = {name for code, _, name in codes(opened(robot(base(), mesh))) if code == "collider/mesh"}
    assert found == {"points", "faceVertexIndices"}


def test_joint_to_the_world_fixes_the_base() -> None:
    assert describe(opened(chain(joint("Revolute", "j", "base", "a"), links=("a",)))).articulations[0].fixed_base


def test_target_inside_a_body_means_the_body() -> None:
    inside = link("a", children=prim("Xform", "x"))
    described = describe(opened(robot(base(), inside, joint("Revolute", "j", "base", "a/x"))))
    assert [item.path for item in described.articulations[0].links] == ["/Robot/base", "/Robot/a"]


def test_disabled_joint_splits_the_tree() -> None:
    described = describe(opened(finger({"bool physics:jointEnabled": False})))
    assert "/Robot/tip" not in [item.path for item in described.articulations[0].links]


def test_sentinel_of_1e38_stands_for_no_limit() -> None:
    (dof,) = describe(opened(finger({"float physics:lowerLimit": -1e38, "float physics:upperLimit": 1e38}))
                      ).articulations[0].dofs
    assert (dof.lower, dof.upper) == (-math.inf, math.inf)


def test_generic_joint_with_every_axis_locked_has_no_freedom() -> None:
    bounds = {f"float limit:{axis}:physics:{side}": value
              for axis in AXES for side, value in (("low", 1.0), ("high", -1.0))}
    stage = opened(finger(bounds, tuple(f"PhysicsLimitAPI:{axis}" for axis in AXES), ""))
    assert describe(stage).articulations[0].dofs == ()


@pytest.mark.parametrize(("angle", "bound"), [(0.0, 0.0), (180.0, math.pi)])
def test_cone_bounds_both_swings(angle: float, bound: float) -> None:
    cone = {"float physics:coneAngle0Limit": angle, "float physics:coneAngle1Limit": angle}
    dofs = describe(opened(finger(cone, (), "Spherical"))).articulations[0].dofs
    assert sorted(dof.upper for dof in dofs)[:2] == pytest.approx([bound, bound])


def test_units_default_to_centimetres_and_kilograms() -> None:
    text = robot(base()).replace("    metersPerUnit = 1.0\n", "").replace("    kilogramsPerUnit = 1.0\n", "")
    scene = describe(opened(text)).scene
    assert (scene.meters_per_unit, scene.kilograms_per_unit) == (0.01, 1.0)


def test_gravity_goes_down_the_up_axis() -> None:
    assert describe(opened(robot(base()).replace('"Z"', '"Y"'))).scene.gravity == pytest.approx((0.0, -9.81, 0.0))


def test_reset_of_the_transform_stack_is_kept() -> None:
    inner = link("b", (0, 0, 5)).replace('["xformOp:translate"', '["!resetXformStack!", "xformOp:translate"')
    stage = opened(robot(base(), link("a", (0, 0, 9), children=inner), joint("Revolute", "j", "base", "a"),
                         joint("Revolute", "k", "a", "a/b")))
    assert describe(stage).articulations[0].links[2].pose[0] == (0.0, 0.0, 5.0)


# --- group 32: schemas applied twice ---


def test_schema_applied_in_two_layers_counts_once() -> None:
    stage = opened(driven("1"))
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        stage.GetPrimAtPath(J).SetMetadata("apiSchemas", Sdf.TokenListOp.Create(appendedItems=[DRIVE]))
    assert [item.property for item in describe(stage).authored if item.property == STIFFNESS] == [STIFFNESS]
    assert {code for code, _, _ in codes(stage)} == {"stage/session-layer"}


def test_schema_deleted_and_added_again_is_applied() -> None:
    stage = opened(driven("1"))
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        operation = Sdf.TokenListOp.Create(prependedItems=[DRIVE], deletedItems=[DRIVE])
        stage.GetPrimAtPath(J).SetMetadata("apiSchemas", operation)
    drive = describe(stage).articulations[0].dofs[0].drive
    assert drive is not None
    assert drive == describe(opened(driven("1"))).articulations[0].dofs[0].drive


@pytest.mark.parametrize("name", ["é", "x" * 300])
def test_long_and_foreign_instance_names_are_read(name: str) -> None:
    gains = {f"float physxTendon:{name}:stiffness": 7.0}
    stage = opened(finger(gains, (f"PhysxTendonAxisRootAPI:{name}",)))
    assert describe(stage).articulations[0].fixed_tendons[0].stiffness == 7.0


def test_nested_instance_name_leaves_the_defaults() -> None:
    stage = opened(finger({"float physxTendon:a:b:stiffness": 7.0}, ("PhysxTendonAxisRootAPI:a:b",)))
    assert describe(stage).articulations[0].fixed_tendons[0].stiffness == 0.0


# --- groups 50 to 53: what a stage leaves out ---

OUTSIDE = """class "C" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}
over "O"
{
    float physics:mass = 1
}
def "I" (active = false) {}
def "P" (prepend payload = </Robot>) {}
def "V" (
    variants = { string v = "a" }
    prepend variantSets = "v"
)
{
    variantSet "v" = {
        "a" {
        }
        "b" {
        }
    }
}
"""


@pytest.mark.parametrize(("code", "path", "name"), [
    ("stage/abstract", "/C", ""), ("stage/undefined", "/O", ""), ("stage/inactive", "/I", ""),
    ("stage/variants", "/V", "variants"),
])
def test_what_is_not_read_is_told(code: str, path: str, name: str) -> None:
    assert (code, path, name) in codes(opened(robot(base(), outside=OUTSIDE)))


def test_unloaded_payload_is_told() -> None:
    stage = opened(robot(base(), outside=OUTSIDE))
    stage.Unload("/P")
    assert ("stage/unloaded", "/P", "") in codes(stage)


def test_two_thousand_variants_take_one_line() -> None:
    stage = opened(robot(base()))
    stage.GetPrimAtPath("/Robot").GetVariantSets().AddVariantSet("v")
    spec = stage.GetRootLayer().GetPrimAtPath("/Robot").variantSets["v"]
    with Sdf.ChangeBlock():
        for number in range(2000):
            Sdf.VariantSpec(spec, f"n{number}")
    told = [item for item in check(stage).findings if item.code == "stage/variants"]
    assert [item.message for item in told] == ["the set 'v' has 2000 variants other than ''"]


def test_only_the_selected_variant_is_checked() -> None:
    text = robot(base(), outside=OUTSIDE.replace('"b" {\n', '"b" {\nfloat physics:mass = nan\n'))
    stage = opened(text)
    assert not check(stage).errors
    stage.GetPrimAtPath("/V").GetVariantSet("v").SetVariantSelection("b")
    assert ("unused/not-applied", "/V", "physics:mass") in codes(stage)


@pytest.mark.parametrize(("path", "name"), [(J, STIFFNESS), (TIP, "xformOp:translate")])
def test_samples_beside_a_default_value_are_a_warning(path: str, name: str) -> None:
    stage = opened(driven("1"))
    attribute = stage.GetPrimAtPath(path).GetAttribute(name)
    attribute.Set(attribute.Get(), 1.0)
    assert ("value/time-samples", path, name) in codes(stage)


def test_samples_alone_leave_the_default() -> None:
    stage = opened(driven("1"))
    attribute = stage.GetPrimAtPath(J).GetAttribute(STIFFNESS)
    attribute.Clear()
    attribute.Set(5.0, 1.0)
    assert ("value/only-samples", J, STIFFNESS) in codes(stage)


def test_session_and_muted_layers_and_offsets_are_told() -> None:
    stage = opened(driven("1"))
    weaker = Sdf.Layer.CreateAnonymous("weaker.usda")
    stage.GetRootLayer().subLayerPaths.append(weaker.identifier)
    stage.GetRootLayer().subLayerOffsets[0] = Sdf.LayerOffset(2.0)
    assert ("stage/layer-offset", "/", "subLayers") in codes(stage)
    stage.MuteLayer(weaker.identifier)
    assert ("stage/muted-layer", "/", "subLayers") in codes(stage)


# --- group 63 and huge values ---


def test_long_chain_needs_no_recursion() -> None:
    parts = [base(), link("b0"), joint("Revolute", "j0", "base", "b0")]
    for number in range(1, 2000):
        parts += [link(f"b{number}"), joint("Revolute", f"j{number}", f"b{number - 1}", f"b{number}")]
    (articulation,) = describe(opened(robot(*parts))).articulations
    assert len(articulation.links) == 2001


def test_star_of_a_thousand_links_is_read() -> None:
    parts = [part for number in range(1000)
             for part in (link(f"b{number}"), joint("Revolute", f"j{number}", "base", f"b{number}"))]
    (articulation,) = describe(opened(robot(base(), *parts))).articulations
    assert {item.parent for item in articulation.links[1:]} == {0}


def test_enormous_array_is_one_finding_with_its_size() -> None:
    stage = opened(tendon())
    attribute = stage.GetPrimAtPath("/Robot/j2").CreateAttribute("physxTendon:t:gearing", Sdf.ValueTypeNames.FloatArray)
    attribute.Set(Vt.FloatArray(1_000_000))
    (finding,) = [item for item in check(stage).findings if item.severity == "error"]
    assert (finding.code, finding.message) == ("tendon/array-length", "the array has 1000000 elements")


def test_enormous_array_in_place_of_a_number_is_not_spelt_out() -> None:
    stage = opened(driven("1"))
    prim_of_joint = stage.GetPrimAtPath(J)
    prim_of_joint.RemoveProperty(STIFFNESS)
    spec = Sdf.AttributeSpec(stage.GetRootLayer().GetPrimAtPath(J), STIFFNESS, Sdf.ValueTypeNames.FloatArray)
    spec.default = Vt.FloatArray(1_000_000)
    (finding,) = check(stage).errors
    assert (finding.code, finding.property) == ("value/wrong-type", STIFFNESS)
    assert len(finding.message) < 200


@pytest.mark.parametrize(("text", "says"), [
    ("upAxis = {}", "upAxis has another type; author a token such as Z"),
    ("metersPerUnit = {}", "metersPerUnit has another type; author a number such as 0.01"),
])
def test_units_of_another_type_make_a_stage_unreadable(text: str, says: str) -> None:
    with pytest.raises(UnreadableError, match=says):
        describe(opened(f"#usda 1.0\n(\n{text}\n)\n"))

"""Opinions below an instance, which USD drops, are unused with their prim and property."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stages.composed import holder, layer, written
from support.stages.robots import link, prim

from physx_schema.description import Opinion, describe

SHAPE = prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": 2.0})
PROTOTYPE = prim("Xform", "proto", (), {}, SHAPE).replace("def ", "class ", 1)
MATERIAL = prim("Material", "rubber", ("PhysicsMaterialAPI",))


def dropped(path: Path) -> list[tuple[str, str]]:
    return [(item.path, item.property) for item in unused(path)]


def unused(path: Path) -> list[Opinion]:
    return [item for item in describe(path).unused if item.code == "below-instance"]


def over(name: str, inside: str, metadata: str = "") -> str:
    return f'over "{name}"{f" ({metadata})" if metadata else ""}\n{{\n{inside}\n}}\n'


def instance(inside: str, metadata: str = "inherits = </proto>", instanceable: str = "true") -> str:
    held = holder("copy", f"instanceable = {instanceable}\n    {metadata}", inside)
    return prim("Xform", "thing", ("PhysicsRigidBodyAPI",), {}, held)


@pytest.mark.parametrize(("line", "name"), [
    ("bool physics:collisionEnabled = false", "physics:collisionEnabled"),
    ("rel material:binding:physics = </rubber>", "material:binding:physics"), ("double size = 3", "size"),
    ("float physxCollision:contactOffset = 0.1", "physxCollision:contactOffset"),
    ('double3 xformOp:translate = (0, 0, 1)', "xformOp:translate"),
])
@pytest.mark.parametrize("metadata", ["inherits = </proto>", "references = </proto>", "references = @part.usda@",
                                      "payload = @part.usda@"])
def test_what_is_authored_below_an_instance_is_unused(line: str, name: str, metadata: str, tmp_path: Path) -> None:
    path = written(tmp_path, {"part.usda": layer(prim("Xform", "proto", (), {}, SHAPE), default="proto"),
                              "a.usda": layer(PROTOTYPE, MATERIAL, instance(over("shape", line), metadata))})
    assert dropped(path) == [("/thing/copy/shape", name)]


def test_the_suggestion_names_the_prototype_and_the_instance(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(PROTOTYPE, instance(over("shape", "bool physics:collisionEnabled = 0")))})
    (item,) = unused(path)
    assert item.suggestion == ("author the opinion on /proto, which all instances share, or set instanceable to false "
                               "on /thing/copy")


@pytest.mark.parametrize("inside", ["double size = 2", "color3f[] primvars:displayColor = [(1, 0, 0)]", ""])
def test_what_the_prototype_says_too_or_is_not_about_physics_is_left_out(inside: str, tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(PROTOTYPE, instance(over("shape", inside)))})
    assert not dropped(path)


def test_a_prim_that_is_not_instanceable_keeps_its_opinions(tmp_path: Path) -> None:
    text = instance(over("shape", "bool physics:collisionEnabled = 0"), instanceable="false")
    path = written(tmp_path, {"a.usda": layer(PROTOTYPE, text)})
    assert not dropped(path)


def test_opinions_on_the_instance_itself_count(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(PROTOTYPE, MATERIAL, instance("rel material:binding = </rubber>\n"))})
    assert not dropped(path)


@pytest.mark.parametrize(("metadata", "name"), [
    ("active = false", "active"), ('prepend apiSchemas = ["PhysicsMaterialAPI"]', "apiSchemas"),
])
def test_metadata_below_an_instance_is_unused(metadata: str, name: str, tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(PROTOTYPE, instance(over("shape", "", metadata)))})
    assert dropped(path) == [("/thing/copy/shape", name)]


def test_overrides_from_a_layer_above_are_found(tmp_path: Path) -> None:
    path = written(tmp_path, {
        "robot.usda": layer(PROTOTYPE, instance(""), default="thing"),
        "a.usda": layer(over("thing", over("copy", over("shape", "bool physics:collisionEnabled = 0"))),
                        sublayers="@robot.usda@")})
    assert dropped(path) == [("/thing/copy/shape", "physics:collisionEnabled")]


def test_overrides_in_the_layer_that_references_a_robot_with_instances_are_found(tmp_path: Path) -> None:
    inside = prim("Xform", "thing", (), {}, PROTOTYPE + holder(
        "copy", "instanceable = true\n    inherits = </thing/proto>"))
    path = written(tmp_path, {
        "robot.usda": layer(inside, default="thing"),
        "a.usda": layer(holder("R", "references = @robot.usda@", over(
            "copy", over("shape", "bool physics:collisionEnabled = 0"))), link("box"))})
    assert dropped(path) == [("/R/copy/shape", "physics:collisionEnabled")]

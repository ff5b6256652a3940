"""What USD cannot put together of a stage is found with its prim and its remedy, and reported by every command."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.stages.composed import holder, layer, written
from support.stages.robots import joint, link, prim

from physx_schema import check
from physx_schema.checking import Finding
from physx_schema.command_line.program import program
from physx_schema.description import describe
from physx_schema.diagnostics import StageWarning

BOX = link("box")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(program(), list(arguments))


def found(path: Path, code: str) -> list[Finding]:
    return [item for item in check(path).findings if item.code == code]


@pytest.mark.parametrize(("metadata", "name", "arc"), [
    ("references = @./gone.usda@", "references", "reference"),
    ("payload = @./gone.usd@</Robot>", "payload", "payload"),
    ("prepend references = [@./gone.usda@</Robot>]", "references", "reference"),
])
def test_a_layer_that_is_not_there_is_named_with_the_prim_that_brings_it_in(
    metadata: str, name: str, arc: str, tmp_path: Path,
) -> None:
    path = written(tmp_path, {"a.usda": layer(BOX, holder("arm", metadata))})
    (finding,) = found(path, "stage/composition")
    assert (finding.severity, finding.path, finding.property) == ("error", "/arm", name)
    assert finding.message.startswith(f"the {arc} @") and "gone.usd" in finding.message


def test_a_sublayer_of_a_referenced_layer_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, {
        "part.usda": layer('def Xform "World"\n{\n}\n', sublayers="@gone.usda@"),
        "a.usda": layer(BOX, holder("arm", "references = @part.usda@"))})
    (finding,) = found(path, "stage/composition")
    assert finding.property == "subLayers"
    assert "@gone.usda@" in finding.message and "part.usda" in finding.message


def test_a_layer_that_cannot_be_parsed_is_to_be_repaired(tmp_path: Path) -> None:
    path = written(tmp_path, {"part.usda": "#usda 1.0\ndef (",
                              "a.usda": layer(holder("arm", "references = @part.usda@"))})
    (finding,) = found(path, "stage/composition")
    assert finding.fix == "repair that layer"


def test_a_reference_to_a_misspelt_prim_names_the_one_that_is_there(tmp_path: Path) -> None:
    path = written(tmp_path, {"part.usda": layer(BOX, default="box"),
                              "a.usda": layer(holder("arm", "references = @part.usda@</bxo>"))})
    (finding,) = found(path, "stage/composition")
    assert (finding.path, finding.property, finding.fix) == ("/arm", "references", "did you mean </box>?")


def test_a_reference_without_a_prim_to_a_layer_without_default_prim_lists_its_prims(tmp_path: Path) -> None:
    path = written(tmp_path, {"part.usda": f"#usda 1.0\n{BOX}",
                              "a.usda": layer(holder("arm", "payload = @part.usda@"))})
    (finding,) = found(path, "stage/composition")
    assert "has no defaultPrim" in finding.message
    assert "/box" in finding.fix


def test_missing_layers_come_first_of_all_findings(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.usda": layer(
        prim("Xform", "a", ("PhysicsCollisionAPI",)), holder("z", "references = @./gone.usda@"))})
    codes = [item.code for item in check(path).findings]
    assert codes[0] == "stage/composition"
    assert "collider/no-shape" in codes


# --- targets ---------------------------------------------------------------------------------------------------------

def part(target: str, relation: str = "rel physics:body0") -> str:
    """A layer with /art that holds a body and a joint, of which one target is given, and /stand outside of it."""
    held = joint("Revolute", "hinge", "", "", (), {"rel physics:body1": "</art/box>", relation: f"<{target}>"})
    return layer(prim("Xform", "art", (), {}, BOX + held), link("stand"), default="art")


@pytest.mark.parametrize("metadata", ["references = @part.usda@", "payload = @part.usda@"])
def test_a_target_outside_a_reference_is_an_error_with_prim_and_property(metadata: str, tmp_path: Path) -> None:
    path = written(tmp_path, {"part.usda": part("/stand"), "a.usda": layer(holder("R2", metadata))})
    (finding,) = found(path, "stage/target-dropped")
    assert (finding.severity, finding.path, finding.property) == ("error", "/R2/hinge", "physics:body0")
    assert "</stand>" in finding.message and "part.usda" in finding.message


def test_a_target_inside_a_reference_is_none(tmp_path: Path) -> None:
    path = written(tmp_path, {"part.usda": part("/art/box"), "a.usda": layer(holder("R2", "references = @part.usda@"))})
    assert not found(path, "stage/target-dropped")


def test_the_target_authored_on_the_stage_is_the_remedy(tmp_path: Path) -> None:
    mended = 'over "hinge"\n{\n    rel physics:body0 = </stand>\n}\n'
    path = written(tmp_path, {"part.usda": part("/stand"),
                              "a.usda": layer(holder("R2", "references = @part.usda@", mended), link("stand"))})
    assert not found(path, "stage/target-dropped")
    (held,) = describe(path).joints
    assert (held.body0, held.body1) == ("/stand", "/R2/box")


def test_a_scene_outside_a_reference_is_a_warning(tmp_path: Path) -> None:
    owned = link("art", more={"rel physics:simulationOwner": "</scene>"})
    path = written(tmp_path, {"part.usda": layer(owned, prim("PhysicsScene", "scene"), default="art"),
                              "a.usda": layer(holder("R2", "references = @part.usda@"))})
    assert [item.severity for item in found(path, "stage/target-dropped")] == ["warning"]


# --- what commands print ----------------------------------------------------------------------------------------------

@pytest.fixture
def incomplete(tmp_path: Path) -> str:
    """A body, and a reference to a layer that is not there."""
    return str(written(tmp_path, {"a.usda": layer(BOX, holder("arm", "references = @./gone.usda@"))}))


@pytest.mark.parametrize("arguments", [
    ("describe",), ("check",), ("check", "--format", "sarif"), ("simulate", "--steps", "1"), ("verify",),
    ("migrate",),
])
def test_no_command_shows_lines_of_usd(arguments: tuple[str, ...], incomplete: str,
                                       capfd: pytest.CaptureFixture[str]) -> None:
    done = call(arguments[0], incomplete, *arguments[1:])
    text = done.output + done.stderr + "".join(capfd.readouterr())
    assert "gone.usda" in text
    assert "stage.cpp" not in text and "Warning: in" not in text and "0x" not in text


def test_simulate_says_what_is_missing_and_exits_with_5_under_strict(incomplete: str) -> None:
    done = call("simulate", incomplete, "--steps", "1", "--strict")
    assert done.exit_code == 5
    assert done.stderr.startswith(f"{incomplete}: /arm.references: the reference @")
    assert call("simulate", incomplete, "--steps", "1").exit_code == 0


def test_a_stage_without_bodies_names_the_missing_layer(tmp_path: Path) -> None:
    path = str(written(tmp_path, {"a.usda": layer(
        holder("R", "payload = @./gone.usda@", 'over "x"\n{\n    float physics:mass = 1\n}\n'))}))
    done = call("simulate", path, "--steps", "1")
    assert done.exit_code == 2
    assert "the stage has no rigid body: /R: the payload @" in done.stderr
    assert call("simulate", path, "--steps", "1", "--strict").exit_code == 5


def test_describing_a_path_warns_of_what_is_missing(incomplete: str) -> None:
    with pytest.warns(StageWarning, match=r"/arm\.references: the reference @"):
        describe(incomplete)


def test_another_remark_of_usd_is_a_finding(tmp_path: Path) -> None:
    text = 'def Xform "a"\n{\n    uniform token[] xformOpOrder = ["", "xformOp:none"]\n' + BOX + "}\n"
    path = written(tmp_path, {"a.usda": layer(text)})
    (finding,) = found(path, "stage/usd")
    assert (finding.severity, finding.path) == ("info", "/a")
    assert "USD warns: " in finding.message

"""Where findings are in the files of a stage: the text under the caret, through all that composes a stage."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from pxr import Sdf, Usd
from support.nonempty import nonempty
from support.places import ROOT, STAGES
from support.stages.composed import holder, layer, written

from physx_schema.checking import Finding, check
from physx_schema.checking.engine.authored_specs import is_named
from physx_schema.description import robot_files
from physx_schema.reports import regions as regions_module
from physx_schema.reports.regions import TextRegion, TextRegions

MASS = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
BODY = holder("body", MASS, "    float physics:mass = -1\n")
TARGETS = holder("j", 'prepend apiSchemas = ["PhysxJointAPI"]',
                 "    rel physics:body0 = </World/none>\n    rel physics:body1 = [</World/body>, </World/gone>]\n",
                 "def PhysicsRevoluteJoint")


def found(stage: Path | Usd.Stage, code: str) -> tuple[Finding, TextRegion | None]:
    """The first finding of a code on a stage, and its region."""
    report = check(stage if isinstance(stage, Usd.Stage) else str(stage))
    finding = next(item for item in report.findings if item.code == code)
    return finding, TextRegions(str(stage), report.findings).of(finding)


def sliced(finding: Finding, region: TextRegion | None, stage: Path) -> str:
    """The text under the caret, read from the file."""
    assert region is not None
    lines = Path(finding.layer or stage).read_text("utf-8").split("\n")
    line: str = lines[region.line - 1]
    assert line == region.before + region.text + region.after
    assert (region.previous, region.following) == (lines[region.line - 2], lines[region.line])
    return line[region.column - 1:region.end_column - 1]


def world(inside: str, metadata: str = "") -> str:
    return holder("World", metadata or "kind = \"assembly\"", inside)


@pytest.mark.parametrize(("layers", "file", "code", "text"), [
    ({"root.usda": layer(world(BODY))}, "", "value/range", "-1"),
    ({"root.usda": layer(world(BODY.replace("mass =", "mas =")))}, "", "unused/misspelt-property", "physics:mas"),
    ({"root.usda": layer(world(BODY.replace("-1", "[\n-1]").replace("float ", "float[] ")))}, "", "value/wrong-type",
     "physics:mass"),
    ({"root.usda": layer(world(BODY.replace("mass =", "mass.timeSamples =").replace("-1", "{ 0: 1, 2: 3 }")))}, "",
     "value/only-samples", "{ 0: 1, 2: 3 }"),
    ({"root.usda": layer(world(BODY.replace(" = -1", " = 1\n    float physics:mass.timeSamples = {\n 0: 1\n}")))}, "",
     "value/time-samples", "physics:mass"),
    ({"root.usda": layer(world(BODY.replace("PhysicsMassAPI", "PhysxMimicJointAPI:rotX")))}, "", "DJ.007/host",
     "PhysxMimicJointAPI:rotX"),
    ({"root.usda": layer(world(holder("body", 'prepend apiSchemas = ["PhysicsRigidBodyAPI"]')))}, "", "body/no-mass",
     "body"),
    ({"root.usda": layer(world(TARGETS))}, "", "joint/missing-body", "</World/none>"),
    ({"root.usda": layer(world(""), up="X")}, "", "stage/up-axis", '"X"'),
    ({"weak.usda": layer(world(BODY)), "root.usda": layer(sublayers="@weak.usda@")}, "weak.usda", "value/range", "-1"),
    ({"asset.usda": layer(BODY, default="body"),
      "root.usda": layer(world(holder("arm", "references = @asset.usda@")))}, "asset.usda", "value/range", "-1"),
    ({"asset.usda": layer(BODY, default="body"),
      "root.usda": layer(world(holder("arm", "payload = @asset.usda@\n    instanceable = true")))}, "asset.usda",
     "value/range", "-1"),
    ({"asset.usda": layer(world(BODY)), "root.usda": layer(world("", "references = @asset.usda@").replace(
        "{\n}", '{\n    over "body"\n    {\n        float physics:mass = -2\n    }\n}'))}, "", "value/range", "-2"),
    ({"asset.usda": layer(world(BODY)), "root.usda": layer(world("", "references = @asset.usda@").replace(
        "{\n}", '{\n    over "body"\n    {\n        float physics:mass (doc = "x")\n    }\n}'))}, "asset.usda",
     "value/range", "-1"),
    ({"asset.usda": layer(world(BODY)), "root.usda": layer(world("", "references = @asset.usda@").replace(
        "{\n}", '{\n    over "body"\n    {\n        float physics:mass = 0.5\n    }\n}'), up="X")}, "",
     "stage/up-axis", '"X"'),
])
def test_caret_is_below_the_opinion(layers: Mapping[str, str], file: str, code: str, text: str, tmp_path: Path) -> None:
    stage = written(tmp_path, layers)
    finding, region = found(stage, code)
    assert (Path(finding.layer).name, sliced(finding, region, stage)) == (file, text)


VARIANTS = '''    variantSet "load" = {
        "light" {
            over "body" { float physics:mass = -3; }
        }
        "heavy" {
            over "body"
            {
                float physics:mass = -4
            }
        }
    }
'''


@pytest.mark.parametrize(("variant", "text"), [("light", "-3"), ("heavy", "-4")])
def test_caret_is_in_the_selected_variant(variant: str, text: str, tmp_path: Path) -> None:
    chosen = f'variants = {{ string load = "{variant}" }}\n    prepend variantSets = "load"'
    body = BODY.replace("    float physics:mass = -1\n", "")
    stage = written(tmp_path, {"root.usda": layer(world(body + VARIANTS, chosen))})
    finding, region = found(stage, "value/range")
    assert (finding.spec_path, sliced(finding, region, stage)) == (f"/World{{load={variant}}}body", text)


@pytest.mark.parametrize("suffix", ["usdc", "usdz"])
def test_binary_files_have_no_regions(suffix: str, tmp_path: Path) -> None:
    from pxr import UsdUtils
    stage, target = written(tmp_path, {"root.usda": layer(world(BODY))}), tmp_path / f"stage.{suffix}"
    crate = tmp_path / "stage.usdc"
    Sdf.Layer.FindOrOpen(str(stage)).Export(str(crate))
    if suffix == "usdz":
        UsdUtils.CreateNewUsdzPackage(str(crate), str(target))
    assert found(target, "value/range")[1] is None


def test_unsaved_changes_have_no_regions(tmp_path: Path) -> None:
    stage = Usd.Stage.Open(str(written(tmp_path, {"root.usda": layer(world(BODY))})))
    stage.GetPrimAtPath("/World/body").GetAttribute("physics:mass").Set(-7.0)
    assert found(stage, "value/range")[0].spec_path == ""


def test_opinion_below_an_instance_is_found_where_it_is_authored(tmp_path: Path) -> None:
    over = '    over "body"\n    {\n        float physics:mass = -5\n    }\n'
    asset = layer(holder("World", 'kind = "group"', BODY))
    root = layer(world(holder("arm", "references = @asset.usda@\n    instanceable = true", over)))
    stage = written(tmp_path, {"asset.usda": asset, "root.usda": root})
    finding, region = found(stage, "unused/below-instance")
    assert (finding.layer, sliced(finding, region, stage)) == ("", "physics:mass")


def test_regions_survive_lines_of_windows_and_letters_of_any_width(tmp_path: Path) -> None:
    text = layer(world(BODY.replace("-1", '-1 (doc = "Größe 質量")'))).replace("\n", "\r\n")
    (tmp_path / "root.usda").write_bytes(text.encode())
    finding, region = found(tmp_path / "root.usda", "value/range")
    assert sliced(finding, region, tmp_path / "root.usda") == "-1"


def test_each_file_is_read_once_for_all_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = "".join(BODY.replace('"body"', f'"b{index}"') for index in range(9))
    stage = written(tmp_path, {"weak.usda": layer(world(bodies)), "root.usda": layer(
        world(bodies.replace('"b', '"c')), sublayers="@weak.usda@")})
    read: list[str] = []

    def recorded(file: str) -> str:
        read.append(Path(file).name)
        return Path(file).read_text("utf-8")

    monkeypatch.setattr(regions_module, "_read", recorded)
    findings = check(str(stage)).findings
    found_regions = TextRegions(str(stage), findings)
    assert sorted(read) == ["root.usda", "weak.usda"]
    assert sum(found_regions.of(item) is not None for item in findings if item.code == "value/range") == 18


def _require_regions(path: Path) -> int:
    """Every region of a stage is the property's name or value, the prim's name or a schema; the number of regions."""
    try:
        stage = Usd.Stage.Open(str(path))
    except RuntimeError:
        return 0
    report = check(stage)
    regions, count = TextRegions(str(path), report.findings), 0
    for finding in report.findings:
        if (region := regions.of(finding)) is None:
            continue
        count += 1
        line = Path(finding.layer or path).read_text("utf-8").split("\n")[region.line - 1]
        text = line[region.column - 1:region.end_column - 1]
        prim, name = finding.spec_path.rpartition("/")[2].rpartition("}")[2], finding.property
        is_value = bool(name) and re.search(rf"(?<![\w:]){re.escape(name)}(\.\w+)?\s*=\s*$", region.before) is not None
        allowed = {prim, *([name] if name else []), "customLayerData"}
        assert text in allowed or is_value or is_named(text.partition(":")[0], finding.message), (finding, text)
    return count


@pytest.mark.parametrize("path", sorted(STAGES.glob("*.usda")), ids=lambda path: path.stem)
def test_every_caret_of_a_kept_stage_is_on_its_name_or_value(path: Path) -> None:
    assert _require_regions(path) > 0 or path.stem == "clean_finger"


@pytest.mark.sweep
def test_every_caret_of_a_recorded_case_is_on_its_name_or_value(case_stages: list[Path]) -> None:
    assert sum(map(_require_regions, nonempty(case_stages))) > len(case_stages)


# --- robots ---

URDF = """<robot name="arm">
<!-- Größe --><link name="base"/>
  <link name="upper"/> <link name="fore"/>
  <joint name="shoulder" type="revolute">
    <limit effort="1"
           lower="2" upper='1'/><mass value = "3"/>
  </joint>
</robot>
"""


@pytest.mark.parametrize(("element", "name", "line", "text"), [
    ("link base", "apiSchemas", 2, "link"), ("joint shoulder", "physics:lowerLimit", 6, "2"),
    ("joint shoulder", "physics:upperLimit", 6, "1"), ("joint shoulder", "physics:mass", 6, "3"),
    ("joint shoulder", "physics:velocityLimit", 5, "limit"), ("joint shoulder", "", 4, "joint"),
    ("robot arm", "", 1, "robot"), ("link gone", "", 0, "")])
def test_caret_is_below_the_element_or_attribute_of_a_robot(
    element: str, name: str, line: int, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, kept = tmp_path / "arm.urdf", tmp_path / "arm.usda"
    path.write_text(URDF, encoding="utf-8")
    shutil.copy(ROOT / "tests" / "data" / "guides" / "arm.usda", kept)
    monkeypatch.setitem(robot_files._ORIGINALS, str(kept), path)
    finding = Finding("a/b", "error", element, name, "message", "why", "fix")
    region = TextRegions(str(path), [finding]).of(finding)
    assert (region and sliced(finding, region, path), region and region.line) == (text or None, line or None)

"""The layer and the path of the spec that a finding is about."""

from __future__ import annotations

from pathlib import Path

import pytest
from pxr import Sdf, Usd
from support.stages.composed import holder, layer, written

from physx_schema.checking.engine.authored_specs import is_named, with_spec
from physx_schema.checking.engine.finding import Finding

BODY = holder("body", 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]',
              "    float physics:mass = 1\n    float physics:density.timeSamples = { 0: 1 }\n    rel owner = </body>\n")
OVER = '''def "World" (references = @asset.usda@</body>)
{
    float physics:mass (doc = "no value")
    float physics:density = 2
    rel owner (doc = "no target")
    token visibility = "invisible"
}
'''


@pytest.fixture
def stage(tmp_path: Path) -> Usd.Stage:
    """A prim with opinions in a root layer and in a weaker asset."""
    return Usd.Stage.Open(str(written(tmp_path, {"asset.usda": layer(BODY, default="body"), "root.usda": layer(OVER)})))


def finding(name: str, code: str = "value/range", message: str = "m", path: str = "/World") -> Finding:
    return Finding(code, "error", path, name, message, "why", "fix")


@pytest.mark.parametrize(("about", "file", "path"), [
    (finding("visibility"), "", "/World"), (finding("physics:mass"), "asset.usda", "/body"),
    (finding("owner"), "asset.usda", "/body"), (finding("physics:density"), "", "/World"),
    (finding("physics:density", "value/time-samples"), "asset.usda", "/body"),
    (finding("apiSchemas", message="PhysicsMassAPI is alone"), "asset.usda", "/body"),
    (finding("missing"), "", "/World"), (finding(""), "", "/World"), (finding("references"), "", "/World"),
    (finding("upAxis", path="/"), "", "/"), (finding("", path="/none"), "", ""),
    (finding("", path="not a path"), "", ""), (finding("not a name"), "", "/World")])
def test_spec_is_the_strongest_that_has_what_the_finding_is_about(
    stage: Usd.Stage, about: Finding, file: str, path: str,
) -> None:
    located = with_spec(stage, about)
    assert (Path(located.layer).name, located.spec_path) == (file, path)


def test_session_layer_has_no_file(stage: Usd.Stage) -> None:
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        stage.GetPrimAtPath("/World").GetAttribute("physics:mass").Set(3.0)
    located = with_spec(stage, finding("physics:mass"))
    assert (located.layer, located.spec_path) == (stage.GetSessionLayer().GetDisplayName(), "")


def test_layer_in_memory_has_no_file() -> None:
    memory = Usd.Stage.CreateInMemory()
    memory.DefinePrim("/World").CreateAttribute("physics:mass", Sdf.ValueTypeNames.Float).Set(1.0)
    assert with_spec(memory, finding("physics:mass")).spec_path == ""


@pytest.mark.parametrize(("schema", "message", "named"), [
    ("PhysxJointAPI", "PhysxJointAPI is retired", True), ("PhysxJointAPI", "PhysxJointAxisAPI is retired", False),
    ("PhysicsDriveAPI:linear", "PhysicsDriveAPI:linear is idle", True),
    ("PhysicsDriveAPI:linear", "PhysicsDriveAPI:angular is idle", False),
    ("PhysxMimicJointAPI:transZ", "instance name 'transZ' of PhysxMimicJointAPI", True)])
def test_schema_is_named_by_its_type_and_its_instance(schema: str, message: str, named: bool) -> None:
    assert is_named(schema, message) == named

"""What a stage's root layer says about a prim, property by property."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pxr import Sdf, Usd

from physx_schema import AuthoringError, check
from physx_schema.description import Description, describe


def text(stage: Usd.Stage) -> str:
    """The root layer as USDA."""
    return str(stage.GetRootLayer().ExportToString())


def schemas(stage: Usd.Stage, path: str) -> list[str]:
    """The applied schemas of a prim, composed."""
    return [str(name) for name in stage.GetPrimAtPath(path).GetPrimTypeInfo().GetAppliedAPISchemas()]


def properties(stage: Usd.Stage, path: str, namespace: str) -> dict[str, str]:
    """Every property of a namespace as the USDA line after its name: "uniform token = rotX", "rel = /World/link"."""
    found = {}
    for spec in stage.GetRootLayer().GetPrimAtPath(path).properties:
        if not spec.name.startswith(namespace + ":"):
            continue
        if isinstance(spec, Sdf.RelationshipSpec):
            found[spec.name] = "rel = " + ", ".join(map(str, spec.targetPathList.explicitItems))
            continue
        uniform = "uniform " if spec.variability == Sdf.VariabilityUniform else ""
        found[spec.name] = f"{uniform}{spec.typeName} = {spec.default}"
    return found


def clean(stage: Usd.Stage) -> Description:
    """The description of a stage on which nothing is wrong, unused or worth a finding, poses aside."""
    described = describe(stage)
    assert ([item for item in described.problems if item.severity != "info"], described.unused) == ([], ())
    apart = ["DJ.003", "tendon/rest-from-pose"]     # links of these stages need not be where joints are
    found = check(stage, "physx", ignore=apart).findings
    findings = [f"{item.code} {item.path}.{item.property}" for item in found if item.severity != "info"]
    assert findings == []
    return described


def refusal(stage: Usd.Stage, call: Callable[[], object]) -> list[str]:
    """The lines of the AuthoringError that a call raises, having left the stage's layers as they were."""
    before = [layer.ExportToString() for layer in stage.GetLayerStack()]
    with pytest.raises(AuthoringError) as raised:
        call()
    assert [layer.ExportToString() for layer in stage.GetLayerStack()] == before
    return str(raised.value).splitlines()


def one_line(lines: list[str], *parts: str) -> None:
    """Exactly one line, which begins with the first part and holds the others."""
    assert len(lines) == 1, lines
    assert lines[0].startswith(parts[0])
    assert all(part in lines[0] for part in parts), lines[0]

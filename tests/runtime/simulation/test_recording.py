"""How results show themselves at a prompt."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import physx_runtime
import pytest
from support.stages.recorded_arm import arm, saved

import physx_schema
from physx_schema.text import MAX_ROWS, html_table


@pytest.fixture
def stage(tmp_path: Path) -> str:
    return str(saved(arm(), tmp_path / "arm.usda"))


def test_a_description_tells_its_counts_in_a_line(stage: str) -> None:
    found = physx_schema.describe(stage)
    assert repr(found).startswith(f"Description({found.source!r}, articulations=1, bodies=0, joints=0, ")


def test_a_check_report_tells_its_counts_in_a_line(stage: str) -> None:
    found = physx_schema.check(stage)
    assert repr(found).startswith(f"Report({found.source!r}, {found.profile!r}, errors={len(found.errors)}, ")


def test_a_recording_tells_its_sizes_in_a_line(stage: str) -> None:
    found = physx_runtime.simulate(stage, steps=2)
    assert repr(found).startswith(f"Recording(records=3, worlds=1, dofs={len(found.joint_names)}, ")


def test_a_verification_tells_its_counts_in_a_line() -> None:
    assert repr(physx_runtime.Verification("arm.usda", (), 0.01, ())) == (
        "Verification('arm.usda', rows=0, failed=0, dt=0.01)")


HOSTILE = "/World/<script>alert(1)</script>&\"'\u202e"


def rows(shown: Any) -> list[list[str]]:
    """The cells of a table but for its headings."""
    found = [re.findall(r"<td[^>]*>(.*?)</td>", line) for line in re.findall(r"<tr>(.*?)</tr>", shown._repr_html_())]
    return [cells for cells in found if cells]


def test_a_description_is_a_table_of_what_there_is(stage: str) -> None:
    assert rows(physx_schema.describe(stage)) == [
        ["articulation", "/World", "links 3, dofs 2, tendons 0, mimic joints 0"]]


def test_a_check_report_is_a_table_of_its_findings_errors_first(stage: str) -> None:
    found = physx_schema.check(stage)
    finding = physx_schema.Finding("a/b", "info", "/World", "mass", "is 0", "", "author it")
    shown = rows(replace(found, findings=(finding, replace(finding, severity="error"))))
    assert shown == [[severity, "a/b", "/World.mass", "is 0", "author it"] for severity in ("error", "info")]


def test_a_recording_is_a_table_of_its_joints(stage: str) -> None:
    found = physx_runtime.simulate(stage, steps=2, joint_velocity={"/World/shoulder": 0.5})
    shown = {name: values for name, *values in rows(found)}
    assert list(shown) == list(found.joint_names)
    shoulder = found.joint_position[:, 0, found.joint_names.index("/World/shoulder")]
    assert shown["/World/shoulder"][1] == f"{shoulder[-1]:.4g}"


def verification(*found: physx_runtime.Row) -> physx_runtime.Verification:
    return physx_runtime.Verification("arm.usda", found, 0.01, ())


def row(path: str, verdict: str) -> physx_runtime.Row:
    return physx_runtime.Row(path, "mass", 2.0, 1.5, 2.0, verdict, "")


def test_a_verification_is_a_table_of_its_rows_altered_first() -> None:
    assert rows(verification(row("/a", "as authored"), row("/b", "altered"))) == [
        ["/b", "mass", "2", "1.5", "2", "altered"], ["/a", "mass", "2", "1.5", "2", "as authored"]]


def test_a_table_is_short_and_says_how_much_more_there_is() -> None:
    shown = rows(verification(*(row("/a", "altered") for _ in range(MAX_ROWS + 3))))
    assert len(shown) == MAX_ROWS + 1
    assert shown[-1] == ["and 3 more"]


def test_names_in_tables_are_text_whatever_they_hold(stage: str) -> None:
    described, recorded = physx_schema.describe(stage), physx_runtime.simulate(stage, steps=1)
    hostile = [
        replace(described, articulations=(replace(described.articulations[0], path=HOSTILE),)),
        replace(physx_schema.check(stage), source=HOSTILE,
                findings=(physx_schema.Finding(HOSTILE, "error", HOSTILE, HOSTILE, HOSTILE, "", HOSTILE),)),
        replace(recorded, joint_names=(HOSTILE,) * 2), verification(row(HOSTILE, "altered"))]
    for shown in hostile:
        text = shown._repr_html_()
        assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#x27;\\u202e" in text
        assert "<script" not in text and "\u202e" not in text


def test_headings_and_captions_are_text_too() -> None:
    assert html_table("<b>", ("<i>",), [("x",)]) == (
        "<table><caption>&lt;b&gt;</caption><tr><th>&lt;i&gt;</th></tr><tr><td>x</td></tr></table>")

"""What checks look like to other programs: SARIF, GitHub's annotations, the page, and lines found in usda text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.places import STAGES
from support.stages.robots import base, finger, joint, link, robot

from physx_schema.checking import RULES
from physx_schema.command_line.program import program

HOSTILE = finger({"uniform token drive:angular:physics:type": "</script><b>%0A::error::x"},
                 ("PhysicsDriveAPI:angular",))


def shown(style: str, *arguments: str) -> str:
    return CliRunner().invoke(program(), ["check", "--format", style, *arguments]).stdout


# --- SARIF ---


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every bad stage, one that is missing, one with a waiver, one with a known finding."""
    folder = tmp_path_factory.mktemp("sarif")
    text = (STAGES / "misspelt_token.usda").read_text()
    place = text.index('def PhysicsRevoluteJoint "j" (') + len('def PhysicsRevoluteJoint "j" (')
    waiver = 'customData = { dictionary physxSchema = { dictionary waive = { string "value/token" = "meant" } } }'
    (folder / "waived.usda").write_text(f"{text[:place]}\n        {waiver}{text[place:]}")
    (folder / "known.usda").write_text(text)
    known = str(folder / "known.json")
    CliRunner().invoke(program(), ["check", str(folder / "known.usda"), "--write-baseline", known])
    files = [*map(str, sorted(STAGES.glob("*.usda"))), *(str(folder / name) for name in ("waived.usda", "known.usda"))]
    found: dict[str, Any] = json.loads(shown("sarif", *files, str(folder / "none.usda"), "--baseline", known))
    return found


def results(log: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from log["runs"][0]["results"]


def test_log_has_what_the_standard_requires(log: dict[str, Any]) -> None:
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    run = log["runs"][0]
    assert run["tool"]["driver"]["name"] == "physx-schema"
    assert {type(run[name]) for name in ("results", "invocations")} == {list}
    assert isinstance(run["invocations"][0]["executionSuccessful"], bool)
    assert set(run) <= {"tool", "columnKind", "invocations", "results"}


def test_rules_are_described_once_each(log: dict[str, Any]) -> None:
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(RULES)
    assert all(rule["shortDescription"]["text"] and rule["fullDescription"]["text"] for rule in rules)
    assert {rule["defaultConfiguration"]["level"] for rule in rules} == {"none", "note", "warning", "error"} - {"none"}


def test_results_have_what_the_standard_requires(log: dict[str, Any]) -> None:
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    for result in results(log):
        assert set(result) <= {
            "ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints", "properties",
            "baselineState", "suppressions"}
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("note", "warning", "error")      # without a "kind", which then is "fail"
        assert result["message"]["text"]
        place = result["locations"][0]
        assert place["logicalLocations"][0]["fullyQualifiedName"].startswith("/")
        uri = place["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(file://)?[\w/.%~-]+", uri)
        assert place["physicalLocation"].get("region", {"startLine": 1})["startLine"] >= 1
    assert len(list(results(log))) >= 7


def test_waived_result_is_suppressed_with_its_reason(log: dict[str, Any]) -> None:
    suppressed = [item["suppressions"] for item in results(log) if "suppressions" in item]
    assert suppressed == [[{"kind": "inSource", "status": "accepted", "justification": "meant"}]]


def test_known_result_is_unchanged(log: dict[str, Any]) -> None:
    assert [item["ruleId"] for item in results(log) if item.get("baselineState") == "unchanged"] == ["value/token"]


def test_unreadable_file_is_a_notification(log: dict[str, Any]) -> None:
    invocation = log["runs"][0]["invocations"][0]
    assert invocation["executionSuccessful"] is False
    errors = [item for item in invocation["toolExecutionNotifications"] if item["level"] == "error"]
    assert len(errors) == 1 and "no such file" in errors[0]["message"]["text"]


# --- GitHub ---


def test_annotation_names_file_line_and_code() -> None:
    path = STAGES / "misspelt_token.usda"
    line = 1 + path.read_text().splitlines().index('        uniform token drive:angular:physics:type = "acelleration"')
    first, where = shown("github", str(path)).splitlines()[0], "/Robot/j.drive:angular:physics:type"
    assert first.startswith(f"::error file={path},line={line},col=52,title=value/token::{where}: ")


def test_annotation_cannot_be_broken_out_of(tmp_path: Path) -> None:
    path = tmp_path / "a,b:c.usda"
    path.write_text(HOSTILE)
    lines = shown("github", str(path)).splitlines()
    assert all(line.startswith("::") for line in lines) and len(lines) == 1
    assert "file=" + str(path).replace(",", "%2C").replace(":", "%3A") in lines[0] and "%250A::error::x" in lines[0]


# --- the page ---


class Page(HTMLParser):
    """Tags, addresses and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        values = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := values.get(name))]
        self.ids |= {value for value in [values.get("id")] if value}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_page_needs_nothing_from_elsewhere_and_its_links_lead_somewhere() -> None:
    found = Page(shown("html", str(STAGES / "mimic_transz.usda"), str(STAGES / "misspelt_token.usda")))
    assert found.links and all(link.startswith("#") and link[1:] in found.ids for link in found.links)
    assert not {"script", "img", "link", "iframe"} & set(found.tags)


def test_page_shows_findings_and_what_their_codes_mean() -> None:
    found = Page(shown("html", str(STAGES / "mimic_transz.usda")))
    assert "rename the mimic instance to rotX" in found.text and RULES["DJ.007/instance"].text in found.text


def test_page_has_errors_before_warnings_before_infos(tmp_path: Path) -> None:
    path = tmp_path / "mixed.usda"
    values = {"float physics:breakForce": 1.0, "float mjc:armature": 1.0, "float physxJointAxis:angular:armature": -1.0}
    joints = [joint("Revolute", f"j{name}", "base", name, ("PhysxJointAxisAPI:angular",), values) for name in "ab"]
    path.write_text(robot(base(), link("a"), link("b"), *joints))
    marks = re.findall(r"[✕▲i] (error|warning|info)\b", Page(shown("html", str(path))).text.partition("/Robot")[2])
    assert marks.count("error") == 2 and set(marks) == {"error", "warning", "info"}
    assert marks == sorted(marks, key=["error", "warning", "info"].index)


def test_page_escapes_what_stages_say(tmp_path: Path) -> None:
    path = tmp_path / "hostile.usda"
    path.write_text(HOSTILE)
    found = Page(shown("html", str(path)))
    assert "</script><b>" in found.text and "script" not in found.tags


def test_page_says_which_files_were_not_checked(tmp_path: Path) -> None:
    assert "This file was not checked" in Page(shown("html", str(tmp_path / "none.usda"))).text

"""The HTML report: what it says, that nothing in it can run or hide, and that it needs nothing else.

A report in Chromium: it plays, its sliders move the robot, and nothing leaves the page.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from physx_runtime import simulate
from physx_runtime.verification.report import Change, Remedy, Row, Verification
from physx_runtime.viewing.report import effective_ratio, headline, percent, report_robot, write_report
from physx_runtime.viewing.text import numeral
from support.chromium import opened_page
from support.stages.iteration_stages import GRAVITY, free, opened, prim, slider
from support.stages.iteration_stages import stage as stage_of
from support.stages.recorded_arm import ELBOW, SHOULDER, arm, saved, swing

from physx_schema import authoring
from physx_schema.checking import Finding, Report
from physx_schema.description import Opinion
from physx_schema.description.scenes import SolverCounts

VOID = {"meta", "col", "br", "wbr", "link", "img", "hr", "input"}
STIFFNESS = Row(SHOULDER, "physxTendon:cord:stiffness", 300.0, 103.125, 100.0, "altered",
                "divided by 3 axes; pulled twice", "force/length", remedy=Remedy(872.7, 300.0))
GEARING = Row(ELBOW, "physxTendon:cord:gearing", 0.01, 0.01, 0.01, "as authored", "")
GONE = Row(ELBOW, "physxMimicJoint:Z:gearing", -2.0, None, None, "ignored", "no such instance")
UNKNOWN = Row(ELBOW, "physxJointAxis:angular:armature", 0.5, None, None, "not evaluated", "no experiment")
ERROR = Finding("DJ.007/instance", "error", ELBOW, "apiSchemas", "instance name 'Z'", "PhysX ignores it", "rename it")


def verification(*rows: Row) -> Verification:
    return Verification("arm.usda", rows, 1 / 60, (SolverCounts("/Arm", 32, 1, "/Arm", "/Arm", (32, 1)),))


def report(*findings: Finding, unused: tuple[Opinion, ...] = ()) -> Report:
    return Report("arm.usda", "physx+simready", findings, unused)


def page(folder: Path, rows: tuple[Row, ...] = (STIFFNESS, GEARING), checked: Report | None = None) -> str:
    """A report with few plots."""
    stage = saved(arm(), folder / "arm.usda")
    path = write_report(folder / "report.html", stage, checked or report(), verification(*rows), swing([(0.0, 0.0)]))
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report with everything in it."""
    folder = tmp_path_factory.mktemp("full")
    stage = saved(arm(tendon=True, mimic=True, spatial=True), folder / "arm.usda")
    made = swing([(0.0, 0.0), (30.0, 20.0), (60.0, -10.0)])
    checked = report(ERROR, unused=(Opinion(ELBOW, "physxMimicJoint:rotX:gearng", "no schema has it", "gearing"),))
    rows = verification(STIFFNESS, GEARING, GONE, UNKNOWN)
    return write_report(folder / "report.html", stage, checked, rows, made).read_text(encoding="utf-8")


def test_an_altered_row_says_what_to_author(tmp_path: Path) -> None:
    assert "author 872.7 to get 300" in words(page(tmp_path))


def test_joints_outside_articulations_are_named_with_what_they_hold_and_when_they_broke(tmp_path: Path) -> None:
    held = stage_of(slider("S"), free("B"), prim("PhysicsFixedJoint", "J", "", {
        "rel physics:body1": "</B>", "point3f physics:localPos0": "(50, 0, 0)", "float physics:breakForce": "5"}))
    checked, recording = report(), simulate(opened(held), 0.01, 4)
    path = write_report(tmp_path / "report.html", opened(held), checked, verification(), recording)
    assert "/J: fixed, from the world to /B, broken at 0.01 s" in words(path.read_text(encoding="utf-8"))


def words(html: str) -> str:
    """The text a reader sees, blanks joined."""
    body = re.sub(r"<(style|svg|script|button)\b.*?</\1>|<wbr>", "", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def test_what_is_ignored_on_many_prims_is_one_line_and_in_no_table(tmp_path: Path) -> None:
    gone = [replace(GONE, path=f"/Arm/joint{i}") for i in range(40)]
    html = page(tmp_path, (STIFFNESS, *gone))
    assert "40 values ignored: no such instance physxMimicJoint:Z:gearing on 40 prims" in words(html)
    assert "/Arm/joint7" not in html


def test_a_message_that_many_findings_of_a_rule_share_is_said_once(tmp_path: Path) -> None:
    shared = [replace(ERROR, path=f"/Arm/joint{i}") for i in range(5)]
    assert words(page(tmp_path, (), report(*shared))).count("instance name") == 1


def test_what_one_prim_alone_ignores_is_in_the_table(tmp_path: Path) -> None:
    elements = Elements(page(tmp_path, (GEARING, GONE)))
    assert ("td", {"class": "verdict ignored", "data-label": "Verdict"}) in elements.found


class Elements(HTMLParser):
    """Collects tags with their attributes, and checks that they nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"


@pytest.mark.parametrize(("rows", "findings", "sentence"), [
    ((GEARING,), (), "The only measured value takes effect as authored; the check found no errors."),
    ((GEARING, GEARING), (), "All 2 measured values take effect as authored; the check found no errors."),
    ((STIFFNESS, GEARING, GONE, UNKNOWN), (ERROR,),
     "Couplings do not act: /World/elbow (DJ.007/instance). /World/shoulder.physxTendon:cord:stiffness is effectively "
     "103.1 instead of 300. 3 values measured: 1 altered and 1 ignored, the other values act as authored; the check "
     "found 1 error."),
    ((GEARING, GONE), (), "Couplings do not act: /World/elbow.physxMimicJoint:Z:gearing. 2 values measured: 1 ignored, "
                          "the other values act as authored; the check found no errors."),
    ((UNKNOWN,), (), "The 1 authored value could not be measured; the check found no errors."),
    ((), (), "The stage has no values that verification measures; the check found no errors."),
])
def test_the_headline_is_the_verdict(rows: tuple[Row, ...], findings: tuple[Finding, ...], sentence: str) -> None:
    assert headline(report(*findings), verification(*rows)) == sentence


def test_a_row_shows_authored_effective_and_ideal_value_with_verdict_and_reason(full: str) -> None:
    found = words(full)
    assert ("physxTendon:cord:stiffness force/length 300 103.1 100 \N{ALMOST EQUAL TO} altered 34 % "
            "divided by 3 axes; pulled twice") in found


def test_values_that_were_not_measured_are_listed_with_the_reason(full: str) -> None:
    found = words(full)
    assert "1 value not evaluated: no experiment /World/elbow.physxJointAxis:angular:armature 0.5" in found


def test_values_of_many_prims_that_were_not_measured_are_one_entry(tmp_path: Path) -> None:
    masses = tuple(Row(f"/World/link{i}", "physics:mass", 1.0, None, None, "not evaluated", "no way") for i in range(9))
    assert "9 values not evaluated: no way physics:mass on 9 prims" in words(page(tmp_path, masses))


def test_vector_is_shown_in_brackets(tmp_path: Path) -> None:
    row = Row("/scene", "physics:gravityDirection", (0.0, 0.0, -1.0), (0.0, 0.0, -1.0), None, "as authored", "")
    assert "(0, 0, \N{MINUS SIGN}1)" in words(page(tmp_path, (row,)))


def test_findings_come_with_why_and_fix(full: str) -> None:
    found = words(full).replace("&#39;", "'")
    assert "error DJ.007/instance Why: PhysX ignores it Fix: rename it /World/elbow instance name 'Z'" in found


def test_findings_of_one_rule_are_together_and_say_once_what_they_share(tmp_path: Path) -> None:
    second = replace(ERROR, path=SHOULDER, fix="leave it out")
    found = words(page(tmp_path, (GEARING,), report(ERROR, second)))
    assert (f"error DJ.007/instance 2 findings instance name &#39;Z&#39; Why: PhysX ignores it {ELBOW} Fix: rename it "
            f"{SHOULDER} Fix: leave it out") in found


def test_altered_values_come_first_and_those_as_authored_are_folded(full: str) -> None:
    altered, folded = full.index("physxTendon:<wbr>cord:<wbr>stiffness"), full.index("1 value as authored</summary>")
    assert altered < folded < full.index("physxTendon:<wbr>cord:<wbr>gearing")


def test_a_remedy_can_be_copied_as_lines_to_author(tmp_path: Path) -> None:
    row = replace(STIFFNESS, remedy=Remedy(872.25, 300.0, (Change("/Arm", "a:b", 64.0),), 0.01))
    button = next(a for tag, a in Elements(page(tmp_path, (row,))).found if a.get("class") == "copy")
    assert button["data-text"] == (f"{SHOULDER}.physxTendon:cord:stiffness = 872.25\n/Arm.a:b = 64\n"
                                   "# with steps of 0.01 s")


def test_a_report_without_measurement_or_motion_says_why(tmp_path: Path) -> None:
    stage = saved(arm(), tmp_path / "arm.usda")
    path = write_report(tmp_path / "report.html", stage, report(ERROR), None, None, missing=["Not verified: no way."])
    found = words(path.read_text(encoding="utf-8"))
    assert "No value was measured; the check found 1 error." in found
    assert "Not verified: no way." in found


def test_unused_opinions_are_listed(full: str) -> None:
    assert "/World/elbow physxMimicJoint:rotX:gearng : no schema has it (gearing)" in words(full)


def test_every_joint_tendon_and_mimic_joint_has_a_plot(full: str) -> None:
    captions = re.findall(r"<figcaption><code>(.*?)</code>", full, flags=re.DOTALL)
    assert [caption.replace("<wbr>", "") for caption in captions] == [
        SHOULDER, ELBOW, f"{ELBOW} follows {SHOULDER}", f"{SHOULDER} cord", "/World/lower rope_1"]


def test_how_it_was_made_is_stated(full: str) -> None:
    made = "Verification step 0.01667 s Position iterations 32 Velocity iterations 1 Simulated 0.2 s, 3 records"
    assert made in words(full)


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "{{ 7 * 7 }}"])
def test_names_from_the_stage_cannot_become_markup(tmp_path: Path, hostile: str) -> None:
    row = Row(f"/World/{hostile}", hostile, 1.0, 0.5, 1.0, "altered", hostile, hostile)
    finding = Finding(hostile, "error", f"/{hostile}", hostile, hostile, hostile, hostile)
    html = page(tmp_path, (row, Row(hostile, hostile, 1.0, None, None, "not evaluated", hostile)), report(finding))
    plain = Elements(page(tmp_path, (STIFFNESS, UNKNOWN), report(ERROR)))
    assert {tag for tag, _ in Elements(html).found} == {tag for tag, _ in plain.found}
    assert not [name for _, attributes in Elements(html).found for name in attributes if name.startswith("on")]


def test_control_and_direction_characters_are_shown_as_escapes(tmp_path: Path) -> None:
    row = Row("/World/a\u202eb", "c\x07d\u200b", 1.0, 1.0, 1.0, "as authored", "")
    html = page(tmp_path, (row,))
    assert not re.search("[\u202e\x07\u200b]", html)
    assert "a\\u202eb" in html


def test_nothing_is_loaded_and_only_the_pages_own_script_can_run(full: str) -> None:
    elements = Elements(full)
    references = [value for _, attributes in elements.found for name, value in attributes.items()
                  if name in ("src", "href", "xlink:href", "data", "action", "srcset")]
    assert all(value and value.startswith("#") for value in references)
    assert "@import" not in full
    assert re.findall(r"url\((?!#)", full) == []
    policy = next(a["content"] for tag, a in elements.found if a.get("http-equiv") == "Content-Security-Policy")
    own = re.findall(r"<script>(.*?)</script>", full, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(own[0].encode()).digest()).decode()
    assert len(own) == 1
    assert policy == (f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}' "
                      "'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'")
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|importScripts|https?://(?!www.w3.org)", full)


def test_elements_nest_and_ids_are_unique_and_found(full: str) -> None:
    elements = Elements(full)
    ids = Counter(a["id"] for _, a in elements.found if "id" in a)
    assert elements.open == []
    assert [name for name, count in ids.items() if count > 1] == []
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', full)) <= set(ids)


def test_light_dark_and_print_are_provided_for(full: str) -> None:
    assert all(rule in full for rule in ("prefers-color-scheme: dark", "@media print", 'name="color-scheme"'))


def test_equal_input_gives_equal_bytes(tmp_path: Path) -> None:
    assert page(tmp_path) == page(tmp_path)


def test_a_recording_of_another_stage_writes_nothing(tmp_path: Path) -> None:
    stage = saved(arm(), tmp_path / "arm.usda")
    other = replace(swing([(0.0, 0.0)]), joint_names=("/a", "/b"))
    with pytest.raises(ValueError, match="another stage"):
        write_report(tmp_path / "report.html", stage, report(), verification(GEARING), other)
    assert [path.name for path in tmp_path.iterdir()] == ["arm.usda"]


@pytest.mark.parametrize(("value", "shown"), [
    (0.00017453292, "0.0001745"), (-2.5, "\N{MINUS SIGN}2.5"), (float("inf"), "unlimited"), (None, "\N{EN DASH}"),
    (2000.0, "2000"), (1.5e-7, "1.5e\N{MINUS SIGN}07"),
])
def test_numbers_are_short_and_keep_their_sign(value: float | None, shown: str) -> None:
    assert numeral(value) == shown


@pytest.mark.parametrize(("row", "expected"), [
    (STIFFNESS, 103.125 / 300.0), (GONE, None), (Row("/a", "b", 0.0, 0.5, 0.0, "altered", ""), None)])
def test_shares_are_of_the_authored_value_and_absent_where_that_is_0(row: Row, expected: float | None) -> None:
    assert effective_ratio(row) == expected


def test_percentages_are_fine_only_near_100() -> None:
    assert [percent(x) for x in (0.122, 0.991, 1.03125, -2.0)] == ["12 %", "99.1 %", "103.1 %", "\N{MINUS SIGN}200 %"]


def test_a_report_of_a_whole_stage_shows_every_articulation(tmp_path: Path) -> None:
    stage = opened(stage_of(slider("A"), slider("B", x=9.0), free("C")))
    made = simulate(stage, steps=3, path="generic")
    found = words(write_report(tmp_path / "report.html", stage, report(), verification(), made).read_text("utf-8"))
    for name in ("A", "B"):
        assert f"Articulation /{name}" in found
        assert f"/{name}/slide no limits" in found


def test_a_body_beside_no_robot_has_a_report_too(tmp_path: Path) -> None:
    stage = opened(stage_of(free("B")))
    found = words(report_robot(stage, tmp_path / "report.html", steps=2).read_text(encoding="utf-8"))
    assert "No live simulation: the stage has no articulation." in found
    assert "Simulated 0.03333 s, 3 records" in found


def test_a_stage_on_which_nothing_moves_has_a_report_that_says_so(tmp_path: Path) -> None:
    stage = opened(stage_of(prim("Cube", "wall", "PhysicsCollisionAPI", {"double size": "1"})))
    found = words(report_robot(stage, tmp_path / "report.html", steps=2).read_text(encoding="utf-8"))
    assert "No value was measured" in found
    assert "Not simulated:" in found


def test_contacts_are_plotted_pair_by_pair(tmp_path: Path) -> None:
    ground = prim("Plane", "ground", "PhysicsCollisionAPI", {"uniform token axis": '"Z"'})
    block = prim("Cube", "block", "PhysicsCollisionAPI", {"double size": "1"})
    body = prim("Xform", "B", "PhysicsRigidBodyAPI PhysicsMassAPI", {
        "float physics:mass": "2", "double3 xformOp:translate": "(9, 0, 0.5)",
        "uniform token[] xformOpOrder": '["xformOp:translate"]'}, block)
    stage = stage_of(slider("S"), ground, body)
    recording = simulate(opened(stage), 0.01, 20)
    path = write_report(tmp_path / "report.html", opened(stage), report(), verification(), recording)
    found = words(path.read_text(encoding="utf-8"))
    assert "/B and /ground" in found
    weight = re.search(r"/B and /ground solid line: normal force, maximum ([\d.]+) N; dotted line: friction", found)
    assert weight is not None
    assert float(weight[1]) == pytest.approx(2 * GRAVITY, rel=0.05)


def test_what_touches_nothing_has_no_section_of_contacts(full: str) -> None:
    assert "Contacts" not in words(full)


def test_what_is_altered_alike_stands_once_and_its_remedy_copies_to_all(tmp_path: Path) -> None:
    first = replace(STIFFNESS, remedy=Remedy(872.25, 300.0))
    found = page(tmp_path, (first, replace(first, path="/Arm2", equivalent_to=first.path)))
    assert "and 1 equivalent" in words(found)
    assert words(found).count("divided by 3 axes") == 1
    assert "/Arm2.physxTendon:cord:stiffness = 872.25" in found


def test_an_uncertainty_is_told_with_the_effective_value(tmp_path: Path) -> None:
    found = page(tmp_path, (replace(STIFFNESS, uncertainty=2.5),))
    assert "103.1 \N{PLUS-MINUS SIGN} 2.5" in words(found)
    assert 'title="uncertainty 2.5"' in found


# --- report in a browser ---------------------------------------------------------------------------------------------

READY = "document.documentElement?.dataset.robot === 'ready'"
PLAYS = "document.getElementById('clock').textContent !== first"
# How many pixels of the canvas are not as the panel is.
PAINTED = """(() => {
  const canvas = document.getElementById("view"), copy = document.createElement("canvas");
  copy.width = canvas.width; copy.height = canvas.height;
  player.viewer.draw(player.state);
  const pen = copy.getContext("2d");
  pen.drawImage(canvas, 0, 0);
  return pen.getImageData(0, 0, copy.width, copy.height).data.filter((x, i) => i % 4 === 3 && x > 0).length;
})()"""
LEAST_PAINTED = 200


@pytest.fixture(scope="module")
def report_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a driven arm with tendons and a mimic joint, without shapes."""
    folder = tmp_path_factory.mktemp("report")
    stage = arm(tendon=True, mimic=True, spatial=True)
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=10.0, damping=1.0, target=5.0)
    return report_robot(saved(stage, folder / "arm.usda"), folder / "report.html", steps=60)


@pytest.mark.sweep
def test_a_report_plays_without_an_error_and_asks_for_nothing(report_path: Path) -> None:
    with opened_page(report_path) as page:
        page.wait(READY)
        page.evaluate("window.first = document.getElementById('clock').textContent")
        page.wait(PLAYS)
        assert page.evaluate(PAINTED) > LEAST_PAINTED
        assert page.errors == []
        assert page.requests == [report_path.resolve().as_uri()]


@pytest.mark.sweep
def test_a_slider_moves_the_robot_by_the_step_in_the_page(report_path: Path) -> None:
    with opened_page(report_path) as page:
        page.wait(READY)
        page.evaluate("document.getElementById('mode-live').click()")
        shoulder = "player.live.rows[player.robot.live.q / 4]"
        page.wait("player.live.time > 0.5")
        before = page.evaluate(shoulder)
        page.evaluate("""(() => {
          const slider = document.querySelector("input[data-parameter=target_position]");
          slider.value = 1000;
          slider.dispatchEvent(new Event("input"));
        })()""")
        page.wait(f"{shoulder} > {before} + 0.05")
        assert page.errors == []


@pytest.mark.sweep
def test_a_click_on_a_row_shows_its_prim_and_the_button_turns_the_view_back(report_path: Path) -> None:
    with opened_page(report_path) as page:
        page.wait(READY)
        page.evaluate(f"document.querySelector('button.show[data-path=\"{SHOULDER}\"]').click()")
        assert page.evaluate("document.getElementById('focused').textContent") == SHOULDER
        page.evaluate("document.getElementById('whole').click()")
        assert page.evaluate("document.getElementById('focused').textContent") == ""


@pytest.mark.sweep
def test_without_webgl_the_robot_is_drawn_all_the_same(report_path: Path) -> None:
    with opened_page(report_path, ["--disable-3d-apis"]) as page:
        page.wait(READY)
        assert page.evaluate("document.createElement('canvas').getContext('webgl2')") is None
        assert page.evaluate(PAINTED) > LEAST_PAINTED


@pytest.mark.sweep
def test_without_webassembly_the_recorded_motion_plays_and_the_page_says_so(report_path: Path) -> None:
    with opened_page(report_path, before="delete globalThis.WebAssembly") as page:
        page.wait(READY)
        assert page.evaluate("document.getElementById('modes').hidden")
        assert "cannot run the live simulation" in page.evaluate("document.getElementById('live-said').textContent")
        page.evaluate("window.first = document.getElementById('clock').textContent")
        page.wait(PLAYS)

"""What findings do to the motion, in words and in order."""

from __future__ import annotations

from physx_schema.checking import RULES, Finding
from physx_schema.checking.effects import EFFECTS, by_effect, effect_rank, effect_text, headline
from physx_schema.checking.engine.causes import CauseGroup
from physx_schema.checking.engine.rule import belongs


def group(code: str, severity: str = "warning", name: str = "", effects: tuple[Finding, ...] = ()) -> CauseGroup:
    return CauseGroup(Finding(code, severity, "/p", name, "message", "why", "fix"), effects=effects)


def test_every_kind_is_of_codes_that_exist() -> None:
    families = [code for effect in EFFECTS for code in effect.codes]
    assert [family for family in families if not any(belongs(code, family) for code in RULES)] == []


def test_what_is_not_simulated_goes_before_drives_and_these_before_values() -> None:
    kinds = [group("value/range"), group("joint/drive-powerless"), group("articulation/world-joint-outside"),
             group("body/in-instance"), group("joint/no-bodies")]
    assert [item.root.code for item in by_effect(kinds)] == [
        "body/in-instance", "joint/no-bodies", "articulation/world-joint-outside", "joint/drive-powerless",
        "value/range"]


def test_the_worst_severity_of_what_a_cause_explains_decides_its_place() -> None:
    error = Finding("unused/disabled", "error", "/p", "drive:angular:physics:stiffness", "m", "w", "f")
    info = group("joint/disabled", "info", effects=(error,))
    assert by_effect([group("value/range"), info])[0] is info
    assert headline([group("value/range"), info]).startswith("drives do nothing: /p")


def test_an_unused_value_is_named_after_what_it_belongs_to() -> None:
    texts = [effect_text(group("unused/idle", name=name).root) for name in (
        "drive:linear:physics:damping", "physxTendon:t:stiffness", "physics:breakForce")]
    assert texts == ["drives do nothing", "couplings do not act", "values have no effect"]


def test_a_code_of_no_kind_comes_last_with_the_title_of_its_rule() -> None:
    finding = group("baseline/stale").root
    assert effect_rank(finding) == len(EFFECTS)
    assert effect_text(finding).lower() == RULES["baseline/stale"].title.lower()


def test_nothing_but_infos_has_no_headline() -> None:
    assert headline([group("unused/other-engine", "info")]) == ""

"""Every rule by its code, every finder, and the texts of rules for terminals and Markdown pages.

Rules and finders are read from the files of `checking/rules`, and from the rule folders of packages that build on this
one.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches
from importlib.util import find_spec
from types import ModuleType

from physx_schema.checking import rules
from physx_schema.checking.engine.finding import DEFAULT_PROFILES
from physx_schema.checking.engine.published import (
    FEATURES,
    PUBLISHED_RULES,
    Feature,
    Published,
    bare,
    codes_of,
    published_codes,
)
from physx_schema.checking.engine.rule import RULE_FAILED, Finder, Rule, Selection, belongs, concerns
from physx_schema.checking.rules.problems import reader

# The order of files in lists and pages; those that are not named follow by name. Findings have an order of their own.
_ORDER = (
    "driven", "articulations", "joint_bodies", "mimic", "mimic_values", "mimic_pairs", "tendon_forces",
    "tendon_attachments", "tendon_solver", "joint_limits", "joint_axes", "maximal_joints", "mass", "bodies",
    "iterations", "collision", "contact_settings", "contact_distance", "stages", "engines", "values", "units", "unused",
)


# Folders of rules in other packages, which may not be installed. They import what they measure with when a finder runs.
_OTHER_FOLDERS = ("physx_runtime.behaviour.rules",)


def _rule_files() -> list[ModuleType]:
    """The modules of the folders of rules, in order."""
    names = {info.name for info in pkgutil.iter_modules(rules.__path__)}
    ordered = [name for name in _ORDER if name in names] + sorted(names.difference(_ORDER))
    others = [importlib.import_module(folder) for folder in _OTHER_FOLDERS if find_spec(folder.partition(".")[0])]
    return [importlib.import_module(f"{rules.__name__}.{name}") for name in ordered] + [
        importlib.import_module(f"{folder.__name__}.{info.name}")
        for folder in others for info in pkgutil.iter_modules(folder.__path__)]


_FILES = _rule_files()
_MEMBERS = [item for file in _FILES for item in vars(file).values()]

RULES: Mapping[str, Rule] = {item.code: item for item in (*_MEMBERS, RULE_FAILED) if isinstance(item, Rule)}
FINDERS: tuple[Finder, ...] = (reader(RULES), *(item for item in _MEMBERS if isinstance(item, Finder)))


def explain(code: str) -> str | None:
    """The meaning of a code, None for an unknown one."""
    rule = rule_of(code)
    return rule.text if rule else None


def rule_of(code: str) -> Rule | None:
    """The rule of a finding's code, which names the finder where one failed; None for an unknown one."""
    return RULE_FAILED if belongs(code, RULE_FAILED.code) else RULES.get(code)


def selection_of(select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Selection:
    """Codes, families, published codes or features to keep and to leave out. Raises ValueError for an unknown one.

    DJ.001 is both a family and published: what is kept is all that judges it, what is left out the family alone.
    """
    selected = [(*_family_of(name), *_judging(name)) for name in select]
    left_out = [_family_of(name) or _judging(name) for name in ignore]
    for name in (*select, *ignore):
        if not _family_of(name) and not published_codes(name):
            raise ValueError(f"there is no code or family {name!r}; {_suggestion(name)}")
    return Selection(tuple(_joined(selected)), tuple(_joined(left_out)), tuple(_joined(map(published_codes, select))),
                     tuple(_joined(map(published_codes, ignore))))


def _family_of(name: str) -> tuple[str, ...]:
    """A name that is a code or a family of ours."""
    return (bare(name),) if any(belongs(code, bare(name)) for code in RULES) else ()


def _judging(name: str) -> tuple[str, ...]:
    """The codes and families of ours that judge a published code or feature."""
    return tuple(_joined(PUBLISHED_RULES[code].ours for code in published_codes(name)))


def _suggestion(name: str) -> str:
    """The advice for an unknown name."""
    known = (*RULES, *dict.fromkeys(map(family, RULES)), *PUBLISHED_RULES, *FEATURES)
    close = get_close_matches(bare(name), known, 1)
    return f"did you mean {close[0]}?" if close else "list them with `physx-schema check --list-rules`"


def _joined(groups: Iterable[Iterable[str]]) -> Iterator[str]:
    """All of several groups, each once."""
    return iter(dict.fromkeys(name for group in groups for name in group))


COMMAND = "physx-schema explain --pages docs/reference/rules"
BANNER = f"<!-- Written by `{COMMAND}` from physx_schema/checking/rules; do not edit. -->"
_INTRODUCTION = (
    "`physx-schema check` reports these faults; `physx-schema explain CODE` explains one in a terminal. The severity "
    "is that of the severest finding. Rules without a named profile belong to the default, physx+simready. "
    "[Review of the rules](../../evidence/rules_review.md) lists findings on robots from other sources. "
    "[Comparison](../../evidence/rules_comparison.md) compares the rules with other validators."
)
_FAMILIES: Mapping[str, str] = {    # titles of families
    "DJ.001": "Driven joints: drives and targets", "DJ.002": "Driven joints: joint states",
    "DJ.003": "Driven joints: joint frames", "DJ.004": "Driven joints: missing drives",
    "DJ.005": "Driven joints: velocity limits", "DJ.006": "Driven joints: drive values",
    "DJ.007": "Mimic joints", "DJ.011": "Loops in articulations", "articulation": "Articulations",
    "baseline": "Baselines", "body": "Rigid bodies", "collider": "Colliders", "engine": "Other engines",
    "group": "Collision groups", "iterations": "Solver iterations", "joint": "Joints", "material": "Materials",
    "pair": "Filtered pairs", "report": "Contact reports",
    "rule-failed": "Failed rules", "scene": "Physics scenes", "schema": "Applied schemas", "stage": "The stage",
    "tendon": "Tendons", "unit": "Units", "unused": "Values without effect", "value": "Authored values",
    "waiver": "Waivers",
}


# A file of rules may name further families, `FAMILIES = {"gear": "Gears"}`.
_TITLES: Mapping[str, str] = {
    **_FAMILIES, **{name: title for file in _FILES for name, title in getattr(file, "FAMILIES", {}).items()}}


def family(code: str) -> str:
    """The family of a code: its part before the slash."""
    return code.partition("/")[0]


def family_title(name: str) -> str:
    """The title of a family."""
    return _TITLES.get(name, name)


def explain_lines(name: str) -> Iterator[str]:
    """Lines on a code, on all codes of a family, or on a published code or feature; none for an unknown one."""
    matching = [rule for rule in RULES.values() if belongs(rule.code, bare(name))]
    if len(matching) == 1:
        yield from _rule_lines(matching[0])
    elif matching:
        yield f"{bare(name)}: {family_title(bare(name))}"
        yield from map(_line, matching)
    elif bare(name) in FEATURES:
        yield from _feature_lines(FEATURES[bare(name)])
    elif bare(name) in PUBLISHED_RULES:
        yield from _published_lines(PUBLISHED_RULES[bare(name)])


def _line(rule: Rule) -> str:
    return f"    {rule.code} ({rule.severity}): {rule.title}"


def _feature_lines(feature: Feature) -> Iterator[str]:
    yield f"{feature.id} {feature.version}: {feature.title}, a feature of SimReady"
    if feature.gap:
        yield f"    not judged: {feature.gap}"
    for code in codes_of(feature):
        rule = PUBLISHED_RULES[code]
        yield f"    {code} {rule.name}" + (f"; not judged: {rule.gap}" if rule.gap else "")


def _published_lines(rule: Published) -> Iterator[str]:
    """The published rule, and each of ours that judges it; in full where there is only one."""
    yield f"{rule.code}: {rule.name}, a published rule of SimReady"
    if rule.gap:
        yield f"    not judged: {rule.gap}"
    ours = [item for item in RULES.values() if any(concerns(pattern, item.code) for pattern in rule.ours)]
    if len(ours) == 1:
        yield f"    judged by {ours[0].code}"
        yield ""
        yield from _rule_lines(ours[0])
    else:
        yield from map(_line, ours)


def _rule_lines(rule: Rule) -> Iterator[str]:
    yield f"{rule.code}: {rule.title}"
    yield f"    {_audience(rule)}"
    yield ""
    yield rule.text
    if rule.measured:
        yield ""
        yield f"Measured: {rule.measured}"
    for title, prims in (("With the finding:", rule.example), ("Without it:", rule.remedy)):
        if prims:
            yield ""
            yield title
            yield from (f"    {line}" if line else "" for line in prims.rstrip().splitlines())


def pages() -> dict[str, str]:
    """Markdown pages by file name: one for each family, and an index."""
    families = sorted({family(name) for name in RULES})
    family_pages = {f"{name}.md": _page(name) for name in families}
    return {"index.md": _index(families), **family_pages}


def _index(families: Iterable[str]) -> str:
    lines = [BANNER, "", "# Rules", "", _INTRODUCTION, ""]
    for name in families:
        lines += [f"## [{family_title(name)}]({name}.md)", "", "|Code|Severity|Rule|", "|---|---|---|"]
        lines += [f"|[`{rule.code}`]({name}.md#{_anchor(rule)})|{rule.severity}|{rule.title}|"
                  for rule in RULES.values() if family(rule.code) == name]
        lines.append("")
    return "\n".join(lines)


def _anchor(rule: Rule) -> str:
    """The anchor that Markdown viewers make of a code's heading."""
    letters = "".join(character for character in rule.code.lower() if character.isalnum() or character in "-_ ")
    return letters.replace(" ", "-")


def _page(name: str) -> str:
    lines = [BANNER, "", f"# {family_title(name)}", ""]
    for rule in (item for item in RULES.values() if family(item.code) == name):
        audience = rule.severity if rule.profiles == DEFAULT_PROFILES else _audience(rule)
        lines += [f"## `{rule.code}`", "", f"**{rule.title}** *({audience})*", "", rule.text, ""]
        if rule.measured:
            lines += [f"Measured: {rule.measured}", ""]
        if rule.remedy:
            lines += ["```diff", *changed_lines(rule.example, rule.remedy), "```", ""]
        elif rule.example:
            lines += ["```usda", rule.example.rstrip(), "```", ""]
    return "\n".join(lines)


def _audience(rule: Rule) -> str:
    """The severity of a rule's severest finding, and the profiles that have the rule."""
    return f"{rule.severity}; {'profile' if len(rule.profiles) == 1 else 'profiles'} {', '.join(rule.profiles)}"


_LONGEST = 6        # lines that a diff adds or removes in one place


def changed_lines(example: str, remedy: str) -> Iterator[str]:
    """The repair of an example as a diff: the changed lines without brackets, each below the prim that has it.

    The prim is left out where the example has only one. `explain` prints both texts in full.
    """
    before, after = _without_brackets(example), _without_brackets(remedy)
    several, shown = sum(map(_is_prim, before)) > 1, ""
    for kind, start, end, new_start, new_end in SequenceMatcher(None, before, after).get_opcodes():
        if kind == "equal":
            continue
        removed, added = before[start:end], after[new_start:new_end]
        prim = _owner(before[:start], (removed or added)[0])
        if several and prim not in ("", shown):
            yield f" {prim}"
            shown = prim
        yield from _block("-", removed)
        yield from _block("+", added)
        shown = next(filter(_is_prim, reversed(removed)), shown)


def _without_brackets(prims: str) -> list[str]:
    return [line.removesuffix(" (") for line in prims.splitlines() if any(map(str.isalnum, line))]


def _is_prim(line: str) -> bool:
    return line.lstrip().startswith(("def ", "over ", "class "))


def _owner(above: Sequence[str], line: str) -> str:
    """The line of the prim that has a line, "" for a line at the top."""
    depth = len(line) - len(line.lstrip())
    return next((item for item in reversed(above) if _is_prim(item) and len(item) - len(item.lstrip()) < depth), "")


def _block(sign: str, lines: Sequence[str]) -> Iterator[str]:
    """Lines that a diff removes or adds."""
    yield from (f"{sign}{line}" for line in lines[:_LONGEST])
    if len(lines) > _LONGEST:
        yield f"{sign}    ..."

"""Every rule by its code, and every finder, gathered from the files of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from physx_schema.checking.engine.rule import RULE_FAILED, Finder, Rule, Selection, belongs
from physx_schema.checking.rules import (
    articulations,
    bodies,
    collision,
    contact_reach,
    contact_settings,
    driven,
    engines,
    iterations,
    joint_axes,
    joint_bodies,
    joint_limits,
    mass,
    maximal_joints,
    mimic,
    mimic_pairs,
    mimic_values,
    stages,
    tendon_attachments,
    tendon_axes,
    tendon_forces,
    tendon_solver,
    units,
    unused,
    values,
)
from physx_schema.checking.rules.problems import reader

_FILES = (       # in the order of lists and pages; findings have an order of their own
    driven, articulations, joint_bodies, mimic, mimic_values, mimic_pairs, tendon_axes, tendon_forces,
    tendon_attachments, tendon_solver, joint_limits, joint_axes, maximal_joints, mass, bodies, iterations, collision,
    contact_settings, contact_reach, stages, engines, values, units, unused,
)
_MEMBERS = [item for file in _FILES for item in vars(file).values()]

RULES: Mapping[str, Rule] = {item.code: item for item in (*_MEMBERS, RULE_FAILED) if isinstance(item, Rule)}
FINDERS: tuple[Finder, ...] = (reader(RULES), *(item for item in _MEMBERS if isinstance(item, Finder)))


def explain(code: str) -> str | None:
    """What a code means, None for an unknown one."""
    rule = rule_of(code)
    return rule.text if rule else None


def rule_of(code: str) -> Rule | None:
    """The rule of a finding's code, which names the finder where one failed; None for an unknown one."""
    return RULE_FAILED if belongs(code, RULE_FAILED.code) else RULES.get(code)


def selection_of(select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Selection:
    """Codes or families to keep and to leave out. Raises ValueError for one that does not exist."""
    for family in (*select, *ignore):
        if not any(belongs(code, family) for code in RULES):
            families = {code.partition("/")[0] for code in RULES}
            close = get_close_matches(family, (*RULES, *families), 1)
            suggestion = f"did you mean {close[0]}?" if close else "`physx-schema check --list-rules` lists them"
            raise ValueError(f"there is no code or family {family!r}; {suggestion}")
    return Selection(tuple(select), tuple(ignore))

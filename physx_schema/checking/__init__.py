"""Checks of physics stages.

`rules` has the rules in files by family, `engine` their common parts, and `catalogue` the collected rules with their
pages. `stages` checks one or several stages with the settings of a project.
"""

from physx_schema.checking.catalogue import FINDERS, RULES, explain
from physx_schema.checking.engine.finding import (
    DEFAULT_PROFILE,
    DRIVEN,
    EXTRA_PROFILES,
    NEWTON,
    PHYSX,
    PROFILES,
    PUBLISHED,
    SEVERITIES,
    SIMREADY,
    Finding,
    parse_profile,
)
from physx_schema.checking.engine.outcome import Outcome, Report, Verdict, Waived, run
from physx_schema.checking.engine.rule import Finder, Rule, Unevaluated
from physx_schema.checking.stages import check

__all__ = [
    "DEFAULT_PROFILE", "DRIVEN", "EXTRA_PROFILES", "FINDERS", "NEWTON", "PHYSX", "PROFILES", "PUBLISHED", "RULES",
    "SEVERITIES", "SIMREADY", "Finder", "Finding", "Outcome", "Report", "Rule", "Unevaluated", "Verdict", "Waived",
    "check", "explain", "parse_profile", "run",
]

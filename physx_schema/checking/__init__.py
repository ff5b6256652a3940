"""Checks of physics stages: findings, rules and the engine that runs them."""

from physx_schema.checking.catalogue import CODES, explain
from physx_schema.checking.engine import Outcome, check, parse_profile, run
from physx_schema.checking.finding import (
    DEFAULT_PROFILE,
    DRIVEN,
    NEWTON,
    PHYSX,
    PROFILES,
    SEVERITIES,
    SIMREADY,
    Finding,
)
from physx_schema.checking.registry import RULES
from physx_schema.checking.report import Report, Verdict, Waived
from physx_schema.checking.rule import Code, Rule, Unevaluated

__all__ = [
    "CODES", "DEFAULT_PROFILE", "DRIVEN", "NEWTON", "PHYSX", "PROFILES", "RULES", "SEVERITIES", "SIMREADY", "Code",
    "Finding", "Outcome", "Report", "Rule", "Unevaluated", "Verdict", "Waived", "check", "explain", "parse_profile",
    "run",
]

"""Checks of physics stages: findings, rules and the engine that runs them."""

from physx_schema.checking.engine import RULES, check, parse_profile, run
from physx_schema.checking.finding import DEFAULT_PROFILE, PROFILES, SEVERITIES, Finding, Report

__all__ = ["DEFAULT_PROFILE", "PROFILES", "RULES", "SEVERITIES", "Finding", "Report", "check", "parse_profile", "run"]

"""The plugin by which NVIDIA's asset validators run the checks: usd-validation-nvidia and omniverse-asset-validator.

Both find it through the package's entry points and call `on_startup` before they validate anything. Each of our codes
is a requirement of theirs, since their reports name requirements and leave codes out.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from pxr import Usd

from physx_schema.checking.catalogue import RULES
from physx_schema.checking.engine.finding import DEFAULT_PROFILE
from physx_schema.checking.engine.published import PUBLISHED_RULES
from physx_schema.checking.engine.rule import RULE_FAILED, belongs
from physx_schema.checking.stages import NOT_EVALUATED, UNREADABLE, Remark, remarks

CATEGORY = "PhysxSchema"
VERSION = "1.0.0"       # of the requirements
# One interface under two names, with its requirements; the one that is loading this plugin is imported already.
_HOSTS = {"usd_validation_nvidia": "usd_validation_nvidia.capabilities", "omni.asset_validator": "omni.capabilities"}
_OTHER_CODES = {NOT_EVALUATED: "Values that the check does not evaluate", UNREADABLE: "The stage cannot be read"}


class Plugin:
    """Registers one rule, which gives each finding as an issue with its code."""

    def __init__(self) -> None:
        name = next((name for name in _HOSTS if name in sys.modules), "omni.asset_validator")
        self._host = importlib.import_module(name)
        self._requirements = requirements(importlib.import_module(_HOSTS[name]))
        self._rule = rule_class(self._host, self._requirements)

    def on_startup(self) -> None:
        """Add the rule to the category PhysxSchema, and the requirements that it judges."""
        register(self._host, self._rule, self._requirements)

    def on_shutdown(self) -> None:
        """Take both away again."""
        self._host.unregister_rule(self._rule)
        self._host.unregister_requirements(self._rule)


def register(host: Any, rule: Any, by_code: Mapping[str, Any]) -> None:
    """Add a rule to the category PhysxSchema, and the requirements that it judges."""
    host.register_rule(CATEGORY)(rule)
    host.register_requirements(*by_code.values(), override=True)(rule)      # of ours alone, perhaps of the tier before


def requirements(definitions: Any) -> dict[str, Any]:
    """A requirement of the validator for each code, by code. definitions: its module that defines requirements."""
    titles = {**{code: rule.title for code, rule in RULES.items()}, **_OTHER_CODES}
    return {code: _requirement(definitions, code, title) for code, title in titles.items()}


def published_requirements(definitions: Any) -> dict[str, Any]:
    """A requirement of ours for each published code, by the published code."""
    return {code: _requirement(definitions, prefixed_code(code), rule.name) for code, rule in PUBLISHED_RULES.items()}


def prefixed_code(published: str) -> str:
    """The name under which a published code or feature is ours, so that both stand in one report."""
    return f"PHYSX_SCHEMA.{published}" if published in PUBLISHED_RULES else f"PHYSX_SCHEMA_{published}"


def _requirement(definitions: Any, code: str, title: str) -> Any:
    return definitions.Requirement(code=code, version=VERSION, display_name=title, message=title, path="",
                                   compatibility="physx", tags=("physics",))


def rule_class(host: Any, by_code: Mapping[str, Any], profiles: Sequence[str] = (DEFAULT_PROFILE,)) -> Any:
    """The rule that judges some profiles, as a class of the validator that runs it."""
    severities = {"error": host.IssueSeverity.FAILURE, "warning": host.IssueSeverity.WARNING,
                  "info": host.IssueSeverity.INFO}

    class PhysxSchemaChecker(host.BaseRuleChecker):     # type: ignore[misc]
        """What `physx-schema check` finds on a stage: each finding under its code, with its severity and its place."""

        def CheckStage(self, usdStage: Usd.Stage) -> None:  # noqa: N802, N803
            for remark in dict.fromkeys(chain.from_iterable(remarks(usdStage, profile) for profile in profiles)):
                failed = belongs(remark.code, RULE_FAILED.code)
                self._issues.append(host.Issue(
                    message=remark.text, severity=host.IssueSeverity.ERROR if failed else severities[remark.severity],
                    rule=type(self), at=_location(usdStage, remark), code=remark.code,
                    requirement=by_code[RULE_FAILED.code if failed else remark.code]))

    return PhysxSchemaChecker


def _location(stage: Usd.Stage, remark: Remark) -> Any:
    """The property of a remark where there is one, else its prim, else the stage."""
    prim = stage.GetPrimAtPath(remark.path)
    prop = prim.GetProperty(remark.property) if prim and remark.property else None
    return prop or (prim if prim and not prim.IsPseudoRoot() else stage)

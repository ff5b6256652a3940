"""The plugin by which NVIDIA's asset validators run the checks: usd-validation-nvidia and omniverse-asset-validator.

Both find it through the package's entry points and call `on_startup` before they validate anything.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from pxr import Usd

from physx_schema.checking.engine.rule import RULE_FAILED, belongs
from physx_schema.checking.stages import Remark, remarks

CATEGORY = "PhysxSchema"
# One interface under two names; the one that is loading this plugin is imported already.
_SUCCESSOR, _ORIGINAL = "usd_validation_nvidia", "omni.asset_validator"


class Plugin:
    """Registers one rule, which gives each finding as an issue with its code."""

    def __init__(self) -> None:
        self._host = importlib.import_module(_SUCCESSOR if _SUCCESSOR in sys.modules else _ORIGINAL)
        self._rule = _rule(self._host)

    def on_startup(self) -> None:
        """Add the rule to the category PhysxSchema."""
        self._host.register_rule(CATEGORY)(self._rule)

    def on_shutdown(self) -> None:
        """Take the rule away again."""
        self._host.unregister_rule(self._rule)


def _rule(host: Any) -> Any:
    """The rule, as a class of the validator that runs it."""
    severities = {"error": host.IssueSeverity.FAILURE, "warning": host.IssueSeverity.WARNING,
                  "info": host.IssueSeverity.INFO}

    class PhysxSchemaChecker(host.BaseRuleChecker):     # type: ignore[misc]
        """What `physx-schema check` finds on a stage: each finding under its code, with its severity and its place."""

        def CheckStage(self, usdStage: Usd.Stage) -> None:  # noqa: N802, N803
            for remark in remarks(usdStage):
                failed = belongs(remark.code, RULE_FAILED.code)
                self._issues.append(host.Issue(
                    message=remark.text, severity=host.IssueSeverity.ERROR if failed else severities[remark.severity],
                    rule=type(self), at=_location(usdStage, remark), code=remark.code))

    return PhysxSchemaChecker


def _location(stage: Usd.Stage, remark: Remark) -> Any:
    """The property of a remark where there is one, else its prim, else the stage."""
    prim = stage.GetPrimAtPath(remark.path)
    prop = prim.GetProperty(remark.property) if prim and remark.property else None
    return prop or (prim if prim and not prim.IsPseudoRoot() else stage)

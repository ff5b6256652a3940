"""Run by an interpreter that has simready-validate: the codes about physics that fail on each stage, as JSON.

Only its own rules, in the profile for the body of a robot, and no rule that could not run.
"""

from __future__ import annotations

import json
import logging
import sys

import simready.validate as host

PROFILE = "Robot-Body"
PREFIXES = ("com.nvidia.simready.", "com.nvidia.usd.")


def failing(path: str) -> list[str]:
    """The published codes that fail on a stage, without the prefix of the publisher."""
    result = host.validate_asset(host.AssetValidationConfig(path, PROFILE))
    codes = {issue.requirement.code for issue in (*result.issues, *result.soft_issues) if issue.requirement}
    return sorted(code.removeprefix(prefix) for code in codes for prefix in PREFIXES if code.startswith(prefix))


logging.disable(logging.CRITICAL)
host.initialize([], [], [])
print(json.dumps([failing(path) for path in sys.argv[1:]]))

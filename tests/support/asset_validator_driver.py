"""Run by an interpreter that has one of NVIDIA's asset validators: its issues of our rule on each stage, as JSON.

The code of an issue is the one of its requirement, which the reports of these validators name.
"""

from __future__ import annotations

import importlib
import json
import sys

host = importlib.import_module(sys.argv[1])
with host.PluginManager():
    said = []
    for path in sys.argv[2:]:
        engine = host.ValidationEngine(init_rules=False)
        engine.enable_rule(host.CategoryRuleRegistry().find_rule("PhysxSchemaChecker"))
        issues = engine.validate(path).issues()
        said.append([[issue.requirement.code, issue.severity.name, issue.message] for issue in issues])
print(json.dumps(said))

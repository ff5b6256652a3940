"""Run by an interpreter that has one of NVIDIA's asset validators: its issues of our rule on each stage, as JSON."""

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
        said.append([[issue.code, issue.severity.name, issue.message] for issue in engine.validate(path).issues()])
print(json.dumps(said))

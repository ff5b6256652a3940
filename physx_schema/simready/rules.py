"""The module that simready-validate imports on each start; the import registers our rule."""

from __future__ import annotations

import importlib

from physx_schema.asset_validation import published_requirements, register, requirements, rule_class
from physx_schema.checking.engine.finding import DEFAULT_PROFILE, SIMREADY

_HOST = importlib.import_module("usd_validation_nvidia")
_DEFINITIONS = importlib.import_module("usd_validation_nvidia.capabilities")
_REQUIREMENTS = {**requirements(_DEFINITIONS), **published_requirements(_DEFINITIONS)}

register(_HOST, rule_class(_HOST, _REQUIREMENTS, (DEFAULT_PROFILE, SIMREADY)), _REQUIREMENTS)

"""The plugin that runs the checks in USD's validation; USD imports it when it first needs the validator.

`plugInfo.json` in this folder declares the validator ``physx_schema.validation:Physics``. Importing ``physx_schema``
registers it; other programs find it through PXR_PLUGINPATH_NAME. A registry that is older than the plugin never finds
it, so importing this module adds the validator to the registry.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pxr import Usd, UsdValidation

from physx_schema.checking.stages import Remark, remarks

if not hasattr(UsdValidation.ValidationRegistry, "RegisterPluginStageValidator"):
    raise ImportError("this USD does not support validators in Python; use USD 26.5 or newer, or call "
                      "physx_schema.check")

VALIDATOR = "physx_schema.validation:Physics"
_PLUGIN = Path(__file__).with_name("plugInfo.json")
_TYPES = {"error": UsdValidation.ValidationErrorType.Error, "warning": UsdValidation.ValidationErrorType.Warn,
          "info": UsdValidation.ValidationErrorType.Info}


def _errors(stage: Usd.Stage, times: Any) -> list[Any]:
    """The remarks on a stage; times are ignored, because the checks read default values."""
    return [UsdValidation.ValidationError(remark.code, _TYPES[remark.severity], [_site(stage, remark)], remark.text)
            for remark in remarks(stage)]


def _site(stage: Usd.Stage, remark: Remark) -> Any:
    """The property of a remark, else its prim, else the stage."""
    prim = stage.GetPrimAtPath(remark.path)
    prop = prim.GetProperty(remark.property) if prim and remark.property else None
    return UsdValidation.ValidationErrorSite(stage, (prop or prim or stage.GetPseudoRoot()).GetPath())


def _register() -> None:
    """Register the validator as the plugin's if the registry has read plugInfo.json, else with its own metadata."""
    registry = UsdValidation.ValidationRegistry()
    if any(item.name == VALIDATOR for item in registry.GetAllValidatorMetadata()):
        registry.RegisterPluginStageValidator(VALIDATOR, _errors)
        return
    declared = json.loads(_PLUGIN.read_text(encoding="utf-8"))["Plugins"][0]["Info"]["Validators"]
    metadata = UsdValidation.ValidatorMetadata(
        name=VALIDATOR, doc=declared[VALIDATOR.partition(":")[2]]["doc"], keywords=declared["keywords"])
    registry.RegisterStageValidator(metadata, _errors)


_register()

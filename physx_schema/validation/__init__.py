"""The plugin by which USD's own validation runs the checks; USD imports it when it first needs the validator.

`plugInfo.json` beside it declares the validator ``physx_schema.validation:Physics``. Importing ``physx_schema``
registers it; other programs find it through PXR_PLUGINPATH_NAME. A registry that was made before it knew of the plugin
never looks again, so importing this module adds the validator to such a registry itself.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pxr import Usd, UsdValidation

from physx_schema.checking.stages import Remark, remarks

if not hasattr(UsdValidation.ValidationRegistry, "RegisterPluginStageValidator"):
    raise ImportError("this USD release does not support validators in Python; use 26.5 or newer, or "
                      "physx_schema.check")

VALIDATOR = "physx_schema.validation:Physics"
_PLUGIN = Path(__file__).with_name("plugInfo.json")
_TYPES = {"error": UsdValidation.ValidationErrorType.Error, "warning": UsdValidation.ValidationErrorType.Warn,
          "info": UsdValidation.ValidationErrorType.Info}


def _errors(stage: Usd.Stage, times: Any) -> list[Any]:
    """The remarks on a stage, whatever the times: the checks look at default values."""
    return [UsdValidation.ValidationError(remark.code, _TYPES[remark.severity], [_site(stage, remark)], remark.text)
            for remark in remarks(stage)]


def _site(stage: Usd.Stage, remark: Remark) -> Any:
    """The property of a remark where there is one, else its prim, else the stage as a whole."""
    prim = stage.GetPrimAtPath(remark.path)
    prop = prim.GetProperty(remark.property) if prim and remark.property else None
    return UsdValidation.ValidationErrorSite(stage, (prop or prim or stage.GetPseudoRoot()).GetPath())


def _register() -> None:
    """Give the registry the validator: as the plugin's where it read of the plugin, else by itself."""
    registry = UsdValidation.ValidationRegistry()
    if any(item.name == VALIDATOR for item in registry.GetAllValidatorMetadata()):
        registry.RegisterPluginStageValidator(VALIDATOR, _errors)
        return
    declared = json.loads(_PLUGIN.read_text(encoding="utf-8"))["Plugins"][0]["Info"]["Validators"]
    metadata = UsdValidation.ValidatorMetadata(
        name=VALIDATOR, doc=declared[VALIDATOR.partition(":")[2]]["doc"], keywords=declared["keywords"])
    registry.RegisterStageValidator(metadata, _errors)


_register()

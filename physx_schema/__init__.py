"""Typed Python classes for PhysX's USD schemas: ``import physx_schema as PhysxSchema``.

Importing the package registers the schema plugins with USD. Import it before the first stage is opened. Everything
except the schema classes is imported on first use.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from physx_schema.installed_usd import require_usd

require_usd()       # before anything else imports pxr, whose own errors tell nobody what to do

from physx_generated import *  # noqa: F403 - every class of the present schema and the errors
from physx_generated import Tokens as _PresentTokens
from physx_generated import __all__ as _present
from physx_generated import omni_physics as OmniPhysics
from physx_generated._strict import strict
from physx_generated.legacy import *  # type: ignore[assignment]  # noqa: F403 - the retired classes
from physx_generated.legacy import Tokens as _RetiredTokens
from physx_generated.legacy import __all__ as _retired
from pxr import Plug as _Plug
from pxr import Usd as _Usd

from physx_schema import attachment_sides as _attachment_sides

if TYPE_CHECKING:
    from physx_schema import authoring
    from physx_schema.authoring.bodies import author
    from physx_schema.checking import Finding, Report, check
    from physx_schema.class_description import ClassDescription, describe_class
    from physx_schema.description import Description, describe
    from physx_schema.description.trial import trusted_files

_LAZY_MODULES = {
    "ClassDescription": "physx_schema.class_description",
    "Description": "physx_schema.description",
    "Finding": "physx_schema.checking",
    "Report": "physx_schema.checking",
    "author": "physx_schema.authoring.bodies",
    "check": "physx_schema.checking",
    "describe": "physx_schema.description",
    "describe_class": "physx_schema.class_description",
    "trusted_files": "physx_schema.description.trial",
}


_attachment_sides.add()
if _Usd.GetVersion() >= (0, 26, 5):     # the first USD whose validators may be Python
    _Plug.Registry().RegisterPlugins(str(Path(__file__).with_name("validation")))
    if "pxr.UsdValidation" in sys.modules:      # its registry may be there already, and reads of plugins but once
        importlib.import_module("physx_schema.validation")


class Tokens(_PresentTokens, _RetiredTokens):   # type: ignore[no-redef]
    """All tokens of the schemas, including retired tokens, as plain strings that cannot be replaced."""


def install() -> ModuleType:
    """Make ``from pxr import PhysxSchema`` work, and return that module.

    The module is this package, or the compiled bindings if they are installed.
    """
    if importlib.util.find_spec("pxr.PhysxSchema"):
        return importlib.import_module("pxr.PhysxSchema")
    this = sys.modules[__name__]
    sys.modules["pxr.PhysxSchema"] = this
    sys.modules["pxr"].PhysxSchema = this      # type: ignore[attr-defined]
    return this


if not TYPE_CHECKING:       # to type checkers it would mean that every name is there
    def __getattr__(name: str) -> Any:
        if name == "authoring":
            return importlib.import_module("physx_schema.authoring")
        if name not in _LAZY_MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(_LAZY_MODULES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


__all__ = [
    *_present, *(name for name in _retired if name not in _present), "ClassDescription", "Description", "Finding",
    "OmniPhysics", "Report", "author", "authoring", "check", "describe", "describe_class", "install", "strict",
    "trusted_files",
]

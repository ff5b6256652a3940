"""Author PhysX-ready USD in typed Python: ``import physx_schema as PhysxSchema``.

Importing registers the schema plugin with USD, so import before the first stage is opened.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType

from physx_generated import *  # noqa: F403 - every generated class, Tokens and the errors
from physx_generated import __all__ as _generated

from physx_schema import authoring
from physx_schema.authoring.bulk import author
from physx_schema.checking import Finding, Report, check
from physx_schema.description import Description, describe


def install() -> ModuleType:
    """Make ``from pxr import PhysxSchema`` work, and return what it gives.

    That is this module, unless the compiled bindings are there already.
    """
    if importlib.util.find_spec("pxr.PhysxSchema"):
        return importlib.import_module("pxr.PhysxSchema")
    this = sys.modules[__name__]
    sys.modules["pxr.PhysxSchema"] = this
    sys.modules["pxr"].PhysxSchema = this      # type: ignore[attr-defined]
    return this


__all__ = [*_generated, "Description", "Finding", "Report", "author", "authoring", "check", "describe", "install"]

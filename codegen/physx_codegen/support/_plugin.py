"""Registration of the schema plugin and the binding of Python classes to USD's types."""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pxr import Plug, Sdf, Tf, Usd

from ._definition import PhysxSchemaError

LATE = (
    "{what} is unknown to USD, because Usd.SchemaRegistry was used before its plugin was registered and reads plugins "
    "once per process; import this package before opening or creating a stage, or put {folder} on PXR_PLUGINPATH_NAME"
)
FOLDER = Path(__file__).resolve().parent


class RegistrationError(PhysxSchemaError, RuntimeError):
    """A schema that USD does not know in this process."""


def register(folder: Path, type_names: Sequence[str]) -> None:
    """Make USD know the types of the plugin in `folder`, unless another package already declared them.

    Warns (RuntimeWarning) where it is too late, and where the other package lacks some of the types.
    """
    Plug.Registry().GetAllPlugins()         # reads PXR_PLUGINPATH_NAME, which may declare the types
    missing = [name for name in type_names if Tf.Type.FindByName(name).isUnknown]
    if len(missing) == len(type_names):
        Plug.Registry().RegisterPlugins(str(folder))
        missing = [name for name in type_names if Tf.Type.FindByName(name).isUnknown]
    if missing:
        warnings.warn(
            f"another plugin declares part of the types in {folder} but not {', '.join(missing)}; these classes cannot "
            "be applied; update or remove that plugin, or import this package before it",
            RuntimeWarning, stacklevel=3)
    # A registry query freezes the list of schemas for the whole process, so ask only where USD is visibly in use.
    elif Sdf.Layer.GetLoadedLayers() and not all(map(known, type_names)):
        warnings.warn(LATE.format(what=type_names[0], folder=folder), RuntimeWarning, stacklevel=3)


def known(type_name: str) -> bool:
    """Whether the schema registry has the type. The first call freezes the registry."""
    return Usd.SchemaRegistry.FindSchemaInfo(Tf.Type.FindByName(type_name)) is not None


def require(identifier: str) -> None:
    """Raise RegistrationError where the schema registry does not know the schema."""
    if Usd.SchemaRegistry.FindSchemaInfo(identifier) is None:
        folders = sorted(str(path.parent) for path in FOLDER.rglob("plugInfo.json"))
        raise RegistrationError(LATE.format(what=identifier, folder=os.pathsep.join(folders)))


def bind(cls: type, library: str) -> None:
    """Attach a Python class to the TfType that a plugin declared, so that ``prim.HasAPI(cls)`` works.

    Steps aside where the type is unknown, and for compiled bindings, attached or not: theirs fail to load where a type
    has another class already.
    """
    tf_type = Tf.Type.FindByName(f"{library}{cls.__name__}")
    if tf_type.isUnknown or tf_type.pythonClass is not None or is_compiled(tf_type) or has_bindings(library):
        return
    tf_type.AddAlias(Tf.Type.GetRoot(), f"{cls.__module__}.{cls.__name__}")
    Tf.Type.Define(cls)


def is_compiled(tf_type: Tf.Type) -> bool:
    """Whether the plugin that declares a type brings compiled code."""
    plugin = Plug.Registry().GetPluginForType(tf_type)
    return plugin is not None and not plugin.isResource


@cache
def has_bindings(library: str) -> bool:
    """Whether compiled bindings of a library can be imported from pxr, as inside Kit."""
    return importlib.util.find_spec(f"pxr.{library}") is not None

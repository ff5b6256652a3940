"""Registration of the schema plugin and the binding of Python classes to USD's types."""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from pxr import Plug, Sdf, Tf, Usd

from ._definition import PhysxSchemaError

LATE = (
    "{what} is unknown to USD, because Usd.SchemaRegistry was used before this plugin was registered, and USD reads "
    "plugins only once per process; import this package before opening or creating a stage, or add {folder} to "
    "PXR_PLUGINPATH_NAME"
)
FOLDER = Path(__file__).resolve().parent


class RegistrationError(PhysxSchemaError, RuntimeError):
    """A schema that USD does not know in this process."""


def register(folder: Path, plugins: Mapping[str, Sequence[str]]) -> None:
    """Make USD know the types of the plugins below `folder`, by sub-folder, unless another package has declared them.

    Warns (RuntimeWarning) where it is too late, and where the other package lacks some of the types.
    """
    Plug.Registry().GetAllPlugins()         # reads PXR_PLUGINPATH_NAME, which may declare the types
    declared = [declare(folder / package, type_names) for package, type_names in plugins.items()]
    # A registry query freezes the list of schemas for the whole process, so ask only where USD is visibly in use.
    if all(declared) and Sdf.Layer.GetLoadedLayers():
        late = [name for type_names in plugins.values() for name in type_names if not known(name)]
        if late:
            warnings.warn(LATE.format(what=late[0], folder=plugin_path()), RuntimeWarning, stacklevel=3)


def declare(folder: Path, type_names: Sequence[str]) -> bool:
    """Register the plugin in a folder, unless its types are declared; whether all of them are then."""
    missing = [name for name in type_names if Tf.Type.FindByName(name).isUnknown]
    if len(missing) == len(type_names):
        Plug.Registry().RegisterPlugins(str(folder))
        missing = [name for name in type_names if Tf.Type.FindByName(name).isUnknown]
    if missing:
        warnings.warn(
            f"another plugin declares some of the types in {folder} but not {', '.join(missing)}; these classes cannot "
            "be applied; update or remove that plugin, or import this package before that plugin",
            RuntimeWarning, stacklevel=4)
    return not missing


def known(type_name: str) -> bool:
    """Whether the schema registry has the type. The first call freezes the registry."""
    return Usd.SchemaRegistry.FindSchemaInfo(Tf.Type.FindByName(type_name)) is not None


def require(identifier: str) -> None:
    """Raise RegistrationError where the schema registry does not know the schema."""
    if Usd.SchemaRegistry.FindSchemaInfo(identifier) is None:
        raise RegistrationError(LATE.format(what=identifier, folder=plugin_path()))


def plugin_path() -> str:
    """What to put on PXR_PLUGINPATH_NAME."""
    return os.pathsep.join(sorted(str(path.parent) for path in FOLDER.rglob("plugInfo.json")))


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

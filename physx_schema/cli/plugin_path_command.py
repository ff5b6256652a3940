"""The command `plugin-path`."""

from __future__ import annotations

import os

import click

from physx_schema.definitions import plugin_folders


@click.command("plugin-path")
def plugin_path_command() -> None:
    """Print the plugin path for usdview, Houdini, Kit and others.

    With this value of PXR_PLUGINPATH_NAME, programs load the schemas.
    """
    click.echo(os.pathsep.join(map(str, plugin_folders())))

"""The command `plugin-path`."""

from __future__ import annotations

import os

import click

from physx_schema.definitions import plugin_folders


@click.command("plugin-path")
def plugin_path_command() -> None:
    """Print what to put into PXR_PLUGINPATH_NAME so that usdview, Houdini, Kit and others know the schemas."""
    click.echo(os.pathsep.join(map(str, plugin_folders())))

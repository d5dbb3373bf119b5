"""The configuration, for every command that has a use for it."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from cloche.config import AppConfig

config_option = click.option(
    "--config",
    "config_file",
    type=click.Path(),
    metavar="FILE",
    help="Read this configuration file; else the one CLOCHE_CONFIG names, ./config.toml or the user's own.",
)


def load_settings(config_file: str | None) -> "AppConfig":
    """Read the configuration; notes go to stderr, and what is wrong with it ends the command as a usage error."""
    from cloche.config import load_config
    from cloche.errors import ConfigError

    try:
        config = load_config(config_file)
    except ConfigError as error:
        raise SettingsError(str(error)) from None
    for note in config.notes:
        click.echo(f"cloche: {note}", err=True)
    return config


class SettingsError(click.ClickException):
    """The configuration is wrong."""

    exit_code = 2

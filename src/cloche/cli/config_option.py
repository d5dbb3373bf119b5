"""The configuration, for every command that needs it."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from cloche.config import AppConfig

config_option = click.option(
    "--config",
    "config_file",
    type=click.Path(),
    metavar="FILE",
    help="Read this configuration file; by default the one CLOCHE_CONFIG names, else ./config.toml, else your own.",
)


def load_settings(config_file: str | None) -> "AppConfig":
    """Read the configuration; notes go to stderr."""
    from cloche.cli.logs import use_debug_mode
    from cloche.cli.result_output import print_message
    from cloche.config import load_config

    config = load_config(config_file)
    for note in config.notes:
        print_message(note)
    return use_debug_mode(config)

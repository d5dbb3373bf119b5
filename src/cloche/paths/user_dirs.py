"""The folders in which Cloche stores the user's data."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def config_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The folder of the user's own configuration."""
    if sys.platform == "win32":
        return Path(env.get("APPDATA") or Path.home() / "AppData/Roaming", "cloche")
    return Path(env.get("XDG_CONFIG_HOME") or Path.home() / ".config", "cloche")


def data_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The folder of sessions and their files: CLOCHE_DATA, else the user's own folder for data."""
    if chosen := env.get("CLOCHE_DATA"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(env.get("LOCALAPPDATA") or Path.home() / "AppData/Local", "cloche", "data")
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/cloche"
    return Path(env.get("XDG_DATA_HOME") or Path.home() / ".local/share", "cloche")

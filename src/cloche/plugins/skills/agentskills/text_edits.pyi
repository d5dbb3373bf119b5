"""The module of the same name that is copied here when the skills are installed."""

from cloche.runtime.actions.text_edits import *  # noqa: F403 - the same module

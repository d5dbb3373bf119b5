"""The exit codes of the command line."""

USAGE = 2
UNAVAILABLE = 69
OUTPUT = 74
"""The output could not be written."""
TIMEOUT = 124
SIGNAL = 128
"""Ended by a signal: this and the signal's number, as shells have it."""
INTERRUPTED = 130
MEMORY = 137
PIPE = 141
"""Nobody reads the output any more."""

"""The exit codes of the command line."""

USAGE = 2
UNAVAILABLE = 69
OUTPUT = 74
"""The output could not be written."""
TIMEOUT = 124
SIGNAL = 128
"""Ended by a signal: this plus the signal's number, as in shells."""
INTERRUPTED = 130
MEMORY = 137
PIPE = 141
"""The output is not read any more."""

"""One file for each command: `cloche NAME` is `commands/NAME.py`."""

"""One file for each command: `cloche NAME` is `commands/NAME.py`.

Each says in `GROUP`, `RANK` and `HELP` where and how `cloche --help` lists it; commands are listed by rank.
"""

"""Each peer behind the same few verbs, in a process and a Python of its own; only the standard library is assumed."""

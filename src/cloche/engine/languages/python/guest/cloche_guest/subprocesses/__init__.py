"""Commands that Python starts, which the sandbox's shell runs."""

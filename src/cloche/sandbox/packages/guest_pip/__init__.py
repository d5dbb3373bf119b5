"""Requests for packages from inside the sandbox, and its `pip` command."""

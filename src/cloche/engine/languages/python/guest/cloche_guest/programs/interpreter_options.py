"""What options and PYTHON... variables change in the interpreter that runs a program."""

from __future__ import annotations

import importlib._bootstrap_external as imports
import os
import site
import sys
import types
import warnings

from cloche_guest.programs.arguments import CommandPlan


class _Flags(types.SimpleNamespace):
    """In place of `sys.flags`, of which none can be made; what reads it asks for its attributes."""

    def __repr__(self) -> str:
        return f"sys.flags({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


def apply_options(plan: CommandPlan) -> None:
    """Change the interpreter as the real one does before it runs a program."""
    env = (
        {} if plan.isolated else {name: text for name, text in os.environ.items() if name.startswith("PYTHON") and text}
    )
    optimize = min(max(plan.optimize, _read_level(env.get("PYTHONOPTIMIZE", ""))), 2)
    safe = plan.safe_path or "PYTHONSAFEPATH" in env
    changed = {
        "optimize": optimize,
        "ignore_environment": int(plan.isolated),
        "isolated": int(plan.no_user),
        "safe_path": safe,
        "inspect": int(plan.session),
        "quiet": int(plan.quiet),
        "dev_mode": "dev" in plan.implementation or "PYTHONDEVMODE" in env,
        "utf8_mode": int("utf8" in plan.implementation or env.get("PYTHONUTF8") == "1"),
    }
    if any(getattr(sys.flags, name) != value for name, value in changed.items()):
        sys.flags = _Flags(**{name: getattr(sys.flags, name) for name in _list_flags()} | changed)
    _name_user_folders()
    if optimize:
        _optimize_imports(optimize)
    plan.optimize, plan.safe_path = optimize, safe
    for option in [*env.get("PYTHONWARNINGS", "").split(","), *plan.warnings]:
        if option:
            warnings._setoption(option)


def _name_user_folders() -> None:
    site.USER_BASE = os.environ.get("PYTHONUSERBASE") or os.path.expanduser("~/.local")  # noqa: PTH111
    site.USER_SITE = f"{site.USER_BASE}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    site.ENABLE_USER_SITE = False


def _read_level(text: str) -> int:
    return int(text) if text.isdigit() else int(text != "")


def _list_flags() -> list[str]:
    return [name for name in dir(sys.flags) if not name.startswith(("_", "n_")) and name not in ("count", "index")]


def _optimize_imports(level: int) -> None:
    """Compile modules as the program itself is; those of the library were compiled before."""
    for function, option in (
        (imports.SourceLoader.source_to_code, "_optimize"),
        (imports.cache_from_source, "optimization"),
    ):
        function.__kwdefaults__ = {**(function.__kwdefaults__ or {}), option: level}

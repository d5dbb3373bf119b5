"""Prints the result of a run, for people and for programs."""

import sys
from typing import Any

import click
import msgspec

from cloche.cli import exit_codes
from cloche.cli.terminal.control_sequences import ControlFilter, strip_control
from cloche.sandbox.results.result import Result

_FILTERS = {"stdout": ControlFilter(), "stderr": ControlFilter()}

_SHOWN = 20
"""The most lines and functions of a profile that are shown."""

_SHARE = 0.005
"""Functions with a smaller share of the whole time are not shown."""


def exit_code(result: Result) -> int:
    """The documented exit code of a result."""
    if result.timed_out:
        return exit_codes.TIMEOUT
    if result.error is None:
        return result.exit_code
    match result.error.type:
        case "KeyboardInterrupt":
            return exit_codes.INTERRUPTED
        case "MemoryError" | "SandboxLost":
            return exit_codes.MEMORY
        case _:
            return result.exit_code or 1


def as_json(result: Result, patch: str | None = None) -> bytes:
    """The object that `--json` prints; with `patch`, it includes what the code changed."""
    return msgspec.json.encode(
        {
            "ok": result.ok,
            "language": result.language,
            "value": result.value,
            "stdout": result.stdout,
            "stderr": result.stderr,
            "displays": [msgspec.structs.asdict(display) for display in result.displays],
            "error": result.error,
            "timed_out": result.timed_out,
            "state": result.state,
            "duration_ms": round(result.duration * 1000, 3),
            "exit_code": result.exit_code,
            "truncated": result.truncated,
            "profile": result.profile,
            **({} if patch is None else {"diff": patch}),
        }
    )


def show_file_name(result: Result, name: str, cell: str) -> Result:
    """Put the file's name in place of the cell's name in the traceback and the profile."""
    error, profile = result.error, result.profile
    if error is not None:
        error = msgspec.structs.replace(error, traceback=error.traceback.replace(f'"{cell}"', f'"{name}"'))
    if profile is not None:
        functions = [{**each, "file": name if each["file"] == cell else each["file"]} for each in profile["functions"]]
        profile = {**profile, "functions": functions}
    return msgspec.structs.replace(result, error=error, profile=profile)


def print_message(text: str) -> None:
    """Print a message to stderr; it may quote a package or a server."""
    click.echo(f"cloche: {strip_control(text)}", err=True)


def print_end(result: Result, timeout: float) -> None:
    """Say on stderr why a run failed."""
    if result.error is not None:
        text = result.error.traceback.rstrip() or f"{result.error.type}: {result.error.message}"
        click.echo(strip_control(text) if sys.stderr and sys.stderr.isatty() else text, err=True)
    if result.notice is not None:
        print_message(result.notice)
    if result.timed_out:
        print_message(f"stopped after {timeout:g} s (--timeout)")


def print_profile(profile: dict[str, Any], code: str) -> None:
    """Print time and memory to stderr: the slowest lines and functions."""
    source = code.splitlines()
    lines: list[dict[str, Any]] = sorted(profile["lines"], key=lambda each: -each["ms"])[:_SHOWN]
    _print_note(
        f"Profile: {profile['duration_ms']:.1f} ms, at most {_format_memory(profile['memory_peak_kb'])} allocated",
        bold=True,
    )
    if not lines:
        return
    _print_note(f"{'line':>6} {'runs':>9} {'ms':>10} {'kept':>10}")
    for each in sorted(lines, key=lambda each: each["line"]):
        text: str = source[int(each["line"]) - 1] if each["line"] <= len(source) else ""
        kept = _format_memory(each["kb"]) if each["kb"] else ""
        _print_note(f"{each['line']:>6} {each['hits']:>9} {each['ms']:>10.3f} {kept:>10}  {text[:100]}")
    _print_note(f"{'calls':>16} {'ms':>10} {'own ms':>10}  function")
    dear = [each for each in profile["functions"] if each["total_ms"] >= _SHARE * profile["duration_ms"]]
    for each in dear[:_SHOWN]:
        where = f" ({each['file']}:{each['line']})" if each["file"] else ""
        _print_note(f"{each['calls']:>16} {each['total_ms']:>10.3f} {each['own_ms']:>10.3f}  {each['name']}{where}")


def _print_note(text: str, *, bold: bool = False) -> None:
    click.secho(text, err=True, bold=bold)


def _format_memory(kb: float) -> str:
    return f"{kb:.1f} KB" if kb < 1024 else f"{kb / 1024:.1f} MB"


def write_output(stream: str, text: str) -> None:
    """Write to stdout or stderr immediately; raises BrokenPipeError if the reader is gone."""
    target = sys.stdout if stream == "stdout" else sys.stderr
    # None if the program was started with the stream closed.
    if target:
        target.write(_FILTERS[stream].feed(text) if target.isatty() else text)
        target.flush()

"""Converts events written by earlier versions of the wire format."""

import ast
from typing import Any, cast

import msgspec

_OLD_ARGS = frozenset({"is_confirmed", "images_urls"})
_OLD_EXTRAS = frozenset({"exit_code", "command_id"})
_EDITOR = "print(file_editor(**"
_RISKS = frozenset({-1, 0, 1, 2})


def upgrade_action(kind: str, args: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an action, with old names replaced and an invalid risk dropped."""
    if not _OLD_ARGS.isdisjoint(args):
        args = _rename_fields(args, {"is_confirmed": "confirmation_state", "images_urls": "image_urls"})
    risk = args.get("security_risk", -1)
    if not isinstance(risk, int) or risk not in _RISKS:
        args = {key: value for key, value in args.items() if key != "security_risk"}
    if isinstance(args.get("translated_ipython_code"), str):
        args = args | _from_call(args["translated_ipython_code"])
    if isinstance(args.get("insert_line"), str):
        args = args | {"insert_line": _from_digits(args["insert_line"])}
    if kind == "call_tool_mcp" and isinstance(args.get("arguments"), str):
        args = args | {"arguments": _from_json(args["arguments"])}
    return args


def upgrade_observation(kind: str, extras: dict[str, Any]) -> dict[str, Any]:
    """The extras of an observation, with the exit code in its current place."""
    given: Any = extras.get("metadata") or {}
    if kind != "run" or _OLD_EXTRAS.isdisjoint(extras) or not isinstance(given, dict):
        return extras
    metadata = dict(cast("dict[str, Any]", given))
    extras = dict(extras)
    for old, new in (("exit_code", "exit_code"), ("command_id", "pid")):
        if old in extras:
            metadata[new] = extras.pop(old)
    return extras | {"metadata": metadata}


def _rename_fields(fields: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {names.get(key, key): value for key, value in fields.items()}


def _from_call(code: str) -> dict[str, Any]:
    """The arguments of the editor, which old agents called as a function in a cell."""
    if not (code.startswith(_EDITOR) and code.endswith("))")):
        return {}
    try:
        given: Any = ast.literal_eval(code[len(_EDITOR) : -2])
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return {}
    return cast("dict[str, Any]", given) if isinstance(given, dict) else {}


def _from_digits(text: str) -> int | str:
    return int(text) if text.strip().isdecimal() and len(text) < 10 else text


def _from_json(text: str) -> Any:
    try:
        return msgspec.json.decode(text or "{}")
    except (msgspec.DecodeError, RecursionError):
        return text

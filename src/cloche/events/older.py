"""Events as earlier versions of the wire format wrote them, brought into the form of today."""

from typing import Any, cast

import msgspec

_OLD_ARGS = frozenset({"is_confirmed", "images_urls"})
_OLD_EXTRAS = frozenset({"exit_code", "command_id"})
_RISKS = frozenset({-1, 0, 1, 2})


def mend_action(kind: str, args: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an action, with old names replaced and a risk that is none dropped."""
    if not _OLD_ARGS.isdisjoint(args):
        args = _rename(args, {"is_confirmed": "confirmation_state", "images_urls": "image_urls"})
    risk = args.get("security_risk", -1)
    if not isinstance(risk, int) or risk not in _RISKS:
        args = {key: value for key, value in args.items() if key != "security_risk"}
    if kind == "call_tool_mcp" and isinstance(args.get("arguments"), str):
        args = args | {"arguments": _from_json(args["arguments"])}
    return args


def mend_observation(kind: str, extras: dict[str, Any]) -> dict[str, Any]:
    """The extras of an observation, with the exit code where it belongs."""
    given: Any = extras.get("metadata") or {}
    if kind != "run" or _OLD_EXTRAS.isdisjoint(extras) or not isinstance(given, dict):
        return extras
    metadata = dict(cast("dict[str, Any]", given))
    extras = dict(extras)
    for old, new in (("exit_code", "exit_code"), ("command_id", "pid")):
        if old in extras:
            metadata[new] = extras.pop(old)
    return extras | {"metadata": metadata}


def _rename(fields: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {names.get(key, key): value for key, value in fields.items()}


def _from_json(text: str) -> Any:
    try:
        return msgspec.json.decode(text or "{}")
    except (msgspec.DecodeError, RecursionError):
        return text

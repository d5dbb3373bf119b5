"""Runs in the sandbox of a smolagents agent: `final_answer` displays its answer, as JSON, and ends the cell.

The names begin with underscores because the agent's own code runs beside them.
"""

import base64 as _base64
import dataclasses as _dataclasses
import datetime as _datetime
import decimal as _decimal
import io as _io
import json as _json
import pathlib as _pathlib
import sys as _sys
from collections.abc import Callable as _Callable
from typing import Any as _Any

from IPython.display import display as _display


class FinalAnswerException(BaseException):
    """Ends the cell; handlers of exceptions in the agent's code do not catch it."""


_TEXTS: dict[type, tuple[str, _Callable[[_Any], _Any]]] = {
    _datetime.datetime: ("datetime", _datetime.datetime.isoformat),
    _datetime.date: ("date", _datetime.date.isoformat),
    _datetime.time: ("time", _datetime.time.isoformat),
    _decimal.Decimal: ("Decimal", str),
    _pathlib.PurePath: ("Path", str),
    bytes: ("bytes", lambda data: _base64.b64encode(data).decode()),
}


def _mark(name: str, data: _Any, **more: _Any) -> dict[str, _Any]:
    return {"__type__": name, "data": data, **more}


def _encode(value: _Any) -> _Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list):
        return [_encode(each) for each in value]
    for kind in (tuple, set, frozenset):
        if isinstance(value, kind):
            return _mark(kind.__name__, [_encode(each) for each in value])
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: _encode(each) for key, each in value.items()}
        return _mark("dict_with_complex_keys", [[_encode(key), _encode(each)] for key, each in value.items()])
    for kind, (name, write) in _TEXTS.items():
        if isinstance(value, kind):
            return _mark(name, write(value))
    return _encode_object(value)


def _encode_object(value: _Any) -> _Any:
    pictures, arrays = _sys.modules.get("PIL.Image"), _sys.modules.get("numpy")
    if isinstance(value, complex):
        return {"__type__": "complex", "real": value.real, "imag": value.imag}
    if isinstance(value, _datetime.timedelta):
        return {"__type__": "timedelta", "total_seconds": value.total_seconds()}
    if pictures and isinstance(value, pictures.Image):
        file = _io.BytesIO()
        value.save(file, format="PNG")
        return _mark("PIL.Image", _base64.b64encode(file.getvalue()).decode())
    if arrays and isinstance(value, arrays.ndarray):
        return _mark("ndarray", value.tolist(), dtype=str(value.dtype))
    if arrays and isinstance(value, arrays.generic):
        return value.item()
    if _dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _encode(getattr(value, field.name)) for field in _dataclasses.fields(value)}
        return _mark("dataclass", fields, class_name=type(value).__name__, module=type(value).__module__)
    raise TypeError(f"final_answer cannot send an object of type {type(value).__name__}: give it text or plain data")


def _ending(tool: _Callable[..., _Any]) -> _Callable[..., _Any]:
    def final_answer(*args: _Any, **kwargs: _Any) -> _Any:
        answer = _json.dumps(_encode(tool(*args, **kwargs)))
        # Messages of exceptions are cut where they are long.
        _display({"application/vnd.cloche.final-answer": answer}, raw=True)
        raise FinalAnswerException

    return final_answer


final_answer = _ending(globals()["final_answer"])

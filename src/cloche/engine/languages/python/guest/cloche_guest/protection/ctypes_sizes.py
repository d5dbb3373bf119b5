"""The remains of ctypes: plain numbers and their sizes. Libraries ask for those without touching raw memory."""

from __future__ import annotations

import struct
from typing import Any

_CLOSED = (
    "{} is not there: ctypes reaches raw memory and is closed in this sandbox, but for numbers and their sizes; native "
    "modules of installed packages do work"
)
_FORMATS = {
    "c_bool": "?", "c_byte": "b", "c_ubyte": "B", "c_short": "h", "c_ushort": "H", "c_int": "i", "c_uint": "I",
    "c_long": "l", "c_ulong": "L", "c_longlong": "q", "c_ulonglong": "Q", "c_float": "f", "c_double": "d",
    "c_size_t": "I", "c_ssize_t": "i", "c_int8": "b", "c_uint8": "B", "c_int16": "h", "c_uint16": "H", "c_int32": "i",
    "c_uint32": "I", "c_int64": "q", "c_uint64": "Q", "c_char": "c", "c_void_p": "I",
}  # fmt: skip


class _Simple:
    """A number in its own memory."""

    _type_ = "i"

    def __init__(self, value: Any = None) -> None:
        self.value = self._default() if value is None else value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r})"

    @classmethod
    def _default(cls) -> Any:
        return struct.unpack(cls._type_, bytes(struct.calcsize(cls._type_)))[0]


def sizeof(kind: Any) -> int:
    """How many bytes a value takes."""
    return struct.calcsize(kind._type_)


def _refuse(name: str) -> Any:
    raise AttributeError(_CLOSED.format(f"ctypes.{name}"))


def names() -> dict[str, Any]:
    """The names in the module."""
    kinds = {name: type(name, (_Simple,), {"_type_": form}) for name, form in _FORMATS.items()}
    return {**kinds, "sizeof": sizeof, "alignment": sizeof, "__getattr__": _refuse}

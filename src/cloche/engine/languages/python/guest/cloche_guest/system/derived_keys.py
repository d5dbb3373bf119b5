"""hashlib.pbkdf2_hmac and hashlib.scrypt, which the engine computes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from cloche_guest import engine_calls

_HASHES = {"sha1": "SHA-1", "sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}
_BLOCK = 128
_MEMORY = 32 << 20
"""What scrypt may use unless it is told otherwise."""


def pbkdf2_hmac(hash_name: str, password: Any, salt: Any, iterations: int, dklen: int | None = None) -> bytes:
    """Password based key derivation function 2 (PKCS #5 v2.0) with HMAC as pseudorandom function."""
    name = hash_name.lower().replace("-", "")
    if name not in hashlib.algorithms_available:
        raise ValueError(f"unsupported hash type {hash_name}")
    if iterations < 1:
        raise ValueError("iteration value must be greater than 0.")
    size = hashlib.new(name).digest_size if dklen is None else dklen
    if size < 1:
        raise ValueError("key length must be greater than 0.")
    if name in _HASHES and engine_calls.can_wait():
        wanted = {"hash": _HASHES[name], "iterations": iterations, "size": size}
        return _derive("pbkdf2", wanted, password, salt)
    return _compute(name, bytes(password), bytes(salt), iterations, size)


def _compute(name: str, password: bytes, salt: bytes, iterations: int, size: int) -> bytes:
    import hmac

    whole = b""
    keyed = hmac.new(password, digestmod=name)

    def sign(data: bytes) -> bytes:
        one = keyed.copy()
        one.update(data)
        return one.digest()

    number = 0
    while len(whole) < size:
        number += 1
        part = sign(salt + number.to_bytes(4, "big"))
        total = int.from_bytes(part, "big")
        for _ in range(iterations - 1):
            part = sign(part)
            total ^= int.from_bytes(part, "big")
        whole += total.to_bytes(len(part), "big")
    return whole[:size]


def scrypt(password: Any, *, salt: Any, n: int, r: int, p: int, maxmem: int = 0, dklen: int = 64) -> bytes:
    """scrypt password-based key derivation function."""
    if n < 2 or n & (n - 1):
        raise ValueError("n must be a power of 2.")
    if r < 1 or p < 1:
        raise ValueError("r and p must be positive.")
    if not 1 <= dklen < 1 << 31:
        raise ValueError("dklen must be greater than 0 and smaller than 2147483647")
    if _BLOCK * r * (n + p + 2) > (maxmem or _MEMORY):
        raise ValueError("memory limit exceeded")
    return _derive("scrypt", {"n": n, "r": r, "p": p, "size": dklen}, password, salt)


def _derive(kind: str, wanted: dict[str, Any], password: Any, salt: Any) -> bytes:
    wanted |= {"kind": kind, "password": _text(password), "salt": _text(salt)}
    return str(engine_calls.wait_for(engine_calls.call_engine("derive_key", json.dumps(wanted)))).encode("latin-1")


def _text(data: Any) -> str:
    return bytes(memoryview(data)).decode("latin-1")


def install() -> None:
    """Add what is missing."""
    for function in (pbkdf2_hmac, scrypt):
        if not hasattr(hashlib, function.__name__):
            function.__module__ = "hashlib"
            setattr(hashlib, function.__name__, function)

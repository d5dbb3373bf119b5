"""Failures of the network, as the errors that Python programs expect."""

from __future__ import annotations

import errno
import socket
import ssl

from cloche_guest.host_requests import RequestError

_REFUSED = ("NotAllowed", "PrivateAddress")
_PROTOCOL = ("BadRequest", "TooManyRedirects", "TooLong")


def no_network(place: str) -> PermissionError:
    """The error of a sandbox that may reach nothing."""
    return PermissionError(
        errno.EACCES,
        f"this sandbox has no network, so {place} cannot be reached: open it with "
        f'allow_net=["{place}"] (SDK) or --allow-net {place} (CLI)',
    )


def failure_of(error: RequestError, place: str) -> OSError:
    """The error that a program would see without a sandbox; `place` is host:port."""
    kind, text = error.kind, str(error)
    if kind == "Unavailable":
        return no_network(place)
    if kind in _REFUSED:
        return PermissionError(errno.EACCES, text)
    if kind == "NameNotFound":
        return socket.gaierror(socket.EAI_NONAME, text)
    if kind == "Timeout":
        return TimeoutError(errno.ETIMEDOUT, text)
    if kind == "ConnectFailed":
        return ConnectionRefusedError(errno.ECONNREFUSED, text)
    if kind == "TLSFailed":
        return _bad_certificate(text) if "certificate" in text else ssl.SSLError(ssl.SSL_ERROR_SSL, text)
    if kind == "TooMany":
        return OSError(errno.EMFILE, f"too many requests at once: {text}; read or close some first")
    if kind == "TooLarge":
        return OSError(errno.EFBIG, text)
    if kind in _PROTOCOL:
        return OSError(errno.EPROTO, text)
    return ConnectionResetError(errno.ECONNRESET, text)


def _bad_certificate(text: str) -> ssl.SSLError:
    error = ssl.SSLCertVerificationError(1, text)
    # In the words of the real error.
    error.reason, error.library = "CERTIFICATE_VERIFY_FAILED", "SSL"
    error.verify_code, error.verify_message = 1, text
    return error

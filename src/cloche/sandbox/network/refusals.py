"""Why a request was refused or not finished; the name of the class is the type that the guest sees."""

from cloche.errors import ClocheError


class RequestRefused(ClocheError):
    """Base of all refusals."""

    code = "network"


class NotAllowed(RequestRefused):
    """The host and port are not in allow_net."""


class PrivateAddress(RequestRefused):
    """An allowed name leads to an address that is not public and not listed itself."""


class TooLarge(RequestRefused):
    """A body or a head is over its limit."""


class Timeout(RequestRefused):
    """A deadline has passed, or the other side is too slow."""


class NameNotFound(RequestRefused):
    """The name has no address."""


class ConnectFailed(RequestRefused):
    """The address does not respond."""


class ConnectionLost(RequestRefused):
    """The connection broke, or the response is not HTTP."""


class TLSFailed(RequestRefused):
    """The server could not prove its identity."""


class TooManyRedirects(RequestRefused):
    """There were too many redirects."""


class BadRequest(RequestRefused):
    """The request itself is wrong."""

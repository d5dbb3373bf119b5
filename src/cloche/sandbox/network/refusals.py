"""Why a request was refused or not finished; the name of the class is the type that the guest sees."""

from cloche.errors import ClocheError


class Refused(ClocheError):
    """Base of all refusals."""

    code = "network"


class NotAllowed(Refused):
    """The host and port are not in allow_net."""


class PrivateAddress(Refused):
    """An allowed name leads to an address that is not public and not listed itself."""


class TooLarge(Refused):
    """A body or a head is over its limit."""


class Timeout(Refused):
    """A deadline has passed, or the other side is too slow."""


class NameNotFound(Refused):
    """The name has no address."""


class ConnectFailed(Refused):
    """Nobody answers at the address."""


class ConnectionLost(Refused):
    """The connection broke, or what came over it is not HTTP."""


class TLSFailed(Refused):
    """The server could not prove that it is who it is meant to be."""


class TooManyRedirects(Refused):
    """Redirects lead on and on."""


class BadRequest(Refused):
    """The request itself is wrong."""

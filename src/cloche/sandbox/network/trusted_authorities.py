"""Trusted certificates: those signed by the system's authorities, and those in an additional file."""

import ssl


def load_authorities(certificates: str | None = None) -> ssl.SSLContext:
    """Load the authorities; blocks, longer than most requests take."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if certificates:
        context.load_verify_locations(certificates)
    return context

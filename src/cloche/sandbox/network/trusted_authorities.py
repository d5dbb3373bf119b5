"""Which certificates are trusted: those that the system's authorities have signed, and those of one more file."""

import ssl


def trusted_context(certificates: str | None = None) -> ssl.SSLContext:
    """Read the authorities, which takes longer than most answers; blocks."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if certificates:
        context.load_verify_locations(certificates)
    return context

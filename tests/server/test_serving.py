"""What is checked before the server listens."""

from pathlib import Path

import pytest
import trustme

from cloche.config.sections import ServerConfig
from cloche.errors import ConfigError
from cloche.server.serving import check_tls


def write_certificate(folder: Path, name: str) -> ServerConfig:
    """The configuration with a certificate and its key."""
    issued = trustme.CA().issue_cert("localhost")
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    issued.cert_chain_pems[0].write_to_path(cert)
    issued.private_key_pem.write_to_path(key)
    return ServerConfig(tls_cert=str(cert), tls_key=str(key))


def test_a_certificate_with_its_key_is_taken(tmp_path: Path) -> None:
    check_tls(write_certificate(tmp_path, "own"))
    check_tls(ServerConfig())


def test_what_cannot_be_used_for_tls_is_said_before_anything_is_served(tmp_path: Path) -> None:
    own, other = write_certificate(tmp_path, "own"), write_certificate(tmp_path, "other")
    (tmp_path / "text").write_text("no certificate")
    for settings, why in [
        (ServerConfig(tls_cert="/nothing.pem"), "tls_cert: there is no file /nothing.pem"),
        (ServerConfig(tls_cert=own.tls_cert, tls_key="/nothing.key"), "tls_key: there is no file /nothing.key"),
        (ServerConfig(tls_key=own.tls_key), "tls_key is of no use without tls_cert"),
        (ServerConfig(tls_cert=own.tls_cert, tls_key=other.tls_key), "belong together"),
        (ServerConfig(tls_cert=str(tmp_path / "text")), "files in PEM"),
    ]:
        with pytest.raises(ConfigError, match=why):
            check_tls(settings)

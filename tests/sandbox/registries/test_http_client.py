import gzip
import hashlib
from pathlib import Path

import pytest

from cloche.errors import PackageDamaged
from cloche.sandbox.registries import http_client
from cloche.sandbox.registries.http_client import (
    PageAbsent,
    RegistryUnreached,
    RequestOptions,
    check_address,
    download_address,
    read_address,
)
from tests.sandbox.registries.index_server import Page, Site

PLAIN = RequestOptions({})


def test_an_answer_is_read(site: Site) -> None:
    site.put("/x", "hello")
    assert read_address(f"{site.address}/x", 100, PLAIN).body == b"hello"
    assert site.headers["/x"]["User-Agent"] == "cloche"


def test_an_answer_that_is_packed_is_unpacked_within_the_limit(site: Site) -> None:
    site.pages["/x"] = Page(gzip.compress(b"x" * 5000), packed=True)
    assert read_address(f"{site.address}/x", 5000, PLAIN).body == b"x" * 5000
    with pytest.raises(PackageDamaged, match="sent more than"):
        read_address(f"{site.address}/x", 4999, PLAIN)
    site.pages["/y"] = Page(b"noise", packed=True)
    with pytest.raises(PackageDamaged, match="cannot be unpacked"):
        read_address(f"{site.address}/y", 5000, PLAIN)


def test_what_is_not_there_is_distinguished_from_a_server_that_fails(site: Site) -> None:
    with pytest.raises(PageAbsent, match="404"):
        read_address(f"{site.address}/x", 100, PLAIN)
    site.pages["/bad"] = Page(b"", 403)
    with pytest.raises(RegistryUnreached, match="403"):
        read_address(f"{site.address}/bad", 100, PLAIN)
    assert site.asked.count("/bad") == 1
    site.down = True
    with pytest.raises(RegistryUnreached, match="503"):
        read_address(f"{site.address}/x", 100, PLAIN)
    assert site.asked.count("/x") == 1 + http_client.ATTEMPTS


def test_a_server_that_nobody_runs_is_reported() -> None:
    with pytest.raises(RegistryUnreached, match="refused"):
        read_address("http://127.0.0.1:9/x", 100, PLAIN)
    for bad in ("file:///etc/passwd", "ftp://x/y", "nonsense"):
        with pytest.raises(RegistryUnreached, match="no http"):
            read_address(bad, 100, PLAIN)


def test_an_answer_that_is_too_large_is_refused(site: Site) -> None:
    site.put("/x", b"x" * 1000)
    with pytest.raises(PackageDamaged, match="sent more than"):
        read_address(f"{site.address}/x", 999, PLAIN)


def test_an_answer_that_is_cut_off_is_tried_again_and_refused(site: Site) -> None:
    site.pages["/x"] = Page(b"half", length=8)
    with pytest.raises(RegistryUnreached):
        read_address(f"{site.address}/x", 100, PLAIN)
    assert site.asked == ["/x"] * http_client.ATTEMPTS


def test_a_server_that_falls_silent_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(http_client, "SILENCE", 0.2)
    site.pages["/x"] = Page(b"x" * 1000, hangs=True)
    with pytest.raises(RegistryUnreached, match=r"no answer within 0.2 s"):
        download_address(f"{site.address}/x", tmp_path / "x", PLAIN)


def test_a_download_that_never_ends_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(http_client, "WHOLE", -1.0)
    site.put("/x", b"x" * 1000)
    with pytest.raises(RegistryUnreached, match="not done"):
        download_address(f"{site.address}/x", tmp_path / "x", PLAIN)


def test_a_download_returns_its_hashes(site: Site, tmp_path: Path) -> None:
    data = site.put("/x", b"x" * 100_000)
    digests = download_address(f"{site.address}/x", tmp_path / "x", PLAIN)
    assert digests["sha512"] == hashlib.sha512(data).hexdigest()
    assert digests["md5"] == hashlib.md5(data).hexdigest()
    assert (tmp_path / "x").read_bytes() == data


def test_credentials_follow_a_redirect_of_their_own_host(site: Site) -> None:
    site.pages["/z"] = Page(code=302, location="/own")
    site.put("/own", "here")
    options = RequestOptions({"Authorization": "Bearer secret"})
    assert read_address(f"{site.address}/z", 100, options).body == b"here"
    assert site.headers["/own"]["Authorization"] == "Bearer secret"


def test_a_redirect_to_another_port_of_its_host_is_not_followed(site: Site) -> None:
    with Site() as other:
        other.put("/y", "there")
        site.pages["/x"] = Page(code=302, location=f"{other.address}/y")
        with pytest.raises(RegistryUnreached, match="not followed"):
            read_address(f"{site.address}/x", 100, PLAIN)
        assert not other.headers


def test_a_name_that_leads_to_a_private_address_is_not_connected_to(site: Site, tmp_path: Path) -> None:
    site.put("/x", "there")
    other_spelling = site.address.replace("127", "%31%32%37")
    for address in (site.address, other_spelling):
        for base in ("https://registry.example/", "http://127.0.0.1:1/"):
            with pytest.raises(RegistryUnreached, match="leads to no public address"):
                download_address(f"{address}/x", tmp_path / "x", RequestOptions({}, base=base))
    assert not site.headers


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "http://169.254.169.254/x", "http://localhost:1/x", "gopher://x"]
)
def test_a_redirect_to_somewhere_else_is_not_followed(site: Site, target: str) -> None:
    site.pages["/x"] = Page(code=302, location=target)
    with pytest.raises(RegistryUnreached):
        read_address(f"{site.address}/x", 100, PLAIN)


@pytest.mark.parametrize(
    ("address", "base"),
    [
        ("https://cdn.example.com/x", "https://example.com/"),
        ("https://example.com/x", "https://example.com/"),
        ("http://10.0.0.1/x", "http://10.0.0.1/"),
        ("http://mirror.example.com/x", "http://example.com/"),
        ("https://npm/x", "http://npm/"),
        ("https://npm:443/x", "https://NPM/"),
    ],
)
def test_addresses_that_a_registry_may_name(address: str, base: str) -> None:
    check_address(address, base)


@pytest.mark.parametrize(
    ("address", "base"),
    [
        ("http://example.com/x", "https://example.com/"),
        ("https://127.0.0.1/x", "https://example.com/"),
        ("https://[::1]/x", "https://example.com/"),
        ("https://192.168.1.1/x", "https://example.com/"),
        ("https://router/x", "https://example.com/"),
        ("https://metadata.internal/x", "https://example.com/"),
        ("file:///etc/passwd", "http://example.com/"),
        ("http://127.0.0.1:5432/x", "http://127.0.0.1:4873/"),
        ("http://example.com:9200/x", "http://example.com/"),
        ("https://10.0.0.1:8443/x", "https://10.0.0.1/"),
        ("https://npm/x", "http://npm:4873/"),
        ("https://2130706433/x", "https://example.com/"),
        ("https://localhost./x", "https://example.com/"),
        ("https://example.com:99999/x", "https://example.com/"),
        ("https://example.com@10.0.0.1/x", "https://example.com/"),
        ("https://example.com@files.example.org/x", "https://example.com/"),
        ("https://user:word@files.example.org/x", "https://example.com/"),
    ],
)
def test_addresses_that_a_registry_may_not_name(address: str, base: str) -> None:
    with pytest.raises(PackageDamaged):
        check_address(address, base)

"""What allow_net says, and what it does not let through."""

from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloche.errors import ConfigError
from cloche.sandbox.network.addresses import is_public
from cloche.sandbox.network.policy import Policy
from cloche.sandbox.network.refusals import BadRequest, NotAllowed, PrivateAddress, RequestRefused
from cloche.sandbox.network.sandbox_network import SandboxNetwork
from cloche.sandbox.network.urls import parse_url


def allowed(url: str, *allow_net: str) -> bool:
    try:
        Policy(allow_net).check_target(parse_url(url))
    except NotAllowed:
        return False
    return True


@pytest.mark.parametrize(
    ("url", "entry"),
    [
        ("http://example.com/", "example.com"),
        ("https://example.com/", "example.com"),
        ("https://EXAMPLE.com./", "example.com:443"),
        ("https://example.com/", "Example.COM.:443"),
        ("https://a.b.example.com/", "*.example.com:443"),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000"),
        ("http://[::1]:8000/", "[::1]:8000"),
        ("http://[0:0:0:0:0:0:0:1]:8000/", "[::1]:8000"),
        ("http://[::ffff:127.0.0.1]:8000/", "127.0.0.1:8000"),
        ("http://10.1.2.3/", "10.0.0.0/8:80"),
        ("http://[fd00::5]/", "[fd00::/8]:80"),
        ("http://localhost:8000/", "localhost:8000"),
        ("https://bücher.example/", "xn--bcher-kva.example:443"),
        ("https://xn--bcher-kva.example/", "bücher.example:443"),
    ],
)
def test_what_is_listed_may_be_reached(url: str, entry: str) -> None:
    assert allowed(url, entry)


@pytest.mark.parametrize(
    ("url", "entry"),
    [
        ("http://example.com:8080/", "example.com"),
        ("http://example.com/", "example.com:443"),
        ("https://evil-example.com/", "*.example.com:443"),
        ("https://example.com/", "*.example.com:443"),
        ("https://example.com.evil.com/", "example.com:443"),
        ("http://127.0.0.1:8000/", "localhost:8000"),
        ("http://localhost:8000/", "127.0.0.1:8000"),
        ("http://11.1.2.3/", "10.0.0.0/8:80"),
        ("http://0.0.0.0:8000/", "127.0.0.1:8000"),
        ("http://0.0.0.0/", "0.0.0.0/0:80"),
        ("http://224.0.0.1/", "0.0.0.0/0:80"),
        ("http://[::]:8000/", "[::1]:8000"),
    ],
)
def test_what_is_not_listed_may_not_be_reached(url: str, entry: str) -> None:
    assert not allowed(url, entry)


def test_a_refusal_says_what_to_add() -> None:
    with pytest.raises(NotAllowed, match=r"add 'example.com:8080' to allow_net \(--allow-net example.com:8080\)"):
        Policy([]).check_target(parse_url("http://example.com:8080/a?key=1"))
    with pytest.raises(NotAllowed, match=r"'\[::1\]:80'"):
        Policy(["a.b"]).check_target(parse_url("http://[::1]/"))


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ("https://example.com", "it is a URL"),
        ("example.com:0", "not a port"),
        ("example.com:65536", "not a port"),
        ("example.com:http", "is not host:port"),
        ("::1:80", "brackets"),
        ("", "not a host name"),
        ("*", "not a host name"),
        ("*.com", "too much"),
        ("a.*.com", "not a host name"),
        ("127.1:80", "usual form"),
        ("0x7f000001:80", "usual form"),
        ("10.0.0.1/8:80", "host bits"),
        ("10.0.0.0/33:80", "10.0.0.0/33"),
        ("0.0.0.0:80", "not the address of one machine"),
        ("a b:80", "not a host name"),
        ("user@host:80", "not a host name"),
        ("-a.example:80", "not a host name"),
        ("[::1%eth0]:80", "not an IPv6"),
    ],
)
def test_a_wrong_entry_is_named_with_the_reason(entry: str, what: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Policy([entry])
    assert repr(entry) in str(caught.value)
    assert what in str(caught.value)
    assert 'give "host:port"' in str(caught.value)


def test_limits_are_given_as_what_they_are() -> None:
    wrong: Any = 3
    with pytest.raises(ConfigError, match="network_limits=3 is not a NetworkLimits"):
        SandboxNetwork(limits=wrong)


def test_allow_net_is_a_list_of_texts() -> None:
    with pytest.raises(ConfigError, match="give a list"):
        Policy("example.com:443")
    with pytest.raises(ConfigError, match="not text"):
        Policy([80])  # pyright: ignore[reportArgumentType] - that is the test


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "//example.com/",
        "http://",
        "http://exa mple.com/",
        "http://example.com\\@evil.com/",
        "http://user:pass@example.com/",
        "http://example.com@127.0.0.1/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://127.0.0.1.5/",
        "http://1.2.3.256/",
        "http://127.0.0.0x1/",
        "http://[::1%25lo]/",
        "http://[127.0.0.1]/",
        "http://[::1/",
        "http://a..b/",
        "http://%31%32%37.0.0.1/",
        "http://example.com:99999/",
        "http://example.com:8a/",
        "http://example.com/\r\nX: y",
        "http://example.com/\t",
        "http://" + "a" * 64 + ".com/",
        "http://example.com/" + "a" * 20_000,
    ],
)
def test_a_url_that_could_be_read_in_two_ways_is_refused(url: str) -> None:
    with pytest.raises(BadRequest):
        parse_url(url)


def test_full_width_digits_are_the_address_they_look_like() -> None:
    assert parse_url("http://１２７.0.0.1:80/").host == "127.0.0.1"  # noqa: RUF001 - that is the test


def test_urls_are_put_into_one_form() -> None:
    target = parse_url("HTTPS://Example.COM:443/a b%20ü?q=ü#top".replace(" ", ""))
    assert target.url == "https://example.com/ab%20%C3%BC?q=%C3%BC"
    assert parse_url("http://[::1]:8000?x").url == "http://[::1]:8000/?x"
    assert parse_url("http://example.com:/").port == 80


def test_logs_hold_no_values_of_queries() -> None:
    assert parse_url("http://example.com/p?key=SECRET&q=x&flag").shown == "http://example.com/p?key=...&q=...&..."


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
        *("0.0.0.0", "0.1.2.3", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "192.0.0.8"),
        *("::", "::1", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "fec0::1", "2001:db8::1", "100::1"),
        *("::ffff:10.0.0.1", "::ffff:127.0.0.1", "::127.0.0.1", "2002:7f00:1::", "2002:808:808::", "2001::1"),
        *("64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::8.8.8.8", "3fff::1"),
    ],
)
def test_a_name_that_leads_to_such_an_address_is_refused(address: str) -> None:
    assert not is_public(ip_address(address))
    target = parse_url("http://example.com/")
    with pytest.raises(PrivateAddress, match=r"example\.com leads to .* to allow_net"):
        Policy(["example.com"]).check_address(target, ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::8.8.8.8"])
def test_a_name_that_leads_to_a_public_address_is_fine(address: str) -> None:
    assert is_public(ip_address(address))
    Policy(["example.com"]).check_address(parse_url("http://example.com/"), ip_address(address))


def test_a_private_address_that_is_listed_itself_may_stand_behind_a_listed_name() -> None:
    policy = Policy(["db.example:80", "10.0.0.0/8:80"])
    policy.check_address(parse_url("http://db.example/"), ip_address("10.1.1.1"))
    with pytest.raises(PrivateAddress):
        policy.check_address(parse_url("http://db.example:81/"), ip_address("10.1.1.1"))


@given(st.text(max_size=60))
def test_any_text_is_a_url_or_refused(text: str) -> None:
    for url in (text, f"http://{text}", f"http://{text}/", f"https://example.com{text}"):
        try:
            target = parse_url(url)
        except RequestRefused:
            continue
        assert target.host.isascii()
        assert target.url.isascii()
        assert not set(target.url) & set("\r\n\t @\\") or "@" in target.path
        assert parse_url(target.url).origin == target.origin

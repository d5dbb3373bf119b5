"""What clients may choose of their sandboxes at a server."""

import pytest
from msgspec.structs import replace

from cloche.config import AppConfig, SandboxConfig
from cloche.errors import ConfigError
from cloche.options import OPTIONS
from cloche.remote.sessions import SandboxWish
from cloche.session.hosting.sandbox_wish import grant_wish

OWN = SandboxConfig(memory_mb=256, allow_net=("*.example.com:443", "10.0.0.0/8:80", "pypi.org"))
CONFIG = replace(AppConfig(), sandbox=OWN)
BY_CALLS = {"timeout", "packages", "env"}
"""Options that a client sends elsewhere than in its wish."""


def test_a_wish_has_the_options_that_are_remote() -> None:
    assert {*SandboxWish.__struct_fields__} | BY_CALLS == {name for name, each in OPTIONS.items() if each.remote}


def test_a_wish_is_granted_within_what_the_server_has() -> None:
    wish = SandboxWish(
        languages=["ruby"], memory_mb=128, output_limit=1000, allow_net=["a.example.com:443"], auto_install=True
    )
    granted = grant_wish(CONFIG, wish).sandbox
    assert (granted.languages, granted.memory_mb, granted.output_limit) == (("ruby",), 128, 1000)
    assert (granted.allow_net, granted.auto_install) == (("a.example.com:443",), True)
    assert replace(granted, **{name: getattr(OWN, name) for name in SandboxWish.__struct_fields__}) == OWN
    assert grant_wish(CONFIG, None) is CONFIG
    assert grant_wish(CONFIG, SandboxWish()) == CONFIG


@pytest.mark.parametrize(
    "entry",
    ["pypi.org", "pypi.org:443", "*.example.com:443", "*.b.example.com:443", "10.1.0.0/16:80", "10.2.3.4:80"],
)
def test_hosts_that_the_server_allows_may_be_chosen(entry: str) -> None:
    assert grant_wish(CONFIG, SandboxWish(allow_net=[entry])).sandbox.allow_net == (entry,)


@pytest.mark.parametrize(
    "entry",
    [
        *("pypi.org:8080", "example.com:443", "a.example.com", "*.org", "*.example.com:80", "evil-example.com:443"),
        *("10.0.0.0/7:80", "10.2.3.4", "[::1]:80", "127.0.0.1:80", "xpypi.org"),
    ],
)
def test_hosts_that_the_server_does_not_allow_are_refused(entry: str) -> None:
    with pytest.raises(ConfigError, match=r"not allowed by this server|would match too much"):
        grant_wish(CONFIG, SandboxWish(allow_net=[entry]))


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (SandboxWish(memory_mb=512), "memory_mb=512 is more than this server gives: at most 256"),
        (SandboxWish(output_limit=1 << 40), "output_limit=.* is more than"),
        (SandboxWish(languages=["klingon"]), "klingon"),
        (SandboxWish(allow_net=["http://x"]), "cannot be read"),
    ],
)
def test_what_goes_too_far_is_refused(wish: SandboxWish, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        grant_wish(CONFIG, wish)

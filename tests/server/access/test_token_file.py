"""The tokens of a server's users."""

import stat
from pathlib import Path

import msgspec
import pytest

from cloche.errors import ConfigError
from cloche.server.access.token_file import TokenFile


def test_a_token_finds_its_user_and_what_it_may(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path)
    ada, viewer = tokens.create("ada"), tokens.create("viewer", ("read",))
    found = tokens.find(ada)
    assert found is not None
    assert (found.name, found.may_run, found.is_owner) == ("ada", True, False)
    seen = tokens.find(viewer)
    assert seen is not None
    assert not seen.may_run
    assert tokens.find("clt_nothing") is None
    assert tokens.find("") is None


def test_only_hashes_are_stored_and_nobody_else_may_read_them(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path)
    token = tokens.create("ada")
    assert token not in tokens.path.read_text()
    assert stat.S_IMODE(tokens.path.stat().st_mode) == 0o600


def test_another_process_sees_a_revoked_token_at_once(tmp_path: Path) -> None:
    server, command = TokenFile(tmp_path), TokenFile(tmp_path)
    token = command.create("ada")
    assert server.find(token) is not None
    assert command.revoke("ada")
    assert server.find(token) is None
    assert not command.revoke("ada")


def test_a_name_has_one_token(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path)
    tokens.create("ada")
    with pytest.raises(ConfigError, match="revoke it first"):
        tokens.create("ada")
    assert [each.name for each in tokens.list_tokens()] == ["ada"]


@pytest.mark.parametrize("name", ["", "a b", "../x", "a/b", "x" * 65, "-x", "a\n"])
def test_strange_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="no name of a user"):
        TokenFile(tmp_path).create(name)


def test_a_damaged_file_lets_nobody_in(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path)
    token = tokens.create("ada")
    tokens.path.write_bytes(msgspec.json.encode({"ada": "everything"}))
    with pytest.raises(ConfigError, match="could not be read"):
        tokens.find(token)

"""What the settings are for: code reads each of them, and their secrets are known."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import cloche
from cloche.config import AppConfig, load_config
from cloche.config.option_list import NAMED, SECTIONS, list_options
from cloche.config.shared_options import SharedOptions

SOURCE = Path(cloche.__file__).parent
FILE = """
[llm]
api_key = "key-of-the-model"
headers = { X-Key = "key-in-a-header" }
[llm.local]
api_key = "none"
[mcp]
stdio_servers = [{ name = "a", command = "b", env = { TOKEN = "key-of-a-program" } }]
shttp_servers = [{ url = "https://h/", api_key = "key-of-a-server" }]
[mcp.pyodide]
url = "https://h/"
api_key_env = "A_VARIABLE"
[sandbox]
allow_net = ["api.example"]
secrets = { "api.example" = "Authorization: Bearer key-of-a-host" }
"""


def read_attributes(path: Path) -> Iterator[str]:
    yield from (node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute))


def test_code_reads_every_setting() -> None:
    read = {name for path in SOURCE.rglob("*.py") if "engine" not in path.parts for name in read_attributes(path)}
    options = {name for kind in [*SECTIONS.values(), *NAMED.values()] for name in list_options(kind)}
    # Those that Sandbox has too are read in a loop over its options.
    assert sorted(options - read - {*SharedOptions.__struct_fields__}) == []


def test_all_secrets_are_known_but_placeholders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_VARIABLE", "key-in-a-variable")
    (tmp_path / "c.toml").write_text(FILE)
    found = load_config(tmp_path / "c.toml", {}).list_secrets()
    assert sorted({*found.values()}) == [
        "key-in-a-header",
        "key-in-a-variable",
        "key-of-a-host",
        "key-of-a-program",
        "key-of-a-server",
        "key-of-the-model",
    ]
    assert AppConfig().list_secrets() == {}

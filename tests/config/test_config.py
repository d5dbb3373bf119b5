"""The configuration: files, environment, errors, secrets."""

import hashlib
import os
import re
import string
import tomllib
from collections.abc import Callable
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import to_builtins
from msgspec.structs import FieldInfo

from cloche.config import MASK, AppConfig, LLMConfig, NamedServer, Origin, Secret, load_config
from cloche.config.config_file import SIZE_LIMIT, read_file
from cloche.config.option_list import NAMED, SECTIONS, list_options
from cloche.config.printing import render_template, render_toml
from cloche.config.toml import to_toml
from cloche.config.trust import check_trust, trust_file
from cloche.errors import ConfigError
from cloche.options import OPTIONS

Load = Callable[..., AppConfig]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads a text as a file that is named, with this environment only."""

    def read(text: str = "", **env: str) -> AppConfig:
        path = tmp_path / "named.toml"
        path.write_text(text)
        return load_config(path, env)

    return read


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A working folder without files, and the environment of a user without any."""
    monkeypatch.chdir(tmp_path)
    return {"XDG_CONFIG_HOME": str(tmp_path / "home")}


def problem(load: Load, text: str = "", **env: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(text, **env)
    return str(caught.value)


def same(one: AppConfig, other: AppConfig) -> bool:
    return dict(one.tables()) == dict(other.tables())


def test_the_defaults_are_usable_bare() -> None:
    config = AppConfig()
    assert config.core.runtime == "pyodide"
    assert config.sandbox.timeout == 120
    assert config.find_llm() is config.llm
    assert config.find_agent() is config.agent
    assert config.notes == ()


def test_nothing_at_all_gives_the_defaults(here: dict[str, str]) -> None:
    config = load_config(env=here)
    assert same(config, AppConfig())
    assert config.origin.file is None
    assert config.origin.looked_for == (Path("config.toml"), Path(here["XDG_CONFIG_HOME"], "cloche/config.toml"))


def test_a_file_gives_values_and_the_rest_stays_default(load: Load) -> None:
    config = load('[core]\nruntime = "local"\n[sandbox]\npackages = ["rich"]\nenv = { A = "b" }\ntimeout = 5\n')
    assert (config.core.runtime, config.core.max_iterations) == ("local", 500)
    assert (config.sandbox.packages, config.sandbox.env, config.sandbox.timeout) == (("rich",), {"A": "b"}, 5.0)


def test_the_environment_goes_before_the_file(load: Load) -> None:
    config = load('[core]\nruntime = "local"', CLOCHE_CORE__RUNTIME="docker", CLOCHE_SANDBOX__AUTO_INSTALL="true")
    assert config.core.runtime == "docker"
    assert config.sandbox.auto_install is True
    assert config.origin.sources["core.runtime"] == "CLOCHE_CORE__RUNTIME"


@pytest.mark.parametrize("text", ['["a", "b"]', "['a', 'b']", "a,b", " a , b "])
def test_lists_in_the_environment_are_json_or_toml_or_have_commas(load: Load, text: str) -> None:
    assert load(CLOCHE_SANDBOX__PACKAGES=text).sandbox.packages == ("a", "b")


@pytest.mark.parametrize("text", ['{"A": "b"}', "{ A = 'b' }"])
def test_tables_in_the_environment_are_json_or_toml(load: Load, text: str) -> None:
    assert load(CLOCHE_SANDBOX__ENV=text).sandbox.env == {"A": "b"}


def test_one_name_of_a_table_can_be_set_by_a_variable(load: Load) -> None:
    config = load('[sandbox]\nenv = { A = "1" }', CLOCHE_SANDBOX__ENV__Ab__C="2")
    assert config.sandbox.env == {"A": "1", "Ab__C": "2"}


def test_named_sections_can_be_set_by_variables(load: Load) -> None:
    config = load('[llm.Big]\nmodel = "m"', CLOCHE_MCP__PYODIDE__URL="https://h/mcp", CLOCHE_LLM__BIG__TIMEOUT="3")
    assert config.mcp.servers == {"pyodide": NamedServer(url="https://h/mcp")}
    assert config.llms == {"Big": LLMConfig(model="m", timeout=3.0)}


def test_other_variables_of_cloche_are_not_settings(load: Load) -> None:
    config = load(CLOCHE_CACHE="/x", CLOCHE_PYODIDE_URL="u", CLOCHE_TEST_LANGUAGES="1", CLOCHE_CORE__RUNTIME="")
    assert same(config, AppConfig())
    assert config.notes == ()


def test_a_variable_with_one_underscore_too_few_is_noted(load: Load) -> None:
    assert load(CLOCHE_CORE_RUNTIME="local").notes == (
        "CLOCHE_CORE_RUNTIME is not read: the setting is CLOCHE_CORE__RUNTIME, with two underscores",
    )


def test_named_models_have_the_values_of_the_common_section(load: Load) -> None:
    config = load('[llm]\nmodel = "m"\napi_key = "k"\n[llm.cold]\ntemperature = 0\n[agent]\nllm_config = "cold"')
    cold = config.find_llm("cold")
    assert (cold.model, cold.temperature, cold.api_key) == ("m", 0.0, Secret("k"))
    assert config.find_agent("anybody").llm_config == "cold"


def test_a_key_is_not_sent_to_the_address_of_another_section(load: Load) -> None:
    config = load('[llm]\napi_key = "k"\n[llm.near]\nbase_url = "http://localhost:1/v1"\n[llm.b]\napi_key_env = "B"')
    assert config.find_llm("near").read_key({}) is None
    assert config.find_llm("b").api_key is None
    config = load('[llm]\nheaders = { x = "h" }\n[llm.near]\nbase_url = "http://localhost:1/v1"\n[llm.b]\nmodel = "m"')
    assert config.find_llm("near").headers == {}
    assert config.find_llm("b").headers == {"x": Secret("h")}


def test_keys_are_read_from_the_variable_that_is_named(load: Load) -> None:
    config = load('[llm]\napi_key_env = "MY_KEY"')
    assert config.llm.read_key({"MY_KEY": "k"}) == Secret("k")
    with pytest.raises(ConfigError, match='api_key_env = "MY_KEY": this environment variable is not set'):
        config.llm.read_key({})


def test_a_key_from_the_environment_takes_the_place_of_the_file_s(load: Load) -> None:
    config = load('[llm]\napi_key_env = "MY_KEY"', CLOCHE_LLM__API_KEY="k")
    assert config.llm.read_key({}) == Secret("k")


def test_names_of_openhands_are_understood(load: Load) -> None:
    config = load(
        '[sandbox]\nvolumes = "/a:/mnt/a:ro, /b"\nruntime_startup_env_vars = { A = "b" }\n[condenser]\ntype = "x"'
    )
    assert config.sandbox.mounts == ("/a:/mnt/a:ro", "/b")
    assert config.sandbox.env == {"A": "b"}
    assert [note.partition(": ")[2] for note in config.notes] == ["not used by Cloche: [condenser]"]
    agents = load('[a2a]\na2a_server_url = ["https://a", { url = "https://b", timeout = 9 }]').a2a
    assert [(each.url, each.timeout) for each in agents.servers] == [("https://a", 3600.0), ("https://b", 9.0)]
    assert [each.url for each in load('[a2a]\na2a_server_url = "https://a, https://b"').a2a.servers] == [
        "https://a",
        "https://b",
    ]


def test_variables_of_openhands_that_say_nothing_here_are_noted(load: Load) -> None:
    assert load(CLOCHE_CONDENSER__TYPE="x").notes == ("not used by Cloche: CLOCHE_CONDENSER__TYPE",)


def test_every_setting_is_used_by_code() -> None:
    package = Path(str(files("cloche.config")))
    sources = [path for path in package.parent.rglob("*.py") if not path.is_relative_to(package)]
    code = "\n".join(path.read_text() for path in sources)
    verbs = {"file_store_path": "store_folder", "api_key": "read_key", "api_key_env": "read_key"}
    verbs |= {"token": "read_token", "token_env": "read_token"}
    for section, kind in {**SECTIONS, "mcp.NAME": NAMED["mcp"]}.items():
        passed_on = {name for name, option in OPTIONS.items() if section == "sandbox" and option.in_config}
        for name in list_options(kind).keys() - passed_on:
            assert re.search(rf"\.{verbs.get(name, name)}\b", code), (section, name)


def test_a_server_may_be_an_address_alone(load: Load) -> None:
    config = load('[mcp]\nshttp_servers = ["https://a/mcp", { url = "https://b/mcp", api_key = "k", timeout = 9 }]')
    assert [(each.url, each.timeout, each.read_key({})) for each in config.mcp.shttp_servers] == [
        ("https://a/mcp", 60.0, None),
        ("https://b/mcp", 9.0, Secret("k")),
    ]


WRONG = {
    '[core]\n\nruntim = "x"': "line 3: [core] runtim: there is no such key. Did you mean runtime? Known in ",
    '[sandbox]\ntimeout = "soon"': 'line 2: [sandbox] timeout: found "soon", expected seconds, above 0',
    "[sandbox]\ntimeout = nan": "found nan, expected seconds, above 0 and at most a week, as in timeout = 120.0",
    "[sandbox]\ntimeout = true": "found true, expected seconds",
    "sandbox = 3": "[sandbox]: found 3, expected a table",
    '[sandbox]\npackages = ["a", 1]': "line 2: [sandbox] packages, number 2: found 1, expected text in quotes",
    "[sandbox]\nenv = { A = 1 }": "line 2: [sandbox.env] A: found 1, expected text in quotes",
    "[sandbox.env]\nA = 1979-05-27": "line 2: [sandbox.env] A: found a date or time, expected text in quotes",
    '[sandbox]\nconfinement = "no"': 'expected one of "auto", "require", "none", as in confinement = "auto"',
    "[sandbox]\nvolumes = []\nmounts = []": "[sandbox] volumes: mounts is given too",
    "[a2a]\na2a_server_url = []\nservers = []": "[a2a] a2a_server_url: servers is given too",
    '[a2a]\nservers = ["agents"]': 'line 2: [a2a] servers, number 1 url: found "agents", expected an address',
    '[snadbox]\nx = "y"\n[core]': "line 1: [snadbox]: there is no such section. Did you mean sandbox?",
    'runtime = "x"': "line 1: runtime: this key stands above every section: move it below [core]",
    "timeout = 1": "line 1: timeout: this key stands above every section: move it below [sandbox] or [llm]",
    '[mcp.pyodide]\nurl = "your_pyodide_mcp_url"': 'url: found "your_pyodide_mcp_url", expected an address',
    '[mcp.pyodide]\nmode = "sse"': "line 1: [mcp.pyodide]: url is missing: add url = ..., an address that",
    '[mcp]\npyodide = "x"': "line 2: [mcp] pyodide: there is no such key.",
    '[mcp]\nstdio_servers = [{ name = "a" }]': "line 2: [mcp] stdio_servers, number 1: command is missing",
    '[[mcp.stdio_servers]]\nname = "a"\ncommand = "x"\ncmd = 1': "[mcp] stdio_servers, number 1 cmd: there is no",
    '[mcp]\nstdio_servers = [{ name = "a", command = "x" }, { name = "a", command = "y" }]': "two servers have the",
    '[agent]\nllm_config = "smal"\n[llm.small]': "line 2: [agent] llm_config: there is no section [llm.smal]: add it, "
    "or remove this key. Did you mean small?",
    '[llm]\napi_key = "k"\napi_key_env = "K"': "[llm]: api_key and api_key_env are both given: remove one",
    f'[llm]\napi_key = "{MASK}"': f"[llm] api_key: {MASK} stands for a secret in what is printed",
    '[llm]\nmodel = "a\nb"': "is not TOML: Illegal character '\\n' (at line 2, column 11)",
    "[llm]\nx = " + "[" * 5000: "is not TOML: ",
    "[llm]\nx = " + "9" * 5000: "is not TOML: ",
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: re.sub(r"\W+", " ", text)[:40])
def test_a_wrong_file_is_named_with_line_key_and_fix(load: Load, tmp_path: Path, text: str) -> None:
    told = problem(load, text)
    assert told.startswith(str(tmp_path / "named.toml"))
    assert WRONG[text] in told
    assert len(told.splitlines()) == 1


WRONG_VARIABLES = {
    ("CLOCHE_CORE__RUNTIM", "x"): ": there is no such setting. Did you mean CLOCHE_CORE__RUNTIME? Known in [core]",
    ("CLOCHE_CROE__RUNTIME", "x"): ": there is no section croe. Did you mean core? Known: core, sandbox",
    ("CLOCHE_SANDBOX__ENF__A", "x"): ": [sandbox] has no table enf. Did you mean env?",
    (
        "CLOCHE_SANDBOX__TIMEOUT__A",
        "x",
    ): ": [sandbox] timeout has nothing in it to set: it is given by CLOCHE_SANDBOX__TIMEOUT",
    ("CLOCHE_SANDBOX__MEMORY_MB", "9"): ': found "9", expected a whole number from 64 to 4096, as in '
    "CLOCHE_SANDBOX__MEMORY_MB=512",
    ("CLOCHE_SANDBOX__ALLOW_NET", "[1"): ': found "[1", expected a list in [ ]',
    ("CLOCHE_MCP__STDIO_SERVERS", '[{"name": "a"}]'): ", number 1: command is missing",
    ("CLOCHE_LLM__A__TEMPERATUR", "1"): ": there is no such setting. Did you mean CLOCHE_LLM__A__TEMPERATURE?",
}


@pytest.mark.parametrize("variable", WRONG_VARIABLES, ids=lambda pair: pair[0])
def test_a_wrong_variable_is_named_with_what_it_should_be(load: Load, variable: tuple[str, str]) -> None:
    told = problem(load, "", **dict([variable]))
    assert told.startswith(variable[0] + WRONG_VARIABLES[variable])


def test_everything_that_is_wrong_is_reported_at_once(load: Load) -> None:
    told = problem(load, '[core]\nruntime = 3\n[sandbox]\ntimeout = 0\nmemory = 1\n[llm.x]\ntemperature = "a"')
    assert [line.partition(": ")[2].partition(":")[0] for line in told.splitlines()] == [
        "[core] runtime",
        "[sandbox] memory",
        "[sandbox] timeout",
        "[llm.x] temperature",
    ]


def test_a_value_that_is_given_as_a_whole_and_in_parts_is_refused(load: Load) -> None:
    told = problem(load, "", CLOCHE_SANDBOX__ENV="{}", CLOCHE_SANDBOX__ENV__A="1")
    assert "CLOCHE_SANDBOX__ENV__A: [sandbox] env has a value already" in told


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"\xff", "is not UTF-8 at byte 0"), (b"#" * (SIZE_LIMIT + 1), "is larger than"), (None, "No such file")],
)
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, data: bytes | None, words: str) -> None:
    path = tmp_path / "named.toml"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ConfigError, match=words):
        load_config(env={"CLOCHE_CONFIG": str(path)})


def test_what_is_required_is_given_or_asked_for_by_file_and_key(load: Load, tmp_path: Path) -> None:
    config = load('[mcp.pyodide]\nurl = "https://h/mcp"\n[llm]\nmodel = "m"')
    assert config.require("mcp.pyodide.url") == "https://h/mcp"
    assert config.require("llm.model") == "m"
    with pytest.raises(ConfigError) as caught:
        load('[mcp.pyodid]\nurl = "https://h/mcp"').require("mcp.pyodide.url")
    assert str(caught.value) == (
        f"{tmp_path}/named.toml: [mcp.pyodide] url is not set. There is [mcp.pyodid]: did you mean that? "
        'Add to this file:\n  [mcp.pyodide]\n  url = "..."\nor set CLOCHE_MCP__PYODIDE__URL'
    )
    with pytest.raises(ConfigError, match=r"\[llm\.big\] model is not set"):
        config.find_llm("big")


def test_without_a_file_the_files_that_were_looked_for_are_named(here: dict[str, str]) -> None:
    with pytest.raises(
        ConfigError, match=r"\[llm\] model is not set, and there is no config.toml \(config.toml, .*home"
    ):
        load_config(env=here).require("llm.model")


def test_the_user_s_own_file_is_read_without_asking(here: dict[str, str]) -> None:
    own = Path(here["XDG_CONFIG_HOME"], "cloche/config.toml")
    own.parent.mkdir(parents=True)
    own.write_text('[core]\nruntime = "mine"')
    assert load_config(env=here).core.runtime == "mine"
    own.write_text('[croe]\nruntime = "mine"')
    with pytest.raises(ConfigError, match=r"\[croe\]: there is no such section"):
        load_config(env=here)


def test_a_file_in_the_working_folder_is_read_once_it_is_trusted(here: dict[str, str]) -> None:
    file = Path("config.toml")
    file.write_text('[core]\nruntime = "a"')
    with pytest.raises(ConfigError, match=r"is not trusted.*cloche config --trust.*--config config.toml"):
        load_config(env=here)
    assert load_config("config.toml", here).core.runtime == "a"
    trust_file(read_file(file, named=False), here)
    assert load_config(env=here).core.runtime == "a"
    file.write_text('[core]\nruntime = "b"')
    with pytest.raises(ConfigError, match="has changed since it was trusted"):
        load_config(env=here)


@pytest.mark.parametrize("end", ["\n", "\r", "\x0b", "\x85", "\u2028", "\udcff\n"])
def test_the_name_of_a_folder_forges_no_line_of_the_trusted_files(here: dict[str, str], end: str) -> None:
    victim = Path("victim")
    victim.mkdir()
    (victim / "config.toml").write_text('[core]\nruntime = "local"\n')
    found = read_file(victim / "config.toml", named=False)
    digest = hashlib.sha256(found.data).hexdigest()
    trap = Path(f"a{end}{digest}  {found.path.resolve().parent}")
    trap.mkdir(parents=True)
    (trap / "config.toml").write_text("[core]\n")
    lure = read_file(trap / "config.toml", named=False)
    trust_file(lure, here)
    check_trust(lure, here)
    with pytest.raises(ConfigError, match="is not trusted"):
        check_trust(found, here)


def test_trust_that_cannot_be_written_is_an_error(here: dict[str, str]) -> None:
    Path("config.toml").write_text("[core]")
    Path(here["XDG_CONFIG_HOME"]).write_text("a file where the folder should be")
    with pytest.raises(ConfigError, match=r"trusted cannot be written: .* Name the file instead: --config"):
        trust_file(read_file(Path("config.toml"), named=False), here)


def test_a_file_in_the_working_folder_cannot_hide_the_user_s_own(here: dict[str, str]) -> None:
    own = Path(here["XDG_CONFIG_HOME"], "cloche/config.toml")
    own.parent.mkdir(parents=True)
    own.write_text("[security]\nconfirmation_mode = true")
    Path("config.toml").write_text('title = "of another program"')
    config = load_config(env=here)
    assert config.security.confirmation_mode
    assert config.notes[0].startswith("config.toml in this folder is not read: it has no section of Cloche")


@pytest.mark.skipif(os.name != "posix", reason="only on POSIX systems are there pipes with names")
def test_a_pipe_in_the_working_folder_does_not_hang(here: dict[str, str]) -> None:
    os.mkfifo("config.toml")
    with pytest.raises(ConfigError, match=r"config.toml cannot be read: it is not a plain file"):
        load_config(env=here)


SECRETS = """
[llm]
api_key = "s3cr3t-1"
base_url = "https://user:s3cr3t-2@host/v1?key=s3cr3t-3&s3cr3t-4"
[mcp]
stdio_servers = [{ name = "a", command = "b", env = { TOKEN = "s3cr3t-5" } }]
shttp_servers = [{ url = "https://h/?k=s3cr3t-6", api_key = "s3cr3t-7" }]
[mcp.pyodide]
url = "https://h/"
"""


def test_remote_agents_are_configured_by_variables_and_shown(load: Load) -> None:
    config = load(CLOCHE_A2A__SERVERS='["http://a:1", {"url": "https://b", "api_key": "s3cr3t"}]')
    assert [each.url for each in config.a2a.servers] == ["http://a:1", "https://b"]
    shown = render_toml(config)
    assert '{ url = "http://a:1", timeout = 3600.0 }' in shown.partition("[a2a]\nservers = [")[2]
    assert "s3cr3t" not in shown
    assert [each.url for each in load(CLOCHE_A2A__SERVERS="http://a,http://b").a2a.servers] == ["http://a", "http://b"]


def test_secrets_are_shown_nowhere(load: Load) -> None:
    config = load(SECRETS, CLOCHE_MCP__PYODIDE__API_KEY="s3cr3t-8")
    assert config.mcp.servers["pyodide"].read_key({}) == Secret("s3cr3t-8")
    for shown in (repr(config), str(config), render_toml(config), f"{config.llm.api_key}", str(config.to_tree())):
        assert "s3cr3t" not in shown
        assert MASK in shown
    assert render_toml(config, reveal=True).count("s3cr3t") == 8


@pytest.mark.parametrize("text", ["s3cr3t", "Authorization:", ": s3cr3t", "X: 1\\ns3cr3t"])
def test_a_secret_that_is_no_header_is_refused_and_not_shown(load: Load, text: str) -> None:
    config = load(f'[sandbox.secrets]\n"api.example" = "{text}"')
    with pytest.raises(ConfigError, match=r"secret of api\.example is not a header") as told:
        config.sandbox.read_headers()
    assert "s3cr3t" not in str(told.value)


def test_a_secret_is_compared_by_its_text_and_shown_as_a_mask() -> None:
    assert {Secret("a"), Secret("a"), Secret("b")} == {Secret("a"), Secret("b")}
    assert (f"{Secret('a')}", repr(Secret("a"))) == (MASK, f"Secret({MASK!r})")


@pytest.mark.parametrize(
    "text",
    [
        'api_kye = "s3cr3t"',
        'api_key = ["s3cr3t"]',
        'base_url = "ftp://s3cr3t@host?s3cr3t"',
        'api_key = "s3cr3t"\napi_key_env = "K"',
    ],
)
def test_errors_hold_no_secrets(load: Load, text: str) -> None:
    assert "s3cr3t" not in problem(load, f"[llm]\n{text}")


def test_errors_about_servers_hold_no_secrets(load: Load) -> None:
    broken = '[{"name": "a", "env": {"TOKEN": "s3cr3t"'
    for told in (
        problem(load, CLOCHE_MCP__STDIO_SERVERS=broken),
        problem(load, '[mcp]\nstdio_servers = ["run --token s3cr3t"]'),
        problem(load, '[mcp]\nstdio_servers = [{ name = "a", command = "b", env = "T=s3cr3t" }]'),
    ):
        assert "s3cr3t" not in told
        assert "found a text" in told


def test_what_is_printed_with_masks_is_not_taken_for_keys(load: Load) -> None:
    told = problem(load, render_toml(load(SECRETS)))
    assert "[llm] api_key: ******** stands for a secret" in told
    assert "[mcp] stdio_servers, number 1 env TOKEN: ********" in told


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12).filter(
    lambda text: MASK not in text
)
FILLED = st.text(string.ascii_letters + " .é\"'\\\n\t\x7f\x85#", min_size=1, max_size=8).map(lambda text: f"x{text}")
NAMES = FILLED.filter(lambda name: name not in list_options(LLMConfig) and name not in list_options(SECTIONS["mcp"]))
ADDRESSES = st.sampled_from(["https://h/mcp", "http://u:p@h:1/?a=b#c"])


def table(mapping: dict[str, st.SearchStrategy[Any]], **optional: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(mapping, optional=optional)


def joined(parts: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    return parts[0] | parts[1]


MODELS = table(
    {},
    model=FILLED,
    api_key=FILLED,
    base_url=ADDRESSES,
    temperature=st.floats(0, 2),
    timeout=st.floats(1e-9, 604_800),
    num_retries=st.integers(0, 2**62),
)
SANDBOXES = table(
    {},
    env=st.dictionaries(TEXTS, TEXTS, max_size=3),
    packages=st.lists(TEXTS, max_size=4),
    auto_install=st.booleans(),
)
FILES = table(
    {},
    core=table({}, runtime=FILLED, workspace_base=TEXTS),
    sandbox=SANDBOXES,
    mcp=st.dictionaries(NAMES, table({"url": ADDRESSES}, api_key=FILLED), max_size=2),
    llm=st.tuples(MODELS, st.dictionaries(NAMES, MODELS, max_size=2)).map(joined),
)


@given(FILES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_printed_is_read_back_as_the_same(load: Load, tree: dict[str, Any]) -> None:
    text = "".join(f"{name} = {to_toml(table)}\n" for name, table in tree.items())
    config = load(text)
    printed = render_toml(config, reveal=True)
    assert same(load(printed), config)
    assert tomllib.loads(printed) == config.to_tree(reveal=True)


@given(TEXTS)
def test_every_text_survives_as_toml(text: str) -> None:
    assert tomllib.loads(f"x = {to_toml(text)}") == {"x": text}
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", to_toml(text))


def filled_in() -> str:
    """The template with every option in force."""
    return re.sub(r"^#(?=\S)", "", render_template(), flags=re.MULTILINE)


def test_the_template_has_every_option_with_its_default() -> None:
    tables = tomllib.loads(re.sub(r"^(api_key|token) = .*$", "", filled_in(), flags=re.MULTILINE))
    kinds = [(tables[name], kind) for name, kind in SECTIONS.items()] + [(tables["mcp"]["pyodide"], NAMED["mcp"])]
    for given_table, kind in kinds:
        named = {"pyodide", "small"}
        assert given_table.keys() - named == list_options(kind).keys() - {"api_key", "token"}, kind
        defaults = {
            name: _default(field) for name, field in list_options(kind).items() if name not in ("api_key", "token")
        }
        wanted = {name: value for name, value in defaults.items() if value is not None}
        assert {name: given_table[name] for name in wanted} == wanted
    assert render_template().count('#api_key = "') == 2


def _default(field: FieldInfo) -> Any:
    if field.required:
        return None
    value: Any = field.default_factory() if callable(field.default_factory) else field.default
    return to_builtins(value) if not isinstance(value, tuple) else [*value]


def test_the_template_says_a_sentence_about_every_option() -> None:
    lines = render_template().splitlines()
    bare = [line for above, line in pairwise(lines) if re.match(r"#\w+ =", line) and above[:2] != "# "]
    assert bare == ['#model = "a-smaller-model"']


def test_the_template_is_the_defaults_and_can_be_filled_in(load: Load) -> None:
    assert same(load(render_template()), AppConfig())
    config = load(re.sub(r"^(api_key|token) = .*$", "", filled_in(), flags=re.MULTILINE))
    assert config.require("mcp.pyodide.url")
    assert config.find_llm(config.agent.llm_config).model == "a-smaller-model"


def test_folders_of_sessions_are_known(load: Load) -> None:
    core = load('[core]\nworkspace_base = "~/w"\nfile_store_path = "/s"').core
    assert (core.workspace, core.store_folder) == (Path.home() / "w", Path("/s"))
    assert AppConfig().core.store_folder.name == "cloche"
    assert AppConfig().core.workspace is None
    assert Origin().file is None

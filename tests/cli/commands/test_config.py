"""`cloche config`."""

import json
import tomllib
from pathlib import Path

from tests.cli.conftest import Cloche


def test_the_configuration_is_printed_with_the_place_of_each_value(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('[core]\nruntime = "local"\n[llm]\napi_key = "s3cr3t"\n[condenser]\n')
    done = cloche("config", "--config", "c.toml", cwd=tmp_path, CLOCHE_SANDBOX__TIMEOUT="5")
    assert done.returncode == 0
    assert 'runtime = "local"  # c.toml, line 2' in done.stdout
    assert "timeout = 5.0  # CLOCHE_SANDBOX__TIMEOUT" in done.stdout
    assert "memory_mb = 512  # default" in done.stdout
    assert 'api_key = "********"  # c.toml, line 4' in done.stdout
    assert done.stderr == "cloche: c.toml: not used by Cloche: [condenser]\n"
    told = json.loads(cloche("config", "--json", cwd=tmp_path, CLOCHE_CONFIG="c.toml").stdout)
    assert told["config"] == {**tomllib.loads(done.stdout), "sandbox": {**told["config"]["sandbox"]}}
    assert told["sources"] == {"core.runtime": "c.toml, line 2", "llm.api_key": "c.toml, line 4"}


def test_a_wrong_configuration_is_a_usage_error(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("[core]\nruntime = 1\n")
    done = cloche("config", "--config", "c.toml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        'cloche: c.toml, line 2: [core] runtime: found 1, expected a name in quotes, as in runtime = "pyodide"\n'
    )
    assert cloche("config", "--config", "none.toml", cwd=tmp_path).returncode == 2


def test_the_file_in_the_folder_is_asked_about_and_then_trusted(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[core]\nruntime = "local"\n')
    home = {"XDG_CONFIG_HOME": str(tmp_path / "home")}
    refused = cloche("config", cwd=tmp_path, **home)
    assert refused.returncode == 2
    assert "is not trusted" in refused.stderr
    assert cloche("config", "--path", cwd=tmp_path, **home).returncode == 2
    assert 'runtime = "local"  # config.toml, line 2' in cloche("config", "--trust", cwd=tmp_path, **home).stdout
    assert 'runtime = "local"  # config.toml, line 2' in cloche("config", cwd=tmp_path, **home).stdout
    assert cloche("config", "--path", cwd=tmp_path, **home).stdout == f"read      {tmp_path}/config.toml\n"


def test_the_files_that_were_looked_for_are_reported(cloche: Cloche, tmp_path: Path) -> None:
    own = tmp_path / "home/cloche/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("")
    work = tmp_path / "work"
    work.mkdir()
    home = {"XDG_CONFIG_HOME": str(tmp_path / "home")}
    told = cloche("config", "--path", cwd=work, **home).stdout
    assert told == f"missing   {work}/config.toml\nread      {own}\n"
    assert json.loads(cloche("config", "--path", "--json", cwd=work, **home).stdout)["file"] == str(own)


def test_the_template_can_be_used_as_it_is(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(cloche("config", "--template").stdout)
    empty = cloche("config", cwd=tmp_path, XDG_CONFIG_HOME=str(tmp_path)).stdout
    assert cloche("config", "--config", "c.toml", cwd=tmp_path).stdout == empty


def test_nothing_to_trust_is_an_error(cloche: Cloche, tmp_path: Path) -> None:
    done = cloche("config", "--trust", cwd=tmp_path, XDG_CONFIG_HOME=str(tmp_path))
    assert done.returncode == 2
    assert "config.toml cannot be read: No such file or directory" in done.stderr

"""Programs that `cloche run` starts with arguments."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cloche
from tests.engine.languages.programs import PROGRAMS

pytestmark = [pytest.mark.timeout(120), pytest.mark.usefixtures("prepared")]


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_file_gets_its_arguments(cloche: Cloche, tmp_path: Path, language: str) -> None:
    program = PROGRAMS[language]
    script = tmp_path / f"script.{program.extension}"
    script.write_text(f"{program.show}\n{program.name}")
    done = cloche("run", script.name, "a", "b c", "--", "-x", "$y", cwd=tmp_path)
    assert (done.stdout, done.stderr) == (f"[a][b c][-x][$y]\n/workspace/{script.name}\n", "")


def test_code_gets_arguments_too(cloche: Cloche) -> None:
    done = cloche("run", "-l", "ruby", "-c", "p ARGV", "x", "y z")
    assert (done.stdout, done.stderr) == ('["x", "y z"]\n["x", "y z"]\n', "")


def test_an_error_is_reported_with_its_file(cloche: Cloche, tmp_path: Path) -> None:
    (tmp_path / "script.rb").write_text('raise "no #{[""]}"')
    done = cloche("run", "script.rb", cwd=tmp_path)
    assert done.stderr == "/workspace/script.rb:1:in '<main>': no [\"\"] (RuntimeError)\n"

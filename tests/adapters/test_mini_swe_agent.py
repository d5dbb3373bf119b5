"""The environment of mini-swe-agent."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ["MSWEA_SILENT_STARTUP"] = "1"

from minisweagent.agents.default import DefaultAgent
from minisweagent.config import get_config_from_spec
from minisweagent.environments import get_environment
from minisweagent.models.test_models import DeterministicModel, make_output

from cloche import SandboxUnavailable, SyncSandbox
from cloche.adapters.mini_swe_agent import ClocheEnvironment
from tests.adapters.page import run_example

NAME = "cloche.adapters.mini_swe_agent.ClocheEnvironment"


@pytest.fixture(scope="module")
def environment() -> Iterator[ClocheEnvironment]:
    with ClocheEnvironment(env={"LEAF": "two words"}) as environment:
        yield environment


def run(environment: ClocheEnvironment, command: str, **options: Any) -> tuple[str, int]:
    done = environment.execute({"command": command}, **options)
    return done["output"], done["returncode"]


def test_an_agent_submits_its_work() -> None:
    outputs = [
        make_output(
            "Look.", [{"command": "cd /tmp; export LOST=1; echo 'print(6 * 7)' > /workspace/a.py; ls nowhere"}]
        ),
        make_output("Run.", [{"command": "pwd; echo [$LOST]; python3 a.py"}]),
        make_output("Done.", [{"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; cat a.py"}]),
    ]
    settings: dict[str, Any] = get_config_from_spec("mini.yaml")
    del settings["agent"]["mode"]
    settings["agent"]["cost_limit"] = 0
    with ClocheEnvironment(**settings["environment"]) as environment:
        agent = DefaultAgent(DeterministicModel(outputs=outputs), environment, **settings["agent"])
        assert agent.run("Compute.") == {"exit_status": "Submitted", "submission": "print(6 * 7)\n"}
        assert "<system_information>\nLinux " in agent.messages[1]["content"]
        assert "cloche" in environment.get_template_vars()["node"]
        seen = [message["content"] for message in agent.messages if message["role"] == "user"][1:]
        assert "<returncode>2</returncode>" in seen[0]
        assert "/workspace\n[]\n42\n" in seen[1]
        recorded = json.loads(json.dumps(agent.save(None)))["info"]["config"]
    assert recorded["environment_type"] == NAME
    assert recorded["environment"]["env"]["PAGER"] == "cat"


def test_a_command_has_its_variables_and_its_folder(environment: ClocheEnvironment) -> None:
    assert run(environment, "echo $LEAF; pwd") == ("two words\n/workspace\n", 0)
    assert run(environment, "pwd", cwd="/tmp") == ("/tmp\n", 0)
    output, code = run(environment, "pwd", cwd="/nowhere")
    assert (code, "/nowhere: No such file or directory" in output) == (1, True)


def test_a_command_that_takes_too_long_is_stopped(environment: ClocheEnvironment) -> None:
    done = environment.execute({"command": "echo begun; sleep 60"}, timeout=3)
    assert (done["output"], done["returncode"]) == ("begun\n", -1)
    assert "timed out after 3 seconds" in done["exception_info"]
    assert run(environment, "echo on") == ("on\n", 0)


def test_a_command_that_is_too_long_is_answered(environment: ClocheEnvironment) -> None:
    done = environment.execute({"command": "#" + "x" * 5_000_000})
    assert (done["returncode"], "over the limit" in done["exception_info"]) == (-1, True)


def test_a_configuration_names_it_with_the_options_of_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / "given").write_text("glass\n")
    environment = get_environment(
        {"environment_class": NAME, "mounts": [f"{tmp_path}:/mnt/given:ro"], "secrets": {}, "memory_mb": 128}
    )
    assert environment.execute({"command": "cat /mnt/given/given"})["output"] == "glass\n"
    options = environment.serialize()["info"]["config"]["environment"]["sandbox"]
    assert options.keys() == {"mounts", "memory_mb"}
    assert isinstance(environment, ClocheEnvironment)
    environment.cleanup()
    with pytest.raises(SandboxUnavailable, match="this adapter is closed"):
        environment.execute({"command": "echo"})


def test_a_given_sandbox_stays_open() -> None:
    with SyncSandbox() as box:
        with ClocheEnvironment(box, env={"LEAF": "green"}) as environment:
            assert run(environment, "echo $LEAF > leaf") == ("", 0)
        assert box.read("leaf") == b"green\n"


def test_the_page_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    command = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo done"
    run_example("mini_swe_agent", DeterministicModel(outputs=[make_output("Done.", [{"command": command}])]))
    assert capsys.readouterr().out == "done\n\n"

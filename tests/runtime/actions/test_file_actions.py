"""Files that are removed, and paths that lead elsewhere."""

from cloche.events import CmdOutputObservation, ErrorObservation, RmdirAction, RmdirObservation, RmObservation
from cloche.runtime import Runtime


async def test_a_link_is_removed_and_not_what_it_leads_to(runtime: Runtime) -> None:
    await runtime.run("mkdir -p kept && touch kept/f && ln -s kept to; ln -s /etc/passwd out; ln -s nothing dead")
    assert isinstance(await runtime.rmdir(RmdirAction("to", recursive=True)), ErrorObservation)
    for link in ("to", "out", "dead"):
        assert isinstance(await runtime.rm(link), RmObservation)
    assert await runtime.list_files() == ["kept/"]
    assert await runtime.list_files("kept") == ["f"]


async def test_what_cannot_be_removed_says_why(runtime: Runtime) -> None:
    await runtime.run("mkdir -p full && touch full/f")
    for answer, said in [
        (await runtime.rm("full"), "/workspace/full is a folder"),
        (await runtime.rm("gone"), "File not found: /workspace/gone"),
        (await runtime.rm("gone/deeper"), "File not found: /workspace/gone/deeper"),
        (await runtime.rmdir("full"), "/workspace/full is not empty"),
        (await runtime.rm("a\0b"), "a path cannot hold a NUL"),
        (await runtime.rmdir("full/f"), "/workspace/full/f is a file"),
        (await runtime.rmdir(RmdirAction("/workspace", recursive=True)), "is a folder of the sandbox itself and stays"),
        (await runtime.rmdir(RmdirAction("/", recursive=True)), "outside the sandbox's folders"),
    ]:
        assert isinstance(answer, ErrorObservation)
        assert said in answer.content
    assert isinstance(await runtime.rmdir(RmdirAction("full", recursive=True)), RmdirObservation)


async def test_a_command_that_is_too_long_costs_the_shell_nothing(runtime: Runtime) -> None:
    await runtime.run("cd /tmp")
    refused = await runtime.run("x" * 5_000_000)
    assert isinstance(refused, CmdOutputObservation)
    assert "over the limit" in refused.content
    assert (refused.metadata.working_dir, "restarted" in refused.metadata.suffix) == ("/tmp", False)
    await runtime.run("cd /workspace")

"""Commands in a shell of their own."""

import cloche
from cloche.sandbox.fresh_shell import in_fresh_shell


def test_a_command_leaves_the_shell_as_it_was(prepared: object) -> None:
    with cloche.SyncSandbox() as box:
        env = {"LEAF": "two 'words'"}
        done = box.bash(in_fresh_shell('echo "$LEAF"; pwd; cd /; X=1; set -e; exit 3', "/tmp", env))
        assert (done.stdout, done.exit_code) == ("two 'words'\n/tmp\n", 3)
        done = box.bash(in_fresh_shell('echo "[$X$LEAF]"; pwd; cat; false; echo on'))
        assert (done.stdout, done.exit_code) == ("[]\n/workspace\non\n", 0)
        assert box.bash("pwd; echo [$X]").stdout == "/workspace\n[]\n"
        done = box.bash(in_fresh_shell("echo never", "/nowhere"))
        assert (done.stdout, done.exit_code) == ("", 1)
        assert "unexpected end of file" in box.bash(in_fresh_shell("( echo")).stderr

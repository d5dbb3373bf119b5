"""The files of the shell's commands, as programs of each language find and start them."""

import anyio
import pytest

from cloche import Sandbox

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

PROGRAMS = {
    "python3": (
        "import os, shutil, subprocess, sys\n"
        "print(shutil.which('git'), shutil.which('vim'), os.path.exists(sys.executable), os.access('/bin/git', 1))\n"
        "print(subprocess.run(['/usr/bin/seq', '2'], capture_output=True, text=True).stdout.split())\n"
    ),
    "node": (
        "const fs = require('fs'), { execFileSync } = require('child_process');\n"
        "fs.accessSync('/usr/bin/git', fs.constants.X_OK);\n"
        "console.log(fs.existsSync('/bin/vim'), execFileSync('/usr/bin/seq', ['2']).toString().split('\\n').length);\n"
    ),
    "perl": (
        'print join(\' \', grep { -e } map { "$_/git" } split /:/, $ENV{PATH}), "\\n";\n'
        "print `/usr/bin/seq 2`; system '/usr/bin/seq', 1;\n"
    ),
    "php": (
        "<?php var_dump(is_executable('/usr/bin/git'), file_exists('/usr/bin/vim'));\n"
        "echo shell_exec('/usr/bin/seq 2');\n"
    ),
    "ruby": (
        "p ENV['PATH'].split(':').any? { |each| File.executable?(File.join(each, 'git')) }, File.exist?('/bin/vim')\n"
        "puts `/usr/bin/seq 2`; p system('/usr/bin/seq', '1')\n"
    ),
}
PRINTED = {
    "python3": "/usr/bin/git None True True\n['1', '2']\n",
    "node": "false 3\n",
    "perl": "/usr/bin/git /bin/git\n1\n2\n1\n",
    "php": "bool(true)\nbool(false)\n1\n2\n",
    "ruby": "true\nfalse\n1\n2\n1\ntrue\n",
}


@pytest.mark.parametrize("name", PROGRAMS)
async def test_programs_find_commands(box: Sandbox, name: str) -> None:
    await box.write("program", PROGRAMS[name])
    with anyio.fail_after(90):
        result = await box.bash(f"{name} program", timeout=80)
    assert (result.stderr, result.stdout) == ("", PRINTED[name])


async def test_the_shell_sees_files_with_contents(box: Sandbox) -> None:
    script = """
ls -l /usr/bin/git | cut -d' ' -f1,5
head -1 /bin/git
which git
ls /usr/bin | grep -cx -e git -e python3 -e npm -e vim
ln -s /usr/bin/seq link && ./link 1
cp /bin/echo copied && ./copied hi
[ /usr/bin/git -ef /usr/bin/seq ] || echo two
echo x 2>/dev/null > /usr/bin/git || echo refused
"""
    result = await box.bash(script)
    first = '#!/bin/bash\n# A command of the sandbox\'s shell.\nexec /usr/bin/git "$@"\n'
    assert result.stdout.splitlines() == [
        f"-rwxr-xr-x {len(first)}", "#!/bin/bash", "/usr/bin/git", "3", "1", "hi", "two", "refused",
    ]  # fmt: skip

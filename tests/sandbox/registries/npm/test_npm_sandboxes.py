"""npm packages inside a real sandbox: `require` and `import` install what is missing; what is installed is found."""

import json

import anyio
import pytest
from blockbuster import BlockBuster

from cloche import Sandbox
from tests.sandbox.registries.makers import NpmIndex

pytestmark = pytest.mark.timeout(90)


@pytest.fixture(autouse=True)
def quick_start(_unblocked_loop: BlockBuster) -> None:
    """Lets the loop's own thread wait for the new process."""
    _unblocked_loop.functions["os.read"].can_block_in("subprocess.py", "_execute_child")


@pytest.mark.slow
async def test_what_is_missing_is_installed(npm: NpmIndex) -> None:
    npm.add("leaf")
    npm.add("@scope/tree", "2.0.0", {"deep.mjs": "export default 'deep';\n"}, dependencies={"leaf": "^1.0.0"})
    with anyio.fail_after(80):
        async with Sandbox(auto_install=True) as box:
            assert (await box.run("require('leaf')", language="javascript")).value == "'leaf 1.0.0'"
            code = "import tree from '@scope/tree'; import deep from '@scope/tree/deep.mjs'; [tree, deep]"
            assert (await box.run(code, language="typescript")).value == "[ '@scope/tree 2.0.0', 'deep' ]"
            assert (await box.bash("node -p 'require(\"leaf\")'")).stdout == "leaf 1.0.0\n"
            result = await box.run("1;\nrequire('no-such-package')", language="javascript")
            assert result.error is not None
            assert (result.error.line, result.state) == (2, "kept")
            assert "Cannot find module 'no-such-package'\nhint: " in result.error.message


async def test_what_is_installed_is_found_at_once(npm: NpmIndex) -> None:
    npm.add("leaf")
    with anyio.fail_after(80):
        async with Sandbox() as box:
            missing = await box.run("require('leaf')", language="javascript")
            assert missing.error is not None
            assert "hint: install it with `npm install leaf`" in missing.error.message
            await box.install("leaf", language="javascript")
            assert (await box.run("require('leaf')", language="javascript")).value == "'leaf 1.0.0'"
            await box.write("node_modules/leaf/index.js", "module.exports = 'own'")
            assert (await box.bash("node -p 'require(\"leaf\")'")).stdout == "own\n"


async def test_programs_of_packages_are_commands(npm: NpmIndex) -> None:
    cli = "#!/usr/bin/env node\nimport('./word.mjs').then((m) => console.log(m.default, ...process.argv.slice(2)))\n"
    npm.add("cow", "1.0.0", {"cli.js": cli, "word.mjs": "export default 'moo';\n"}, bin="cli.js")
    with anyio.fail_after(80):
        async with Sandbox() as box:
            assert (await box.bash("cow")).exit_code == 127
            assert (await box.bash("npx cow 'a b' -c")).stdout == "moo a b -c\n"
            assert (await box.bash("cow 1 | cat; which cow")).stdout == "moo 1\n/usr/bin/cow\n"
            assert (await box.bash("npm uninstall cow && cow")).exit_code == 127
            missing = await box.bash("npx sheep")
            assert missing.exit_code == 1
            assert "No javascript package is called 'sheep'" in missing.stdout


async def test_code_made_from_text_imports_from_the_folder_of_its_program(npm: NpmIndex) -> None:
    with anyio.fail_after(80):
        async with Sandbox() as box:
            await box.write("d/far.mjs", "export default 'far'")
            main = "new Function('m', 'return import(m)')('./far.mjs').then((m) => console.log(m.default))"
            await box.write("d/main.cjs", main)
            assert (await box.bash("node d/main.cjs")).stdout == "far\n"


@pytest.mark.slow
async def test_npm_installs_and_runs_what_a_project_says(npm: NpmIndex) -> None:
    npm.add("leaf", "1.2.0")
    npm.add("cow", "1.0.0", {"cli.js": "console.log('moo', ...process.argv.slice(2))"}, bin="cli.js")
    about = {
        "dependencies": {"leaf": "^1.0.0"},
        "devDependencies": {"cow": "*"},
        "scripts": {"prebuild": "echo first", "build": "cow big", "test": "false"},
    }
    with anyio.fail_after(80):
        async with Sandbox() as box:
            missing = await box.bash("npm install")
            assert (missing.exit_code, "there is no package.json in /workspace" in missing.stderr) == (1, True)
            await box.write("package.json", json.dumps(about))
            assert (await box.bash("npm ci --omit=dev")).stdout == "installed leaf 1.2.0\n"
            assert "installed cow 1.0.0" in (await box.bash("npm install")).stdout
            built = "\n> prebuild\n> echo first\n\nfirst\n\n> build\n> cow big 'a b'\n\nmoo big a b\n"
            assert (await box.bash("npm run build -- 'a b'")).stdout == built
            assert (await box.bash("npm run -s build")).stdout == "first\nmoo big\n"
            assert (await box.bash("npm test")).exit_code == 1
            unknown = await box.bash("npm run bild")
            assert unknown.exit_code == 1
            assert 'npm error Missing script: "bild"' in unknown.stderr
            assert "There are: prebuild, build, test" in unknown.stderr


async def test_npm_keeps_package_json(npm: NpmIndex) -> None:
    npm.add("leaf", "1.2.0")
    npm.add("tree", "2.0.0", dependencies={"leaf": "^1.0.0"})
    with anyio.fail_after(80):
        async with Sandbox() as box:
            made = await box.bash("npm init -y && npm pkg set scripts.hi='exit 7' && npm pkg get name scripts.hi")
            assert made.stdout.startswith("Wrote to /workspace/package.json:\n\n{\n")
            assert made.stdout.endswith('{\n  "name": "workspace",\n  "scripts.hi": "exit 7"\n}\n')
            assert (await box.bash("npm run hi")).exit_code == 7
            assert (await box.bash("npm prefix; npm root")).stdout == "/workspace\n/workspace/node_modules\n"
            assert (await box.bash("npm test")).exit_code == 1
            assert (await box.bash("npm install tree && npm i -D leaf@1.2.0")).exit_code == 0
            project = json.loads(await box.read("package.json"))
            assert (project["dependencies"], project["devDependencies"]) == ({"tree": "^2.0.0"}, {"leaf": "^1.2.0"})
            lock = json.loads(await box.read("package-lock.json"))
            assert sorted(lock["packages"]) == ["", "node_modules/leaf", "node_modules/tree"]
            assert (await box.bash("npm uninstall leaf; npm pkg get devDependencies")).stdout.endswith("{}\n")

"""Nothing gets out: files of the host, its environment, the network, JavaScript beneath the interpreter."""

import os
from pathlib import Path

import pytest

from cloche import Mount, Sandbox

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

READ = {
    "javascript": "console.log(require('fs').readFileSync({path}, 'utf8'))",
    "typescript": "import {{ readFileSync as r }} from 'fs'; console.log(r({path} as string, 'utf8'))",
    "ruby": "puts File.read({path})",
    "php": "echo file_get_contents({path}) ?: throw new Exception('not read');",
    "lua": "print(assert(io.open({path})):read('a'))",
    "r": "cat(readLines({path}, warn = FALSE), sep = '\\n')",
    "perl": "open my $f, '<', {path} or die $!; print <$f>;",
    "scheme": "(display (call-with-input-file {path} read-line))",
    "sql": ".read {path}",
}
"""Prints a file."""

WRITE = {
    "javascript": "require('fs').writeFileSync({path}, 'x')",
    "typescript": "import {{ writeFileSync as w }} from 'fs'; w({path} as string, 'x')",
    "ruby": "File.write({path}, 'x')",
    "php": "file_put_contents({path}, 'x') !== false or throw new Exception('not written');",
    "lua": "local f = assert(io.open({path}, 'w')) f:write('x') f:close()",
    "r": "cat('x', file = {path})",
    "perl": "open my $f, '>', {path} or die $!; print $f 'x'; close $f or die;",
    "scheme": '(call-with-output-file {path} (lambda (p) (write-string "x" p)))',
    "sql": "attach {path} as other; create table other.t (x);",
}
"""Writes a file."""

PLANTED = "planted secret of the host"
every = pytest.mark.parametrize("language", READ)


def quoted(language: str, path: str) -> str:
    return f"'{path}'" if language not in ("scheme", "sql") else f'"{path}"' if language == "scheme" else path


def at(table: dict[str, str], language: str, path: str) -> str:
    text = quoted(language, path)
    if language == "sql" and table is WRITE:
        text = f"'{path}'"
    return table[language].format(path=text)


@every
@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/environ", "/workspace/../../etc/passwd", "/dev/sda"])
async def test_files_of_the_host_are_not_there(box: Sandbox, language: str, path: str) -> None:
    result = await box.run(at(READ, language, path), language=language)
    assert result.error is not None or result.exit_code != 0
    assert "root:" not in result.stdout
    assert "PATH=" not in result.stdout


@every
async def test_links_lead_nowhere_outside(box: Sandbox, language: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(PLANTED)
    await box.bash(f"ln -sfn {secret} link; ln -sfn {tmp_path} folder; ln -sfn / root")
    for path in ("link", "folder/secret", f"root{secret}"):
        result = await box.run(at(READ, language, f"/workspace/{path}"), language=language)
        assert PLANTED not in result.stdout + result.stderr
        assert result.error is not None or result.exit_code != 0
    await box.run(at(WRITE, language, "/workspace/link"), language=language)
    await box.run(at(WRITE, language, "/workspace/folder/new"), language=language)
    assert secret.read_text() == PLANTED
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


@every
async def test_what_is_mounted_read_only_stays_as_it_is(language: str, tmp_path: Path) -> None:
    (tmp_path / "given.txt").write_text("as it was")
    async with Sandbox(mounts=[Mount(tmp_path, "/mnt/data", read_only=True)]) as box:
        for name in ("given.txt", "new.txt"):
            result = await box.run(at(WRITE, language, f"/mnt/data/{name}"), language=language)
            assert result.error is not None or result.exit_code != 0
        if language != "sql":
            shown = await box.run(at(READ, language, "/mnt/data/given.txt"), language=language)
            assert "as it was" in shown.stdout
    assert (tmp_path / "given.txt").read_text() == "as it was"
    assert len(list(tmp_path.iterdir())) == 1


JAVASCRIPT = {
    "ruby": [
        "require 'js'; JS.eval('return 1')",
        "require 'js'; JS.global[:Deno]",
        "JS::Object",
        "Object.const_get(:JS).eval('globalThis')",
    ],
    "r": ["webr::eval_js('1 + 1')", "webr:::eval_js_impl('1')", ".Call('ffi_eval_js', '1 + 1')"],
    "javascript": [
        "Deno.version",
        "globalThis.constructor.constructor('return Deno')().version",
        "(await import('node:net')).connect(80, '127.0.0.1')",
        "console.log.constructor('return Deno.cwd()')()",
        "new Worker('data:text/javascript,1')",
        "WebAssembly.Memory",
    ],
    "typescript": ["(globalThis as any).Deno.version"],
    "lua": ["js.global", "package.loadlib('/x', 'y')()", "debug.getregistry().js"],
    "perl": [
        "require Inline::JavaScript",
        "syscall(1)",
        "require DynaLoader; DynaLoader::dl_load_file('/lib/x.so') or die",
    ],
    "php": ["new Vrzno()", "dl('x.so')", "FFI::cdef('int getpid();')->getpid()"],
    "scheme": ['(eval (quote Deno) (environment "(scheme base)"))', '(js-eval "1")', "(%js 1)"],
    "sql": ["select load_extension('x')", "select js('1')", "select writefile('/etc/x', 'y')"],
}


@pytest.mark.parametrize(("language", "code"), [(name, code) for name, codes in JAVASCRIPT.items() for code in codes])
async def test_javascript_is_out_of_reach(box: Sandbox, language: str, code: str) -> None:
    result = await box.run(code, language=language)
    assert result.error is not None or result.exit_code != 0, result


@every
async def test_the_hosts_environment_is_not_seen(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOCHE_TEST_SECRET", PLANTED)
    ask = {
        "javascript": "console.log(JSON.stringify(process.env))",
        "typescript": "console.log(JSON.stringify(process.env as object))",
        "ruby": "p ENV.to_h",
        "php": "var_dump(getenv());",
        "lua": "print(os.getenv('CLOCHE_TEST_SECRET'))",
        "r": "print(Sys.getenv())",
        "perl": 'print map { "$_=$ENV{$_}\\n" } keys %ENV;',
        "scheme": "(write (get-environment-variables))",
        "sql": "select 1",
    }
    async with Sandbox() as box:
        result = await box.run(ask[language], language=language)
    assert result.error is None
    assert PLANTED not in result.stdout
    assert os.environ["CLOCHE_TEST_SECRET"] == PLANTED

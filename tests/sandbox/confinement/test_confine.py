"""Real processes under each layer: what they may do works, what they may not fails."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import deno
import msgspec
import pytest

from cloche import limits
from cloche.errors import ConfigError
from cloche.sandbox.confinement.confine import BindPath, ConfinedCommand, LayerName, confine_command
from cloche.sandbox.confinement.probe import survey_host, try_layer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only on Linux")

PATIENCE = 15
QUIET = {"DENO_DIR": "/nonexistent", "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}

TRY = """
const refused = (deed) => { try { deed(); return false; } catch { return true; } };
const report = (value) => console.log(JSON.stringify(value));
"""


@pytest.fixture(params=["bubblewrap", "landlock"])
def layer(request: pytest.FixtureRequest) -> LayerName:
    """Each layer that holds on this machine."""
    name: LayerName = request.param
    found = try_layer(name, survey_host(), deno.find_deno_bin())
    if not found.holds:
        pytest.skip(f"{name} does not hold: {found.detail}")
    return name


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    """A folder the sandbox may write to."""
    folder = tmp_path / "inside"
    folder.mkdir()
    return folder


@pytest.fixture
def listener(inside: Path) -> Iterator[socket.socket]:
    """A UNIX socket in that folder."""
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(inside / "s"))
        unix.listen()
        unix.settimeout(PATIENCE)
        yield unix


def command(script: str, inside: Path, *flags: str) -> list[str]:
    path = inside / "script.js"
    path.write_text(TRY + script)
    return [deno.find_deno_bin(), "run", "--allow-all", "--no-config", "--no-lock", *flags, str(path)]


def start(confined: ConfinedCommand) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            confined.argv,
            env=confined.env,
            pass_fds=confined.pass_fds,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    finally:
        for fd in confined.close_after:
            os.close(fd)


def run(
    layer: LayerName, argv: Sequence[str], binds: Sequence[BindPath], env: Mapping[str, str] = QUIET
) -> tuple[int, str, str]:
    with start(confine_command(argv, binds=binds, env=env, layer=layer)) as process:
        out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out.decode(), err.decode()


def reported(layer: LayerName, script: str, inside: Path, *binds: BindPath) -> object:
    """What a script running with every permission of Deno reports."""
    status, out, err = run(layer, command(script, inside), [BindPath(str(inside), writable=True), *binds])
    assert status == 0, err
    return msgspec.json.decode(out)


def test_scripts_workers_files_and_the_socket_work(layer: LayerName, inside: Path, listener: socket.socket) -> None:
    script = f"""
        const code = "data:application/javascript,postMessage(6 * 7)";
        const worker = new Worker(code, {{ type: "module" }});
        const answer = await new Promise((resolve) => worker.onmessage = (event) => resolve(event.data));
        worker.terminate();
        Deno.writeTextFileSync("{inside}/file", "written");
        const link = await Deno.connect({{ transport: "unix", path: "{inside}/s" }});
        await link.write(new TextEncoder().encode(answer + Deno.readTextFileSync("{inside}/file")));
        link.close();
    """
    argv = command(script, inside)
    with start(confine_command(argv, binds=[BindPath(str(inside), writable=True)], env=QUIET, layer=layer)) as process:
        link, _ = listener.accept()
        with link:
            link.settimeout(PATIENCE)
            assert link.recv(100) == b"42written"
        assert process.wait(PATIENCE) == 0
    assert (inside / "file").read_text() == "written"


def test_files_outside_stay_out_of_reach_even_through_links(layer: LayerName, inside: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("untouched")
    (inside / "link").symlink_to(secret)
    (inside / "up").symlink_to(tmp_path)
    script = f"""
        report([
            refused(() => Deno.readTextFileSync("{secret}")),
            refused(() => Deno.readTextFileSync("{inside}/link")),
            refused(() => Deno.readTextFileSync("{inside}/../secret")),
            refused(() => Deno.readTextFileSync("{inside}/up/secret")),
            refused(() => Deno.writeTextFileSync("{inside}/link", "x")),
            refused(() => Deno.truncateSync("{inside}/link")),
            refused(() => Deno.chmodSync("{inside}/link", 0o777)),
            refused(() => Deno.linkSync("{secret}", "{inside}/hard")),
            refused(() => Deno.renameSync("{secret}", "{inside}/moved")),
            refused(() => Deno.removeSync("{secret}")),
            refused(() => Deno.readTextFileSync("/etc/passwd")),
            refused(() => [...Deno.readDirSync("/etc")]),
            refused(() => Deno.writeTextFileSync("/written", "x")),
        ]);
    """
    mode = secret.stat().st_mode
    assert reported(layer, script, inside) == [True] * 13
    assert (secret.read_text(), secret.stat().st_mode) == ("untouched", mode)


def test_a_read_only_bind_can_be_read_and_not_changed(layer: LayerName, inside: Path, tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    (given / "file").write_text("x")
    script = f"""
        report([
            Deno.readTextFileSync("{given}/file"),
            refused(() => Deno.writeTextFileSync("{given}/file", "y")),
            refused(() => Deno.mkdirSync("{given}/new")),
            refused(() => Deno.removeSync("{given}/file")),
            refused(() => Deno.renameSync("{given}/file", "{inside}/file")),
        ]);
    """
    assert reported(layer, script, inside, BindPath(str(given))) == ["x", True, True, True, True]


def test_a_writable_bind_inside_a_read_only_one_is_writable(layer: LayerName, inside: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    (outer / "inner").mkdir(parents=True)
    script = f"""
        Deno.writeTextFileSync("{outer}/inner/file", "x");
        report(refused(() => Deno.writeTextFileSync("{outer}/file", "x")));
    """
    assert reported(layer, script, inside, BindPath(str(outer / "inner"), writable=True), BindPath(str(outer))) is True


def test_bubblewrap_keeps_a_folder_read_only_inside_a_writable_one(inside: Path) -> None:
    if not try_layer("bubblewrap", survey_host(), deno.find_deno_bin()).holds:
        pytest.skip("bubblewrap does not hold")
    (inside / "kept").mkdir()
    script = f'report(refused(() => Deno.writeTextFileSync("{inside}/kept/file", "x")));'
    assert reported("bubblewrap", script, inside, BindPath(str(inside / "kept"))) is True


def test_landlock_says_that_it_cannot(inside: Path) -> None:
    (inside / "kept").mkdir()
    binds = [BindPath(str(inside), writable=True), BindPath(str(inside / "kept"))]
    with pytest.raises(ConfigError, match="read-only inside"):
        confine_command([deno.find_deno_bin()], binds=binds, env={}, layer="landlock")


def test_neither_network_nor_processes_can_be_reached(layer: LayerName, inside: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as tcp:
        script = f"""
            const failed = async (promise) => {{ try {{ await promise; return false; }} catch {{ return true; }} }};
            report([
                await failed(Deno.connect({{ hostname: "127.0.0.1", port: {tcp.getsockname()[1]} }})),
                await failed(fetch("http://127.0.0.1:{tcp.getsockname()[1]}/")),
                refused(() => Deno.listen({{ port: 0 }})),
                refused(() => Deno.kill({os.getpid()}, "SIGCONT")),
                refused(() => Deno.readTextFileSync("/proc/{os.getpid()}/environ")),
                refused(() => new Deno.Command(Deno.execPath(), {{ args: ["-V"] }}).outputSync()),
            ]);
        """
        assert reported(layer, script, inside) == [True] * 6


def test_the_environment_is_what_was_given(layer: LayerName, inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "x")
    given = QUIET | {"GREETING": "grüß dich\nzwei Zeilen", "EMPTY": ""}
    argv = command("report(Deno.env.toObject());", inside)
    status, out, err = run(layer, argv, [BindPath(str(inside), writable=True)], given)
    assert status == 0, err
    seen = msgspec.json.decode(out, type=dict[str, str])
    # bubblewrap names the working directory.
    assert seen.pop("PWD", "/") == "/"
    assert seen == given


def test_the_environment_does_not_show_in_the_list_of_processes(layer: LayerName) -> None:
    confined = confine_command([deno.find_deno_bin()], binds=[], env={"TOKEN": "hidden"}, layer=layer)
    for fd in confined.close_after:
        os.close(fd)
    assert "hidden" not in " ".join(confined.argv)
    assert "TOKEN" not in confined.env


def test_open_files_are_limited(layer: LayerName, inside: Path) -> None:
    script = f"""
        let count = 0;
        try {{ for (;;) {{ Deno.openSync("{inside}/script.js"); count++; }} }} catch {{ report(count); }}
    """
    count = reported(layer, script, inside)
    assert isinstance(count, int)
    assert 100 < count < limits.OPEN_FILES


def test_a_file_that_grows_too_large_is_an_error_and_not_the_end(layer: LayerName, inside: Path) -> None:
    script = f"""
        const file = Deno.openSync("{inside}/large", {{ write: true, create: true }});
        file.seekSync({limits.FILES_LIMIT}, Deno.SeekMode.Start);
        report(refused(() => file.writeSync(new Uint8Array(1))));
    """
    assert reported(layer, script, inside) is True


def test_modes_can_be_changed_on_open_files(layer: LayerName, inside: Path) -> None:
    script = f"""
        const fs = await import("node:fs");
        fs.fchmodSync(fs.openSync("{inside}/script.js", "r"), 0o700);
        report(Deno.statSync("{inside}/script.js").mode & 0o777);
    """
    assert reported(layer, script, inside) == 0o700


def test_no_file_can_be_made_to_run_as_its_owner(layer: LayerName, inside: Path) -> None:
    script = f"""
        const fs = await import("node:fs");
        report([
            refused(() => Deno.chmodSync("{inside}/script.js", 0o4755)),
            refused(() => fs.fchmodSync(fs.openSync("{inside}/script.js", "r"), 0o4755)),
        ]);
        refused(() => fs.openSync("{inside}/new", "w", 0o4755));
    """
    assert reported(layer, script, inside) == [True, True]
    assert not any(path.stat().st_mode & 0o4000 for path in inside.iterdir())


def test_what_deno_asks_of_its_own_path_does_not_end_it(layer: LayerName, inside: Path) -> None:
    assert reported(layer, "report((await import('node:process')).execPath);", inside) == deno.find_deno_bin()


def test_running_out_of_memory_ends_the_process_instead_of_hanging(layer: LayerName, inside: Path) -> None:
    argv = command("const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length + 0.5));", inside)
    argv.insert(2, "--v8-flags=--max-old-space-size=50")
    status, _, err = run(layer, argv, [BindPath(str(inside), writable=True)])
    assert status != 0
    assert "out of memory" in err


def test_it_dies_with_the_process_that_started_it(layer: LayerName, inside: Path, listener: socket.socket) -> None:
    script = f"""
        const link = await Deno.connect({{ transport: "unix", path: "{inside}/s" }});
        await link.write(new TextEncoder().encode("up"));
        for (;;) await new Promise((resolve) => setTimeout(resolve, 1000));
    """
    starter = f"""
import os, subprocess
from cloche.sandbox.confinement.confine import BindPath, confine_command
binds = [BindPath({str(inside)!r}, True)]
confined = confine_command({command(script, inside)!r}, binds=binds, env={QUIET!r}, layer={layer!r})
subprocess.Popen(confined.argv, env=confined.env, pass_fds=confined.pass_fds).wait()
"""
    with subprocess.Popen([sys.executable, "-c", starter]) as between:
        link, _ = listener.accept()
        with link:
            link.settimeout(PATIENCE)
            assert link.recv(10) == b"up"
            between.send_signal(signal.SIGKILL)
            between.wait(PATIENCE)
            # The end of the sandbox closes its socket.
            assert link.recv(10) == b""


def test_what_cannot_be_bound_is_refused_before_anything_starts(layer: LayerName, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="absolute"):
        confine_command([deno.find_deno_bin()], binds=[BindPath("relative")], env={}, layer=layer)
    with pytest.raises(FileNotFoundError):
        confine_command([deno.find_deno_bin()], binds=[BindPath(str(tmp_path / "missing"))], env={}, layer=layer)


def test_descriptors_do_not_leak(layer: LayerName) -> None:
    def descriptors() -> list[str]:
        return sorted(path.name for path in Path("/proc/self/fd").iterdir())

    before = descriptors()
    for _ in range(3):
        for fd in confine_command([deno.find_deno_bin()], binds=[], env={}, layer=layer).close_after:
            os.close(fd)
    with pytest.raises(FileNotFoundError):
        confine_command(["/missing/program"], binds=[], env={}, layer=layer)
    assert descriptors() == before


def test_none_changes_nothing() -> None:
    assert confine_command(["a", "b"], binds=[], env={"C": "d"}, layer="none") == ConfinedCommand(
        ["a", "b"], {"C": "d"}
    )

"""`cloche doctor`: what works here, and what to do about the rest."""

from typing import Any

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Check this machine: versions, the engine's files, the layers of isolation, a first run."""
    import anyio
    import msgspec

    report: dict[str, Any] = anyio.run(_examine)
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        for check in report["checks"]:
            click.echo(f"{'ok  ' if check['ok'] else 'FAIL'} {check['name']}: {check['detail']}")
    ctx.exit(0 if report["ok"] else 1)


async def _examine() -> dict[str, Any]:
    from anyio import to_thread

    from cloche.sandbox import assets, snapshots
    from cloche.sandbox.info import layers, versions
    from cloche.sandbox.probe import choose, probe

    found = await to_thread.run_sync(versions)
    checks = [_check("versions", True, ", ".join(f"{name} {version}" for name, version in found.items()))]
    changed = await to_thread.run_sync(assets.verify)
    where = str(assets.assets_dir())
    checks.append(_check("files", not changed, where if not changed else f"{where}: {changed[0]} is missing or changed; run `cloche fetch --force`"))
    snapshot = snapshots.find()
    checks.append(_check("snapshot", True, str(snapshot.snapshot) if snapshot else "will be built at first use"))
    tried = await to_thread.run_sync(probe)
    for layer in tried:
        checks.append(_check(layer.name, layer.holds, layer.detail))
    outer = await to_thread.run_sync(choose, "auto")
    checks.append(await _try_run(changed))
    ok = all(check["ok"] for check in checks if check["name"] in ("files", "run")) and outer.holds
    return {"ok": ok, "versions": found, "checks": checks, "layers": layers(outer)}


async def _try_run(changed: list[str]) -> dict[str, Any]:
    from cloche.errors import SandboxError
    from cloche.sandbox.sandbox import Sandbox

    if changed:
        return _check("run", False, "not tried: files are missing")
    try:
        async with Sandbox() as box:
            result = await box.run("6 * 7")
            held = ", ".join(layer.name for layer in box.info.layers if layer.holds)
            return _check("run", result.value == "42", f"6 * 7 = {result.value}; layers that hold: {held}")
    except SandboxError as error:
        return _check("run", False, str(error))


def _check(name: str, ok: bool, detail: str) -> dict[str, Any]:
    return {"name": name, "ok": ok, "detail": detail}

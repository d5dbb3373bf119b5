"""A short guided tour of Cloche: Python, bash, a file shared by both, a timeout that keeps the variables.

Run it with `make run`, or, where Cloche is installed, `python examples/demo.py`.
"""

import asyncio
import os
import sys
import time

import cloche

STYLED = sys.stdout.isatty()
VENV = os.path.relpath(sys.prefix)


def styled(code: str, text: str) -> str:
    return f"\033[{code}m{text}\033[0m" if STYLED else text


def title(text: str) -> None:
    print(f"\n{styled('1', text)}")


def note(text: str) -> None:
    print(styled("2", text))


def show(result: cloche.Result) -> None:
    """Print the result of a call, indented."""
    text = result.stdout + (f"{result.value}\n" if result.value is not None else "")
    if result.timed_out:
        text += f"stopped after {result.duration:.1f} s; the state is {result.state}\n"
    elif result.error is not None:
        text += f"{result.error.type}: {result.error.message}\n"
    for line in text.splitlines():
        print(f"      {line}")


async def python(box: cloche.Sandbox, code: str, seconds: float = 10) -> None:
    first, *rest = code.splitlines()
    print(styled("32", f"  >>> {first}"))
    for line in rest:
        print(styled("32", f"  ... {line}"))
    show(await box.run(code, timeout=seconds))


async def bash(box: cloche.Sandbox, command: str) -> None:
    print(styled("36", f"    $ {command}"))
    show(await box.bash(command))


async def main() -> None:
    began = time.monotonic()
    async with cloche.Sandbox() as box:
        print(
            styled("1;32", f"Cloche: code under glass. This sandbox was open after {time.monotonic() - began:.2f} s.")
        )

        title("1. Python keeps its state, and shows the value of the last line")
        await python(box, "import statistics\nleaves = [3, 5, 8, 13]")
        await python(box, "statistics.mean(leaves)")

        title("2. bash, with the tools you expect")
        await bash(box, "seq 1 5 | tee numbers.txt | paste -sd+ | bc")

        title("3. Both see the same files, and each can call the other")
        await python(box, "[int(line) ** 2 for line in open('numbers.txt')]")
        await bash(box, """python3 -c 'print(open("numbers.txt").read().split())' | tr -d "[]'," """.rstrip())
        await python(box, "!wc -l numbers.txt")

        title("4. A timeout stops the code, not the session")
        await python(box, "leaves.append(21)\nwhile True: pass", seconds=0.5)
        await python(box, "leaves")

        title("5. Nothing gets out")
        await python(box, "open('/etc/passwd').read()")
        await python(box, "import urllib.request\nurllib.request.urlopen('http://localhost')")
        for layer in box.info.layers:
            print(f"      {'holds  ' if layer.holds else 'MISSING'}  {layer.name}")

    title("How to go on")
    note("  cloche run -c 'print(6 * 7)'     run code; --help lists the options")
    note("  cloche bash                      a shell under glass")
    note("  cloche doctor                    what holds on this machine")
    note("  docs/start.md, docs/sdk.md       the same from your own programs")
    if sys.prefix != sys.base_prefix:
        note(f"The program `cloche` is in {VENV}/bin.")


if __name__ == "__main__":
    asyncio.run(main())

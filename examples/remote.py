"""Start a server, and use its sandboxes as if they were here."""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager

import cloche

TOKEN = "a-token-of-mine"


@contextmanager
def serve(folder: str) -> Generator[str]:
    """A server on a free port, until the end of the block; gives its address."""
    command = [sys.executable, "-m", "cloche", "serve", "--port", "0", "--no-browser"]
    env = {**os.environ, "CLOCHE_DATA": folder, "CLOCHE_TOKEN": TOKEN}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            yield server.stderr.readline().split()[-1]
        finally:
            server.terminate()


async def count_words(box: cloche.Sandbox | cloche.RemoteSandbox) -> str | None:
    """Work that is the same here and there."""
    await box.write("poem.txt", "so much depends\nupon a red wheel\nbarrow\n")
    await box.bash("tr ' ' '\\n' < poem.txt | sort > words.txt", check=True)
    return (await box.run("len(open('words.txt').readlines())")).value


async def main(url: str) -> None:
    async with cloche.Sandbox() as here, cloche.connect(url, TOKEN, title="poem") as there:
        print("here:", await count_words(here), "words")
        print("there:", await count_words(there), "words")
        async for event in there.stream("for line in open('poem.txt'): print(line.upper(), end='')"):
            if isinstance(event, cloche.Text):
                print(event.text, end="")
        async with cloche.connect(url, TOKEN, session=there.session) as second:
            print("a second client sees", [file.path for file in await second.files()])


with tempfile.TemporaryDirectory() as folder, serve(folder) as url:
    asyncio.run(main(url))

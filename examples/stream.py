"""Watch output while the code runs, and answer its questions."""

import asyncio

import cloche

CODE = """
import time
name = input("Who is there? ")
for step in range(3):
    print(name, step)
    time.sleep(0.1)
"""


async def main() -> None:
    async with cloche.Sandbox() as box:
        async for event in box.stream(CODE, on_input=lambda prompt: "Ada"):
            match event:
                case cloche.Text(stream, text):
                    print(f"[{stream}] {text}", end="")
                case cloche.Result():
                    print(f"done, ok={event.ok}")
                case _:
                    pass


asyncio.run(main())

"""A web service that runs code for its users: `uvicorn web_app:app`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException, Request
from pydantic import BaseModel, Field

import cloche


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    # Others' code runs here, so the service does not start where the operating system cannot confine it.
    async with cloche.Pool(size=2, max_size=8, wait=5, timeout=10, confinement="require") as pool:
        app.state.pool = pool
        await pool.ready(1)
        yield


app = FastAPI(lifespan=lifespan)


class Snippet(BaseModel):
    code: str = Field(max_length=100_000)
    language: str = "python"


class Answer(BaseModel):
    ok: bool
    value: str | None
    stdout: str
    stderr: str
    error: str | None
    timed_out: bool


@app.post("/run")
async def run(snippet: Snippet, request: Request) -> Answer:
    try:
        async with request.app.state.pool.sandbox() as box:
            result = await box.run(snippet.code, language=snippet.language)
    except cloche.ConfigError as error:
        raise HTTPException(422, str(error)) from None
    except cloche.PoolExhausted:
        raise HTTPException(503, "all sandboxes are in use: try again soon") from None
    return Answer(
        ok=result.ok,
        value=result.value,
        stdout=result.stdout,
        stderr=result.stderr,
        error=result.error.traceback if result.error else None,
        timed_out=result.timed_out,
    )

"""Requests as spans, collected by OpenTelemetry's own library."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.server.conftest import StartServer

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


async def test_a_request_is_a_span_with_its_route_and_session_in_the_trace_of_its_caller(
    start_server: StartServer,
) -> None:
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    async with start_server() as server, server.client() as client:
        sid = (await client.post("/api/sessions", json={})).json()["id"]
        await client.get(f"/api/sessions/{sid}", headers={"traceparent": PARENT})
    caller = int(PARENT.split("-")[1], 16)
    own = [span for span in spans.get_finished_spans() if span.context and span.context.trace_id == caller]
    assert "GET /api/sessions/{sid}" in [span.name for span in own]
    known = {name: value for span in own for name, value in (span.attributes or {}).items()}
    assert (known["session.id"], known["enduser.id"]) == (sid, "owner")

"""Figures of a server for Prometheus, in a registry of its own."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cloche.events import Event, Unknown, is_action, is_observation
from cloche.session import SessionManager

OPEN = 10_000
"""Actions whose time is taken; the oldest are forgotten."""
UNMATCHED = "none"
"""The route of requests that no route takes."""
FAST = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
"""Upper ends of the ranges of seconds."""
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


class Metrics(Collector):
    """Counts requests and events as they come, and looks at sessions when it is asked."""

    def __init__(self, manager: SessionManager, count_clients: Callable[[], int]) -> None:
        self.registry = CollectorRegistry()
        self._manager = manager
        self._count_clients = count_clients
        self._requests = Counter(
            "cloche_requests", "Requests by route and status", ["route", "method", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "cloche_request_seconds",
            "Time from a request to the begin of its answer",
            ["route"],
            buckets=FAST,
            registry=self.registry,
        )
        self._events = Counter("cloche_events", "Events that were stored", ["kind", "source"], registry=self.registry)
        self._actions = Histogram(
            "cloche_action_seconds",
            "Time from an action to its observation",
            ["kind"],
            buckets=FAST,
            registry=self.registry,
        )
        self._begun: OrderedDict[tuple[str, int | None], tuple[str, float]] = OrderedDict()
        self.registry.register(self)
        manager.listen(self.count_events)

    def count_events(self, sid: str, events: Sequence[Event]) -> None:
        """Count events that have just been stored."""
        now = time.monotonic()
        for event in events:
            body = event.body
            # What is of no known kind has the name that its sender gave it.
            kind = "unknown" if isinstance(body, Unknown) else body.kind
            self._events.labels(kind, event.source if event.source in ("agent", "user") else "environment").inc()
            if is_action(body) and body.runnable:
                self._begun[sid, event.id] = (kind, now)
                if len(self._begun) > OPEN:
                    self._begun.popitem(last=False)
            elif is_observation(body) and (begun := self._begun.pop((sid, event.cause), None)) is not None:
                self._actions.labels(begun[0]).observe(now - begun[1])

    def count_request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request whose answer begins."""
        route = _name_route(scope)
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def collect(self) -> Iterator[Metric]:
        """What is counted only when somebody asks."""
        yield GaugeMetricFamily("cloche_sessions", "Sessions that run", self._manager.count_running())
        yield GaugeMetricFamily("cloche_clients", "Clients of Socket.IO", self._count_clients())
        pool = self._manager.pool
        if pool is not None:
            sandboxes = GaugeMetricFamily("cloche_pool_sandboxes", "Sandboxes of the pool", labels=["state"])
            for state in ("spare", "busy", "starting", "closing"):
                sandboxes.add_metric([state], getattr(pool, state))
            yield sandboxes


class MeasuredApp:
    """Counts the requests of an application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()

        async def measured(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._metrics.count_request(scope, message["status"], time.perf_counter() - began)
            await send(message)

        await self._app(scope, receive, measured)


def _name_route(scope: Scope) -> str:
    """The route as it is declared; paths themselves are anybody's, and endless."""
    path: str | None = getattr(scope.get("route"), "path", None)
    if path is None:
        return UNMATCHED
    # Routes do not know the prefix under which their family is served.
    return f"/api{path}" if scope["path"].startswith("/api/") and not path.startswith("/api/") else path

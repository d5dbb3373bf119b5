"""What one task may take: steps, tokens, money, time."""

import time
from math import inf
from typing import Any

from msgspec import Struct

from cloche.config import AppConfig
from cloche.llm import Usage


class Budget(Struct, frozen=True, kw_only=True):
    """The limits of one task; None for no limit."""

    iterations: int | None = None
    cost: float | None = None
    """In the currency of the model's prices; an estimate."""
    tokens: int | None = None
    """Sent and received."""
    seconds: float | None = None

    @classmethod
    def of(cls, config: AppConfig, iterations: int | None = None, agent_name: str | None = None) -> "Budget":
        """The limits of a configuration, for its agent or another."""
        agent = config.find_agent(agent_name)
        return cls(
            iterations=iterations or config.core.max_iterations,
            cost=config.core.max_budget_per_task,
            tokens=agent.max_tokens_per_task,
            seconds=agent.max_seconds_per_task,
        )


class Spending:
    """What the tasks of a session have taken; the limits count from the start of the current one."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.iterations = 0
        self.tokens = 0
        self.cost = 0.0
        self._prompt = self._completion = self._cached = 0
        self._worked = 0.0
        self._since: float | None = None
        """When the agent began to work, unless it rests."""
        self._begun: tuple[int, int, float, float] = (0, 0, 0.0, 0.0)

    def begin_task(self) -> None:
        """Count the limits anew."""
        self._begun = (self.iterations, self.tokens, self.cost, self._seconds)

    def run_clock(self, runs: bool) -> None:
        """Count the time, or stop counting: only while the agent works does its task take time."""
        self._worked, self._since = self._seconds, time.monotonic() if runs else None

    @property
    def _seconds(self) -> float:
        """Seconds of work so far."""
        return self._worked + (0.0 if self._since is None else time.monotonic() - self._since)

    @property
    def seconds_left(self) -> float:
        """Seconds that the task may still take."""
        most = self.budget.seconds
        return inf if most is None else most - self._seconds + self._begun[3]

    def add(self, usage: Usage, cost: float | None) -> None:
        """Add what one answer of a model took."""
        self.tokens += usage.input_tokens + usage.output_tokens
        self._prompt += usage.input_tokens
        self._completion += usage.output_tokens
        self._cached += usage.cached_tokens
        self.cost += cost or 0.0

    def find_excess(self) -> str | None:
        """Which limit is reached, in one sentence with what to do; None if there is room for another step."""
        iterations, tokens, cost, begun = self._begun
        limit = self.budget
        checks: list[tuple[float, float | None, str]] = [
            (self.iterations - iterations, limit.iterations, "{:g} steps ([core] max_iterations)"),
            (self.tokens - tokens, limit.tokens, "{:g} tokens ([agent] max_tokens_per_task)"),
            (self.cost - cost, limit.cost, "an estimated cost of {:g} ([core] max_budget_per_task)"),
            (self._seconds - begun, limit.seconds, "{:g} seconds ([agent] max_seconds_per_task)"),
        ]
        for spent, most, what in checks:
            if most is not None and spent >= most:
                return f"The task has reached its limit of {what.format(most)}. Say something to let it go on."
        return None

    @property
    def remaining(self) -> Budget:
        """What is left of the limits of this task."""
        iterations, tokens, cost, _ = self._begun
        limit = self.budget
        return Budget(
            iterations=None if limit.iterations is None else max(1, limit.iterations - self.iterations + iterations),
            tokens=None if limit.tokens is None else max(1, limit.tokens - self.tokens + tokens),
            cost=None if limit.cost is None else max(0.0, limit.cost - self.cost + cost),
            seconds=None if limit.seconds is None else max(0.0, self.seconds_left),
        )

    def join(self, other: "Spending") -> None:
        """Add what a delegate has taken."""
        self.iterations += other.iterations
        self.tokens += other.tokens
        self.cost += other.cost
        self._prompt += other._prompt
        self._completion += other._completion
        self._cached += other._cached

    @property
    def metrics(self) -> dict[str, Any]:
        """As events keep it."""
        return {
            "accumulated_cost": self.cost,
            "max_budget_per_task": self.budget.cost,
            "accumulated_token_usage": {
                "prompt_tokens": self._prompt,
                "completion_tokens": self._completion,
                "cache_read_tokens": self._cached,
            },
            "iterations": self.iterations,
        }

    def restore(self, metrics: dict[str, Any]) -> None:
        """Continue from what the events of a session say."""
        usage: dict[str, Any] = metrics.get("accumulated_token_usage") or {}
        self._prompt = int(usage.get("prompt_tokens") or 0)
        self._completion = int(usage.get("completion_tokens") or 0)
        self._cached = int(usage.get("cache_read_tokens") or 0)
        self.tokens = self._prompt + self._completion
        self.cost = float(metrics.get("accumulated_cost") or 0.0)
        self.iterations = int(metrics.get("iterations") or self.iterations + 1)

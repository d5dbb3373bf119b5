"""Policies: ordered rules that decide about facts."""

from cloche.security.policy.deciding import Policy, Scope
from cloche.security.policy.loading import load_builtin, load_policy, read_builtin, read_policy
from cloche.security.policy.rules import Rule

__all__ = ["Policy", "Rule", "Scope", "load_builtin", "load_policy", "read_builtin", "read_policy"]

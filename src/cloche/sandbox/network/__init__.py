"""The network broker: the host makes the sandbox's HTTP requests where the policy allows them."""

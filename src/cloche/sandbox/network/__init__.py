"""The network broker: the host makes the sandbox's HTTP requests if the policy allows them."""

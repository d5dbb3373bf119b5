"""The network broker: HTTP requests of the sandbox, made by the host where the policy allows them."""

"""The sandbox's folders on the host, opened only below their roots."""

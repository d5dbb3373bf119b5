"""The sandbox's folders on the host, opened beneath their roots only."""

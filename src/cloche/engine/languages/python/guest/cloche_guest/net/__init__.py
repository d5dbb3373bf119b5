"""The network as the guest sees it: sockets that speak HTTP, carried out by the host."""

"""What is fetched or built once and kept on this machine."""

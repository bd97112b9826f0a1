"""The command line, as the real thing."""

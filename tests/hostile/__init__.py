"""Truncated, corrupt, killed, poisoned."""

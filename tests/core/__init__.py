"""The core as a whole, against the reference."""

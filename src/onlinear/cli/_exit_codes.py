"""Exit codes of the command beside 0."""

__all__ = ["BROKEN_PIPE", "DATA", "INTERRUPTED", "USAGE"]

#: Bad data or files.
DATA = 1
#: A command line that makes no sense.
USAGE = 2
#: Ctrl-C.
INTERRUPTED = 130
#: Nobody reads our output any more.
BROKEN_PIPE = 141

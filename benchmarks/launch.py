"""Run one command and write what the kernel counted for it: `python -I -S launch.py FD COMMAND...`.

A process inherits the peak memory of whoever starts it, so a benchmark that starts commands from a
Python with numpy loaded reads its own peak, not theirs. This one is small.
"""

import json
import os
import sys
import time


def main() -> None:
    """Run, wait, report."""
    report, argv = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(report, False)
    begin = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, os.environ)
    _, status, usage = os.wait4(pid, 0)
    figures = {
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": time.perf_counter() - begin,
        "rss_mb": usage.ru_maxrss / 1024,
    }
    os.write(report, json.dumps(figures).encode())
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()

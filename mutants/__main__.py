"""Try the faults and say which survive: ``python -m mutants``."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict

from .build import make_build
from .faults import Fault, ListError, chosen, read_list
from .run import Outcome, check_without_faults, try_all

LEAST_SHARE = 0.95


def main() -> int:
    """Build, run, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("--only", default="", help="numbers, ranges or areas: 17,20-30,text")
    parser.add_argument("--fresh", action="store_true", help="try again what was killed before")
    parser.add_argument("--quick", action="store_true", help="survivors are not tried on the whole suite")
    parser.add_argument("--list", action="store_true", help="only check that every fault fits the code")
    parser.add_argument("--jobs", type=int, default=2, help="faults tried at a time")
    given = parser.parse_args()
    try:
        every = read_list()
        faults = [fault for fault in chosen(every, given.only) if not fault.equivalent]
        print(f"{len(every)} faults fit the code, {len(faults)} to try")
        if given.list:
            return 0
        make_build(every)
        check_without_faults(faults)
        outcomes = try_all(faults, wide=not given.quick, fresh=given.fresh, jobs=given.jobs)
    except ListError as error:
        print(error, file=sys.stderr)
        return 2
    return _report(faults, outcomes)


def _report(faults: list[Fault], outcomes: list[Outcome]) -> int:
    fates = {outcome.number: outcome.killed for outcome in outcomes}
    areas: dict[str, list[bool]] = defaultdict(list)
    for fault in faults:
        areas[fault.area].append(fates[fault.number])
    print(f"\n{'area':14} {'faults':>6} {'killed':>6} {'survived':>8}")
    for area, killed in sorted(areas.items()):
        print(f"{area:14} {len(killed):6} {sum(killed):6} {len(killed) - sum(killed):8}")
    total, dead = len(faults), sum(fates.values())
    print(f"{'all':14} {total:6} {dead:6} {total - dead:8}   {dead / total:.1%} killed")
    for fault in faults:
        if not fates[fault.number]:
            print(
                f"\nsurvived: {fault.number} in {fault.file}: {fault.says}\n    {fault.was}\n -> {fault.wrong}"
            )
    return 0 if dead >= LEAST_SHARE * total else 1


if __name__ == "__main__":
    sys.exit(main())

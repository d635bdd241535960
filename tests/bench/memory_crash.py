"""kill -9 of the memory server while it records and seals: nothing acknowledged is lost, nothing is half-indexed.

    tests/bench/run memory_crash                                   100 kills at 20 000 items
    tests/bench/run memory_crash --items 1000000 --kills 3 [--data FOLDER]
    tests/bench/run memory_crash --events 100000                   random events instead: a fold of the log equals what is served
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "memory"))
from harness import figure, folder_for, program, run  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--events", type=int, default=0)
    parser.add_argument("--data", help="a folder that memory_1m kept; records are added to it")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with folder_for(chosen.data) as folder:
        common = {"program": program("kernelsmith-memory"), "data": folder / "store", "seed": chosen.seed}
        if chosen.events:
            found = run("memory-crash", "events", **common, events=chosen.events)
        else:
            found = run("memory-crash", "kills", **common, attempts=chosen.items // 2, kills=chosen.kills)
    for name, value in found.items():
        figure(name, value, "count")


if __name__ == "__main__":
    main()

"""The experience memory with a million items: search, recall, durable writes, restart.

    tests/bench/run memory_1m [--items N] [--data FOLDER] [--queries N] [--seed N]

docs/memory-benchmarks.md says what each figure means.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "memory"))
from harness import measure  # noqa: E402

if __name__ == "__main__":
    measure(1_000_000, __doc__)

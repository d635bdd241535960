"""How long the emulated CANN takes: to compile an ordinary kernel with its host program, and to run it on 16 Mi half values.

    tests/bench/run emulator_speed [--repeats 5]

Medians of the repeats; wall seconds of this machine.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from figures import figure

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/bench/emulator/elementwise_16m.asc"


def toolkit():
    """The toolkit root of the build, or ASCEND_HOME_PATH."""
    return pathlib.Path(os.environ.get("ASCEND_HOME_PATH", ROOT / "build/release/emulated-cann"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats

    compiled, ran = [], []
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "elementwise"
        for _ in range(repeats):
            begin = time.monotonic()
            subprocess.run([toolkit() / "bin/bisheng", SOURCE, "-o", program, "--npu-arch=dav-2201", "-O2", "-std=c++17"],
                           check=True, timeout=120)
            compiled.append(time.monotonic() - begin)
        for _ in range(repeats):
            done = subprocess.run([program], check=True, timeout=120, capture_output=True, text=True)
            ran.append(float(done.stdout))
    print("compile seconds:", " ".join(f"{s:.2f}" for s in compiled))
    print("run seconds:", " ".join(f"{s:.2f}" for s in ran))
    figure("compile_seconds", statistics.median(compiled), "s")
    figure("elementwise_16m_seconds", statistics.median(ran), "s")


if __name__ == "__main__":
    main()

"""Seeded faults: kernels with one known fault each, and their repaired twins, through the emulated CANN from compiler to report.

    tests/bench/run emulator_faults [--only flags]

A fault counts as missed if no error of an expected check is reported, a repaired twin or a kernel without a fault as a
false alarm if any error is.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from figures import figure

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAULTS = ROOT / "tests/worker/emulator/faults"
FLAGS = "// flags: "
HONEST = "clean"  # expected of kernels without a fault


def toolkit():
    """The emulated toolkit of the build whose programs are tested."""
    programs = os.environ.get("KERNELSMITH_BIN_DIR")
    build = pathlib.Path(programs).parent if programs else ROOT / "build/release"
    return build / "emulated-cann"


def compile_cases(cann, source, repaired, folder):
    first = source.read_text().splitlines()[0]
    flags = first.removeprefix(FLAGS).split() if first.startswith(FLAGS) else []
    program = folder / f"{source.stem}{'_repaired' if repaired else ''}"
    command = [cann / "bin/bisheng", "--npu-arch=dav-2201", source, "-o", program, f"-I{FAULTS}", *flags]
    if repaired:
        command.append("-DREPAIRED")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{source.name} does not compile:\n{done.stdout}{done.stderr}")
    return program


def run(cann, program, *arguments):
    environment = dict(os.environ, ASCEND_HOME_PATH=str(cann), LD_LIBRARY_PATH=str(cann / "lib64"))
    try:
        return subprocess.run([program, *arguments], capture_output=True, text=True, env=environment, timeout=300).stdout
    except subprocess.TimeoutExpired:
        return ""


def errors(output):
    """The checks of all errors that the report names; the end of the launch stands for those the report has no finding of."""
    lines = [line for line in output.splitlines() if line.startswith("report ")]
    if not lines:
        return {"no_report"}
    launches = json.loads(lines[-1].removeprefix("report "))["launches"]
    found = {finding["check"] for launch in launches for finding in launch["findings"] if finding["severity"] == "error"}
    ends = {launch["end"] for launch in launches} - {"done"}
    return found | (ends & {"hang", "timeout", "assert"})


def examine(cann, only=None):
    """Runs every case in both forms. Returns the number of faults, the missed ones and the false alarms."""
    count, missed, alarms = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(FAULTS.glob("*.asc")):
            if only and source.stem != only:
                continue
            faulty, repaired = (compile_cases(cann, source, twin, pathlib.Path(folder)) for twin in (False, True))
            for line in run(cann, faulty).splitlines():
                if not line.startswith("case "):
                    continue
                _, name, expected = line.split()
                seen = errors(run(cann, faulty, name))
                clean = errors(run(cann, repaired, name))
                if expected == HONEST:
                    clean |= seen
                else:
                    count += 1
                if expected != HONEST and not seen & set(expected.split("|")):
                    missed.append(name)
                    print(f"  missed {source.stem}/{name}: expected {expected}, found {sorted(seen)}", flush=True)
                if clean:
                    alarms.append(name)
                    print(f"  false alarm {source.stem}/{name}: {sorted(clean)}", flush=True)
    return count, missed, alarms


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--only", help="one source, without .asc")
    arguments.add_argument("--strict", action="store_true", help="fail if anything is missed or a false alarm")
    options = arguments.parse_args()
    count, missed, alarms = examine(toolkit(), options.only)
    figure("seeded_faults", count, "count")
    figure("missed_faults", len(missed), "count")
    figure("false_alarms", len(alarms), "count")
    if options.strict and (missed or alarms or count < 40):
        sys.exit(1)


if __name__ == "__main__":
    main()

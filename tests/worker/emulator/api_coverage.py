#!/usr/bin/env python3
"""Which documented names of Ascend C the emulated CANN declares.

Usage: api_coverage.py TOOLKIT_ROOT [--missing]

Reads worker/emulator/coverage/documented_names.txt and what bisheng's preprocessor makes of the headers that kernels and hosts
include, and prints for each group how many names are declared and which are missing; --missing prints those alone. A name
counts as declared if it stands in the headers as a word: members of classes are not told apart from functions. The exit code is
the number of groups with something missing.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

NAMES = pathlib.Path(__file__).resolve().parents[3] / "worker/emulator/coverage/documented_names.txt"
HEADERS = ("kernel_operator.h", "tiling/tiling_api.h", "tiling/platform/platform_ascendc.h", "register/tilingdata_base.h")


def documented():
    """Group -> names, in the order of the file."""
    groups = {}
    names = None
    for line in NAMES.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            names = groups.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            names.extend(line.split())
    return groups


def preprocessed(root, *options):
    """The words of the toolkit's headers, as the preprocessor leaves them."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "all.asc")
        source.write_text("".join(f'#include "{header}"\n' for header in HEADERS), encoding="utf-8")
        output = pathlib.Path(folder, "all.i")
        subprocess.run([f"{root}/bin/bisheng", "--npu-arch=dav-2201", "-E", *options, str(source), "-o", str(output)], check=True)
        return output.read_text(encoding="utf-8")


def declared(root):
    return set(re.findall(r"[A-Za-z_]\w*", preprocessed(root) + preprocessed(root, "-dM")))


def main(arguments):
    roots = [argument for argument in arguments if not argument.startswith("--")]
    if len(roots) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    known = declared(roots[0])
    incomplete = 0
    total = covered = 0
    for group, names in documented().items():
        missing = [name for name in names if name not in known]
        total += len(names)
        covered += len(names) - len(missing)
        incomplete += bool(missing)
        if missing or "--missing" not in arguments:
            print(f"{group}: {len(names) - len(missing)} of {len(names)}" + (f"; missing {' '.join(missing)}" if missing else ""))
    print(f"all: {covered} of {total}")
    return incomplete


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

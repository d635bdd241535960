"""The memory's search beside SQLite FTS5, Xapian, PostgreSQL full text and faiss: same corpus, same queries, one run.

    tests/bench/run memory_peers [--items N] [--queries N] [--seed N]

docs/memory-benchmarks.md says what is equal and what is not.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "memory"))
from harness import Server, figure, run  # noqa: E402

POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
SETTINGS = {"listen_addresses": "", "shared_buffers": "1GB", "effective_cache_size": "4GB", "work_mem": "64MB",
            "maintenance_work_mem": "512MB", "random_page_cost": "1.1", "jit": "off", "max_wal_size": "4GB",
            "max_parallel_workers_per_gather": "0"}


@contextlib.contextmanager
def postgres():
    """A private cluster on a Unix socket; its libpq connection. PostgreSQL refuses to run as root."""
    folder = tempfile.mkdtemp(prefix="kernelsmith-postgres-")
    user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
    owner = {"user": "postgres"} if user else {}
    try:
        if owner:
            shutil.chown(folder, owner["user"])
        quiet = {"stdout": subprocess.DEVNULL, "cwd": folder, **user}
        subprocess.run([POSTGRES / "initdb", "-D", f"{folder}/data", "-U", "postgres", "--no-locale", "-E", "UTF8"],
                       check=True, **quiet)
        options = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
        options = options.replace("listen_addresses=", "listen_addresses=''")
        control = [POSTGRES / "pg_ctl", "-D", f"{folder}/data", "-w"]
        subprocess.run([*control, "-l", f"{folder}/log", "-o", f"{options} -k {folder}", "start"], check=True, **quiet)
        try:
            yield f"host={folder} user=postgres dbname=postgres"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], check=True, **quiet)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kernelsmith-memory-") as folder, postgres() as connection, \
            Server(folder, 'embedder { kind: "none" }') as server:
        server.ready_seconds(chosen.items // 2)
        found = run("memory-peers", items=chosen.items, queries=chosen.queries, seed=chosen.seed, postgres=connection,
                    port_file=server.port_file)
    for name, value in found.items():
        if not name.startswith("ratio_"):
            print(f"  {name} {value:.4g}")
    ratios = {name: value for name, value in found.items() if name.startswith("ratio_")}
    for name, value in ratios.items():
        figure(name, value, "times")
    figure("worst_ratio", min(ratios.values()), "times")


if __name__ == "__main__":
    main()

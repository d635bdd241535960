"""Runs kernelsmith-memory and the load programs for the memory benchmarks."""

import argparse
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/bench"))
from figures import figure  # noqa: E402

BUILD = pathlib.Path(os.environ.get("KERNELSMITH_BIN_DIR", ROOT / "build/release/bin")).parent


def program(name):
    return BUILD / ("bin" if name.startswith("kernelsmith") else "bench") / name


def values(text):
    """Lines `name value` as a dictionary."""
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


class Server:
    """kernelsmith-memory on `folder`/store; killed on exit. `config` is text format of MemoryConfig."""

    def __init__(self, folder, config=""):
        self.folder = pathlib.Path(folder)
        self.config = config
        self.process = None
        self.started = 0.0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop(signal.SIGKILL)

    @property
    def port_file(self):
        return self.folder / "port"

    def start(self):
        self.port_file.unlink(missing_ok=True)
        (self.folder / "config").write_text(self.config)
        with open(self.folder / "log", "ab") as log:
            self.started = time.monotonic()
            self.process = subprocess.Popen(
                [program("kernelsmith-memory"), "--config", self.folder / "config", "--data-dir", self.folder / "store",
                 "--port-file", self.port_file, "--metrics-port-file", self.folder / "metrics"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def stop(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(120)
        self.process = None

    def ready_seconds(self, attempts):
        """From the start of the process to the first answer of a Retrieve."""
        self.load("ready", attempts=attempts, patience=600)
        return time.monotonic() - self.started

    def resident_mib(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("no VmRSS")

    def load(self, command, **flags):
        """One command of memory-load; its values."""
        return run("memory-load", command, port_file=self.port_file, **flags)


def run(name, *command, **flags):
    """A load program with --flag value pairs; True gives a bare flag. Returns its values."""
    arguments = [program(name), *command]
    for flag, value in flags.items():
        option = "--" + flag.replace("_", "-")
        arguments += [option] if value is True else [option, str(value)]
    return values(subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True).stdout)


@contextlib.contextmanager
def folder_for(path):
    """`path`, made if missing; without one a temporary folder that is removed afterwards."""
    if path:
        pathlib.Path(path).mkdir(parents=True, exist_ok=True)
        yield pathlib.Path(path)
    else:
        with tempfile.TemporaryDirectory(prefix="kernelsmith-memory-") as name:
            yield pathlib.Path(name)


def fill(server, folder, attempts, seed):
    """Records the corpus unless the folder holds it; returns the write rates, which stay in the folder."""
    stamp = folder / "corpus.json"
    if stamp.exists():
        known = json.loads(stamp.read_text())
        if (known["attempts"], known["seed"]) != (attempts, seed):
            raise SystemExit(f"{folder} holds {known['attempts']} attempts of seed {known['seed']}; name another --data")
        return known["rates"]
    measured = min(attempts // 5, 50_000)
    grouped, single, waiting = attempts - 2 * measured, attempts - measured, attempts - min(measured // 4, 2000)
    begin = time.monotonic()
    steady = server.load("fill", seed=seed, first=0, last=grouped, writers=16, window=4)
    server.load("seal")
    many = server.load("fill", seed=seed, first=grouped, last=single, writers=16, group=64)
    server.load("seal")
    one = server.load("fill", seed=seed, first=single, last=waiting, writers=1, window=64)
    patient = server.load("fill", seed=seed, first=waiting, last=attempts, writers=1)
    rates = {"many": many["records_per_s"], "one": one["records_per_s"], "waiting": patient["records_per_s"],
             "steady": steady["records_per_s"], "fill_seconds": time.monotonic() - begin}
    stamp.write_text(json.dumps({"attempts": attempts, "seed": seed, "rates": rates}))
    return rates


def search_figures(server, folder, attempts, seed, queries):
    corpus = {"attempts": attempts, "seed": seed}
    print("  warming up", flush=True)
    server.load("search", **corpus, queries=queries, first_query=1_000_000, clients=8)
    latency = server.load("search", **corpus, queries=queries, first_query=2_000_000)
    rate = server.load("search", **corpus, queries=2 * queries, first_query=3_000_000, clients=8)
    brief = server.load("search", **corpus, queries=2 * queries, first_query=4_000_000, clients=8, brief=True)
    long = server.load("search", **corpus, queries=queries // 2, first_query=4_500_000, terms=24)
    context = server.load("context", **corpus, queries=max(queries // 4, 200), first_query=5_000_000)
    print(f"  queries of 24 terms: p50 {long['p50_ms']:.2f} ms, p99 {long['p99_ms']:.2f} ms", flush=True)
    print(f"  ids and values alone {brief['per_s']:.0f}/s, p99 at 8 clients {rate['p99_ms']:.2f} ms; "
          f"contexts p50 {context['p50_ms']:.2f} ms", flush=True)
    figure("hybrid_p50_ms", latency["p50_ms"], "ms")
    figure("hybrid_p99_ms", latency["p99_ms"], "ms")
    figure("hybrid_qps", rate["per_s"], "queries/s")
    figure("assemble_p99_ms", context["p99_ms"], "ms")
    figure("resident_mib", server.resident_mib(), "MiB")
    recall = run("memory-recall", port_file=server.port_file, **corpus, queries=200, first_query=6_000_000)
    if recall["lexical_only"]:
        raise SystemExit("the server answers without vectors")
    figure("recall_at_10", recall["recall_at_10"], "share")


def measure(items, doc):
    """The benchmark of one size: two items an attempt."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--items", type=int, default=items)
    parser.add_argument("--data", help="keep the filled store in this folder, and use it if it is there")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--queries", type=int, default=4000)
    chosen = parser.parse_args()
    attempts = chosen.items // 2
    with folder_for(chosen.data) as folder, Server(folder) as server:
        print(f"{attempts} attempts, {2 * attempts} items", flush=True)
        server.ready_seconds(attempts)
        rates = fill(server, folder, attempts, chosen.seed)
        print(f"  filled in {rates['fill_seconds']:.0f} s, at {rates['steady']:.0f}/s one attempt a call while the index was "
              f"made; one writer that waits for each reply {rates['waiting']:.0f}/s", flush=True)
        sealed = server.load("seal")
        print(f"  sealed in {sealed['seconds']:.0f} s: {sealed['segments']:.0f} segments, "
              f"{server.load('stats')['store_bytes'] / 2**20:.0f} MiB", flush=True)
        search_figures(server, folder, attempts, chosen.seed, chosen.queries)
        figure("durable_records_per_s", rates["many"], "records/s")
        figure("durable_records_per_s_1", rates["one"], "records/s")
        server.stop()
        server.start()
        figure("ready_seconds", server.ready_seconds(attempts), "s")
        print(f"  {server.resident_mib():.0f} MiB resident after the restart", flush=True)

"""One running installation for tests and benchmarks: `kernelsmith up` in a folder of its own, and the CLI against it.

    with Installation(folder) as it:
        job = it.json("submit", "configs/tasks/softmax.py", "--rounds", "3", "--watch")
    assert it.survivors() == []

The process becomes a child subreaper, so that whatever outlives its parent is found among its descendants.
"""

import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PR_SET_CHILD_SUBREAPER = 36


def program_folder():
    """Where the built programs are: KERNELSMITH_BIN_DIR, else the release build."""
    return pathlib.Path(os.environ.get("KERNELSMITH_BIN_DIR", ROOT / "build/release/bin"))


def wait_until(condition, seconds, what):
    """Polls `condition` until it gives something true, and returns that; fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.05)


def descendants(pid=None):
    """Process ids below `pid` (default: this process), zombies excluded."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if fields[0] != "Z":
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found, queue = [], [pid or os.getpid()]
    while queue:
        for child in children.get(queue.pop(), []):
            found.append(child)
            queue.append(child)
    return found


class Installation:
    """Starts on entry, stops on exit. `folder` holds all its data; a temporary one is made and removed if none is given. Tests
    share their machine, so by default the cards accept any noise; a benchmark asks for `quiet` cards."""

    def __init__(self, folder=None, workers=2, options=(), quiet=False):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._own = folder is None
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="kernelsmith-test-"))
        self.workers = workers
        self.options = list(options)
        self.quiet = quiet
        self.up = None

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        options = list(self.options)
        if not self.quiet:
            (self.folder / "workers.textproto").write_text("noise_limit: 1000\n")
            options += ["--worker-config", self.folder / "workers.textproto"]
        with open(self.folder / "up.log", "ab") as log:
            self.up = subprocess.Popen(
                [program_folder() / "kernelsmith", "up", "--data", self.folder, "--workers", str(self.workers), *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        wait_until(self._ready, 60, f"`kernelsmith up` ready; see {self.folder}/up.log")
        return self

    def _ready(self):
        if self.up.poll() is not None:
            raise RuntimeError("`kernelsmith up` ended:\n" + (self.folder / "up.log").read_text(errors="replace")[-2000:])
        return (self.folder / "endpoints.json").exists()

    def __exit__(self, *_):
        self.stop()
        if self._own:
            shutil.rmtree(self.folder, ignore_errors=True)

    def stop(self):
        """SIGTERM, then waits for the end of `up`."""
        if self.up and self.up.poll() is None:
            self.up.send_signal(signal.SIGTERM)
            try:
                self.up.wait(60)
            except subprocess.TimeoutExpired:
                self.up.kill()
                self.up.wait()

    def survivors(self):
        """Descendants that are left after stop(); gives them two seconds to be reaped."""
        deadline = time.monotonic() + 2
        while True:
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                pass
            left = descendants()
            if not left or time.monotonic() > deadline:
                return left
            time.sleep(0.05)

    def endpoints(self):
        return json.loads((self.folder / "endpoints.json").read_text())

    def environment(self):
        endpoints = self.endpoints()
        return {**os.environ, "KERNELSMITH_SERVER": endpoints["server"], "KERNELSMITH_MEMORY": endpoints["memory"]}

    def run(self, *arguments, timeout=600):
        """Runs the CLI; returns the finished process with text output."""
        command = [str(program_folder() / "kernelsmith"), *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
                              env=self.environment())

    def json(self, *arguments, timeout=600, codes=(0,)):
        """Runs the CLI with --json and returns the document; the exit code must be one of `codes`."""
        done = self.run(*arguments, "--json", timeout=timeout)
        if done.returncode not in codes:
            raise RuntimeError(f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        return json.loads(done.stdout)

    def lines(self, *arguments, timeout=600):
        """Runs a streaming command with --json and returns its documents, one a line."""
        done = self.run(*arguments, "--json", timeout=timeout)
        return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]

    def submit(self, task, *options):
        """Submits without waiting; returns the job's id."""
        answer = self.json("submit", task, "--detach", *options)
        return answer.get("job", answer)["id"]

    def finish(self, job_id, timeout=1200):
        """Waits for the job's end; returns (job, recorded rounds in order)."""
        events = self.lines("watch", job_id, timeout=timeout)
        rounds = [event["round_recorded"] for event in events if "round_recorded" in event]
        shown = self.json("show", job_id)
        return shown.get("job", shown), rounds
